#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Checks that no probe of the module calls a function that allocates or frees memory, sleeps, prints or panics.

Follows the direct calls and jumps from each probe through the object file for x86-64, and compares the functions of
the kernel that are reached with the list ALLOWED. Calls by pointer are not followed: the functions in BY_POINTER make
some, and what they call is in PROBE, or belongs to the kernel.

usage: objdump -dr --no-show-raw-insn iostat.o | probe_calls.py
"""

import re
import sys

# The functions that tracepoints and fprobes call.
PROBE = re.compile(
    r"iostat_(probe|fast|traced|watched|general)_"
    r"|iostat_nfs_(start|done)|describe_|enter_|.*5waits.*8identify"
    r"|(on_entry|on_exit|leave|on_shutdown|after_shutdown)$"
    r"|.*10kernel_ext6fprobe.*4call"
    r"|(trace_event_raw_event|perf_trace)_"
)

# Where calls by pointer go through.
THUNK = re.compile(r"__x86_indirect_thunk_")

# Functions that call others by pointer: a tracepoint calls its probes, and a hook of waits the functions that describe the wait.
BY_POINTER = re.compile(r"(on_entry|__traceiter_\w+)$")

# The functions of the kernel that probes may call: none of them allocates memory, sleeps or prints.
ALLOWED = """
# Inserted by the compiler: mitigations, checks of FORTIFY_SOURCE, UBSAN and the stack protector, copies.
__x86_return_thunk __fortify_panic __ubsan_handle_out_of_bounds __ubsan_handle_shift_out_of_bounds __stack_chk_fail
memcpy memset memcmp memmove bcmp pv_ops
# preempt_enable(), where interrupts are enabled; a warning in code that is reached only by a bug.
__SCT__preempt_schedule __SCT__preempt_schedule_notrace __SCT__WARN_trap
# Locks that do not sleep, and RCU.
_raw_spin_lock _raw_spin_unlock _raw_spin_lock_irqsave _raw_spin_unlock_irqrestore
__rcu_read_lock __rcu_read_unlock rust_helper_rcu_read_lock rust_helper_rcu_read_unlock
# Time.
ktime_get_raw ktime_get_mono_fast_ns __msecs_to_jiffies
# The task: its name, and references to it.
find_pid_ns pid_task rust_helper_get_current rust_helper_get_task_struct rust_helper_put_task_struct
# Bios, requests, cgroups and inodes; bio_chain() is called with a bio of the caller's stack.
I_BDEV bio_blkcg_css bio_chain blk_status_to_errno folio_mapping backing_file_user_path xa_get_order
# Paths and texts, in memory of the caller.
d_path dentry_path_raw sized_strscpy strlen strnlen snprintf sprint_symbol sscanf
# Arguments of hooked functions; work for later.
copy_from_kernel_nofault rust_helper_cpumask_test_cpu queue_delayed_work_on
# The buffers of trace events, which exist already: perf_trace_buf_alloc() reserves a part of one.
__trace_trigger_soft_disabled trace_event_buffer_reserve trace_event_buffer_commit
perf_trace_buf_alloc perf_trace_run_bpf_submit
"""


class ObjectFile:
    """The functions of an object file, and what each calls."""

    def __init__(self, lines):
        self.calls = {}
        # Of each section the functions and where they begin, in this order.
        self.places = {}
        section = function = branch = None
        for line in lines:
            if match := re.match(r"Disassembly of section (.*):$", line):
                section = match[1]
            elif match := re.match(r"([0-9a-f]+) <(.*)>:$", line):
                function = match[2]
                self.calls.setdefault(function, set())
                self.places.setdefault(section, []).append((int(match[1], 16), function))
            elif match := re.match(r"\s+[0-9a-f]+: R_X86_64_(?:PLT32|PC32)\s+(\S+)$", line):
                if branch is not None:
                    self.calls[function].add(match[1])
                branch = None
            elif match := re.match(r"\s*[0-9a-f]+:\s+(?:\w+ )*(?:call|j[a-z]+) +(.*)$", line):
                self._commit(function, branch)
                branch = match[1]
                continue
            self._commit(function, branch)
            branch = None

    def _commit(self, function, branch):
        """A branch without a relocation stays in its section."""
        if branch and (match := re.search(r"<([^>+]+)(\+0x[0-9a-f]+)?>", branch)):
            self.calls[function].add(match[1])

    def _resolve(self, target):
        """The function at ".text.unlikely+0x1b", or the name in "name-0x4"."""
        match = re.match(r"(.*?)([-+]0x[0-9a-f]+)?$", target)
        name, offset = match[1], int(match[2] or "0", 16)
        if name not in self.places:
            return name
        # The offset is from the end of the instruction's four bytes.
        before = [function for place, function in self.places[name] if place <= offset + 4]
        return before[-1] if before else name

    def reached(self, entries):
        """Each function that is reached, with the one that calls it."""
        callers = {entry: None for entry in entries}
        todo = list(entries)
        while todo:
            caller = todo.pop()
            for target in self.calls.get(caller, ()):
                function = self._resolve(target)
                if function not in callers:
                    callers[function] = caller
                    todo.append(function)
        return callers


def chain(callers, function):
    """The calls by which a probe reaches the function."""
    names = []
    while function is not None:
        names.append(function)
        function = callers[function]
    return " < ".join(names)


def main():
    object_file = ObjectFile(line.rstrip("\n") for line in sys.stdin)
    probes = [name for name in object_file.calls if PROBE.match(name)]
    callers = object_file.reached(probes)
    allowed = {name for line in ALLOWED.splitlines() if line[:1] != "#" for name in line.split()}
    outside = sorted(function for function in callers if function not in object_file.calls)
    for function in outside:
        if function not in allowed and not THUNK.match(function):
            print(f"a probe calls {chain(callers, function)}")
    for function in sorted(callers):
        calls_by_pointer = any(map(THUNK.match, object_file.calls.get(function, ())))
        if calls_by_pointer and not BY_POINTER.match(function):
            print(f"a probe makes a call by pointer: {chain(callers, function)}")
    if len(probes) < 40:
        print(f"only {len(probes)} probes found")


main()
