#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of test-system.sh that runs inside the root with QEMU and UEFI.
# usage: system-in-root.sh disk WORK | boot WORK NAME STEPS [secure [CERTIFICATE]]
#	disk	makes disk.img of root.img and esp
#	boot	boots a copy of the disk, with Secure Boot if that is wanted, and the certificate as one that the owner has
#		enrolled, until it is switched off; STEPS is what tests/system/run runs, and its console is NAME.console. Ends it when it has
#		printed nothing for 10 minutes, without the time that a busy host kept it waiting

set -euo pipefail
command=$1 work=$2
silence=600 timeout=7200

disk()
{
	local start=2048 esp=131072 size
	size=$(($(stat -c %s "$work/root.img") / 512))
	mkfs.vfat --invariant -C "$work/esp.img" $((esp / 2)) >/dev/null
	mcopy -i "$work/esp.img" -s "$work"/esp/* ::
	rm -f "$work/disk.img"
	truncate -s $(((start + esp + size + 2048) * 512)) "$work/disk.img"
	sfdisk -q "$work/disk.img" <<-END
		label: gpt
		start=$start, size=$esp, type=U
		start=$((start + esp)), size=$size, type=L
	END
	dd if="$work/esp.img" of="$work/disk.img" bs=1M seek=1 conv=notrunc,sparse status=none
	dd if="$work/root.img" of="$work/disk.img" bs=1M seek=$(((start + esp) / 2048)) conv=notrunc,sparse status=none
	rm "$work/esp.img" "$work/root.img"
}

# kept_waiting: the seconds that a thread of QEMU has waited for a CPU of the host, the maximum over its threads; 0 when it has
# ended.
kept_waiting()
{
	{ cat /proc/"$qemu"/task/*/schedstat 2>/dev/null || true; } | awk '$2 > most { most = $2 } END { printf "%d", most / 1000000000 }'
}

boot()
{
	local console=$work/$1.console size=0 now since=0 status=0 why=''
	cp "/usr/share/OVMF/OVMF_VARS_4M${3:+.ms}.fd" "$work/$1.vars"
	# What mokutil --import and a confirmation at the next start do.
	[ -z "${4:-}" ] || virt-fw-vars --inplace "$work/$1.vars" --add-mok 605dab50-e046-4300-abb6-3dd810dd8b23 "$4"
	truncate -s 256M "$work/$1.second"
	: >"$console"
	# snapshot=on keeps what is written in a file of TMPDIR, for as long as QEMU runs.
	TMPDIR=$work setpriv --pdeathsig KILL qemu-system-x86_64 -nodefaults -no-user-config -display none \
		-M q35,smm=on -cpu max -accel tcg,thread=multi -smp 2 -m 1536 \
		-global driver=cfi.pflash01,property=secure,value=on \
		-drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd \
		-drive "if=pflash,format=raw,file=$work/$1.vars" \
		-drive "if=none,id=disk,format=raw,snapshot=on,file=$work/disk.img" -device virtio-blk-pci,drive=disk,bootindex=1 \
		-drive "if=none,id=second,format=raw,cache=unsafe,file=$work/$1.second" -device virtio-blk-pci,drive=second \
		-smbios "type=1,family=$2" -serial "file:$console" </dev/null &
	qemu=$!
	while kill -0 $qemu 2>/dev/null; do
		sleep 2
		now=$(stat -c %s "$console")
		if [ "$now" != "$size" ]; then
			size=$now since=$((SECONDS - $(kept_waiting)))
			continue
		fi
		[ $((SECONDS - $(kept_waiting) - since)) -lt $silence ] || why="it printed nothing for $silence s"
		[ $SECONDS -lt $timeout ] || why="it ran for $timeout s"
		[ -z "$why" ] || kill $qemu 2>/dev/null || true
	done
	wait $qemu || status=$?
	rm -f "$work/$1.second" "$work/$1.vars"
	[ -z "$why" ] || { echo "error: the system was ended because $why" >&2 && exit 124; }
	exit $status
}

shift 2
"$command" "$@"
