# SPDX-License-Identifier: GPL-2.0
"""Prints which functions took the instructions of a row: what PROFILE=1 of make bench found.

usage: profile.py OUT
"""

import bisect
import collections
import os
import sys

# Instructions; functions with less are added up.
LEAST = 0.5


class Symbols:
    """Functions by address."""

    def __init__(self, symbols):
        self.addresses, self.owners, self.names = zip(*sorted(symbols))

    def at(self, address):
        """The owner and the name of the function."""
        index = max(bisect.bisect_right(self.addresses, address) - 1, 0)
        return self.owners[index], self.names[index]


def symbols(path):
    """All of the kernel, and those of modules for each section, by its number."""
    kernel, modules = [], collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            section, address, name, *module = line.split()
            owner = "iostat" if module == ["[iostat]"] else "kernel"
            (kernel if section == "kernel" else modules[section]).append(
                (int(address, 16), owner, name))
    return kernel, modules


def counts(path):
    """The instructions at each address, for each section."""
    sections = []
    with open(path) as file:
        for line in file:
            address, count = line.split()
            if address == "=":
                sections.append({})
            else:
                sections[-1][int(address, 16)] = int(count)
    return sections


def by_function(section, symbols, times):
    """Instructions of one of so many times, by owner and function."""
    found = collections.Counter()
    for address, count in section.items():
        key = symbols.at(address) if address else ("user", "all of user space")
        found[key] += count / times
    return found


def show(title, found, baseline):
    print(f"\n{title}")
    found = found.copy()
    found.subtract(baseline)
    for owner in "iostat", "kernel", "user":
        functions = sorted(((count, name) for (whose, name), count in found.items()
                            if whose == owner), key=lambda item: -abs(item[0]))
        print(f"{sum(count for count, _ in functions):14,.1f}  {owner}")
        for count, name in functions:
            if abs(count) >= LEAST:
                print(f"{count:14,.1f}      {name}")
        few = sum(count for count, _ in functions if abs(count) < LEAST)
        if few:
            print(f"{few:14,.1f}      others")


def profile(guest):
    kernel, modules = symbols(os.path.join(guest, "symbols"))
    sections = counts(os.path.join(guest, "profile"))
    with open(os.path.join(guest, "sections")) as file:
        labels = [line.split() for line in file]
    if len(labels) != len(sections):
        sys.exit(f"{guest}: {len(sections)} profiles of {len(labels)} runs")
    baselines, shown = {}, set()
    for number, (label, section) in enumerate(zip(labels, sections)):
        times, (name, baseline, engine, cpus) = int(label[0]), label[1:]
        found = by_function(section, Symbols(kernel + modules[str(number)]), times)
        key = name, engine, cpus
        if name == baseline:
            baselines.setdefault(key, found)
        elif key not in shown:
            shown.add(key)
            show(f"{name}, {engine.replace('-', ' ')}, {cpus} CPU: instructions" +
                 (f" per I/O, more than {baseline}" if times > 1 else ""),
                 found, baselines.get((baseline, engine, cpus), {}))


for name in sorted(os.listdir(sys.argv[1])):
    if os.path.exists(os.path.join(sys.argv[1], name, "profile")):
        profile(os.path.join(sys.argv[1], name))
