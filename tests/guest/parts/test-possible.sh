# SPDX-License-Identifier: GPL-2.0
# What the module and its devices take where many CPUs are possible and few are online, see possible() in
# scripts/test-guest.sh: a CPU that never comes online takes a few bytes of each device, before its first I/O and after it.

. /payload/memory.sh
possible_disks=500
possible_cpus=$(($(sed 's/.*[-,]//' /sys/devices/system/cpu/possible) + 1))
# The event has the size of an allocation of memory that each possible CPU has.
possible_event=$TRACING/events/percpu/percpu_alloc_percpu

# allocated NAME COMMAND...: runs a command, and sets NAME_us to the time that it took, NAME_cpu to the bytes that were
# allocated for each possible CPU meanwhile, and NAME_kib to the memory of the whole system that is in use more.
allocated()
{
	local name=$1 trigger=hist:keys=common_pid:vals=size start
	shift
	memory before
	echo "$trigger" >"$possible_event/trigger"
	start=${EPOCHREALTIME/./}
	succeeds "possible: $name" "$@"
	printf -v "${name}_us" %s $((${EPOCHREALTIME/./} - start))
	memory after
	printf -v "${name}_cpu" %s "$(awk '/hitcount:/ { sum += $NF } END { print sum + 0 }' "$possible_event/hist")"
	echo "!$trigger" >"$possible_event/trigger"
	# shellcheck disable=SC2154 # set by memory
	printf -v "${name}_kib" %s $((after_all - before_all))
}

[ ! -d /sys/module/iostat ] || unload_module
allocated alone load_module
unload_module
rmmod null_blk 2>/dev/null
kernel_us=${EPOCHREALTIME/./}
modprobe null_blk queue_mode=2 irqmode=0 submit_queues=1 hw_queue_depth=2 gb=1 nr_devices=$possible_disks
kernel_us=$(((${EPOCHREALTIME/./} - kernel_us) / possible_disks))
allocated idle load_module
# Each disk has one I/O of one CPU.
allocated used taskset -c 0 /payload/disks read nullb $possible_disks
all_files nullb$((possible_disks - 1))
# The module and what all disks share is in both.
# shellcheck disable=SC2154 # set by allocated
possible_idle=$(((idle_kib - alone_kib) * 1024 / possible_disks))
# shellcheck disable=SC2154
possible_idle_cpu=$(((idle_cpu - alone_cpu) / possible_disks))
# shellcheck disable=SC2154
possible_used=$((used_kib * 1024 / possible_disks))
echo "# possible: $possible_cpus CPUs, $(grep -c ^processor /proc/cpuinfo) online. For each possible CPU: $alone_cpu bytes of the" \
	"module, $possible_idle_cpu of an idle disk, $((used_cpu / possible_disks)) more of a used one." \
	"In all: $alone_kib KiB, $possible_idle bytes, $possible_used more"
# shellcheck disable=SC2154 # set by allocated
possible_insmod_us=$(((idle_us - alone_us) / possible_disks))
# shellcheck disable=SC2154
echo "# possible: insmod takes $((alone_us / 1000)) ms, and $possible_insmod_us us more for each of $possible_disks disks;" \
	"null_blk takes $kernel_us us to create one"
holds "possible: insmod takes less than an eighth for a disk of what null_blk takes to create it" "possible_insmod_us * 8 < kernel_us"
holds "possible: the module takes some of each CPU, and at most 12 KiB" "alone_cpu > 0 && alone_cpu <= 12288"
holds "possible: an idle disk takes some of each CPU, and at most 32 bytes" "possible_idle_cpu > 0 && possible_idle_cpu <= 32"
# A new process takes some hundred bytes of each CPU; a word of each disk would be more.
holds "possible: a used disk takes nothing more of a CPU that has not used it" "used_cpu < 8 * possible_disks"
# A CPU that was online and used each disk would have a page of each.
holds "possible: an idle disk takes at most 24 KiB" "possible_idle <= 24 * 1024"
holds "possible: a used disk takes at most 32 KiB more" "possible_used <= 32 * 1024"
is "possible: no CPU but the first has a record" "$(for ((i = 0; i < possible_disks; i += 100)); do
	/payload/mapped records nullb$i | cut -d' ' -f1 | xargs
done | sort -u)" "0 1"
nothing_lost "possible"
# The disks stay: null_blk takes half a minute to remove them. This is the last part of its guest.
