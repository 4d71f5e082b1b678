#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs cargo inside the build root, with Debian's packaged crates as the registry: no network, and
# versions that trixie's rustc can build. usage: cargo.sh ARGUMENT...
set -euo pipefail
export CARGO_TARGET_DIR=/cache/target-$CLONE${TARGET:-} CARGO_HOME=/cache/cargo
mkdir -p "$CARGO_HOME"
exec cargo --offline \
	--config 'source.crates-io.replace-with="debian"' \
	--config 'source.debian.directory="/usr/share/cargo/registry"' "$@"
