# SPDX-License-Identifier: GPL-2.0
"""Compares one disk's statistics with its I/Os."""

import bisect
import collections

from . import lines

CLASSES = ("none", "read", "write", "free")
PHASES = ("wait", "service", "total")
EVER = lines.Range(float("inf"), float("inf"))

# Four bounds per octave; half a nanosecond is rounded up.
LATENCY_BOUNDS_NS = [int(10**9 * 2**(k / 4) + 0.5) for k in range(-88, 21)]


class Disk:
    """What the oracle expects of one disk, read at some time within a window."""

    def __init__(self, ios, window=EVER):
        self.window = window
        self.ios = [io for io in ios if io.whole[0].early < window.high]
        self.counted = [io for io in self.ios if io.counted]

    def count(self, of, ios=None):
        """The sum of `of` over the I/Os that have ended."""
        low = high = 0
        for io in self.counted if ios is None else ios:
            end = io.whole[1]
            if end and end.early < self.window.high:
                value = of(io)
                high += value
                low += value if end.late <= self.window.low else 0
        return lines.Range(low, high)

    def done(self, kind=None):
        return [io for io in self.counted if io.fate == "done" and kind in (None, io.kind)]

    def started(self):
        low = sum(io.start.late <= self.window.low for io in self.counted)
        return lines.Range(low, sum(io.start.early < self.window.high for io in self.counted))

    def in_queue(self, of):
        """The number of I/Os in a queue at the time of the read."""
        low = high = 0
        for io in self.ios:
            for enter, leave in of(io):
                low += enter.late <= self.window.low and not (leave and leave.early < self.window.high)
                high += enter.early < self.window.high and not (leave and leave.late <= self.window.low)
        return lines.Range(low, high)

    def queue(self, of):
        return lines.line([stay for io in self.ios for stay in of(io)], self.window)

    def durations(self, kind, stays):
        """The sum of the times that the I/Os of a class spent in the stays of each."""
        ended = [io for io in self.done(kind) if io.whole[1].early < self.window.high]
        if not ended:
            return lines.Range(0, 0)
        spans = [lines.total(map(lines.length, stays(io))) for io in ended]
        sure = [span.low for io, span in zip(ended, spans) if io.whole[1].late <= self.window.low]
        return lines.Range(sum(sure), sum(span.high for span in spans))

    def expected(self):
        """The minimum and maximum of each column."""
        want = {
            "start_count": self.started(),
            "end_count": self.count(lambda io: 1),
            "merged": self.count(lambda io: io.fate == "merged"),
            "refused": lines.Range(0, 0),
            "abandoned": self.count(lambda io: io.fate == "abandoned"),
            "tag_simple": self.count(lambda io: not io.ordered, self.done()),
            "tag_head": lines.Range(0, 0),
            "tag_ordered": self.count(lambda io: io.ordered, self.done()),
            "wcnt": self.in_queue(lambda io: io.waits),
            "rcnt": self.in_queue(lambda io: io.runs),
        }
        for kind in CLASSES:
            want["operations_" + kind] = self.count(lambda io: 1, self.done(kind))
            want["bytes_" + kind] = self.count(lambda io: io.bytes, self.done(kind))
        return want

    def times(self):
        want = {}
        want["wlentime"], want["wtime"] = self.queue(lambda io: io.waits)
        want["rlentime"], want["rtime"] = self.queue(lambda io: io.runs)
        _, want["busy_time_ns"] = self.queue(lambda io: [io.whole])
        for kind in CLASSES:
            want[f"duration_{kind}_ns"] = self.durations(kind, lambda io: [io.whole])
            want[f"service_{kind}_ns"] = self.durations(kind, lambda io: io.runs)
        return want

    def steps(self):
        """All steps, each once."""
        found = {}
        for io in self.ios:
            for stay in io.waits + io.runs:
                for step in stay:
                    if step:
                        found[id(step)] = step
        return list(found.values())

    def histogram(self, kind, phase):
        """The minimum and maximum of each bucket, and the count of all."""
        sure, perhaps = collections.Counter(), collections.Counter()
        ios = self.done(kind)
        for io in ios:
            stays = {"wait": io.waits, "service": io.runs, "total": [io.whole]}[phase]
            span = lines.total(map(lines.length, stays))
            first, last = (bisect.bisect_left(LATENCY_BOUNDS_NS, time) for time in span)
            for bucket in range(first, last + 1):
                perhaps[bucket] += 1
            sure[first] += first == last
        return sure, perhaps, len(ios)
