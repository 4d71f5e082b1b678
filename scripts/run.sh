#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sets up, builds, boots the stock kernel and shows the module at work. usage: run.sh (KERNEL=7.2
# selects another series, FLAVOUR=generic another kernel, ARCH=arm64 another architecture: see scripts/kernels.txt)

. "$(dirname "$0")/lib.sh"
need_root
start=$SECONDS

echo "iostat: setting up for ARCH=$ARCH in $IOSTAT_CACHE"
kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel")
tools=$("$TOP/scripts/tools.sh")
# Debian's kernels for arm64 have no scsi_debug, so that the guest needs another disk.
emulator=qemu-system-x86_64 disks=(--disk 256M)
[ "$ARCH" = amd64 ] || emulator=qemu-system-aarch64 disks+=(--nvme 64M)
echo "  boot the stock kernel $(cat "$kernel/release") in $emulator, which emulates the machine"
FILES=$tools "$TOP/scripts/guest.sh" "$kernel" "$modules" demo.sh "${disks[@]}" ||
	die "the guest failed (status $?); its output is above"
echo "iostat: all done in $((SECONDS - start)) s"
