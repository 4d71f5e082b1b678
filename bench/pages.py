#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the figures of bench/*.json into README.md and Documentation/bench.rst.

usage: pages.py			writes
       pages.py --check		names the files that have other figures, and fails if there are any
"""

import json
import os
import sys

import figures
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)


def kept(name):
    with open(os.path.join(HERE, name + ".json")) as file:
        return json.load(file)


def summary(results, costs):
    """Three lines for the README. The size of the table of I/Os in flight is in src/recorder/entries.rs."""
    def more(name):
        found = [item["delta_insn_per_io"] for item in results if item["name"] == name]
        return f"{min(found):.0f} to {max(found):.0f}"

    without = [item["insn_per_io"] for item in costs
               if item["what"] == "baseline" and item["name"] == "none"]
    read = {item["name"]: item["insn"] for item in costs
            if item["what"] == "read" and item["cpus"] == 1 and item["disks"] == 256}
    memory = {item["name"]: item["bytes"] for item in costs if item["what"] == "memory"}
    return (f"* recording: {more('iostat')} instructions per I/O; the kernel's own statistics take "
            f"{more('iostats')}, the whole I/O {min(without):.0f} to {max(without):.0f};\n"
            f"* reading 256 disks: {read['ioctl']:,} instructions by ioctl, {read['mmap']:,} by mmap; "
            f"`/proc/diskstats` takes {read['/proc/diskstats']:,};\n"
            f"* memory: {memory['code and data']:,} bytes of code and data, {memory['once']:,} allocated when the module is "
            f"loaded, {memory['idle account']:,} per idle disk, {memory['account and used CPU']:,} more per disk and CPU that does I/O on it. The table of I/Os in "
            f"flight takes 1/256 of the machine's memory more, from 1 to 16 MiB.\n")


def rst(rows):
    """A simple table. Its cells have no line breaks, and the first column is never empty."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    line = "  ".join("=" * width for width in widths) + "\n"
    head, *body = tables.aligned(rows).splitlines(keepends=True)
    return line + head + line + "".join(body) + line


def costs_rows(results):
    best = figures.best_peers(results)
    columns = sorted({(item["cpus"], item["engine"]) for item in results})
    at = {(item["name"], item["cpus"], item["engine"]): item for item in results}
    rows = [["instructions per I/O more"] +
            [f"{engine}, {tables.several(cpus, 'CPU')}" for cpus, engine in columns] +
            ["spread", "x best peer"]]
    for name in dict.fromkeys(item["name"] for item in results):
        found = [at[name, *column] for column in columns if (name, *column) in at]
        peer = best[figures.conditions(found[0])]["delta_insn_per_io"]
        rows.append([f"``{name}``"] +
                    [f"{at[name, *column]['delta_insn_per_io']:+.0f}" if (name, *column) in at
                     else "" for column in columns] +
                    [f"{max(item['spread_pct'] for item in found):.2f} %",
                     f"{found[0]['delta_insn_per_io'] / peer:.2f}"])
    return rows


def all_tables(results, costs, accuracy):
    release = next(item["name"] for item in costs if item["what"] == "kernel")
    without = ", ".join(f"{item['insn_per_io']:.0f} ({item['engine']})" for item in costs
                        if item["what"] == "baseline" and item["name"] == "none" and
                        item["cpus"] == 1)
    reads = [item for item in costs if item["what"] == "read"]
    standing = [item for item in costs if item["what"] in ("insmod", "memory")]
    return (f"\nKernel {release}. Without statistics an I/O takes, with 1 CPU, {without}.\n\n" +
            rst(costs_rows(results)) + "\n" + rst(tables.reads_rows(reads)) + "\n" +
            rst(tables.standing_rows(standing)) + "\n" + tables.memory_line(standing) + "\n" +
            rst(tables.accuracy_rows(accuracy)) + "\n")


def replaced(path, begin, end, text):
    with open(os.path.join(TOP, path)) as file:
        before, rest = file.read().split(begin)
    return before + begin + text + end + rest.split(end)[1]


def pages():
    results, costs, accuracy = kept("results"), kept("costs"), kept("accuracy")
    return {
        "README.md": replaced("README.md", "<!-- make bench: begin -->\n",
                              "<!-- make bench: end -->\n", summary(results, costs)),
        "Documentation/bench.rst": replaced("Documentation/bench.rst", ".. make bench: begin\n",
                                            ".. make bench: end\n",
                                            all_tables(results, costs, accuracy)),
    }


def write():
    for path, text in pages().items():
        with open(os.path.join(TOP, path), "w") as file:
            file.write(text)


def check():
    differ = []
    for path, text in pages().items():
        with open(os.path.join(TOP, path)) as file:
            if file.read() != text:
                differ.append(path)
    for path in differ:
        print(f"{path} has other figures than bench/*.json: run python3 bench/pages.py")
    return len(differ)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check() != 0)
    write()
