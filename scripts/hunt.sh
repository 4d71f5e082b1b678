#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Looks for torn reads on four CPUs with I/O only, in SNAPSHOTS snapshots; the tests take fewer.
# usage: hunt.sh [SNAPSHOTS]	(10000000)

. "$(dirname "$0")/lib.sh"

kernel=$("$TOP/scripts/kernel.sh")
exec "$TOP/scripts/guest.sh" "$kernel" "$("$TOP/scripts/build.sh" "$kernel")" hunt.sh \
	--cpus 4 --silence 7200 --timeout 36000 --append "HUNT=${1:-10000000}"
