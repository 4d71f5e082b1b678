# SPDX-License-Identifier: GPL-2.0
# Events, and what is known of the program, the file and the wait behind an I/O.

PARTS="load events merges dtrace fileinfo ways hostile-namespaces waits parameters disk-events nfs tag-waits
	renames"
. /payload/test.sh
