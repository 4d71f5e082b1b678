# SPDX-License-Identifier: GPL-2.0
"""The table of scripts/bench-native.sh, from what criterion keeps of each sample.

usage: table.py CRITERION-DIRECTORY JSON-FILE
"""

import json
import statistics
import sys
from pathlib import Path


def figures(directory):
    """ns an iteration: the median of all samples, and what 8 in 10 of them are between."""
    sample = json.loads((directory / "sample.json").read_text())
    each = [time / count for time, count in zip(sample["times"], sample["iters"])]
    tenths = statistics.quantiles(each, n=10)
    return [round(value, 1) for value in (statistics.median(each), tenths[0], tenths[-1])]


def main(results, output):
    """Writes an object a line for each benchmark, and prints them."""
    recorded, read = [], []
    for file in Path(results).glob("**/new/benchmark.json"):
        about = json.loads(file.read_text())
        group, _, number = about["group_id"].partition(" ")
        median, p10, p90 = figures(file.parent)
        spread = {"p10": p10, "p90": p90}
        what, count = about["function_id"], int(about["value_str"])
        if group == "record":
            recorded.append({"name": what, "threads": count, "in_flight": int(number),
                             "ns_per_io": median} | spread)
        else:
            read.append({"name": f"{what} snapshot", "records": count,
                         "ns_per_read": median} | spread)
    recorded.sort(key=lambda row: (row["in_flight"], row["threads"], row["ns_per_io"]))
    read.sort(key=lambda row: (row["records"], row["name"]))
    lines = [json.dumps(row) + "\n" for row in recorded + read]
    Path(output).write_text("".join(lines))

    print(f"{'recording':<18}{'threads':>8}{'in flight':>10}{'ns per I/O':>12}   p10..p90")
    for row in recorded:
        print(f"{row['name']:<18}{row['threads']:>8}{row['in_flight']:>10}"
              f"{row['ns_per_io']:>12}   {row['p10']}..{row['p90']}")
    print(f"\n{'reading':<26}{'records':>8}{'':>2}{'ns':>12}   p10..p90")
    for row in read:
        print(f"{row['name']:<26}{row['records']:>8}{'':>2}"
              f"{row['ns_per_read']:>12}   {row['p10']}..{row['p90']}")


main(*sys.argv[1:])
