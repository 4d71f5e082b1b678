# SPDX-License-Identifier: GPL-2.0
"""Pairs the events traced before the module's probes ran with those traced after.

A tracepoint calls its functions in the order they were registered. One trace was
registered before the module, the other behind it. So the time at which the module
read its clock lies between the two times of an event, whatever the machine did in
between, and no bound has to be assumed.
"""

import collections

# One event: text fields from the first trace, addresses from the second.
Step = collections.namedtuple("Step", "early late cpu kind io dev pid bytes done error rwbs")

# REQ_OP_DRV_IN and REQ_OP_DRV_OUT; the sector of a request that has none.
PASSTHROUGH = (34, 35)
NO_SECTOR = 2**64 - 1


class Unpaired(Exception):
    """An event is in only one of the two traces."""


def key(event, kind):
    fields = event.fields
    sector, dev = fields.get("sector", 0), fields["dev"]
    if "op" in fields and kind != "rq_complete" and (
            fields["op"] & 0xff in PASSTHROUGH or sector == NO_SECTOR):
        sector = 0  # as blk_rq_trace_sector() returns
    return kind, fields["common_pid"], dev, sector


def step(before, after, kind):
    fields = after.fields
    return Step(early=before.time, late=after.time, cpu=after.cpu, kind=kind, io=fields["io"],
                dev=fields["dev"], pid=fields["common_pid"], bytes=fields.get("bytes", 0), done=fields.get("done", 0),
                error=before.fields.get("error", 0), rwbs=before.fields.get("rwbs", ""))


def pair(before, after):
    """All steps in order of time."""
    waiting = collections.defaultdict(collections.deque)
    for event in sorted(before, key=lambda event: event.time):
        kind = event.name.removeprefix("block_")
        waiting[key(event, kind)].append(event)
    steps = []
    for event in sorted(after, key=lambda event: event.time):
        queue = waiting[key(event, event.name)]
        if not queue:
            raise Unpaired(f"{event} came out of nothing")
        steps.append(step(queue.popleft(), event, event.name))
        if steps[-1].late < steps[-1].early:
            raise Unpaired(f"{steps[-1]} was traced in the wrong order")
    for left in waiting.values():
        if left:
            raise Unpaired(f"{left[0]} did not come through")
    return sorted(steps, key=lambda step: step.early)
