#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Checks which file imports from which, in Rust and in C. Prints what is wrong; the style area runs it.

- A room imports only from the rooms that ROOMS and C_ROOMS list for it.
- No circles: no file imports, directly or through others, from a file that imports from it.

An import of a Rust file is a path in a `use` line or in its code. It is followed through re-exports to the file that defines
the name. A file and the files of its own directory are one subject: busy/lengths.rs may use what busy.rs defines. Unit
tests are not looked at.

usage: imports.py		checks
       imports.py --list	prints the imports of each Rust file
"""

import os
import re
import subprocess
import sys
from collections import defaultdict

# What each room of Rust may import from.
FLOOR_0 = ("hint", "below", "sync", "acct", "abi")
FLOOR_1 = FLOOR_0 + ("kernel_ext", "glue")
ROOMS = {
    "hint": (),
    "below": ("hint",),
    "sync": ("hint",),
    "acct": ("hint", "below", "sync"),
    "abi": ("hint", "below", "sync", "acct"),
    "kernel_ext": ("hint", "below"),
    "glue": FLOOR_1,
    "evcnt": FLOOR_1,
    "recorder": FLOOR_1 + ("evcnt",),
    "kapi": FLOOR_1 + ("evcnt", "recorder"),
    "iface": FLOOR_1 + ("evcnt", "recorder", "kapi"),
}

# What each room of C may include: "uapi" are the headers for programs, "api" those for other modules, "shared" those that
# define only structures. A header of include/iostat belongs to the room of the C file of its name. src/hooks records
# and src/io traces: for that the hooks use io_trace.h, and trace/events/io.h to see whether an event is enabled.
C_ROOMS = {
    "uapi": ("uapi",),
    "helpers": ("helpers",),
    "api": (),
    "shared": ("uapi", "shared"),
    "hooks": ("uapi", "api", "shared", "hooks", "io_trace", "trace"),
    "io_trace": ("shared",),
    "trace": ("shared", "io_trace", "waits"),
    "waits": ("shared",),
    "io": ("uapi", "api", "shared", "hooks", "io_trace", "trace", "waits", "io"),
}
API = ("devstat", "evcnt", "kstat")

TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|::|\S")


def files(*patterns):
    command = ["git", "ls-files", "-z", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if name and os.path.exists(name)]


def module_of(path):
    """The path of the module in a file, as a tuple."""
    if path.startswith("rust/kernel/"):
        parts = tuple(path[len("rust/kernel/"):-len(".rs")].split("/"))
        if parts in (("hint",), ("below",)):
            return parts
        return ("kernel_ext",) + (() if parts == ("mod",) else parts)
    parts = tuple(path[len("src/"):-len(".rs")].split("/"))
    return () if parts == ("iostat",) else parts


def without_text(code):
    """Removes comments and the contents of strings and characters."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.S)
    code = re.sub(r'"(?:\\.|[^"\\])*"', '""', code, flags=re.S)
    return re.sub(r"'(?:\\.[^']*|[^'\\])'", "' '", code)


def use_tree(tokens, index):
    """Parses the tree of a `use` line: its paths with the names they get, and the index behind it."""
    if tokens[index] == "{":
        paths, index = [], index + 1
        while tokens[index] != "}":
            if tokens[index] == ",":
                index += 1
                continue
            more, index = use_tree(tokens, index)
            paths += more
        return paths, index + 1
    if tokens[index] == "::":
        index += 1
    head, index = tokens[index], index + 1
    if tokens[index] == "::":
        more, index = use_tree(tokens, index + 1)
        return [([head] + path, name) for path, name in more], index
    if tokens[index] == "as":
        return [([head], tokens[index + 1])], index + 2
    return [([head], head)], index


def from_file(path, inline):
    """A path as seen from the file, of code that is in so many inline modules."""
    if path[0] != "super" or inline == 0:
        return path
    while path and path[0] == "super" and inline:
        path, inline = path[1:], inline - 1
    return ["self"] + path


