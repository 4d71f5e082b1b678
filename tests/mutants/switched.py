#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs the tests of floor 0 against many mutants in one build, each enabled by a number in the environment.

A build for each mutant takes nearly all the time of cargo-mutants, so that it only lists them here; the tool in
switch/ writes them all into the source. A first run of each test finds which mutants it reaches. Then each mutant
meets the tests that reach it, the fastest first, until one fails, or uses so much more processor time than before
that it does not end. A mutant that lives meets them again with all their random cases, and then loom. What has no
such form needs a build of its own: constants, and what does not compile as a choice.

usage: switched.py TREE LISTS FILE...
TREE is a copy, which is changed. Names of the mutants of these files are appended to LISTS/killed, and to
LISTS/unviable if they do not compile in any form; those that are there already are not run again. LISTS/lived has
those that passed all tests; LISTS/listed has survivors, without their places.
"""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

TOOL = "tests/mutants/switch"
RUNTIME = """// SPDX-License-Identifier: GPL-2.0
extern crate std;
use std::{env, fs::OpenOptions, io::Write, string::String, sync::OnceLock};
use std::sync::atomic::{AtomicBool, Ordering};
static WHICH: OnceLock<u32> = OnceLock::new();
static SEEN: [AtomicBool; %(count)d] = [const { AtomicBool::new(false) }; %(count)d];
#[inline]
pub(crate) fn on(number: u32) -> bool {
    let which = *WHICH.get_or_init(|| env::var("MUTANT").map_or(0, |text| text.parse().unwrap()));
    if which == u32::MAX {
        seen(number);
    }
    which == number
}
#[cold]
fn seen(number: u32) {
    if !SEEN[number as usize].swap(true, Ordering::Relaxed) {
        let path: String = env::var("MUTANTS_SEEN").unwrap();
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(std::format!("{number}\\n").as_bytes()).unwrap();
    }
}
"""
RECORD = str(2**32 - 1)
# What is built for the tests, and the settings of the passes over them: few cases find most.
UNITS = ["--profile", "switched", "--lib", "--test", "properties"], {}, [{"PROPTEST_CASES": "16"}, {}]
LOOM = ["--release", "--test", "interleavings"], {"RUSTFLAGS": "--cfg loom"}, [{}]


def cargo(tree, *arguments, **environment):
    """Runs cargo, and returns its messages."""
    command = ["cargo", *arguments, "--message-format=json"]
    run = subprocess.run(command, cwd=tree, env=os.environ | environment, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def write(tree, mutants, without):
    """Writes the mutants into the tree; returns the numbers of those that have no such form."""
    tool = pathlib.Path(os.environ["CARGO_TARGET_DIR"]) / "release/switch"
    for file in {mutant["file"] for mutant in mutants.values()}:
        original = tree / (file + ".original")
        if not original.exists():
            original.write_text((tree / file).read_text())
        lines = []
        for number, mutant in mutants.items():
            if mutant["file"] == file and number not in without:
                start = mutant["span"]["start"]
                replacement = " ".join(mutant["replacement"].split())
                lines.append(f"{number} {start['line']} {start['column']} {mutant['genre']} {replacement}\n")
        run = subprocess.run([tool, original], input="".join(lines), capture_output=True, text=True, check=True)
        (tree / file).write_text(run.stdout)
        without |= {int(number) for number in run.stderr.split()}
    return without


def culprits(tree, spans):
    """The numbers of the mutants in the lines of an error, and whether it is in the value that one returns."""
    found = set()
    for span in spans:
        file = tree / span["file_name"]
        lines = file.read_text().splitlines() if file.exists() else []
        for line in lines[span["line_start"] - 1 : span["line_end"]]:
            for value in re.finditer(r"if crate::mutant::on\((\d+)\) { return .*?; }", line):
                if value.start() < span["column_start"] and span["column_end"] <= value.end():
                    return {int(value[1])}, True
            found |= {int(number) for number in re.findall(r"crate::mutant::on\((\d+)\)", line)}
    return found, False


def build(tree, mutants, arguments, environment):
    """Writes the mutants and builds the tests. Returns the programs, the mutants without a form that compiles,
    and those that cannot compile: a function that returns this value is not of its type."""
    runtime = tree / "src/mutant.rs"
    root = tree / "src/host.rs"
    runtime.write_text(RUNTIME % {"count": max(mutants) + 1})
    if "mod mutant;" not in root.read_text():
        root.write_text(root.read_text().replace("\npub mod abi;", "\nmod mutant;\npub mod abi;", 1))
    # A file with mutants of an earlier stage may have none in this one.
    for original in tree.glob("**/*.original"):
        original.with_suffix("").write_text(original.read_text())
    without, unviable = set(), set()
    while True:
        without = write(tree, mutants, without | unviable)
        messages = cargo(tree, "test", "--no-run", "-j1", *arguments, **environment)
        errors = [message["message"] for message in messages if message["reason"] == "compiler-message"]
        errors = [error for error in errors if error["level"] == "error"]
        if not errors:
            break
        before = without | unviable
        for error in errors:
            found, of_type = culprits(tree, [span for span in error["spans"] if span["is_primary"]])
            # The real change of a function that returns an impl may compile.
            if of_type and not any("impl " in mutants[number]["function"]["return_type"] for number in found):
                unviable |= found
            else:
                without |= found or culprits(tree, error["spans"])[0]
        if without | unviable == before:
            sys.exit("the mutants do not compile: " + errors[0]["rendered"])
    without -= unviable
    built = [message for message in messages if message["reason"] == "compiler-artifact" and message["executable"]]
    return [message["executable"] for message in built if message["profile"]["test"]], without, unviable


class Test:
    def __init__(self, program, name):
        self.command = [program, "--exact", name, "--test-threads=1"]
        self.name = name
        self.seconds, self.reached = 60.0, set()

    def run(self, number, settings):
        """Says whether it "passes" or "fails" with this mutant, or "does not end" in 10 times the processor time
        that it takes without."""
        seconds = int(10 * self.seconds) + 2
        environment = os.environ | settings | {"MUTANT": str(number), "PROPTEST_MAX_SHRINK_ITERS": "0"}
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        try:
            # By the clock too, for what waits and uses no time.
            run = subprocess.run(self.command, env=environment, preexec_fn=limit, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60 * seconds)
        except subprocess.TimeoutExpired:
            return "does not end"
        if run.returncode == 0 and "1 passed" not in run.stdout:
            sys.exit(f"{self.name} did not run: {run.stdout}")
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return "does not end"
        return "fails" if run.returncode else "passes"

    def measure(self, settings, seen):
        """Runs it without a mutant, and finds what it reaches."""
        seen.write_text("")
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        before = used()
        how = self.run(RECORD, settings | {"MUTANTS_SEEN": str(seen)})
        if how != "passes":
            sys.exit(f"{self.name} {how} without a mutant")
        self.seconds = used() - before
        self.reached |= {int(number) for number in seen.read_text().split()}


def tests_of(programs):
    for program in programs:
        command = [program, "--list", "--format", "terse"]
        names = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in names.splitlines():
            if line.endswith(": test"):
                yield Test(program, line.removesuffix(": test"))


def mutants_of(tree, files):
    """All mutants by number."""
    command = ["cargo", "mutants", "--list", "--colors", "never", "--exclude-re", "tests::"]
    command += [word for file in files for word in ("--file", file)]

    def read(*more):
        return subprocess.run([*command, *more], cwd=tree, stdout=subprocess.PIPE, text=True, check=True).stdout

    mutants = json.loads(read("--json"))
    for mutant, name in zip(mutants, read().splitlines(), strict=True):
        mutant["name"] = name
    return dict(enumerate(mutants, 1))


def without_place(mutant):
    """Its name without line and column, as survivors are listed."""
    return re.sub(r":\d+:\d+:", ":", mutant["name"], count=1)


def stage(tree, lists, mutants, arguments, environment, passes):
    """Runs the tests of one build against these mutants. Returns those that live."""
    begin = time.monotonic()
    programs, without, unviable = build(tree, mutants, arguments, environment)
    with open(lists / "unviable", "a") as output:
        output.writelines(mutants[number]["name"] + "\n" for number in sorted(unviable))
    living = {number: mutant for number, mutant in mutants.items() if number not in without | unviable}
    print(f"  built in {time.monotonic() - begin:.0f} s: {len(living)} of {len(mutants)} mutants", flush=True)
    tests = list(tests_of(programs))
    for settings in passes:
        begin = time.monotonic()
        for test in tests:
            test.measure(settings, lists / "seen")
        tests.sort(key=lambda test: test.seconds)
        seconds = sum(test.seconds for test in tests)
        print(f"  {len(tests)} tests use {seconds:.1f} s, in {time.monotonic() - begin:.0f} s", flush=True)
        begin, before = time.monotonic(), len(living)
        for number, mutant in list(living.items()):
            for test in tests:
                if number not in test.reached:
                    continue
                how = test.run(number, settings)
                # A test with threads may fail on a busy machine.
                if how == "fails":
                    how = test.run(number, settings)
                if how != "passes":
                    with open(lists / "killed", "a") as output:
                        print(mutant["name"], file=output)
                    print(f"{mutant['name']}: {test.name} {how}", flush=True)
                    del living[number]
                    break
        print(f"  {before - len(living)} of {before} killed in {time.monotonic() - begin:.0f} s", flush=True)
    return living


def main(tree, lists, files):
    done = set()
    for name in "killed", "unviable":
        (lists / name).touch()
        done |= set((lists / name).read_text().splitlines())
    living = {number: mutant for number, mutant in mutants_of(tree, files).items() if mutant["name"] not in done}
    subprocess.run(["cargo", "build", "-j1", "--release"], cwd=tree / TOOL, check=True)
    lived = stage(tree, lists, living, *UNITS) if living else {}
    # What is listed as a survivor need not meet loom, which takes long.
    listed = set((lists / "listed").read_text().splitlines())
    others = {number: mutant for number, mutant in lived.items() if without_place(mutant) not in listed}
    if others:
        still = stage(tree, lists, others, *LOOM)
        lived = {number: mutant for number, mutant in lived.items() if number in still or number not in others}
    (lists / "lived").write_text("".join(mutant["name"] + "\n" for mutant in lived.values()))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
