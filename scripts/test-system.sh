#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the Debian packages on a whole system: with systemd, apt, GRUB, Secure Boot and Debian's signed kernels, which boots
# in QEMU from a disk. tests/system has the steps of the guest. The last line is "system: N passed, N failed".
#	packages	the packages of this tree and of the next version, and two series of kernels
#	unsigned	Secure Boot without the owner's key
#	signed		the module, signed by the owner's key, which is enrolled
#	dkms		modules that DKMS has built in a chroot, which takes 20 minutes, and signed by its key, which is enrolled
# usage: [KEEP=1] [PACKAGES=DIR] test-system.sh [packages|unsigned|signed|dkms]
#	KEEP=1		leaves the disk behind, and uses one that is there
#	PACKAGES=DIR	a directory of the cache with packages that were built before

. "$(dirname "$0")/lib.sh"

work=$IOSTAT_CACHE/system-$CLONE
passed=0 failed=0
inside=/cache/${work#"$IOSTAT_CACHE"/}
remove_work()
{
	rm -rf "$work"
}
[ -n "${KEEP:-}" ] || trap remove_work EXIT

# kernel SERIES: prints release and version.
kernel()
{
	local dir
	dir=$(KERNEL=$1 "$TOP/scripts/kernel.sh")
	echo "$(cat "$dir/release") $(cat "$dir/version")"
}

# enter ROOT SCRIPT ARGUMENT...
enter()
{
	local root=$1
	shift
	IN_ROOT=$root OVERLAY=${OVERLAY:-} "$TOP/scripts/enter.sh" env SYSTEM_UUID="$uuid" SYSTEM_COMMAND_LINE="$command_line" "$@"
}

make_disk()
{
	OVERLAY=$work/overlay enter system scripts/system-tree-in-root.sh "$inside" \
		"/cache/${packages#"$IOSTAT_CACHE"/}" "$old" "$old_version" "$new" "$new_version"
	rm -rf "$work/overlay"
	enter firmware scripts/system-in-root.sh disk "$inside"
}

# count LOG: prints the failures, and counts the results.
count()
{
	sed -n '/^not ok/s/^/  /p; /^# [a-z-]*: [0-9]* s$/s/^#/ /p' "$1"
	passed=$((passed + $(grep -c '^ok' "$1" || true)))
	failed=$((failed + $(grep -c '^not ok' "$1" || true)))
}

# build_by_dkms: in a copy of the root that has the compilers.
build_by_dkms()
{
	local log=$LOGS/system-dkms-build.log status=0
	echo "  DKMS builds modules (about 20 minutes; log: $log)"
	OVERLAY=$work/overlay enter packages scripts/system-dkms-in-root.sh "$inside" \
		"/cache/${packages#"$IOSTAT_CACHE"/}" "$old" "$old_version" "$new" "$new_version" >"$log" 2>&1 || status=$?
	rm -rf "$work/overlay"
	count "$log"
	[ -e "$work/dkms/mok.pem" ] || die "DKMS has built no modules (status $status, log: $log)"
}

# boot NAME STEPS [secure [CERTIFICATE]]: boots a copy of the disk, and counts the results.
boot()
{
	local log=$LOGS/system-$1.log status=0
	echo "  $1 (log: $log)"
	enter firmware scripts/system-in-root.sh boot "$inside" "$@" >"$log.qemu" 2>&1 || status=$?
	tr -d '\r' <"$work/$1.console" | sed 's/\x1b\[[0-9;=?]*[A-Za-z]//g' >"$log"
	cat "$log.qemu" >>"$log"
	rm "$log.qemu"
	count "$log"
	[ $status = 0 ] && grep -q '^# the end$' "$log" || {
		echo "  not ok - the system did not get to its end (status $status)"
		failed=$((failed + 1))
	}
}

scenarios=${*:-packages unsigned signed dkms}
for scenario in $scenarios; do
	case " packages unsigned signed dkms " in
	*" $scenario "*) ;;
	*) die "there is no scenario $scenario; choose from: packages unsigned signed dkms" ;;
	esac
done
"$TOP/scripts/root.sh" system >/dev/null
"$TOP/scripts/root.sh" firmware >/dev/null
read -r new new_version <<<"$(kernel "${SERIES%% *}")"
read -r old old_version <<<"$(kernel "${SERIES##* }")"
[ "$new" != "$old" ] || die "there is one supported series, so that no kernel can be upgraded: $SERIES"
packages=${PACKAGES:-$(NEXT=1 "$TOP/scripts/packages.sh")}
uuid=6b1f5b8e-6f0c-4a55-9c51-0d7a4f1f5a20
# See vm-in-root.sh.
command_line="console=ttyS0 no_timer_check quiet loglevel=4 panic=-1 systemd.show_status=false"
mkdir -p "$work"
[[ " $scenarios " != *" dkms "* ]] || [ -e "$work/dkms/mok.pem" ] || build_by_dkms
[ -e "$work/disk.img" ] || step "disk of a whole system" "3 min" make_disk
for scenario in $scenarios; do
	case $scenario in
	packages) boot packages "install upgrade-kernel upgrade-packages gone" ;;
	unsigned) boot unsigned unsigned secure ;;
	signed) boot signed signed secure "$inside/mok.pem" ;;
	dkms) boot dkms "dkms dkms-newer" secure "$inside/dkms/mok.pem" ;;
	esac
done
echo "system: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
