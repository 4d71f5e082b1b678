# SPDX-License-Identifier: GPL-2.0
# After a reboot the module is there, and counts; then apt installs a newer kernel.

is "reboot: kernel" "$(uname -r)" "$old"
healthy "reboot"
is "reboot: loaded" "$(cat /sys/module/iostat/initstate)" live
counts "reboot"
exporter "reboot: exporter"

install "upgrade of the kernel: apt" "linux-image-$flavour" "iostat-modules-$flavour=$this"
is "upgrade of the kernel: installed" "$(dpkg-query -W -f '${db:Status-Abbrev}' "linux-image-$new" "iostat-modules-$new")" "ii ii "
matches "upgrade of the kernel: modinfo" "$(modinfo -k "$new" -F vermagic iostat)" "$new *"
counts "upgrade of the kernel"
