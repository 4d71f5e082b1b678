# SPDX-License-Identifier: GPL-2.0
# Runs some of blktests in a guest whose first disk holds their root file system, with the module
# or without it, and passes the results to the host. See scripts/nightly-blktests.sh.

. /payload/settings

mkdir /root
mount -t ext4 /dev/vda /root || exit 1
for dir in proc sys dev; do
	mount --rbind /$dir /root/$dir
done
mount -t tmpfs tmpfs /root/tmp
mount -t tmpfs tmpfs /root/run
cp -r /payload/blktests /root/blktests
rm -rf /payload/blktests
[ "$WITH" = without ] || insmod /payload/iostat.ko || exit 1
cat >/root/blktests/config <<-'END'
	TEST_DEVS=(/dev/vdb /dev/nvme0n1)
	TIMEOUT=20
	QUICK_RUN=1
	RUN_ZONED_TESTS=1
	NVMET_TRTYPES=loop
	NVMET_BLKDEV_TYPES="device file"
	NVME_IMG_SIZE=350M
	NVME_NUM_ITER=20
END
unset DM_DISABLE_UDEV
chroot /root /bin/bash -c '
	export PATH=/usr/sbin:/usr/bin TERM=dumb SYSTEMD_IGNORE_CHROOT=1
	/usr/lib/systemd/systemd-udevd --daemon
	udevadm trigger
	udevadm settle
	cd /blktests
	./check '"$TESTS"'
	echo "check ended with status $?"
	tar -cf /tmp/results.tar results
'
give results.tar </root/tmp/results.tar
if [ "$WITH" = with ]; then
	awk 'NF == 0 { exit } { print $1, $2, $3 }' /dev/iostat
	rmmod iostat || exit 1
fi
echo "blktests: whole"
