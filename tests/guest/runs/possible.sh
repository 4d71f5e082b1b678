# SPDX-License-Identifier: GPL-2.0
# In a guest that may have many more CPUs than it has, some of which come online after the module was loaded.

PARTS="load memory mmap late-cpus"
. /payload/test.sh
