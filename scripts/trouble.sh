# SPDX-License-Identifier: GPL-2.0
# The messages by which a kernel complains, as extended regular expressions. Sourced.

TROUBLE='BUG:|WARNING:|Oops|KASAN:|UBSAN:|possible recursive|suspicious RCU|INFO: (task|trying to)'
TROUBLE+='|INFO: rcu.*stall|general protection|[Uu]nable to handle|cannot create duplicate|Kernel panic'

# The kernel has data races of its own: only races in the module count.
TROUBLE_KCSAN=${TROUBLE/BUG:/BUG: ([^K]|KCSAN: .*\\[iostat\\])}
