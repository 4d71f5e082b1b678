# SPDX-License-Identifier: GPL-2.0
# In a guest that may have many more CPUs than it has.

PARTS="load memory mmap"
. /payload/test.sh
