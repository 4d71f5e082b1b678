# SPDX-License-Identifier: GPL-2.0
"""Reads raw pages of the kernel's trace buffer: they have nanoseconds, its text microseconds."""

import collections
import re
import struct

Event = collections.namedtuple("Event", "time cpu name fields")
Format = collections.namedtuple("Format", "name fields")

PAGE = 4096
# Bits of a page's second word beside the length.
MISSED = 3 << 30
LENGTH = (1 << 20) - 1

PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
DELTA_BITS = 27

FIELD = re.compile(r"field:.*?(\w+)(?:\[\w*\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);")


class Lost(Exception):
    """The buffer was too small for all events."""


def formats(text):
    """The formats in the text of the files named "format", by event number."""
    found = {}
    for part in text.split("name: ")[1:]:
        fields = {name: (int(offset), int(size), signed == "1")
                  for name, offset, size, signed in FIELD.findall(part)}
        number = int(re.search(r"^ID: (\d+)", part, re.M).group(1))
        found[number] = Format(part.split()[0], fields)
    return found


def decode(data, fields):
    values = {}
    for name, (offset, size, signed) in fields.items():
        raw = data[offset:offset + size] if size else data[offset:]
        if size in (1, 2, 4, 8):
            values[name] = int.from_bytes(raw, "little", signed=signed)
        else:
            values[name] = raw.split(b"\0")[0].decode("ascii", "replace")
    return values


def records(page):
    """(time, data) of each record of one page."""
    time, commit = struct.unpack_from("<QQ", page)
    if commit & MISSED:
        raise Lost
    at, end = 16, 16 + (commit & LENGTH)
    while at < end:
        head, = struct.unpack_from("<I", page, at)
        kind, delta = head & 31, head >> 5
        at += 4
        word = struct.unpack_from("<I", page, at)[0] if at + 4 <= len(page) else 0
        if kind == PADDING:
            if not delta:
                return
            # Padding in place of a discarded event: its time delta counts.
            time += delta
            at += word
        elif kind == TIME_EXTEND:
            time += delta + (word << DELTA_BITS)
            at += 4
        elif kind == TIME_STAMP:
            # The event has all but the top bits of the clock; the page's own time has those.
            low = delta + (word << DELTA_BITS)
            time = time >> 59 << 59 | low
            at += 4
        else:
            time += delta
            size = 4 * kind if kind else word
            yield time, page[at + (0 if kind else 4):at + size]
            at += size


def events(data, cpu, known):
    """All events of one CPU's buffer, in its order."""
    for start in range(0, len(data), PAGE):
        for time, record in records(data[start:start + PAGE]):
            form = known[int.from_bytes(record[:2], "little")]
            yield Event(time, cpu, form.name, decode(record, form.fields))
