#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the Debian packages, with a package of the prebuilt module for each kernel, and checks them by lintian.
# Prints the directory of the packages. NEXT=1 also builds them as the version after this one, in its directory next.
# OUT=NAME is another directory in the cache.
# usage: [FLAVOURS="cloud rt"] [SERIES=7.3, all of a flavour without it] [NEXT=1] [OUT=NAME] packages.sh

chosen=${SERIES:-}
. "$(dirname "$0")/lib.sh"

IN_ROOT=packages
export IN_ROOT
out=${OUT:-packages-$CLONE}
# RELEASE=VERSION=KDIR of each kernel.
kernels=()
for flavour in ${FLAVOURS:-cloud}; do
	for series in ${chosen:-$(series_of "$flavour")}; do
		kernel=$(IN_ROOT=build FLAVOUR=$flavour KERNEL=$series "$TOP/scripts/kernel.sh")
		kernels+=("$(basename "$kernel")=$(cat "$kernel/version")=/cache/${kernel#"$IOSTAT_CACHE"/}/kdir")
	done
done
build()
{
	git -C "$TOP" ls-files -z --cached --others --exclude-standard |
		tar -C "$TOP" --null -T - -c | "$TOP/scripts/enter.sh" env NEXT="${NEXT:-}" scripts/packages-in-root.sh "/cache/$out" "${kernels[@]}"
}
locked "$out" step "build Debian packages" "3 min" build >&2
echo "$IOSTAT_CACHE/$out"
