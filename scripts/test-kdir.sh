#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests `make kdir && make && make install` as a user of Debian runs it, with the kernel's headers and no more, and
# loads the installed module in that kernel. The last line is "kdir: N passed, N failed".

. "$(dirname "$0")/lib.sh"

overlay=$IOSTAT_CACHE/kdir-$CLONE
remove_overlay()
{
	rm -rf "$overlay"
}
trap remove_overlay EXIT
remove_overlay
kernel=$("$TOP/scripts/kernel.sh")
log=$LOGS/kdir.log status=0
echo "  make kdir (about 5 minutes; log: $log)"
OVERLAY=$overlay "$TOP/scripts/enter.sh" scripts/kdir-test-in-root.sh "$(basename "$kernel")" >"$log" 2>&1 || status=$?
# The modules of the guest tests, and the one that was installed.
build=$("$TOP/scripts/build.sh" "$kernel")
modules=$overlay/modules
mkdir -p "$modules"
cp -r "$build/stripped" "$modules"
installed=$(find "$overlay/upper" -name iostat.ko.xz)
if [ -n "$installed" ] && xz -dc "$installed" >"$modules/stripped/iostat.ko"; then
	guest=$LOGS/kdir-guest.log
	"$TOP/scripts/guest.sh" "$kernel" "$modules" smoke.sh --disk 256M >"$guest" 2>&1 || status=$?
	cat "$guest" >>"$log"
else
	echo "not ok - no module is installed" >>"$log"
fi
grep -E '^(not ok|#)' "$log" | sed 's/^/  /' || true
passed=$(grep -c '^ok' "$log" || true)
failed=$(grep -c '^not ok' "$log" || true)
[ $status = 0 ] || { echo "  not ok - status $status (log: $log)"; failed=$((failed + 1)); }
echo "kdir: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
