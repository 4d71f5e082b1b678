#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints the tree to build for a kernel in: that of its headers, or the one that 'make kdir' has prepared if the
# headers have no rust/ directory. usage: find-kdir.sh RELEASE

headers=/lib/modules/$1/build
if [ ! -e "$headers/rust/libkernel.rmeta" ]; then
	# With sudo or su the home directory may be that of root: the user is the one who called sudo, or to whom this file
	# belongs.
	user=$(getent passwd "${SUDO_USER:-$(stat -c %U "$0")}" 2>/dev/null | cut -d: -f6)
	for cache in "$IOSTAT_CACHE" "${XDG_CACHE_HOME:-$HOME/.cache}/iostat" "${user:-$HOME}/.cache/iostat" /var/cache/iostat; do
		[ ! -e "$cache/kdir/$1/kdir/ready" ] || {
			echo "$cache/kdir/$1/kdir"
			exit
		}
	done
fi
echo "$headers"
