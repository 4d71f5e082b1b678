#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel in QEMU, runs PAYLOADDIR/run in it as root and exits with its
# status. Runs inside the build root; started by scripts/vm.sh.
# usage: vm-in-root.sh [option...] KERNELDIR PAYLOADDIR
#	--cpus N	(2)
#	--memory MIB	(1024; give --bpftrace 2048, its image is 300 MB)
#	--silence S	(300) ends a guest that has printed nothing for so long, without
#			the time that a busy host kept it waiting
#	--timeout S	(7200) ends a guest that runs for so long, whatever it prints
#	--append "kernel arguments"; NAME=VALUE is in the payload's environment
#	--disk SIZE	an empty virtio disk, vda on; repeatable
#	--image FILE	a virtio disk with the file's content; writes to it are lost
#	--nvme SIZE	an empty NVMe disk, nvme0n1 on; repeatable
#	--paths SIZE	an empty NVMe disk behind two controllers, of which a kernel with
#			multipath makes one disk; its sector at 64 MiB is unreadable
#	--forward HOST:GUEST	a network card: connections to port HOST of the host's loopback
#			go to port GUEST of the guest, which is 10.0.2.15; the host is 10.0.2.2
#	--bpftrace	the image with bpftrace and perf
#	--icount	one instruction, one nanosecond: guest times that do not depend
#			on the host's load; three times as slow
#	--profile PLUGIN	of QEMU, bench/profile.c: its output goes to DIR as the file "profile"
#	--out DIR	directory for the files that the guest passes to "give NAME", and
#			for the whole console as file "console"
#	--quiet		shows the console only if the run fails
#	--trouble REGEX	the kernel messages that are complaints, if not those of
#			trouble.sh
# A guest that is ended or panics first prints the stack of each task, the locks held and the state of
# each CPU.
# Exit status: the payload's; 124 ended; 125 no status (panic, QEMU failed);
# 126 the payload succeeded but the kernel complained on the console.

set -euo pipefail
cpus=2 memory=1024 silence=300 timeout=7200 append='' out='' quiet='' accel=tcg,thread=multi yields=1
. "$(dirname "$0")/trouble.sh"
devices=() disks=0

usage()
{
	sed -n '/^# usage/,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# disk SIZE DEVICE [OPTIONS FILE-KEY]: adds a sparse file as a disk, in the /tmp of this mount namespace.
disk()
{
	local id=disk$disks
	disks=$((disks + 1))
	truncate -s "$1" "$tmp/$id"
	devices+=(-drive "if=none,id=$id,format=raw,cache=unsafe,discard=unmap,${3:-}${4:-file}=$tmp/$id"
		-device "$2,drive=$id")
}

# paths SIZE: adds two controllers of one subsystem with a shared namespace.
paths()
{
	local name=paths$disks bad=file.driver=blkdebug,file.inject-error.0.event=none
	bad+=,file.inject-error.0.iotype=read,file.inject-error.0.sector=131072,
	devices+=(-device "nvme-subsys,id=$name"
		-device "nvme,id=$name.a,serial=$name,subsys=$name"
		-device "nvme,id=$name.b,serial=$name,subsys=$name")
	disk "$1" "nvme-ns,bus=$name.a,shared=on" "$bad" file.image.filename
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

while [ $# -gt 2 ]; do
	case $1 in
	--bpftrace) export WITH_BPFTRACE=1 ;;
	--icount)
		accel=tcg,thread=single yields=''
		devices+=(-icount shift=0,sleep=off)
		;;
	--quiet) quiet=1 ;;
	--cpus) cpus=$2 ;;&
	--memory) memory=$2 ;;&
	--silence) silence=$2 ;;&
	--timeout) timeout=$2 ;;&
	--append) append=$2 ;;&
	--profile) devices+=(-plugin "$2,out=$tmp/profile") ;;&
	--out) out=$2 ;;&
	--trouble) TROUBLE=$2 ;;&
	--disk) disk "$2" virtio-blk-pci ;;&
	--image)
		devices+=(-drive "if=none,id=image,format=raw,snapshot=on,file=$2"
			-device virtio-blk-pci,drive=image)
		;;&
	--nvme) disk "$2" "nvme,serial=iostat$disks" ;;&
	--paths) paths "$2" ;;&
	--forward)
		devices+=(-netdev "user,id=net,hostfwd=tcp:127.0.0.1:${2%:*}-:${2#*:}"
			-device virtio-net-pci,netdev=net,romfile=)
		;;&
	--cpus | --memory | --silence | --timeout | --append | --out | --trouble | --disk | --image | --nvme | --paths | --forward | --profile) shift ;;
	*) usage ;;
	esac
	shift
