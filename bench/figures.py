# SPDX-License-Identifier: GPL-2.0
"""From what the guests counted to figures: medians, spreads, differences."""

import collections
import os
import re
import statistics

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
    """(results, baselines): a row against the first run of its baseline in its boot, when
    nothing had been turned on yet; later runs only say how well it was left alone."""
    first, later, results = {}, collections.defaultdict(list), []
    for run in runs(out):
        key = (run.cpus, run.baseline, run.engine)
        median = statistics.median(run.per_io)
        if run.name != run.baseline:
            results.append({
                "name": run.name, "engine": run.engine, "cpus": run.cpus,
                "delta_insn_per_io": round(median - first[key]["insn_per_io"], 1),
                "spread_pct": round(spread(run.per_io), 3),
            })
        elif key not in first:
            first[key] = {"what": "baseline", "name": run.name, "engine": run.engine,
                          "cpus": run.cpus, "insn_per_io": round(median, 1),
                          "spread_pct": round(spread(run.per_io), 3)}
        else:
            later[key].append(median)
    for key, baseline in first.items():
        moved = [value - baseline["insn_per_io"] for value in later[key]]
        baseline["moved"] = [round(min(moved, default=0), 1), round(max(moved, default=0), 1)]
    # Rows stay in the order they were measured in, which is that of rows.sh.
    results.sort(key=lambda item: (item["cpus"], item["engine"]))
    return results, [first[key] for key in sorted(first)]


def best_peers(results):
    """The cheapest other statistics, for each number of CPUs and engine."""
    best = {}
    for item in results:
        key = (item["cpus"], item["engine"])
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


def standing(out):
    """Reads, loading and memory."""
    dir = os.path.join(out, "standing")
    found = [{"what": "read", "name": name, "disks": int(disks), "insn": cycles, "bytes": size}
             for (name, disks), (cycles, size) in medians(os.path.join(dir, "read"), 2)]
    found += [{"what": "insmod", "disks": int(disks), "us": round(ns / 1000)}
              for (disks,), (ns,) in medians(os.path.join(dir, "load"), 1)]
    memory = {(kind, int(disks)): int(size)
              for disks, kind, size in lines(os.path.join(dir, "memory"))}
    few, many = min(disks for _, disks in memory), max(disks for _, disks in memory)

    def slope(kind):
        return round((memory[kind, many] - memory[kind, few]) / (many - few))

    return found + [
        {"what": "memory", "name": "code and data", "bytes": memory["module", few]},
        {"what": "memory", "name": "once", "bytes": memory["slab", few] - slope("slab") * few},
        {"what": "memory", "name": "per disk", "bytes": slope("slab")},
        {"what": "memory", "name": "per disk and CPU", "bytes": slope("percpu")},
    ]


def recount(path):
    """Busy time and time in queue from raw events, in cycles."""
    inflight, busy, queue, since = 0, 0, 0, None
    event = re.compile(r"\s(\d+): block_io_(start|done):")
    with open(path) as file:
        for line in file:
            match = event.search(line)
            if not match:
                continue
            now = int(match[1])
            if inflight:
                busy += now - since
                queue += inflight * (now - since)
            inflight, since = inflight + (1 if match[2] == "start" else -1), now
    if inflight:
        raise ValueError(f"{path}: {inflight} in flight at the end")
    return busy, queue


def accuracy(out):
    """iostat and /proc/diskstats against the recount, case by case."""
    dir, found = os.path.join(out, "accuracy"), []
    for number, fields in enumerate(lines(os.path.join(dir, "accuracy"), ";")):
        ios, busy, queue, field10, field11, ns, cycles = map(int, fields[1:])
        per_cycle = ns / cycles / 1e6
        true_busy, true_queue = (value * per_cycle
                                 for value in recount(os.path.join(dir, f"events-{number}")))

        def error(value, truth):
            return round(100 * (value - truth) / truth, 3)

        found.append({
            "case": fields[0], "ios": ios,
            "exact_busy_ms": round(true_busy, 3),
            "iostat_busy_ms": round(busy / 1e6, 3),
            "iostat_busy_err_pct": error(busy / 1e6, true_busy),
            "field10_ms": field10, "field10_err_pct": error(field10, true_busy),
            "exact_queue_ms": round(true_queue, 3),
            "iostat_queue_ms": round(queue / 1e6, 3),
            "iostat_queue_err_pct": error(queue / 1e6, true_queue),
            "field11_ms": field11, "field11_err_pct": error(field11, true_queue),
        })
    return found