class Source:
    """A Rust file: its child modules, the names that it imports, and all paths in it."""

    def __init__(self, path):
        self.module = module_of(path)
        self.children, self.names, self.paths = set(), {}, []
        with open(path) as file:
            tokens = TOKEN.findall(without_text(file.read()))
        index, depth, inline, tests = 0, 0, [], None
        while index < len(tokens):
            token, after = tokens[index], tokens[index + 1:index + 3]
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
                if inline and inline[-1] == depth:
                    inline.pop()
                if tests == depth:
                    tests = None
            elif token == "mod" and after[1:] == [";"]:
                self.children.add(after[0])
            elif token == "mod" and after[1:] == ["{"]:
                if after[0] in ("tests", "kunit") and tests is None:
                    tests = depth
                inline.append(depth)
                depth += 1
                index += 2
            elif tests is not None or (index and tokens[index - 1] == "::"):
                pass
            elif token == "use":
                paths, end = use_tree(tokens, index + 1)
                is_exported = tokens[index - 1] in ("pub", ")")
                for path, name in paths:
                    if path[-1] == "self" and len(path) > 1:
                        path, name = path[:-1], path[-2] if name == "self" else name
                    path = from_file(path, len(inline))
                    if not inline:
                        self.names[name] = path
                    if not is_exported:
                        self.paths.append(path)
                index = end
                continue
            elif after[:1] == ["::"] and (token in ("crate", "super", "self") or token in self.children):
                path = [token]
                while tokens[index + 1] == "::" and TOKEN.match(tokens[index + 2]) and tokens[index + 2][0].isalpha():
                    path.append(tokens[index + 2])
                    index += 2
                self.paths.append(from_file(path, len(inline)))
            index += 1


class Crate:
    def __init__(self, paths):
        self.sources = {source.module: source for source in map(Source, paths)}

    def find(self, module, path, seen=()):
        """The module that defines what a path in a module names; None if that is not of this crate."""
        if (module, tuple(path)) in seen:
            return None
        seen += ((module, tuple(path)),)
        source = self.sources[module]
        if path[0] == "crate":
            module, path = (), path[1:]
        elif path[0] in ("super", "self"):
            while path and path[0] in ("super", "self"):
                module, path = module[:-1] if path[0] == "super" else module, path[1:]
        elif path[0] not in source.children and path[0] not in source.names:
            return None
        for done, name in enumerate(path):
            if module + (name,) in self.sources:
                module += (name,)
                continue
            names = self.sources[module].names
            if name not in names:
                break
            if names[name][0] in ("kernel", "core", "alloc", "loom"):
                return None
            return self.find(module, names[name] + path[done + 1:], seen)
        return module

    def imports(self):
        found = {module: set() for module in self.sources}
        for module, source in self.sources.items():
            targets = {self.find(module, path) for path in source.paths} - {None, module}
            # What its own parents define is of the same subject.
            found[module] = {target for target in targets if module[:len(target)] != target or not target}
            if module:
                found[module].discard(())
        return found


def circles(imports):
    """Sets of nodes that can reach each other (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in sorted(imports.get(node, ())):
            if target not in order:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == order[node]:
            circle = stack[stack.index(node):]
            del stack[len(stack) - len(circle):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in sorted(imports):
        if node not in order:
            visit(node)
    return found


def check_rust():
    crate = Crate([path for path in files("src/*.rs", "rust/kernel/*.rs") if path != "src/host.rs"])
    imports = {"::".join(module): {"::".join(target) for target in targets}
               for module, targets in crate.imports().items()}
    if "--list" in sys.argv:
        for module in sorted(imports):
            print(module or "crate", "->", ", ".join(sorted(imports[module])))
        return
    for module, targets in sorted(imports.items()):
        room = module.split("::")[0]
        for target in sorted(targets):
            other = target.split("::")[0]
            if room and other != room and other not in ROOMS.get(room, ()):
                print(f"{module} imports from {target}, which is not below {room}")
    for circle in sorted(circles(imports)):
        print("a circle:", ", ".join(f"{module} -> {' '.join(sorted(imports[module] & set(circle)))}" for module in circle))
    if not any(imports.values()):
        print("no imports found")


def room_of(path):
    name = os.path.splitext(os.path.basename(path))[0]
    if path.startswith("include/uapi/"):
        return "uapi"
    if path.startswith("include/trace/"):
        return "trace"
    if path.startswith("rust/helpers/"):
        return "helpers"
    if path.startswith("include/iostat/"):
        if name in API:
            return "api"
        if name in ("io_trace", "waits"):
            return name
        owner = files(f"src/*/{name}.c")
        return owner[0].split("/")[1] if owner else "shared"
    return path.split("/")[1]


def check_c():
    found = defaultdict(set)
    paths = files("include/*.h", "src/hooks/*.c", "src/io/*.c", "rust/helpers/*")
    for path in paths:
        with open(path) as file:
            included = re.findall(r'^#include [<"](\S+)[>"]', file.read(), flags=re.M)
        for name in included:
            names = (f"include/{name}", f"include/uapi/linux/{name}", os.path.join(os.path.dirname(path), name))
            target = next((other for other in names if other in paths), None)
            if not target:
                continue
            found[path].add(target)
            room, other = room_of(path), room_of(target)
            if other not in C_ROOMS[room]:
                print(f"{path} of {room} includes {target} of {other}")
    for circle in circles(found):
        print("headers include each other:", ", ".join(circle))
    if not found:
        print("no includes found")


os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
check_rust()
if "--list" not in sys.argv:
    check_c()
