#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measures the cost of floor 0 on this machine, natively, beside alternatives. Ends with a table, and
# writes bench/native.json, one object per line.

. "$(dirname "$0")/lib.sh"
need_root

results=/cache/target-$CLONE-bench/criterion
rm -rf "$IOSTAT_CACHE/${results#/cache/}"
in_root()
{
	"$TOP/scripts/enter.sh" env TARGET=-bench RUSTFLAGS='-D warnings --cfg criterion' "$@"
}
step "build benches" "2 min" in_root scripts/cargo.sh bench --bench record_path --no-run
# SCHED_FIFO: other tasks on the CPU would distort the figures.
step "bench" "70 s" in_root chrt --fifo 10 scripts/cargo.sh bench --bench record_path
mkdir -p "$TOP/bench"
"$TOP/scripts/enter.sh" python3 bench/native/table.py "$results" bench/native.json
