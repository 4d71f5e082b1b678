# SPDX-License-Identifier: GPL-2.0
# In a guest with CPUs that come online after the module was loaded.

PARTS="${PARTS:-load memory mmap late-cpus possible}"
. /payload/test.sh
