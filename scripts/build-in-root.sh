#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds iostat.ko inside the build root, out of the source tree: one output
# directory per kernel, so that builds for several do not disturb each other.
# usage: build-in-root.sh KDIR OUTPUT [MAKE ARGUMENT...]

set -euo pipefail
kdir=$1 out=$2
shift 2
mkdir -p "$out"
exec make -C "$kdir" M=/src MO="$out" -j"$(nproc)" "$@" modules
