#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Applies the mutations of guest.txt to a copy of the tree, each enabled by a value of one parameter.

usage: apply.py TREE        prints "NUMBER NAME HASH PART..." for each.
HASH is that of the block, of the file before it is changed, and of the parts, without lines of comments: a result holds
while it is the same.
"""

import hashlib
import pathlib
import re
import sys

C_HEADER = "#include <iostat/mutants.h>\n"
FILES = {
    "include/iostat/mutants.h": """/* SPDX-License-Identifier: GPL-2.0 */
extern unsigned int iostat_mutant;
""",
    "src/mutants.c": """// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <iostat/mutants.h>
unsigned int iostat_mutant;
module_param_named(mutant, iostat_mutant, uint, 0444);
""",
    "rust/kernel/mutants.rs": """// SPDX-License-Identifier: GPL-2.0
extern "C" {
    static iostat_mutant: u32;
}
#[inline(always)]
pub(crate) fn on(number: u32) -> bool {
    // SAFETY: Set before the module's init, and never again.
    unsafe { core::ptr::addr_of!(iostat_mutant).read_volatile() == number }
}
""",
}


COMMENTS = {
    ".rs": re.compile(r"\s*(//.*)?$"),
    ".c": re.compile(r"\s*((//|/\*|\*[ /]).*|\*)?$"),
    ".h": re.compile(r"\s*((//|/\*|\*[ /]).*|\*)?$"),
    ".sh": re.compile(r"\s*(#.*)?$"),
}


def code(file):
    """The lines of a file that are not comments."""
    comment = COMMENTS[file.suffix]
    return "\n".join(line for line in file.read_text().splitlines() if not comment.match(line))


class Mutation:
    def __init__(self, block):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        self.lines = lines
        self.name, *self.parts = lines[0].split()
        self.file = lines[1]
        self.anchors = [line[2:] for line in lines if line.startswith("@ ")]
        self.old = "\n".join(line[2:] for line in lines[2:] if line.startswith("- "))
        self.new = "\n".join(line[2:] for line in lines[2:] if line.startswith("+ "))
        if not self.parts or not self.old:
            raise ValueError(f"{self.name}: needs parts, and a line with -")

    def apply(self, text, number):
        start = 0
        for anchor in self.anchors:
            start = text.find(anchor, start)
            if start < 0:
                raise ValueError(f"{self.name}: {self.file} has no: {anchor}")
        at = text.find(self.old, start)
        if at < 0:
            raise ValueError(f"{self.name}: {self.file} has no: {self.old}")
        if not self.anchors and text.count(self.old) > 1:
            raise ValueError(f"{self.name}: {self.file} has it more than once: {self.old}")
        return text[:at] + self.switch(number) + text[at + len(self.old):]

    def hash(self, tree):
        names = [self.file] + [f"tests/guest/parts/test-{part}.sh" for part in self.parts]
        contents = ["\n".join(self.lines)] + [code(tree / name) for name in names]
        return hashlib.sha256("\0".join(contents).encode()).hexdigest()[:16]

    def switch(self, number):
        if self.file.endswith(".rs"):
            test = f"crate::kernel_ext::mutants::on({number})"
            return f"{{ if {test} {{ {self.new} }} else {{ {self.old} }} }}"
        if self.old.endswith(";"):
            return f"if (iostat_mutant == {number}) {{ {self.new} }} else {{ {self.old} }}"
        return f"(iostat_mutant == {number} ? ({self.new}) : ({self.old}))"


def main(tree):
    blocks = re.split(r"\n\s*\n", (tree / "tests/mutants/guest.txt").read_text())
    mutations = [Mutation(block) for block in blocks if re.search("^[^#\n]", block, re.M)]
    hashes = [mutation.hash(tree) for mutation in mutations]
    changed = {}
    for number, mutation in enumerate(mutations, 1):
        text = changed.get(mutation.file) or (tree / mutation.file).read_text()
        changed[mutation.file] = mutation.apply(text, number)
    for file, text in changed.items():
        if not file.endswith(".rs"):
            text = text.replace("#include", C_HEADER + "#include", 1)
        (tree / file).write_text(text)
    for file, text in FILES.items():
        (tree / file).write_text(text)
    with open(tree / "rust/kernel/mod.rs", "a") as modules:
        modules.write("pub(crate) mod mutants;\n")
    with open(tree / "Kbuild", "a") as kbuild:
        kbuild.write("iostat-y += src/mutants.o\n")
    for number, (mutation, digest) in enumerate(zip(mutations, hashes), 1):
        print(number, mutation.name, digest, *mutation.parts)


if __name__ == "__main__":
    try:
        main(pathlib.Path(sys.argv[1]))
    except ValueError as error:
        sys.exit(f"guest.txt: {error}")
