#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints the directory of Debian's packaged crates, with those of scripts/crates.txt. If the root lacks some of these,
# they are unpacked beside it, in a directory that has links to all others: a new crate takes seconds, and no new
# root. Runs inside a root.
# usage: crates.sh

set -euo pipefail
INSTALLED=/usr/share/cargo/registry
mapfile -t packages < <(grep -v '^#' "$(dirname "$0")/crates.txt")

is_complete()
{
	local count
	count=$(dpkg-query -W -f '${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | grep -cx installed)
	[ "$count" = ${#packages[@]} ]
}

# What the root lacks, with what that needs. apt's own user may not write to the cache.
fetch()
{
	apt-get install -y --no-install-recommends --download-only -o APT::Sandbox::User=root \
		-o Dir::Cache::archives="$1" "${packages[@]}"
}

build()
{
	local package
	tmp=$dir.tmp.$$
	mkdir -p "$tmp/archives/partial"
	trap 'rm -rf "$tmp"' EXIT
	fetch "$tmp/archives" || { apt-get update -qq && fetch "$tmp/archives"; }
	for package in "$tmp"/archives/*.deb; do
		dpkg-deb -x "$package" "$tmp"
	done
	rm -r "$tmp/archives"
	ln -s "$INSTALLED"/* "$tmp$INSTALLED"
	mv "$tmp" "$dir"
}

if is_complete; then
	echo "$INSTALLED"
	exit
fi
dir=/cache/crates-$(cat "$0" "$(dirname "$0")/crates.txt" /var/lib/dpkg/status | sha256sum | cut -c1-12)
if [ ! -d "$dir" ]; then
	exec 9>"$dir.lock"
	flock 9
	[ -d "$dir" ] || (build) >&2 9>&-
fi
echo "$dir$INSTALLED"
