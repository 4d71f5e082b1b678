# SPDX-License-Identifier: GPL-2.0
# Instructions per I/O of every row, beside the baseline without statistics.
# Repeats go to file "cost": run row baseline engine cpus reads cycles.

run=0

declare -A device=([none]=/dev/nullb0 [part]=/dev/nullb0p1 [dm]=/dev/mapper/bench)
# Engines: with a thread on each CPU, or with one thread while the other CPUs are idle.
declare -A depth=([psync]=0 [psync-alone]=0 [uring32]=32)
declare -A threads=([psync]=$cpus [psync-alone]=1 [uring32]=$cpus)
engines="psync uring32"
[ "$cpus" = 1 ] || engines+=" psync-alone"

# measure NAME BASELINE REPEATS
measure()
{
	run=$((run + 1))
	local engine count cycles ns last
	for engine in $engines; do
		/payload/iogen -n $((READS / threads[$engine])) -r "$3" -t "${threads[$engine]}" \
			-q "${depth[$engine]}" "${device[$2]}" >/tmp/iogen || die "$1: iogen failed"
		while read -r count cycles ns; do
			sample cost "$run $1$SUFFIX $2$SUFFIX $engine $cpus $count $cycles"
			last=$((cycles / count))
		done </tmp/iogen
		profiled $((READS / threads[$engine] * threads[$engine])) "$1$SUFFIX $2$SUFFIX $engine $cpus"
		echo "  $cpus CPU: $1 $engine: $last instructions an I/O at $(cut -d. -f1 /proc/uptime) s"
	done
}

# row NAME BASELINE ON OFF: the baseline is measured again behind every row, so
# that a row which does not leave it as it was is found out.
row()
{
	case " $ROWS " in
	*" $1 "*) ;;
	*) return 0 ;;
	esac
	eval "$3" || die "$1 cannot be turned on"
	measure "$1" "$2" "$REPEATS"
	eval "$4" || die "$1 cannot be turned off"
	measure "$2" "$2" 3
}

# bio_disk: from here on there is a disk whose driver takes bios: dm-linear on the
# other, and the baseline of all dm rows.
bio_disk()
{
	case " $ROWS " in
	*" dmstats"* | *" iostat+bio "*) ;;
	*) return 0 ;;
	esac
	modprobe dm-mod
	dmsetup create bench --table "0 $(blockdev --getsz /dev/nullb0) linear /dev/nullb0 0" &&
		dmsetup mknodes bench || die "no dm-linear disk"
	quiet_disk "$(dmsetup info -c --noheadings -o blkdevname bench)"
	measure dm dm $REPEATS
}

# partition: from here on the disk has one, the baseline of iostat+part.
partition()
{
	case " $ROWS " in
	*" iostat+part "*) ;;
	*) return 0 ;;
	esac
	/payload/addpart /dev/nullb0 || die "no partition"
	measure part part $REPEATS
}

null_blk irqmode=0
# Self tests run for the first seconds of every boot.
sleep 8
measure none none $REPEATS
. /payload/rows.sh
give cost </tmp/cost
give_profile
