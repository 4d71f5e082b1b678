# SPDX-License-Identifier: GPL-2.0
# Statistics of regions, and those that other modules keep.

PARTS="load regions-words regions regions-load regions-fast regions-limits evcnt devstat kstat kstat-abi kstat-rust ported"
. /payload/test.sh
