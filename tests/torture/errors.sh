# SPDX-License-Identifier: GPL-2.0
# I/O that fails, times out, is requeued, or waits while its queue is reconfigured. Sourced.

FAULTS=/sys/kernel/debug
SCSI=/sys/bus/pseudo/drivers/scsi_debug

# arm DIRECTORY PERCENT TIMES
arm()
{
	echo 0 >"$FAULTS/$1/verbose"
	echo "$3" >"$FAULTS/$1/times"
	echo "$2" >"$FAULTS/$1/probability"
}

# A bio is refused at submission.
error_refused()
{
	echo 1 >"/sys/block/$1/make-it-fail"
	arm fail_make_request 20 -1
	nap 30 200
	echo 0 >$FAULTS/fail_make_request/probability
	[ ! -e "/sys/block/$1/make-it-fail" ] || echo 0 >"/sys/block/$1/make-it-fail"
}

# A completion is lost; null_blk's timeout handler ends the request. Other drivers would reset the
# device for many seconds.
error_lost()
{
	echo 400 >/sys/block/nb1/queue/io_timeout
	echo 1 >/sys/block/nb1/io-timeout-fail
	arm fail_io_timeout 10 20
	nap 50 150
	echo 0 >$FAULTS/fail_io_timeout/probability
	echo 0 >/sys/block/nb1/io-timeout-fail
}

# scsi_write ATTRIBUTE VALUE: writes it while no other actor does. The driver lists a host before it sets its Scsi_Host,
# which a write to every_nth uses: no host may be added at that time.
scsi_write()
{
	{
		flock 7
		echo "$2" >"$SCSI/$1"
	} 7>/run/scsi_debug.lock
}

# A busy host, transport errors, medium errors of scsi_debug.
error_scsi()
{
	local opts
	one_of opts 0x8000 0x10 0x2
	echo "$opts" >$SCSI/opts
	scsi_write every_nth 7
	nap 50 200
	scsi_write every_nth 0
	echo 0 >$SCSI/opts
}

error_scheduler()
{
	local scheduler
	read -ra schedulers <"/sys/block/$1/queue/scheduler"
	one_of scheduler "${schedulers[@]//[\[\]]/}"
	echo "$scheduler" >"/sys/block/$1/queue/scheduler"
}

error_depth()
{
	local depth
	one_of depth 2 4 16 64
	echo "$depth" >"/sys/block/$1/queue/nr_requests"
}

error_suspended()
{
	dmsetup suspend base
	nap 10 100
	dmsetup resume base
}

errors()
{
	local kind kinds=(scheduler depth suspended) disk schedulers
	[ ! -d $FAULTS/fail_make_request ] || kinds+=(refused refused lost lost)
	[ ! -d $SCSI ] || kinds+=(scsi scsi)
	while going; do
		turn
		one_of kind "${kinds[@]}"
		one_of disk nb0 nb1
		act "$kind $disk"
		"error_$kind" "$disk"
		nap 5 50
	done
	true
}
