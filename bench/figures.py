# SPDX-License-Identifier: GPL-2.0
"""From what the guests counted to figures: medians, spreads, differences."""

import collections
import os
import re
import statistics

# Runs of a baseline that its level is taken from.
FIRST = 3

Run = collections.namedtuple("Run", "name baseline engine cpus per_io")


def lines(path, separator=None):
    with open(path) as file:
        return [line.strip().split(separator) for line in file]


def spread(values):
    return 100 * (max(values) - min(values)) / statistics.median(values)


def is_ours(name):
    return name.split("+")[0] == "iostat"


def runs(out):
    """Every run of iogen in the order of the guest, with its repeats."""
    found = collections.OrderedDict()
    for guest in sorted(os.listdir(out)):
        path = os.path.join(out, guest, "cost")
        if not os.path.exists(path):
            continue
        for number, name, baseline, engine, cpus, reads, cycles in lines(path):
            key = (guest, int(number), engine)
            run = found.setdefault(key, Run(name, baseline, engine, int(cpus), []))
            run.per_io.append(int(cycles) / int(reads))
    return list(found.values())


def costs(out):
    """(results, baselines): a row against the lowest of the first runs of its baseline in its
    boot, for whatever disturbs a run adds to it."""
    found = collections.OrderedDict()
    for run in runs(out):
        found.setdefault((run.cpus, run.baseline, run.engine), []).append(run)
    results, baselines = [], []
    for (cpus, name, engine), group in found.items():
        plain = [run for run in group if run.name == run.baseline]
        levels = [statistics.median(run.per_io) for run in plain]
        # As many in a run of everything as in one of two rows: the lowest of more is lower.
        level = min(levels[:FIRST])
        baselines.append({
            "what": "baseline", "name": name, "engine": engine, "cpus": cpus,
            "insn_per_io": round(level, 1),
            "spread_pct": round(spread(plain[levels.index(level)].per_io), 3),
            # How far above it the run before the first row was, and those behind the rows.
            "before": round(levels[0] - level, 1),
            "behind": [round(value - level, 1) for value in levels[1:]],
        })
        results += [{
            "name": run.name, "engine": engine, "cpus": cpus,
            "delta_insn_per_io": round(statistics.median(run.per_io) - level, 1),
            "spread_pct": round(spread(run.per_io), 3),
        } for run in group if run.name != run.baseline]
    # Otherwise rows stay in the order they were measured in, which is that of rows.sh.
    rows = list(dict.fromkeys(run.name for run in runs(out)))
    results.sort(key=lambda item: (item["cpus"], item["engine"], rows.index(item["name"])))
    return results, sorted(baselines, key=lambda item: (item["cpus"], item["name"], item["engine"]))


def conditions(item):
    """What two rows must have in common to be compared."""
    return item["cpus"], item["engine"], item["name"].endswith("+mitigations")


def best_peers(results):
    """The cheapest other statistics, by conditions."""
    best = {}
    for item in results:
        key = conditions(item)
        if not is_ours(item["name"]) and (
                key not in best or item["delta_insn_per_io"] < best[key]["delta_insn_per_io"]):
            best[key] = item
    return best


def medians(path, keys):
    """Medians of the last columns, grouped by the first ones."""
    groups = collections.OrderedDict()
    for fields in lines(path):
        groups.setdefault(tuple(fields[:keys]), []).append([int(field) for field in fields[keys:]])
    return [(key, [int(statistics.median(column)) for column in zip(*rows)])
            for key, rows in groups.items()]


def reads(out):
    """A read of all statistics, each way there is."""
    paths = [os.path.join(out, guest, "read") for guest in sorted(os.listdir(out))]
    return [{"what": "read", "name": name, "cpus": int(cpus), "disks": int(disks),
             "insn": cycles, "bytes": size}
            for path in paths if os.path.exists(path)
            for (name, cpus, disks), (cycles, size) in medians(path, 3)]


def load(out):
    """Loading with one disk, alone."""
    path = os.path.join(out, "load", "load")
    return [{"what": "insmod", "disks": int(disks), "us": round(ns / 1000)}
            for (disks,), (ns,) in (medians(path, 1) if os.path.exists(path) else [])]


def standing(out):
    """Loading and memory."""
    dir = os.path.join(out, "standing")
    found = [{"what": "insmod", "disks": int(disks), "us": round(ns / 1000)}
              for (disks,), (ns,) in medians(os.path.join(dir, "load"), 1)]
    memory = {(kind, int(disks)): int(size)
              for disks, kind, size in lines(os.path.join(dir, "memory"))}
    few, many = min(disks for _, disks in memory), max(disks for _, disks in memory)

    def slope(kind):
        return round((memory[kind, many] - memory[kind, few]) / (many - few))

    return found + [
        {"what": "memory", "name": "code and data", "bytes": memory["module", few]},
        {"what": "memory", "name": "once",
         "bytes": memory["slab", few] - slope("slab") * few +
         (memory["percpu", few] - slope("percpu") * few) * memory["possible", few]},
        # The records of disks that were not read from, and all else that a disk takes: of one that no CPU has used.
        {"what": "memory", "name": "idle account",
         "bytes": slope("slab") + slope("pages") + slope("percpu") * memory["possible", few]},
        {"what": "memory", "name": "of it for each possible CPU", "bytes": slope("percpu")},
        {"what": "memory", "name": "account and used CPU",
         "bytes": round((slope("used") - slope("pages")) / memory["cpus", few])},
    ]


def recount(path, end):
    """Busy time and time in queue from raw events, in cycles: from block_io_start to END."""
    inflight, busy, queue, since = 0, 0, 0, None
    event = re.compile(r"\s(\d+): (block_io_start|" + end + "):")
    with open(path) as file:
        for line in file:
            match = event.search(line)
            if not match:
                continue
            now = int(match[1])
            if inflight:
                busy += now - since
                queue += inflight * (now - since)
            inflight, since = inflight + (1 if match[2] == "block_io_start" else -1), now
    if inflight:
        raise ValueError(f"{path}: {inflight} in flight at the end")
    return busy, queue


def accuracy(out):
    """iostat and /proc/diskstats against recounts, case by case. They end an I/O at different
    events, so there is one for each, and iostat is held against both."""
    dir, found = os.path.join(out, "accuracy"), []
    for number, fields in enumerate(lines(os.path.join(dir, "accuracy"), ";")):
        ios, busy, queue, field10, field11, ns, cycles = map(int, fields[1:])
        values = {"busy": (busy / 1e6, "field10", field10),
                  "queue": (queue / 1e6, "field11", field11)}
        exact = {end: [value * ns / cycles / 1e6 for value in
                       recount(os.path.join(dir, f"events-{number}"), "block_" + end)]
                 for end in ("rq_complete", "io_done")}
        case = {"case": fields[0], "ios": ios}
        for index, (what, (ours, field, theirs)) in enumerate(values.items()):
            complete, done = exact["rq_complete"][index], exact["io_done"][index]
            case.update({
                f"exact_{what}_to_complete_ms": round(complete, 3),
                f"iostat_{what}_ms": round(ours, 3),
                f"iostat_{what}_err_pct": round(100 * (ours - complete) / complete, 3),
                f"exact_{what}_to_done_ms": round(done, 3),
                f"iostat_{what}_to_done_err_pct": round(100 * (ours - done) / done, 3),
                f"{field}_ms": theirs,
                f"{field}_err_pct": round(100 * (theirs - done) / done, 3),
            })
        found.append(case)
    return found
