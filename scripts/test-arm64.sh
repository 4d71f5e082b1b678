#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A smoke test of arm64: the module and the programs of the tests are cross-compiled, and the stock kernel is emulated.
# scripts/nightly.sh runs all parts that make sense there. The last line is "arm64: N passed, N failed".
# usage: [PARTS="load null"] test-arm64.sh

export ARCH=arm64 AREA=arm64 PARTS="${PARTS:-load null abi}"
exec "$(dirname "$0")/test-guest.sh"
