#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sets up, builds, boots the stock kernel and shows the module at work. usage: run.sh (KERNEL=7.2
# selects another series)

. "$(dirname "$0")/lib.sh"
need_root
start=$SECONDS

echo "iostat: setting up in $IOSTAT_CACHE"
kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel")
tools=$("$TOP/scripts/tools.sh")
echo "  boot the stock kernel $(cat "$kernel/release") in QEMU"
FILES=$tools "$TOP/scripts/guest.sh" "$kernel" "$modules" demo.sh --disk 256M ||
	die "the guest failed (status $?); its output is above"
echo "iostat: all done in $((SECONDS - start)) s"
