#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Recounts I/O from raw block events and holds the module's statistics against it.

Shares no code and no arithmetic with the module: it replays the events one by
one and integrates queue lengths step by step.

usage: recount.py FILE...

Each FILE begins with a line "# stat NAME MAJOR:MINOR column=difference ...":
what the module counted meanwhile; then comes tracefs' text of the events
block_io_start, block_rq_issue, block_rq_requeue, block_rq_merge and
block_rq_complete, or of block_bio_queue and block_bio_complete, on the clock
"mono".
"""

import re
import sys

# The probe and the event are called one after the other by the same
# tracepoint, and tracefs prints microseconds: each time may differ by this.
SKEW_NS = 20_000

EVENT = re.compile(
    r"\s(?P<time>\d+\.\d{6}): (?P<event>block_\w+): (?P<major>\d+),(?P<minor>\d+) "
    r"(?P<rwbs>\w+) (?:(?P<bytes>\d+) )?(?:\(.*?\) )?(?P<sector>\d+) \+ (?P<sectors>\d+)"
)


class Line:
    """A queue length over time."""

    def __init__(self):
        self.length = self.area = self.busy = 0
        self.since = None
        self.changes = 0

    def move(self, now, step):
        if self.since is not None:
            elapsed = now - self.since
            self.area += self.length * elapsed
            self.busy += elapsed if self.length else 0
        self.since = now
        self.length += step
        self.changes += 1
        assert self.length >= 0, "more left a queue than entered it"


class Disk:
    """All of one disk's I/O."""

    def __init__(self):
        self.wait, self.run, self.any = Line(), Line(), Line()
        self.operations = {"R": 0, "W": 0, "D": 0, "N": 0, "F": 0}
        self.bytes = dict(self.operations)
        self.waiting, self.running = {}, {}
        self.duration = 0
        self.merged = 0

    def event(self, now, event, rwbs, sector, sectors):
        kind = rwbs[0]
        if event == "block_io_start":
            self.waiting.setdefault(sector, []).append(now)
            self.wait.move(now, 1)
            self.any.move(now, 1)
        elif event == "block_rq_issue":
            self.running.setdefault(sector, []).append(self.waiting[sector].pop(0))
            self.wait.move(now, -1)
            self.run.move(now, 1)
        elif event == "block_rq_requeue" and self.running.get(sector):
            self.waiting.setdefault(sector, []).append(self.running[sector].pop(0))
            self.run.move(now, -1)
            self.wait.move(now, 1)
        elif event == "block_rq_merge":
            self.waiting[sector].pop(0)
            self.wait.move(now, -1)
            self.any.move(now, -1)
            self.merged += 1
        elif event == "block_bio_queue":
            self.run.move(now, 1)
            self.any.move(now, 1)
            self.duration -= now
            self.bytes[kind] += 512 * sectors
        elif event == "block_bio_complete":
            self.run.move(now, -1)
            self.any.move(now, -1)
            self.duration += now
            self.operations[kind] += 1
        elif event == "block_rq_complete":
            self.duration += now - self.running[sector].pop(0)
            self.run.move(now, -1)
            self.any.move(now, -1)
            self.operations[kind] += 1
            self.bytes[kind] += 512 * sectors


def recount(lines, device):
    disk = Disk()
    for line in lines:
        found = EVENT.search(line)
        if not found or f"{found['major']}:{found['minor']}" != device:
            continue
        seconds, micros = found["time"].split(".")
        now = int(seconds) * 10**9 + int(micros) * 1000
        disk.event(now, found["event"], found["rwbs"], int(found["sector"]), int(found["sectors"]))
    return disk


def compare(path):
    with open(path, encoding="ascii", errors="replace") as file:
        head = file.readline().split()
        disk = recount(file, head[3])
    name = head[2]
    stat = {key: int(value) for key, value in (word.split("=") for word in head[4:])}

    def check(what, got, want, bound=0):
        good = abs(got - want) <= bound
        detail = f"{got} and {want}" + (f", bound {bound}" if bound else "")
        print(f"{'ok' if good else 'not ok'} - recount {name}: {what}: {detail}")
        return good

    return [
        check("reads", stat["operations_read"], disk.operations["R"]),
        check("writes", stat["operations_write"], disk.operations["W"]),
        check("bytes read", stat["bytes_read"], disk.bytes["R"]),
        check("bytes written", stat["bytes_write"], disk.bytes["W"]),
        check("frees", stat["operations_free"], disk.operations["D"]),
        check("bytes freed", stat["bytes_free"], disk.bytes["D"]),
        check("merged", stat["merged"], disk.merged),
        check("nothing in flight", disk.any.length, 0),
        check("wlentime", stat["wlentime"], disk.wait.area, SKEW_NS * disk.wait.changes),
        check("wtime", stat["wtime"], disk.wait.busy, SKEW_NS * disk.wait.changes),
        check("rlentime", stat["rlentime"], disk.run.area, SKEW_NS * disk.run.changes),
        check("rtime", stat["rtime"], disk.run.busy, SKEW_NS * disk.run.changes),
        check("busy_time", stat["busy_time_ns"], disk.any.busy, SKEW_NS * disk.any.changes),
        check("duration", sum(v for k, v in stat.items() if k.startswith("duration")), disk.duration,
              SKEW_NS * disk.any.changes),
    ]


def main():
    results = [good for path in sys.argv[1:] for good in compare(path)]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return not results or False in results


if __name__ == "__main__":
    sys.exit(main())
