#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel with iostat.ko and the files of tests/guest and samples/bpftrace, and runs one of the
# scripts of tests/guest/runs. TOOLS names programs of bench/ that the script needs, FILES others, by their paths.
# usage: guest.sh KERNELDIR MODULEDIR SCRIPT [VM OPTION...]

. "$(dirname "$0")/lib.sh"

kernel=$1 modules=$2 script=$3
shift 3
cross=''
[ "$ARCH" = amd64 ] || cross=aarch64-linux-gnu-
payload=$(mktemp -d "$IOSTAT_CACHE/payload.XXXXXX")
trap 'rm -rf "$payload"' EXIT
cp -r "$TOP"/tests/guest/{parts,lib,runs}/. "$TOP/scripts/trouble.sh" "$TOP/samples/bpftrace" "$TOP/Documentation/regions.rst" "$TOP/Documentation/recipes.rst" \
	"$TOP/Documentation/io-provider.rst" "$TOP/Documentation/man/iostat.5" "$payload"
tools=$("$TOP/scripts/guest-tools.sh")
find "$tools" -type f ! -name ready -exec cp -t "$payload" {} +
cp "$modules"/stripped/*.ko "$payload"
sed -n 's/^version = "\(.*\)"/\1/p' "$TOP/Cargo.toml" >"$payload/release"
# mkfs.erofs -E legacy-compress -zlz4 made it of the file "file", 2,300 KiB of zeros.
gzip -dc "$TOP/tests/guest/tools/compressed.erofs.gz" >"$payload/compressed.erofs"
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
