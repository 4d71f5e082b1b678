# SPDX-License-Identifier: GPL-2.0
"""Prints what a bench run found, and the difference to the figures in the repository.

usage: report.py OUT RELEASE		prints
       report.py OUT RELEASE --keep	and writes bench/*.json, the README and bench.rst
       report.py OUT RELEASE --check	says in test lines whether recording became longer
"""

import json
import os
import sys

import figures
import pages
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
# Instructions per I/O.
LONGER = 5
# With more CPUs than one, if one of them does I/O.
ALONE = 5
# Per cent. One repeat with a kernel thread in it, which the median forgets, is 0.9 off.
UNUSABLE = 2.0
# Of what /proc/diskstats takes, may a snapshot of that many disks take at most.
PART, DISKS = 0.5, 256
# Instructions of the text of as many, with 1 CPU, and microseconds of loading with 1 disk, at most.
TEXT, LOAD_US = 2_000_000, 45_000


def kept(name):
    try:
        with open(os.path.join(HERE, name + ".json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return []


def keep(name, objects):
    """An object a line, so that a difference is one too."""
    with open(os.path.join(HERE, name + ".json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(item) for item in objects) + "\n]\n")


def key(item):
    return item["name"], item["engine"], item["cpus"]


def title(item):
    return f"{item['name']}, {item['engine']}, {tables.several(item['cpus'], 'CPU')}"


def check(results, baselines, reads, loads, before):
    """The test lines, and how many are not ok."""
    passed = failed = 0

    def line(ok, text):
        nonlocal passed, failed
        passed, failed = passed + ok, failed + (not ok)
        print(f"  {'ok' if ok else 'not ok'} - {text}")

    for item in results + baselines:
        line(item["spread_pct"] < UNUSABLE,
             f"{title(item)}: repeats differ by {item['spread_pct']} %")
    for item in baselines:
        # One run behind a row may have met a kernel thread; not all of them.
        line(min(item["behind"]) <= LONGER,
             f"{title(item)}: left as it was, within {min(item['behind'])} instructions")
    for item in results:
        now, was = item["delta_insn_per_io"], before.get(key(item))
        text = f"{title(item)}: {now:+} instructions an I/O"
        if was is None:
            line(False, f"{text}, and none kept in bench/results.json")
            continue
        text += f", kept {was:+}, difference {now - was:+.1f}"
        if not figures.is_ours(item["name"]):
            # The kernel's own: says whether the yardstick is the same.
            line(abs(now - was) <= LONGER, text)
        elif now - was > LONGER:
            line(False, text + ": longer; if that is meant, run make bench and commit bench/")
        else:
            line(True, text)
            if was - now > LONGER:
                print("    shorter: make bench keeps the new figure")
    per_io = {key(item): item["delta_insn_per_io"] for item in results}
    for (name, engine, cpus), now in per_io.items():
        if name == "iostat" and engine == "psync-alone":
            line(now - per_io[name, "psync", 1] <= ALONE,
                 f"{cpus} CPUs, one does I/O: {now:+} instructions an I/O, at most {ALONE} more than with 1 CPU")
    insn = {(item["name"], item["cpus"]): item["insn"]
            for item in reads if item["disks"] == DISKS}
    for (name, cpus), ours in insn.items():
        if name == "ioctl":
            theirs = insn["/proc/diskstats", cpus]
            line(ours < PART * theirs,
                 f"{DISKS} disks, {cpus} CPU: {ours} instructions by ioctl, {theirs} by "
                 "/proc/diskstats")
        elif name == "/dev/iostat" and cpus == 1:
            line(ours <= TEXT, f"{DISKS} disks: {ours} instructions for the text, {TEXT} at most")
    for item in loads:
        line(item["us"] <= LOAD_US, f"insmod takes {item['us']} us, {LOAD_US} at most")
    print(f"bench: {passed} passed, {failed} failed")
    return failed


def main():
    out, release = sys.argv[1:3]
    mode = sys.argv[3] if len(sys.argv) > 3 else ""
    results, baselines = figures.costs(out)
    reads = figures.reads(out)
    loads = figures.load(out)
    before = {key(item): item["delta_insn_per_io"] for item in kept("results")}
    if mode == "--check":
        sys.exit(check(results, baselines, reads, loads, before) != 0)

    if results:
        print(tables.costs(results, baselines, before))
    if reads:
        print(tables.reads(reads), end="")
    if loads:
        print(tables.loads(loads), end="")
    if not os.path.isdir(os.path.join(out, "standing")):
        return
    standing = figures.standing(out)
    accuracy = figures.accuracy(out)
    print("\n" + tables.standing(standing) + "\n" + tables.accuracy(accuracy), end="")
    if mode == "--keep":
        keep("results", results)
        keep("costs", [{"what": "kernel", "name": release}] + baselines + reads + standing)
        keep("accuracy", accuracy)
        pages.write()


main()
