#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the KUnit suites, those beside the code and those of tests/kunit, on the test
# kernel. usage: test-kunit.sh

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/trouble.sh"
need_root

# run KERNELDIR MODULEDIR DIR: writes results/, vm.log and the VM's status to DIR.
run()
{
	local kernel=$1 modules=$2 dir=$3 status=0
	rm -rf "$dir"
	mkdir -p "$dir/payload" "$dir/out" "$dir/results"
	cp "$modules/stripped/iostat.ko" "$dir/payload"
	# insmod succeeds even if tests fail, and rmmod removes their results.
	cat >"$dir/payload/run" <<-'END'
		dmesg -n 7 # prints each test, in case one hangs
		insmod ./iostat.ko || {
			echo "error: insmod failed with status $?"
			dmesg | tail -n 20
			exit 1
		}
		mkdir /tmp/results
		for suite in /sys/kernel/debug/kunit/iostat_*/; do
			cat "$suite/results" >"/tmp/results/$(basename "$suite")"
		done
		tar -C /tmp/results -cf - . | give results.tar
		rmmod iostat || {
			echo "error: rmmod failed with status $?"
			exit 1
		}
		# 0x280: an oops or a warning. The taints of an out-of-tree module and of tests are expected.
		taint=$(cat /proc/sys/kernel/tainted)
		((!(taint & 0x280))) || {
			echo "error: the kernel is tainted ($taint): it oopsed or warned"
			exit 1
		}
	END
	echo "  boot the test kernel and run the suites (about 40 s)"
	# One of the tests creates two directories of one name, and asserts the errno.
	"$TOP/scripts/vm.sh" --quiet --append oops=panic --out "$dir/out" \
		--trouble "${TROUBLE/|cannot create duplicate/}" \
		"$kernel" "$dir/payload" >"$dir/vm.log" 2>&1 || status=$?
	case $status in
	130 | 143) exit "$status" ;; # interrupted
	esac
	echo "$status" >"$dir/status"
	# A missing or incomplete file is reported later.
	[ ! -s "$dir/out/results.tar" ] || tar -C "$dir/results" -xf "$dir/out/results.tar" || true
}

main()
{
	local kernel=$1 modules name dir status=0
	modules=$("$TOP/scripts/build.sh" "$kernel" LLVM=-19)
	name=kunit/$(basename "$modules")
	dir=$IOSTAT_CACHE/$name
	run "$kernel" "$modules" "$dir"
	kernel=$(basename "$kernel")
	"$TOP/scripts/enter.sh" scripts/kunit-in-root.sh \
		"/cache/kernel/${kernel%-*}/source" "/cache/$name" >"$dir/report" || status=$?
	sed '$d' "$dir/report"
	[ $status = 0 ] || echo "  log: $dir/vm.log"
	echo "kunit: $(tail -n 1 "$dir/report")"
	return $status
}

kernel=$("$TOP/scripts/testkernel.sh")
locked kunit main "$kernel"
