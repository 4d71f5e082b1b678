#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that recording an I/O takes no longer than in bench/results.json, nor longer on one of four CPUs than
# with one CPU, and that reading the statistics of all disks takes less time than /proc/diskstats. The kernel's
# own statistics are measured as well, to check that the measurement itself has not changed.

. "$(dirname "$0")/lib.sh"

REPEATS=9 ROWS="iostats iostat reads load" CPUS="1 4" "$TOP/scripts/bench.sh" --check
