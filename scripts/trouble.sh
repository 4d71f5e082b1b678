# SPDX-License-Identifier: GPL-2.0
# The messages by which a kernel complains, as extended regular expressions. Sourced.

# One warning is left out: "stack going in the wrong direction? at return_to_handler". When a function returns that an fprobe or
# function_graph has hooked, an interrupt after the "call" near the end of return_to_handler() finds a stack that the ORC data of
# the kernel does not describe. The kernel prints it once, if the interrupt needs a stack trace, as with KASAN; the trace ends there.
TROUBLE='BUG:|WARNING: ([^s]|s[^t]|st[^a]|sta[^c]|stack([^ ]| [^g]| g.* at ([^r]|r[^e]|re[^t]|ret[^u])))'
TROUBLE+='|Oops|KASAN:|UBSAN:|possible recursive|suspicious RCU|INFO: (task|trying to)'
TROUBLE+='|INFO: rcu.*stall|general protection|[Uu]nable to handle|cannot create duplicate|Kernel panic'

# The kernel has data races of its own: only races in the module count.
TROUBLE_KCSAN=${TROUBLE/BUG:/BUG: ([^K]|KCSAN: .*\\[iostat\\])}
