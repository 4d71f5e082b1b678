#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the programs of tests/guest/tools for guests of ARCH, once per content, and prints their directory.
# usage: guest-tools.sh

. "$(dirname "$0")/lib.sh"

gcc=gcc gcc32="gcc -m32" target=''
[ "$ARCH" = amd64 ] || {
	gcc=aarch64-linux-gnu-gcc gcc32=arm-linux-gnueabihf-gcc
	target="--target aarch64-unknown-linux-gnu -C linker=$gcc"
}

# Those that use the binary ABI are also built for 32 bits, and with version 1 of its header.
build()
{
	[ ! -e "$IOSTAT_CACHE/$name/ready" ] || return 0
	rm -rf "${IOSTAT_CACHE:?}/$name"
	mkdir -p "$IOSTAT_CACHE/$name"
	"$TOP/scripts/enter.sh" sh -euc '
		out=$1 gcc=$2 gcc32=$3 target=$4
		build()
		{
			$gcc -O2 -Wall -Wextra -Werror -static -Iinclude/uapi -Itools "$@"
		}
		for tool in passthrough message inflight slow cgroups partition waitfile pairing hostile textread disks renamer reach readers \
			opened failcall faultcall; do
			build -o "$out/$tool" "tests/guest/tools/$tool.c"
		done
		today="-DHEADER=\"linux/iostat.h\"" v1="-DHEADER=\"iostat-v1.h\""
		for tool in abi arguments poll; do
			build "$v1" -o "$out/$tool-v1" "tests/guest/tools/$tool.c"
		done
		build -include tests/guest/tools/iostat-v1.h -o "$out/mapped-v1" tests/guest/tools/mapped.c
		for bits in "" 32; do
			[ -z "$bits" ] || gcc="$gcc32 -D_FILE_OFFSET_BITS=64"
			for tool in abi arguments poll; do
				build "$today" -o "$out/$tool$bits" "tests/guest/tools/$tool.c"
			done
			for tool in mapped misuse kstats; do
				build -o "$out/$tool$bits" "tests/guest/tools/$tool.c"
			done
		done
		rust="rustc $target -O --edition 2021 -D warnings"
		$rust --crate-type rlib --crate-name iostat_map --out-dir /tmp tools/iostat-map/src/lib.rs
		$rust -C target-feature=+crt-static --extern iostat_map=/tmp/libiostat_map.rlib \
			-o "$out/iostat-map" tools/iostat-map/src/main.rs' sh "/cache/$name" "$gcc" "$gcc32" "$target"
	touch "$IOSTAT_CACHE/$name/ready"
}

cd "$TOP"
name=guest-tools/$({
	echo "$ARCH" "$("$TOP/scripts/root.sh" "$BUILD_ROOT")"
	find scripts/guest-tools.sh tests/guest/tools include/uapi tools/iostat.h tools/iostat-map -type f | sort | xargs cat
} | sha256sum | cut -c1-12)
mkdir -p "$IOSTAT_CACHE/guest-tools"
locked "$name" build >&2
# Removes those that were not used for a week.
touch "$IOSTAT_CACHE/$name"
find "$IOSTAT_CACHE/guest-tools" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
echo "$IOSTAT_CACHE/$name"
