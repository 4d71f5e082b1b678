#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the Debian packages, and installs and purges them in a copy of the root that they were built in; with DKMS,
# too, for a kernel whose headers are installed. The last line is "packages: N passed, N failed".

. "$(dirname "$0")/lib.sh"

overlay=$IOSTAT_CACHE/packages-test-$CLONE
remove_overlay()
{
	rm -rf "$overlay"
}
trap remove_overlay EXIT
remove_overlay
log=$LOGS/packages.log status=0
packages=$("$TOP/scripts/packages.sh")
kernel=$("$TOP/scripts/kernel.sh")
echo "  install, purge, DKMS (about 5 minutes; log: $log)"
IN_ROOT=packages OVERLAY=$overlay "$TOP/scripts/enter.sh" scripts/packages-test-in-root.sh \
	"/cache/${packages#"$IOSTAT_CACHE"/}" "$(basename "$kernel")" >"$log" 2>&1 || status=$?
grep '^not ok' "$log" | sed 's/^/  /' || true
passed=$(grep -c '^ok' "$log" || true)
failed=$(grep -c '^not ok' "$log" || true)
[ $status = 0 ] || { echo "  not ok - status $status (log: $log)"; failed=$((failed + 1)); }
echo "packages: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
