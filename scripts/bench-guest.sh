#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots one guest of the bench and runs one part of it. ROWS selects the rows, READS and REPEATS change
# the defaults. The guest's files are in WORK/out/.
# "mitigated" is "cost" with the mitigations that the kernel chooses, for the rows NAME+mitigations.
# usage: bench-guest.sh KERNELDIR WORK cost|mitigated|reads|load|standing|accuracy CPUS

. "$(dirname "$0")/lib.sh"

kernel=$1 work=$2 part=$3 cpus=$4
name=$part mitigations=off suffix=
case $part in
cost | reads) name=$part-$cpus ;;
mitigated)
	part=cost mitigations=auto suffix=+mitigations
	ROWS=$(printf '%s\n' $ROWS | sed -n 's/+mitigations$//p' | paste -sd' ')
	;;
esac
payload=$work/payload-$name
mkdir -p "$payload" "$work/out"
cp "$TOP"/bench/guest/* "$work"/{addpart,iogen,readall,loadtime,iostat.ko} "$payload"
cat >"$payload/run" <<RUN
ROWS="${ROWS:-}" SUFFIX=$suffix PROFILE=${PROFILE:-} READS=${READS:-20000} REPEATS=${REPEATS:-7}
. /payload/lib.sh
. /payload/$part.sh
RUN
options=()
case "$part ${ROWS:-}" in
cost*bpftrace* | cost*+perf*) options=(--bpftrace) ;;
esac
[ -z "${PROFILE:-}" ] || options+=(--profile "$work/profile.so")
# Disables what differs from boot to boot: addresses, and the random stack offset of each system call.
"$TOP/scripts/vm.sh" --cpus "$cpus" --icount --memory 2048 --silence 900 "${options[@]}" \
	--append "mitigations=$mitigations nokaslr norandmaps randomize_kstack_offset=off" \
	--out "$work/out/$name" "$kernel" "$payload" ||
	die "the guest for $part with $cpus CPU failed (status $?)"
