# SPDX-License-Identifier: GPL-2.0
"""The life of each I/O, from its events alone."""

import re

TAG_WAIT, START, ISSUE, REQUEUE, MERGE, COMPLETE = "rq_tag_wait", "io_start", "rq_issue", "rq_requeue", "rq_merge", "rq_complete"
BIO_START, BIO_END = "bio_queue", "bio_complete"

# blk_fill_rwbs(): preflush, operation, forced unit access, hints.
RWBS = re.compile(r"(F(?=[WDRFNZ]))?(DE?|WZ?|R|F|N|Z[A-Z]*?)(F?)[ASMU]*$")
CLASSES = {"R": "read", "W": "write", "WZ": "write", "ZA": "write", "D": "free", "DE": "free"}


class Io:
    """One I/O. A stay is a pair of steps; the second is None until the stay ends."""

    def __init__(self, step, counted):
        before, operation, fua = RWBS.match(step.rwbs).groups()
        self.dev = step.dev
        self.counted = counted
        self.ordered = bool(before or fua)
        self.kind = CLASSES.get(operation, "none") if step.bytes else "none"
        self.size = step.bytes
        self.bytes = self.transferred = 0
        self.start = step
        self.waits, self.runs, self.whole = [], [], [step, None]
        self.fate = "in flight"

    @property
    def running(self):
        return bool(self.runs) and self.runs[-1][1] is None

    def wait(self, step):
        self.leave(step)
        self.waits.append([step, None])

    def run(self, step):
        self.leave(step)
        self.runs.append([step, None])

    def leave(self, step):
        for stays in (self.waits, self.runs):
            if stays and stays[-1][1] is None:
                stays[-1][1] = step

    def end(self, step, fate):
        self.leave(step)
        self.whole[1] = step
        self.fate = fate


def is_last(steps, at, counted):
    """Whether an I/O's completion is its end. A request that was started is reused, and starts
    again; one that was never started belongs to the flush machinery, and is issued again."""
    following = steps[at + 1].kind if at + 1 < len(steps) else None
    return following in (None, START) or not counted and following == ISSUE


def request(steps, waited):
    """Every I/O that one request served, in order."""
    now = None
    for at, step in enumerate(steps):
        if step.kind == START:
            if now:
                now.end(step, "abandoned")
            now = Io(step, True)
            # It is in the queue since its submitter began to wait for a tag.
            now.whole[0] = waited.get(id(step), step)
            now.wait(now.whole[0])
            yield now
        elif step.kind == ISSUE:
            if not now:
                now = Io(step, False)
                yield now
            now.size = step.bytes  # bios may have been merged into it, or a part completed
            now.transferred = 0
            if not now.running:
                now.run(step)
        elif not now:
            continue
        elif step.kind == REQUEUE and now.running:
            now.wait(step)
        elif step.kind == MERGE:
            now.end(step, "merged")
            now = None
        elif step.kind == COMPLETE:
            now.bytes += 0 if step.error else step.done
            now.transferred += step.done
            if is_last(steps, at, now.counted):
                now.end(step, "done")
                now = None
            elif now.running and now.transferred >= now.size:
                now.wait(step)  # its data is complete; it waits for its flush


def bio(steps, _):
    """Every I/O that one bio served."""
    now = None
    for step in steps:
        if step.kind == BIO_START:
            if now:
                now.end(step, "abandoned")
            now = Io(step, True)
            now.run(step)
            yield now
        elif now:
            now.bytes = 0 if step.error else now.size
            now.end(step, "done")
            now = None


def tag_waits(steps):
    """The first of the sleeps of the submitter before each start, by the id of the start's step."""
    waiting, waited = {}, {}
    for step in steps:
        task = step.pid, step.dev
        if step.kind == TAG_WAIT:
            waiting.setdefault(task, step)
        elif step.kind == START and task in waiting:
            waited[id(step)] = waiting.pop(task)
    return waited


def replay(steps):
    """All I/Os."""
    by_address = {}
    waited = tag_waits(steps)
    for step in steps:
        if step.kind == TAG_WAIT:
            continue
        about = bio if step.kind in (BIO_START, BIO_END) else request
        by_address.setdefault((about, step.io), []).append(step)
    return [io for (about, _), own in by_address.items() for io in about(own, waited)]
