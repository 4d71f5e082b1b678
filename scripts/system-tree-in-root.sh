#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of test-system.sh that runs inside the root of a whole system, with an overlay over it: installs the older
# kernel, makes a repository of the newer one and of our packages, and writes root.img, a file system of all that, and
# esp, the files of its EFI partition.
# usage: system-tree-in-root.sh WORK PACKAGES OLD OLD-VERSION NEW NEW-VERSION

set -euo pipefail
work=$1 packages=$2 old=$3 old_version=$4 new=$5 new_version=$6
flavour=${new#*+*-}
export DEBIAN_FRONTEND=noninteractive
# The root has no manual pages; those of our packages are tested.
rm -f /etc/dpkg/dpkg.cfg.d/*mmdebstrap*

# A small initramfs: making it is emulated when the newer kernel is installed.
mkdir -p /etc/initramfs-tools/conf.d
printf 'MODULES=list\nCOMPRESS=zstd\nCOMPRESSLEVEL=1\n' >/etc/initramfs-tools/conf.d/test
printf 'virtio_pci\nvirtio_blk\next4\n' >>/etc/initramfs-tools/modules
# As fstab and grub find the file systems.
echo "UUID=$SYSTEM_UUID / ext4 errors=remount-ro 0 1" >/etc/fstab
echo system >/etc/hostname
systemd-machine-id-setup
echo "127.0.1.1 system" >>/etc/hosts
printf 'GRUB_TIMEOUT=0\nGRUB_CMDLINE_LINUX="%s"\nGRUB_DISABLE_OS_PROBER=true\n' "$SYSTEM_COMMAND_LINE" >/etc/default/grub

apt-get update -qq
apt-get install -y -q --no-install-recommends -t trixie-backports "linux-image-$old=$old_version" \
	"linux-kbuild-${old%%-*}=$old_version" openssl xz-utils
mkdir -p /srv/repository
cd /srv/repository
apt-get download -q -o APT::Sandbox::User=root "linux-image-$flavour=$new_version" "linux-modules-$flavour=$new_version" \
	"linux-base-$flavour=$new_version" "linux-image-$new=$new_version" "linux-base-$new=$new_version" \
	"linux-binary-$new=$new_version" "linux-modules-$new=$new_version"
[ ! -e "$work/dkms" ] || cp -r "$work/dkms" /srv
cp "$packages"/*.deb .
cp -r "$packages/next" /srv
apt-ftparchive packages . >Packages
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*
echo "deb [trusted=yes] file:/srv/repository ./" >/etc/apt/sources.list
apt-get update -qq
apt-get clean

# What has no use here and takes time while it is emulated.
systemctl mask -q apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
	fstrim.timer man-db.timer systemd-firstboot.service getty@tty1.service serial-getty@ttyS0.service
cat >/etc/systemd/system/system-test.service <<'END'
[Unit]
Description=Test of a whole system
After=basic.target

[Service]
Type=exec
ExecStart=/srv/test/run
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0

[Install]
WantedBy=multi-user.target
END
systemctl enable -q system-test.service
# The key of the machine's owner, where Debian's documentation of Secure Boot has it.
mok=/var/lib/shim-signed/mok
mkdir -p $mok
openssl req -new -x509 -newkey rsa:2048 -keyout $mok/MOK.priv -outform DER -out $mok/MOK.der -days 36500 -subj "/CN=test/" -nodes
openssl x509 -inform DER -in $mok/MOK.der -out "$work/mok.pem"
cp -r /src/tests/system /srv/test
cp /src/tests/guest/lib/tap.sh /srv/test
this=$(dpkg-deb -f "$(echo "$packages"/iostat-utils_*.deb)" Version)
next=$(dpkg-deb -f "$(echo "$packages"/next/iostat-utils_*.deb)" Version)
declare -p old new flavour this next >/srv/test/settings

# The first start: update-grub, which apt runs for the newer kernel, replaces grub.cfg.
mkdir -p /boot/grub
cat >/boot/grub/grub.cfg <<END
linux /boot/vmlinuz-$old root=UUID=$SYSTEM_UUID ro $SYSTEM_COMMAND_LINE
initrd /boot/initrd.img-$old
boot
END
rm -rf "$work/esp"
mkdir -p "$work/esp/EFI/BOOT" "$work/esp/EFI/debian"
cp /usr/lib/shim/shimx64.efi.signed "$work/esp/EFI/BOOT/BOOTX64.EFI"
cp /usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed "$work/esp/EFI/BOOT/grubx64.efi"
cat >"$work/esp/EFI/debian/grub.cfg" <<END
search.fs_uuid $SYSTEM_UUID root
set prefix=(\$root)/boot/grub
configfile \$prefix/grub.cfg
END
mkdir -p /tmp/whole
mount --bind / /tmp/whole
mke2fs -q -t ext4 -U "$SYSTEM_UUID" -d /tmp/whole "$work/root.img" 4G
