#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Recounts I/O from raw block events and compares the module's statistics with the result.

Shares no code and no arithmetic with the module: it pairs the events of two trace
buffers (oracle/pairs.py), follows each I/O through them (oracle/replay.py) and
integrates queue lengths step by step (oracle/lines.py). Counts and bytes must be
equal, times within what the two buffers leave open.

usage: recount.py FILE...

Each FILE is an archive that tests/guest/lib/recount.sh made.
"""

import sys
import tarfile

from oracle import compare, lines, pairs, replay, ringbuffer


class Recount:
    """One archive."""

    def __init__(self, path):
        self.name = path.rsplit("recount-", 1)[-1]
        self.good = self.bad = 0
        self.files = {}
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                if member.isfile():
                    self.files[member.name.removeprefix("./")] = archive.extractfile(member).read()

    def check(self, what, good, detail):
        self.good += good
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} - recount {self.name}: {what}: {detail}")

    def text(self, name):
        return self.files[name].decode("ascii")

    def events(self, buffer):
        """The events of one trace buffer, and the marks in it."""
        known = ringbuffer.formats(self.text("formats"))
        found = []
        for name, data in self.files.items():
            if name.startswith(buffer + "/cpu"):
                cpu = int(name.removeprefix(buffer + "/cpu"))
                found += ringbuffer.events(data, cpu, known)
        marks = {event.fields["buf"].strip(): event.time for event in found if event.name == "print"}
        return [event for event in found if event.name != "print"], marks

    def accounts(self, name):
        """The words of each line, by disk and first word."""
        found = {}
        for line in self.text(name).splitlines():
            disk, what, *words = line.split()
            found[disk, what] = words
        return found

    def run(self):
        lost = [line for line in self.text("lost").splitlines() if line.split()[-1] != "0"]
        self.check("no event lost", not lost, lost or "none")
        before, _ = self.events("before")
        after, marks = self.events("after")
        steps = pairs.pair(before, after)
        self.check("the trace has events", bool(steps), len(steps))
        bounds = [int(word) for word in self.text("bounds").split()]
        self.check("bounds of histograms", bounds == compare.LATENCY_BOUNDS_NS, len(bounds))
        ios = replay.replay(steps)
        first, last = self.accounts("first"), self.accounts("last")
        for disk, what in first:
            if what == "stat":
                self.disk(disk, first, last, ios, marks)

    def disk(self, disk, first, last, ios, marks):
        kind, major_minor, _ = first[disk, "disk"]
        number = last[disk, "disk"][-1]
        major, minor = map(int, major_minor.split(":"))
        window = compare.EVER
        if number != "idle":
            window = lines.Range(marks[f"{number} from"], marks[f"{number} to"])
        starts = {"rq": ("io_start", "rq_issue"), "bio": ("bio_queue",)}[kind]
        own = compare.Disk([io for io in ios if io.dev == major << 20 | minor
                            and io.start.kind in starts], window)
        got = {column: int(new) - int(old) for column, new, old in
               zip(first[disk, "columns"], last[disk, "stat"], first[disk, "stat"])}
        for column, want in own.expected().items():
            self.check(f"{disk} {column}", want.low <= got[column] <= want.high,
                       f"{got[column]} and {want.low}" +
                       (f" to {want.high}" if want.high != want.low else ""))
        self.times(disk, own, got)
        self.claims(disk, own, got, int(last[disk, "field10"][0]) - int(first[disk, "field10"][0]))
        for words in last:
            if words[0] == disk and words[1].endswith(compare.PHASES):
                # The files of a disk come with its first I/O.
                empty = ["0"] * len(last[words])
                self.histogram(disk, words[1], own, first.get(words, empty), last[words])

    def times(self, disk, own, got):
        steps = own.steps()
        widths = sorted(step.late - step.early for step in steps)
        disputed = lines.disputed(steps)
        for column, want in own.times().items():
            # Busy times only: see "How exact" in Documentation/accounting.rst.
            more = disputed if column in ("wtime", "rtime", "busy_time_ns") else 0
            value = got[column]
            middle = (want.low + want.high) / 2
            off = f", {100 * (value - middle) / middle:+.4f} % from the middle" if middle else ""
            self.check(f"{disk} {column}", want.low - more <= value <= want.high + more,
                       f"{value} in {want.low} to {want.high}, and {more} ns disputed{off}")
        if widths:
            print(f"# recount {self.name}: {disk}: {len(widths)} steps; ns between before and after: "
                  f"least {widths[0]}, median {widths[len(widths) // 2]}, most {widths[-1]}")

    def claims(self, disk, own, got, field10):
        """Checks the test's claims: the error of the kernel's busy time, and the accuracy of iostat's."""
        times = own.times()
        busy = times["busy_time_ns"]
        middle = (busy.low + busy.high) / 2
        for line in self.files.get("claims", b"").decode("ascii").splitlines():
            claim, percent, *columns = line.split()
            if claim == "field10-wrong":
                off = 100 * (10**6 * field10 - middle) / middle
                ours = 100 * (got["busy_time_ns"] - middle) / middle
                self.check(f"{disk} field 10 is wrong by {percent} % or more", abs(off) >= float(percent),
                           f"{field10} ms of {middle / 10**6:.3f}: {off:+.1f} %; iostat {ours:+.4f} %")
            for column in columns:
                want, value = times[column], got[column]
                off = 100 * max(want.high - value, value - want.low) / value
                self.check(f"{disk} {column} is within {percent} %", off <= float(percent),
                           f"at most {off:.5f} % off")

    def histogram(self, disk, name, own, first, last):
        kind, phase = name.split("_")
        # The buckets follow the count, the minimum and the maximum.
        got = [int(new) - int(old) for new, old in zip(last[3:], first[3:])]
        sure, perhaps, count = own.histogram(kind, phase)
        wrong = [bucket for bucket, value in enumerate(got)
                 if not sure[bucket] <= value <= perhaps[bucket]]
        self.check(f"{disk} {name} histogram", not wrong and sum(got) == count,
                   f"{sum(got)} and {count}, {sum(sure.values())} of them sure of their bucket" +
                   "".join(f"; bucket {bucket}: {got[bucket]} in {sure[bucket]} to {perhaps[bucket]}"
                           for bucket in wrong))


def main():
    good = bad = 0
    for path in sys.argv[1:]:
        recount = Recount(path)
        try:
            recount.run()
        except (ringbuffer.Lost, pairs.Unpaired, AssertionError, KeyError) as error:
            recount.check("recounted", False, f"{type(error).__name__}: {error}")
        good += recount.good
        bad += recount.bad
    print(f"{good} passed, {bad} failed")
    return not good or bad > 0


if __name__ == "__main__":
    sys.exit(main())
