#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds ioscope inside the build root, as one static binary that runs in any guest, and prints its path. Beside it is
# the directory manual, with its manual pages and completions; not with ARCH=arm64, as the program that writes them would
# need an emulator.
# usage: tools.sh

. "$(dirname "$0")/lib.sh"

TRIPLE=x86_64-unknown-linux-gnu linker=()
[ "$ARCH" = amd64 ] || {
	TRIPLE=aarch64-unknown-linux-gnu
	linker=(CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc)
}
target=target-$CLONE-tools

# With a triple, build scripts and macros are built without these flags: a static one could not be loaded.
build()
{
	"$TOP/scripts/enter.sh" env "${linker[@]}" TARGET=-tools RUSTFLAGS='-D warnings -C target-feature=+crt-static' \
		scripts/cargo.sh build --release --features manual --target "$TRIPLE" \
		--manifest-path tools/ioscope/Cargo.toml
	[ "$ARCH" != amd64 ] ||
		"$TOP/scripts/enter.sh" sh -c '"$1/ioscope-manual" "$1/manual"' sh "/cache/$target/$TRIPLE/release"
}

# Not while another run builds there.
locked "$target" step "build ioscope" "90 s" build >&2
echo "$IOSTAT_CACHE/$target/$TRIPLE/release/ioscope"
