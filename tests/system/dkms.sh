# SPDX-License-Identifier: GPL-2.0
# Secure Boot, and modules that DKMS has built and signed in another system by its key, which is enrolled here: see
# scripts/system-dkms-in-root.sh. Then apt installs the newer kernel.

# take RELEASE: installs the module, as DKMS does.
take()
{
	mkdir -p "/usr/lib/modules/$1/updates/dkms"
	cp "/srv/dkms/$1/"iostat.ko* "/usr/lib/modules/$1/updates/dkms"
	depmod "$1"
}

is "dkms: Secure Boot" "$(mokutil --sb-state)" "SecureBoot enabled"
matches "dkms: its key is enrolled" "$(mokutil --test-key /srv/dkms/mok.pub)" "*is already enrolled"
take "$old"
install "dkms: apt" $(debs "$this" iostat-utils)
sed -i 's/^#iostat$/iostat/' /etc/modules-load.d/iostat.conf
works "dkms: systemd-modules-load" systemctl restart systemd-modules-load.service
is "dkms: loaded" "$(cat /sys/module/iostat/initstate)" live
counts "dkms"
install "dkms: apt installs the newer kernel" "linux-image-$flavour"
take "$new"
