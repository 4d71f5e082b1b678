#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Says in one sentence which rustc a kernel was built by, if this machine has another, and how to install it. Symbols of
# Rust contain the version of the compiler, so that a module of another one does not load.
# usage: check-rustc.sh CONFIG

wanted=$(sed -n 's/^CONFIG_RUSTC_VERSION_TEXT="\(.*\)"/\1/p' "$1")
if here=$(${RUSTC:-rustc} --version 2>/dev/null); then
	[ "$wanted" != "$here" ] || exit 0
	here="this machine has \"$here\""
else
	here="this machine has no rustc"
fi

# of_apt NUMBER: prints the packages to install for this version of rustc, if the archives that apt knows have it. What is
# installed of the same source depends on one version: all of it has to be of that one.
of_apt()
{
	number=$1
	version=$(apt-cache madison rustc 2>/dev/null | awk -v number="$number" '
		index($3, number) == 1 && substr($3, length(number) + 1) ~ /^([^0-9.]|$)/ { print $3; exit }')
	[ -n "$version" ] || return
	{
		printf '%s\n' rustc libstd-rust-dev rust-src
		dpkg-query -W -f '${source:Package} ${db:Status-Abbrev} ${Package}\n' 2>/dev/null |
			awk '$1 == "rustc" && $2 == "ii" && $3 !~ /[0-9]$/ { print $3 }'
	} | sort -u | sed "s/\$/=$version/" | xargs
}

packages=$(of_apt "$(echo "$wanted" | cut -d' ' -f2)")
how="install that version, or name it by RUSTC="
[ -z "$packages" ] || how="run: apt install $packages"
echo "error: that kernel was built by \"$wanted\", $here; $how" >&2
exit 1
