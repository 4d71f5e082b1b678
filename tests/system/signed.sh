# SPDX-License-Identifier: GPL-2.0
# Secure Boot, and the key of the machine's owner, which is enrolled: the commands of Documentation/kernels.rst.

mok=/var/lib/shim-signed/mok
is "signed: Secure Boot" "$(mokutil --sb-state)" "SecureBoot enabled"
matches "signed: the key is enrolled" "$(mokutil --test-key $mok/MOK.der)" "*is already enrolled"
install "signed: apt" $(debs "$this" iostat-utils "iostat-modules-$old")
module=$(modinfo -n iostat)
works "signed: unpack" unxz "$module"
works "signed: sign-file" "/usr/lib/linux-kbuild-${old%%-*}/scripts/sign-file" sha256 $mok/MOK.priv $mok/MOK.der "${module%.xz}"
works "signed: pack" xz --check=crc32 "${module%.xz}"
is "signed: by" "$(modinfo -F signer iostat)" test
works "signed: modprobe" modprobe iostat
is "signed: loaded" "$(cat /sys/module/iostat/initstate)" live
counts "signed"
matches "signed: lockdown" "$(cat /sys/kernel/security/lockdown)" "none \[integrity\]*"
