#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel with iostat.ko and what tests/guest holds, and runs one of its
# scripts. TOOLS names programs of bench/ that it needs.
# usage: guest.sh KERNELDIR MODULEDIR SCRIPT [VM OPTION...]

. "$(dirname "$0")/lib.sh"

kernel=$1 modules=$2 script=$3
shift 3
payload=$(mktemp -d "$IOSTAT_CACHE/payload.XXXXXX")
trap 'rm -rf "$payload"' EXIT
cp -r "$TOP"/tests/guest/. "$payload"
for tool in passthrough message waitfile; do
	"$TOP/scripts/enter.sh" gcc -O2 -Wall -Wextra -Werror -static \
		-o "/cache/${payload#"$IOSTAT_CACHE"/}/$tool" "tests/guest/$tool.c"
done
cp "$modules/iostat.ko" "$modules"/samples/*.ko "$modules"/tests/modules/*.ko "$payload"
# The same under another name, which must be refused: the name is the only "iostat"
# that is padded with zeros.
sed 's/iostat\(\x00\{50\}\)/iostaX\1/' "$modules/iostat.ko" >"$payload/iostaX.ko"
for tool in ${TOOLS:-}; do
	"$TOP/scripts/enter.sh" gcc -O2 -Wall -Wextra -Werror -static \
		-o "/cache/${payload#"$IOSTAT_CACHE"/}/$tool" "bench/$tool.c" -luring -lm
done
printf '. /payload/lib.sh\n. /payload/%s\n' "$script" >"$payload/run"
"$TOP/scripts/vm.sh" "$@" "$kernel" "$payload"
