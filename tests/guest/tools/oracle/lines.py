# SPDX-License-Identifier: GPL-2.0
"""Queue lengths over time, integrated step by step, as minimum and maximum."""

import collections

Sums = collections.namedtuple("Sums", "area busy")
Range = collections.namedtuple("Range", "low high")


def integrate(stays):
    """Area and busy time of (enter, leave) times."""
    corners = collections.Counter()
    for enter, leave in stays:
        if enter < leave:
            corners[enter] += 1
            corners[leave] -= 1
    area = busy = length = since = 0
    for now in sorted(corners):
        area += length * (now - since)
        busy += now - since if length else 0
        length += corners[now]
        since = now
        assert length >= 0, "more I/Os left a queue than entered it"
    assert length == 0
    return Sums(area, busy)


def bounds(stay, window):
    """The shortest and the longest possible time of a stay up to the module's read, which was at
    some time within the window."""
    enter, leave = stay
    shortest = enter.late, min(leave.early if leave else window.low, window.low)
    longest = min(enter.early, window.high), min(leave.late if leave else window.high, window.high)
    return shortest, longest


def line(stays, window):
    """Area and busy time of a queue, each as a Range."""
    both = [bounds(stay, window) for stay in stays]
    low, high = integrate(pair[0] for pair in both), integrate(pair[1] for pair in both)
    return Range(low.area, high.area), Range(low.busy, high.busy)


def length(stay):
    """The length of a stay that has ended."""
    enter, leave = stay
    return Range(max(0, leave.early - enter.late), leave.late - enter.early)


def total(ranges):
    low = high = 0
    for one in ranges:
        low += one.low
        high += one.high
    return Range(low, high)


def disputed(steps):
    """The total length of the steps that overlap a step on another CPU: their order is not known,
    and an edge of a busy time may have been recorded with the time of either."""
    sum_ns, latest = 0, {}
    counted = set()
    for step in sorted(steps, key=lambda step: step.early):
        for cpu, other in latest.items():
            if cpu != step.cpu and other.late > step.early:
                for one in (step, other):
                    if id(one) not in counted:
                        counted.add(id(one))
                        sum_ns += one.late - one.early
        if step.cpu not in latest or latest[step.cpu].late < step.late:
            latest[step.cpu] = step
    return sum_ns
