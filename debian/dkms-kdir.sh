#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# DKMS calls this before it builds the module for the kernel RELEASE. usage: dkms-kdir.sh RELEASE

# The trees of kernels that have been removed, of 0.4 GB each.
for tree in /var/cache/iostat/kdir/*; do
	[ ! -d "$tree" ] || [ -d "/lib/modules/${tree##*/}" ] || rm -rf "$tree"
done
exec env IOSTAT_CACHE=/var/cache/iostat "$(dirname "$0")/../scripts/kdir.sh" "$1"
