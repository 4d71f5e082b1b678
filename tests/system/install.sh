# SPDX-License-Identifier: GPL-2.0
# Our packages are installed by apt, and the module is loaded as the documentation says.

is "install: kernel" "$(uname -r)" "$old"
install "install: apt" $(debs "$this" iostat-utils "iostat-modules-$old")
matches "install: modinfo" "$(modinfo -F vermagic iostat)" "$old *"
is "install: not loaded by itself" "$(lsmod | grep -c '^iostat ')" 0
matches "install: ioscope without the module" "$(ioscope 2>&1)" "*modprobe iostat*"

sed -i 's/^#iostat$/iostat/' /etc/modules-load.d/iostat.conf
works "install: systemd-modules-load" systemctl restart systemd-modules-load.service
is "install: loaded" "$(cat /sys/module/iostat/initstate)" live
is "install: device" "$(stat -c '%F %a' /dev/iostat)" "character special file 666"
counts "install"
matches "install: ioscope, as an ordinary user" "$(setpriv --reuid=65534 --regid=65534 --clear-groups ioscope)" "device *$disk *"

is "install: the exporter is not started" "$(systemctl is-enabled ioscope-export.socket)" disabled
is "install: nor is its service" "$(systemctl is-active ioscope-export.service)" inactive
works "install: systemctl enable --now" systemctl enable --now ioscope-export.socket
exporter "install: exporter"