done
[ $# = 2 ] || usage
kernel=$1 payload=$2
[ -f "$payload/run" ] || { echo "error: $payload has no file named run" >&2; exit 2; }

# x86: no_timer_check, as on a busy host the timer's interrupts come too late for that check, which then panics.
# tsc=nowatchdog, because watchdog_check_skew() may wait for ever while the CPUs come online: it waits with interrupts
# disabled, until a clock of jiffies says that it was too long.
# A CPU with erms clears a page by "rep stosb", which is a loop of 4,096 steps in the emulator; without it the kernel uses
# words.
bytes=-erms,-fsrm
cpu=max,$bytes smp=$cpus emulator=qemu-system-x86_64 machine=q35
console='ttyS0 no_timer_check unknown_nmi_panic tsc=nowatchdog'
serial=(-serial "file:$tmp/give.serial")
if [ "${ARCH:-amd64}" = arm64 ]; then
	# Not max, whose pointer authentication makes emulation slow. This machine has one serial port and no NMI:
	# a guest that is ended prints no stacks.
	cpu=neoverse-n1 emulator=qemu-system-aarch64 machine=virt,gic-version=3 console=ttyAMA0 serial=()
fi
image=$kernel/vmlinuz
if [ ! -e "$image" ]; then
	# A test kernel is booted as ELF (PVH). la57 is off because KASAN reports wild accesses in early boot
	# under five-level paging. One socket per CPU, because the MP table, which is used without ACPI, lists
	# only sockets.
	cpu=max,la57=off,$bytes smp=$cpus,sockets=$cpus
	image=$kernel/vmlinux
fi

# Guests that run at the same time have more CPUs than the host: see vm-yield.c. With --icount, one thread of the host runs all
# CPUs of the guest in turn, so a CPU never waits for another thread.
if [ -n "$yields" ]; then
	for api in 4 7; do
		gcc -O2 -Wall -Wextra -Werror -Wno-unused-parameter -shared -fPIC -Ibench -DPLUGIN_API=$api -o "$tmp/yield.so" \
			scripts/vm-yield.c
		if "$emulator" -M none -accel tcg -display none -monitor stdio -plugin "$tmp/yield.so" <<<quit >/dev/null 2>&1; then
			devices+=(-plugin "$tmp/yield.so")
			break
		fi
		[ $api != 7 ] || echo "warning: QEMU does not load scripts/vm-yield.c: guests take more processor time" >&2
	done
fi

# The payload is a second archive after the cached one. Its symlinks are followed, so that it can refer
# to build results.
base=$("$(dirname "$0")/initramfs-in-root.sh" "$kernel" /cache/guest)
mkdir "$tmp/stage"
cp -rL "$payload" "$tmp/stage/payload"
(cd "$tmp/stage" && find payload -print0 | cpio --null -o -H newc -R 0:0 --quiet) |
	cat "$base" - >"$tmp/initrd"
rm -r "$tmp/stage"

# stop: bash runs a trap only between commands or in wait, therefore the wait below.
qemu='' watch=''
stop()
{
	[ -z "$watch" ] || kill "$watch" 2>/dev/null || true
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	[ -z "$qemu" ] || wait "$qemu" || true
	exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM HUP

mkfifo "$tmp/fifo" "$tmp/monitor.in" "$tmp/monitor.out" "$tmp/never"

# kept_waiting: sets kept to the seconds that a thread of QEMU has waited for a CPU of the host, the
# maximum over its threads.
kept_waiting()
{
	local file ran waited rest most=0
	for file in /proc/"$qemu"/task/*/schedstat; do
		read -r ran waited rest <"$file" || continue
		((waited <= most)) || most=$waited
	done
	kept=$((most / 1000000000))
}

# console_grows SECONDS: true at the next output; false if there is none in that time, or QEMU has ended.
# The time that a busy host kept QEMU waiting does not count. No new process is used, as it would
# outlive this one.
console_grows()
{
	local since=$SECONDS kept before size
	kept_waiting
	before=$kept
	size=$(stat -c %s "$tmp/console")
	while [ -e "/proc/$qemu" ] && ((SECONDS - since < $1 + kept - before)); do
		read -rt 2 <&7 || true
		[ "$(stat -c %s "$tmp/console")" = "$size" ] || return 0
		kept_waiting
	done
	return 1
}

# watch_guest: ends the guest when it is silent or late. An NMI, which also reaches CPUs with interrupts
# disabled, makes the kernel panic (unknown_nmi_panic) and print the state of everything
# (panic_sys_info); the panic resets the machine, which ends QEMU.
watch_guest()
{
	local late=$((SECONDS + timeout)) why="its console printed nothing for $silence s"
	while console_grows "$silence"; do
		((SECONDS < late)) || { why="it ran for $timeout s" && break; }
	done
	[ -e "/proc/$qemu" ] || return 0
	echo "$why" >"$tmp/ended"
	echo nmi >"$tmp/monitor.in"
	while console_grows 30; do
		:
	done
	kill "$qemu"
}

# The console goes to a file as a whole, and to standard output without guest-init's last lines. sed -u,
# because lines must not wait for a full buffer.
clean=(sed -u -e 's/\r//g' -e '/\] reboot: Restarting system$/d'
	-e '/^guest: exit [0-9]*$/d' -e 's/guest: exit [0-9]*$//')
if [ -n "$quiet" ]; then
	cat >"$tmp/console" <"$tmp/fifo" &
else
	tee -p "$tmp/console" <"$tmp/fifo" | "${clean[@]}" &
fi
filter=$!

# setpriv ends QEMU with its parent, however that ends.
setpriv --pdeathsig KILL "$emulator" \
	-nodefaults -no-user-config -display none -no-reboot \
	-M "$machine" -cpu "$cpu" -accel "$accel" -smp "$smp" -m "$memory" \
	-kernel "$image" -initrd "$tmp/initrd" \
	-append "console=$console quiet loglevel=4 log_buf_len=4M panic=-1 \
		panic_sys_info=tasks,blocked_tasks,locks,all_bt $append" \
	-serial stdio "${serial[@]}" \
	-chardev "pipe,id=monitor,path=$tmp/monitor" -mon chardev=monitor \
	-chardev "file,id=give,path=$tmp/give.virtio" \
	-device virtio-serial-pci -device virtserialport,chardev=give,name=give \
	"${devices[@]}" </dev/null >"$tmp/fifo" 2>"$tmp/stderr" &
qemu=$!
watch_guest 7<>"$tmp/never" >/dev/null 2>&1 &
watch=$!
rc=0
wait $qemu || rc=$?
qemu=''
kill $watch 2>/dev/null || true
wait $watch || true
watch=''
wait $filter || true
grep -v 'terminating on signal' "$tmp/stderr" >&2 || true

# Each file given is an archive: tar -i continues after the end of each.
if [ -n "$out" ]; then
	mkdir -p "$out"
	tr -d '\r' <"$tmp/console" >"$out/console"
	[ ! -e "$tmp/profile" ] || cp "$tmp/profile" "$out"
	for file in "$tmp"/give.*; do
		[ ! -s "$file" ] || tar -C "$out" --no-same-owner -xif "$file" ||
			echo "warning: a file from the guest is incomplete" >&2
	done
fi

# Only lines with printk's time stamp, as a tool may print WARNING: as well.
trouble=$(tr -d '\r' <"$tmp/console" | grep -aE -m 1 '\[ *[0-9]+\.[0-9]{6}\].*'"($TROUBLE)" || true)
status=$(grep -aoE 'guest: exit [0-9]+' "$tmp/console" | tail -n 1 | tr -cd 0-9 || true)

fail()
{
	status=$1
	shift
	echo "error: $*" >&2
}
if [ -e "$tmp/ended" ]; then
	fail 124 "the guest was ended because $(<"$tmp/ended"); the stacks of its tasks are after" \
		"\"NMI received\" on its console"
elif [ -z "$status" ] && [ $rc != 0 ]; then
	fail 125 "QEMU failed with status $rc"
elif [ -z "$status" ]; then
	fail 125 "the guest ended without a status${trouble:+; the kernel said: $trouble}"
elif [ -n "$trouble" ] && [ "$status" = 0 ]; then
	fail 126 "the payload succeeded, but the kernel said: $trouble"
elif [ -n "$trouble" ]; then
	echo "warning: the kernel said: $trouble" >&2
fi
[ -z "$quiet" ] || [ "$status" = 0 ] || "${clean[@]}" "$tmp/console"
exit "$status"
