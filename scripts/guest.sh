#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel with iostat.ko and the files of tests/guest and samples/bpftrace, and runs one of the
# scripts of tests/guest/runs. TOOLS names programs of bench/ that the script needs, FILES others, by their paths.
# usage: guest.sh KERNELDIR MODULEDIR SCRIPT [VM OPTION...]

. "$(dirname "$0")/lib.sh"

kernel=$1 modules=$2 script=$3
shift 3
cross='' bits32=yes target=()
[ "$ARCH" = amd64 ] || {
	cross=aarch64-linux-gnu- bits32=''
	target=(--target aarch64-unknown-linux-gnu -C "linker=${cross}gcc")
}
payload=$(mktemp -d "$IOSTAT_CACHE/payload.XXXXXX")
trap 'rm -rf "$payload"' EXIT
cp -r "$TOP"/tests/guest/{parts,lib,runs}/. "$TOP/samples/bpftrace" "$TOP/Documentation/regions.rst" "$TOP/Documentation/recipes.rst" \
	"$TOP/Documentation/io-provider.rst" "$payload"
for tool in passthrough message partition waitfile pairing hostile textread disks renamer reach; do
	"$TOP/scripts/enter.sh" "${cross}gcc" -O2 -Wall -Wextra -Werror -static \
		-o "/cache/${payload#"$IOSTAT_CACHE"/}/$tool" "tests/guest/tools/$tool.c"
done
# The programs that use the binary ABI, also for 32 bits where the compiler can.
"$TOP/scripts/enter.sh" sh -euc '
	build()
	{
		"${CROSS_COMPILE:-}gcc" -O2 -Wall -Wextra -Werror -static -Iinclude/uapi -Itools "$@"
	}
	today="-DHEADER=\"linux/iostat.h\"" v1="-DHEADER=\"iostat-v1.h\""
	build -o "$1/readers" tests/guest/tools/readers.c
	build "$v1" -o "$1/abi-v1" tests/guest/tools/abi.c
	build -include tests/guest/tools/iostat-v1.h -o "$1/mapped-v1" tests/guest/tools/mapped.c
	for bits in "" ${2:+32}; do
		wide=${bits:+-m32 -D_FILE_OFFSET_BITS=64}
		build $wide "$today" -o "$1/abi$bits" tests/guest/tools/abi.c
		build $wide -o "$1/mapped$bits" tests/guest/tools/mapped.c
		build $wide -o "$1/misuse$bits" tests/guest/tools/misuse.c
		build $wide -o "$1/kstats$bits" tests/guest/tools/kstats.c
	done
' sh "/cache/${payload#"$IOSTAT_CACHE"/}" "$bits32"
"$TOP/scripts/enter.sh" rustc "${target[@]}" -O --edition 2021 -D warnings --crate-type rlib --crate-name iostat_map \
	--out-dir "/cache/${payload#"$IOSTAT_CACHE"/}" tools/iostat-map/src/lib.rs
"$TOP/scripts/enter.sh" rustc "${target[@]}" -O --edition 2021 -D warnings -C target-feature=+crt-static \
	--extern "iostat_map=/cache/${payload#"$IOSTAT_CACHE"/}/libiostat_map.rlib" \
	-o "/cache/${payload#"$IOSTAT_CACHE"/}/iostat-map" tools/iostat-map/src/main.rs
rm "$payload/libiostat_map.rlib"
cp "$modules"/stripped/*.ko "$payload"
sed -n 's/^version = "\(.*\)"/\1/p' "$TOP/Cargo.toml" >"$payload/release"
# A copy of the module under another name, which the kernel must refuse to load: the name is the only
# "iostat" padded with zeros.
sed 's/iostat\(\x00\{50\}\)/iostaX\1/' "$modules/stripped/iostat.ko" >"$payload/iostaX.ko"
for tool in ${TOOLS:-}; do
	"$TOP/scripts/enter.sh" "${cross}gcc" -O2 -Wall -Wextra -Werror -static \
		-o "/cache/${payload#"$IOSTAT_CACHE"/}/$tool" "bench/$tool.c" -luring -lm
done
for file in ${FILES:-}; do
	cp "$file" "$payload"
done
printf '. /payload/lib.sh\n. /payload/%s\n' "$script" >"$payload/run"
"$TOP/scripts/vm.sh" "$@" "$kernel" "$payload"
