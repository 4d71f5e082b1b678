#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# DKMS calls this before it builds the module for the kernel RELEASE. usage: dkms-kdir.sh RELEASE

exec env IOSTAT_CACHE=/var/cache/iostat "$(dirname "$0")/../scripts/kdir.sh" "$1"
