#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the Debian packages for the newest kernel, checks them by lintian, and installs and purges them in a copy of the
# root that they were built in. The last line is "packages: N passed, N failed".
# usage: [DKMS=1] test-packages.sh
#	DKMS=1	for all series of kernels, and DKMS builds the module for a kernel whose headers are installed: some
#		minutes more

. "$(dirname "$0")/lib.sh"

# Not where `make packages` has put those of the user.
out=packages-test-$CLONE
overlay=$IOSTAT_CACHE/$out-overlay
remove_overlay()
{
	rm -rf "$overlay"
}
trap remove_overlay EXIT
remove_overlay
log=$LOGS/packages.log status=0
[ -n "${DKMS:-}" ] || SERIES=${SERIES%% *}
packages=$(OUT=$out SERIES=$SERIES "$TOP/scripts/packages.sh")
kernel=$("$TOP/scripts/kernel.sh")
echo "  install, purge${DKMS:+, DKMS} (log: $log)"
IN_ROOT=packages OVERLAY=$overlay "$TOP/scripts/enter.sh" scripts/packages-test-in-root.sh \
	"/cache/${packages#"$IOSTAT_CACHE"/}" "$(basename "$kernel")" ${DKMS:+dkms} >"$log" 2>&1 || status=$?
grep '^not ok' "$log" | sed 's/^/  /' || true
passed=$(grep -c '^ok' "$log" || true)
failed=$(grep -c '^not ok' "$log" || true)
[ $status = 0 ] || { echo "  not ok - status $status (log: $log)"; failed=$((failed + 1)); }
echo "packages: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
