# SPDX-License-Identifier: GPL-2.0
# The newer kernel has the module; the packages are upgraded while it is loaded and the disk busy, then purged.

is "newer kernel: kernel" "$(uname -r)" "$new"
healthy "newer kernel"
is "newer kernel: loaded" "$(cat /sys/module/iostat/initstate)" live
counts "newer kernel"
exporter "newer kernel: exporter"

(while [ ! -e /run/enough ]; do dd if=/dev/$disk of=/dev/null bs=64k count=1000 iflag=direct status=none; done) &
load=$!
before=$(reads_recorded)
install "upgrade: apt" $(debs "$next" iostat-utils "iostat-modules-$old" "iostat-modules-$new" "iostat-modules-$flavour")
is "upgrade: versions of the packages" "$(packages | cut -d' ' -f2,3 | xargs)" "$next ii $next ii $next ii $next ii"
is "upgrade: version of the module that is loaded" "$(cat /sys/module/iostat/version)" "$this"
holds "upgrade: it has counted meanwhile" "$(reads_recorded) > $before"
is "upgrade: modules-load.d is as it was edited" "$(grep -v '^#' /etc/modules-load.d/iostat.conf)" iostat
exporter "upgrade: exporter"
matches "upgrade: ioscope, with the module of before" "$(ioscope 2>&1)" "device *$disk *"
works "upgrade: systemctl stop" systemctl stop ioscope-export.service ioscope-export.socket
works "upgrade: modprobe -r under load" modprobe -r iostat
works "upgrade: modprobe" modprobe iostat
is "upgrade: version of the module" "$(cat /sys/module/iostat/version)" "$next"
touch /run/enough
wait $load
counts "upgrade"
works "upgrade: systemctl start" systemctl start ioscope-export.socket
exporter "upgrade: exporter of the next version"

works "purge: apt" apt-get purge -y -q "iostat-*"
is "purge: packages" "$(packages 2>/dev/null)" ""
is "purge: files" "$(find / -xdev \( -path /proc -o -path /sys -o -path /srv -o -path /var/log -o -path /var/cache/apt \) -prune -o \
	\( -name '*iostat*' -o -name '*ioscope*' \) -print | xargs)" ""
is "purge: units" "$(systemctl list-units --all --plain --no-legend 'io*' | xargs)" ""
is "purge: programs" "$(pgrep ioscope | xargs)" ""
is "purge: user" "$(getent passwd ioscope-export)" ""
matches "purge: modprobe does not find it" "$(modprobe iostat 2>&1)" "*not found*"
counts "purge: the module that is loaded"
works "purge: rmmod" rmmod iostat
is "purge: device" "$(ls /dev/iostat 2>/dev/null)" ""
