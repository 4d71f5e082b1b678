#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds iostat.ko inside the build root, outside the source tree: one output directory per kernel, so
# that builds for several kernels do not interfere. Then builds the samples and the modules of the guest
# tests. Guests load the modules in OUTPUT/stripped, which are as modules_install installs them.
# usage: build-in-root.sh KDIR OUTPUT [MAKE ARGUMENT...]

set -euo pipefail
kdir=$1 out=$2
shift 2
mkdir -p "$out"
make -C "$kdir" M=/src MO="$out" -j"$(nproc)" "$@" modules
for clients in samples tests/modules; do
	mkdir -p "$out/$clients"
	make -C "$kdir" M="/src/$clients" MO="$out/$clients" -j"$(nproc)" \
		KBUILD_EXTRA_SYMBOLS="$out/Module.symvers" "$@" modules
done
# Renamed at the end: another run may be copying the old file.
mkdir -p "$out/stripped"
for module in "$out"/*.ko "$out"/samples/*.ko "$out"/tests/modules/*.ko; do
	stripped=$out/stripped/$(basename "$module")
	[ "$stripped" -nt "$module" ] || {
		"${CROSS_COMPILE:-}objcopy" --strip-debug "$module" "$stripped.tmp"
		mv "$stripped.tmp" "$stripped"
	}
done
