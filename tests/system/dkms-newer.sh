# SPDX-License-Identifier: GPL-2.0
# After the reboot into the newer kernel the module that DKMS has built for it is loaded.

is "dkms, newer kernel: kernel" "$(uname -r)" "$new"
healthy "dkms, newer kernel"
is "dkms, newer kernel: loaded" "$(cat /sys/module/iostat/initstate)" live
is "dkms, newer kernel: signed" "$(modinfo -F signer iostat)" "DKMS module signing key"
counts "dkms, newer kernel"
