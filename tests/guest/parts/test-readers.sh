# SPDX-License-Identifier: GPL-2.0
# A thousand readers do not slow down I/O. The cost of an I/O is counted in instructions, so this part
# is for a guest with one CPU in which an instruction takes a nanosecond. Readers are preempted in the
# middle of their reads.

load_module
make_null_blk_disk nbq size=64 irqmode=0
read -r alone _ <<<"$(/payload/readers /dev/nbq 0 4000)"
read -r beside beside_most _ <<<"$(/payload/readers /dev/nbq 1000 4000 /proc/uptime)"
read -r among among_most by_ioctl by_mmap by_text <<<"$(/payload/readers /dev/nbq 1000 4000)"
echo "# instructions of an I/O: $alone; beside 1,000 readers of something else $beside, 99 % below $beside_most;" \
	"among 1,000 readers $among, $among_most"
echo "# these readers read $by_ioctl times by ioctl, $by_mmap by mmap, $by_text as text"
holds "1,000 readers: all three interfaces were read meanwhile" "by_ioctl > 100 && by_mmap > 100 && by_text > 100"
holds "1,000 readers: an I/O takes no more instructions" "among * 100 <= alone * 101"
# A thousand processes of any kind cause work for the scheduler in a few I/Os.
holds "1,000 readers: 99 % of the I/Os take no more instructions" "among_most * 100 <= beside_most * 105"
remove_null_blk_disk nbq
unload_module
