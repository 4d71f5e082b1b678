#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of packages.sh that runs inside the root for Debian packages. Reads the source tree as an archive from
# standard input. usage: packages-in-root.sh OUTPUT RELEASE=VERSION=KDIR...

set -euo pipefail
out=$1
shift
# The same path in each clone, as it is in the binaries.
rm -rf /tmp/build
mkdir -p /tmp/build/iostat
cd /tmp/build/iostat
tar -x
kdirs=
for kernel; do
	IFS='=' read -r release version kdir <<<"$kernel"
	sed "s/@RELEASE@/$release/g; s/@VERSION@/$version/g" debian/modules.control.in >>debian/control
	for script in postinst postrm; do
		sed "s/@RELEASE@/$release/g" "debian/modules.$script.in" >"debian/iostat-modules-$release.$script"
	done
	kdirs+=" $release=$kdir"
done
# -d: the root has no C++ compiler, which build-essential wants and nothing here needs.
IOSTAT_KDIRS=$kdirs DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -d --no-sign --build=binary
rm -rf "$out"
mkdir "$out"
mv ../*.deb ../*.changes ../*.buildinfo "$out"
# The checks of the archive: its rules for new packages are of no use here.
lintian --fail-on error,warning --display-info --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes | tee "$out/lintian"
