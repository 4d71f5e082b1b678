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

rules=/etc/udev/rules.d/60-iostat.rules
sed 's/^#SUBSYSTEM/SUBSYSTEM/' /usr/lib/udev/rules.d/60-iostat.rules >$rules
works "install: udevadm verify" udevadm verify $rules
works "install: udevadm control" udevadm control --reload
works "install: modprobe -r" modprobe -r iostat
works "install: modprobe" modprobe iostat
works "install: udevadm settle" udevadm settle
is "install: device, with the rule of udev" "$(stat -c '%G %a' /dev/iostat)" "disk 660"
rm $rules
works "install: udevadm control, without it" udevadm control --reload
works "install: modprobe -r, without it" modprobe -r iostat
works "install: modprobe, without it" modprobe iostat
works "install: udevadm settle, without it" udevadm settle
is "install: device, without the rule" "$(stat -c '%G %a' /dev/iostat)" "root 666"
matches "install: ioscope, as an ordinary user" "$(setpriv --reuid=65534 --regid=65534 --clear-groups ioscope)" "device *$disk *"

is "install: the exporter is not started" "$(systemctl is-enabled ioscope-export.socket)" disabled
is "install: nor is its service" "$(systemctl is-active ioscope-export.service)" inactive
works "install: systemctl enable --now" systemctl enable --now ioscope-export.socket
exporter "install: exporter"
