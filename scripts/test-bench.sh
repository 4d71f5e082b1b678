#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whether recording an I/O has become longer than bench/results.json says, and
# whether all disks are read in less than /proc/diskstats takes. The kernel's own
# statistics are measured beside: they tell whether the yardstick is still the same.

. "$(dirname "$0")/lib.sh"

REPEATS=9 ROWS="iostats iostat reads" CPUS=1 "$TOP/scripts/bench.sh" --check
