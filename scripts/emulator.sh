# SPDX-License-Identifier: GPL-2.0
# Faults of the emulator, after which a guest is started again. Sourced.

# lost_interrupt: true if the guest of this log was ended with a runnable task while all CPUs were halted.
# No kernel stays in that state: the emulator lost an interrupt, which happens once in many hours.
lost_interrupt()
{
	awk '/RIP: 0010:/ { cpus++; halted += /pv_native_safe_halt/ } /task:.* state:R / { runnable++ }
		END { exit !(runnable && cpus && cpus == halted) }' "$1"
}

# stale_breakpoint: true if the guest of this log died of a breakpoint that was not in its memory: the byte before
# the marked one in the line of the code is not cc. The kernel patches its code by breakpoints, and all CPUs have
# confirmed by an interrupt that they see the final code before their handler is removed. The emulator went on to
# execute its translation of the code before.
stale_breakpoint()
{
	awk '/Oops: int3/ { oops = 1 }
		oops && / Code: / {
			for (i = 2; i <= NF && !found; i++)
				if ($i ~ /^</)
					found = $(i - 1)
		}
		END { exit !(found && found != "cc") }' "$1"
}

# aborted: true if the emulator of this log ended at an assertion of its own, as it has done beside other work of the machine
# (physmem.c, iotlb_to_section), and no check of the guest had failed.
aborted()
{
	grep -q '^qemu-system-[^:]*: .*: Assertion .* failed\.$' "$1" && ! grep -q '^not ok' "$1"
}

# emulator_failed STATUS LOG: whether a guest that ended with this status did so because of such a fault.
emulator_failed()
{
	{ [ "$1" = 124 ] && lost_interrupt "$2"; } || { [ "$1" -gt 1 ] && { stale_breakpoint "$2" || aborted "$2"; }; }
}
