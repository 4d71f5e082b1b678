#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of packages.sh that runs inside the root for Debian packages. Reads the source tree as an archive from
# standard input. NEXT=1 builds them a second time as the version after this one, into OUTPUT/next, for tests of upgrades.
# usage: packages-in-root.sh OUTPUT RELEASE=VERSION=KDIR...

set -euo pipefail
out=$1
shift

# build DIR: builds the packages, and moves them there. -d: the root has no C++ compiler, which build-essential wants and
# nothing here needs. -nc: what an earlier version has compiled is used again.
build()
{
	dh_clean
	IOSTAT_KDIRS=$kdirs IOSTAT_TARGET=/cache/target-$CLONE-packages \
		DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -d -nc --no-sign --build=binary
	mkdir -p "$1"
	mv ../*.deb ../*.changes ../*.buildinfo "$1"
}

# raise FILE OLD NEW: the version in a Cargo.toml.
raise()
{
	grep -q "^version = \"$2\"" "$1"
	sed -i "s/^version = \"$2\"/version = \"$3\"/" "$1"
}

# The same path in each clone, as it is in the binaries. Files keep the times that they have in the clone, and each clone
# has its own target: cargo compiles what has changed since an earlier build of this clone.
rm -rf /tmp/build
mkdir -p /tmp/build/iostat
cd /tmp/build/iostat
tar -x
kdirs=
declare -A newest=()
for kernel; do
	IFS='=' read -r release version kdir <<<"$kernel"
	sed "s/@RELEASE@/$release/g; s/@VERSION@/$version/g" debian/modules.control.in >>debian/control
	for script in postinst postrm; do
		sed "s/@RELEASE@/$release/g" "debian/modules.$script.in" >"debian/iostat-modules-$release.$script"
	done
	# 7.3.4+deb13-cloud-amd64 is the flavour cloud-amd64, and the newest series comes first.
	flavour=${release#*+*-}
	[ -n "${newest[$flavour]:-}" ] || {
		newest[$flavour]=$release
		sed "s/@FLAVOUR@/$flavour/g; s/@RELEASE@/$release/g" debian/flavour.control.in >>debian/control
	}
	kdirs+=" $release=$kdir"
done
rm -rf "$out"
build "$out"
# The checks of the archive: its rules for new packages are of no use here.
lintian --fail-on error,warning --display-info --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes | tee "$out/lintian"
[ -z "${NEXT:-}" ] || {
	this=$(dpkg-parsechangelog -S Version)
	next=${this%.*}.$((${this##*.} + 1))
	sed "1,/^ -- /{s/$this/$next/;s/^  \* .*/  * A version to upgrade to./;}" debian/changelog >debian/changelog.next
	echo >>debian/changelog.next
	cat debian/changelog >>debian/changelog.next
	mv debian/changelog.next debian/changelog
	raise Cargo.toml "$this" "$next"
	raise tools/ioscope/Cargo.toml "$this" "$next"
	build "$out/next"
}
