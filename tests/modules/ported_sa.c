// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics of a CAM peripheral driver, a tape and its pass-through device, written as
 * FreeBSD's drivers write them: devstat(9) entries, bios, and commands without a bio.
 *
 * It shows that such code compiles with only the changes that Documentation/porting.rst lists.
 * Each changed line is marked "porting:", with the text of the left column there. A style check
 * compares the two. tests/guest/parts/test-ported.sh checks the numbers.
 *
 *	echo "read COUNT BYTES" >/sys/module/ported_sa/parameters/do
 *	write COUNT BYTES	COUNT bios of BYTES each
 *	fail BYTES		a bio that fails
 *	flush			a bio without data
 *	erase BYTES		a bio that frees
 *	pass BYTES		a command of the pass-through device, sent to the drive
 *	load BLOCKSIZE		a medium with blocks of this size is loaded; 0: it is removed
 *	wrong			sets a block size of a device without blocks, which is refused
 */

#include <iostat/devstat.h>	/* porting: <sys/devicestat.h> */
#include <linux/bio.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

struct sa_softc {
	struct devstat *device_stats;
	int unit;
	u32 media_blksize;
};

struct pass_softc {
	struct devstat *device_stats;
};

static struct sa_softc sa;
static struct pass_softc pass;

/* The drive needs some time for a command. */
static void sa_command(void)
{
	u64 end = devstat_now() + 20 * NSEC_PER_USEC;

	while (devstat_now() < end)
		cpu_relax();
}

static void sastart(struct sa_softc *softc, struct bio *bp,
		    struct devstat_bio *state)	/* porting: bp->bio_t0, bp->bio_bcount */
{
	devstat_start_transaction_bio(softc->device_stats, bp, state);
	sa_command();
}

static void sadone(struct sa_softc *softc, struct bio *bp, struct devstat_bio *state,
		   blk_status_t error)	/* porting: bp->bio_resid */
{
	bp->bi_status = error;
	devstat_end_transaction_bio(softc->device_stats, bp, state);
}

static int sa_io(blk_opf_t op, u32 bytes, blk_status_t error)
{
	struct devstat_bio state;
	struct bio bio;

	bio_init(&bio, NULL, NULL, 0, op);
	bio.bi_iter.bi_size = bytes;
	sastart(&sa, &bio, &state);
	sadone(&sa, &bio, &state, error);
	bio_uninit(&bio);
	return 0;
}

static void passdone(struct pass_softc *softc, u32 dxfer_len, u32 resid, bool is_in,
		     const u64 *start_time)	/* porting: struct bintime *now, *then */
{
	devstat_end_transaction(softc->device_stats, dxfer_len - resid, DEVSTAT_TAG_SIMPLE,
				is_in ? DEVSTAT_READ : DEVSTAT_WRITE, NULL, start_time);
}

static int pass_io(u32 bytes)
{
	u64 start_time = devstat_now();	/* porting: struct bintime *now, *then */

	devstat_start_transaction(pass.device_stats, &start_time);
	sa_command();
	passdone(&pass, bytes, bytes / 4, true, &start_time);
	return 0;
}

static int sa_load(u32 block_size)
{
	sa.media_blksize = block_size;
	/* porting: flags &= ~DEVSTAT_BS_UNAVAILABLE */
	return devstat_set_block_size(sa.device_stats, block_size);
}

static int sa_do(const char *val, const struct kernel_param *kp)
{
	unsigned int a = 0, b = 0, n;
	char what[8];

	if (IS_ERR_OR_NULL(sa.device_stats))
		return -ENODEV;
	if (sscanf(val, "%7s %u %u", what, &a, &b) < 1)
		return -EINVAL;
	if (!strcmp(what, "read") || !strcmp(what, "write")) {
		for (n = 0; n < a; n++)
			sa_io(what[0] == 'r' ? REQ_OP_READ : REQ_OP_WRITE, b, BLK_STS_OK);
		return 0;
	}
	if (!strcmp(what, "fail"))
		return sa_io(REQ_OP_READ, a, BLK_STS_IOERR);
	if (!strcmp(what, "flush"))
		return sa_io(REQ_OP_FLUSH | REQ_PREFLUSH, 0, BLK_STS_OK);
	if (!strcmp(what, "erase"))
		return sa_io(REQ_OP_DISCARD, a, BLK_STS_OK);
	if (!strcmp(what, "pass"))
		return pass_io(a);
	if (!strcmp(what, "load"))
		return sa_load(a);
	if (!strcmp(what, "wrong"))
		return devstat_set_block_size(pass.device_stats, 512);
	return -EINVAL;
}

static const struct kernel_param_ops sa_do_ops = { .set = sa_do };

module_param_cb(do, &sa_do_ops, NULL, 0200);
MODULE_PARM_DESC(do, "What to do");

static int __init sa_init(void)
{
	/* No medium yet, so the block size is not known. */
	sa.device_stats = devstat_new_entry("ported_sa", sa.unit, 0, DEVSTAT_BS_UNAVAILABLE,
					    DEVSTAT_TYPE_SEQUENTIAL | DEVSTAT_TYPE_IF_SCSI,
					    DEVSTAT_PRIORITY_TAPE);
	if (IS_ERR(sa.device_stats))	/* porting: devstat_new_entry() never fails */
		return PTR_ERR(sa.device_stats);
	pass.device_stats = devstat_new_entry("ported_pass", sa.unit, 0,
					      DEVSTAT_NO_BLOCKSIZE | DEVSTAT_NO_ORDERED_TAGS,
					      DEVSTAT_TYPE_SEQUENTIAL | DEVSTAT_TYPE_IF_SCSI |
					      DEVSTAT_TYPE_PASS, DEVSTAT_PRIORITY_PASS);
	if (IS_ERR(pass.device_stats)) {	/* porting: devstat_new_entry() never fails */
		devstat_remove_entry(sa.device_stats);
		return PTR_ERR(pass.device_stats);
	}
	return 0;
}

static void __exit sa_exit(void)
{
	kernel_param_lock(THIS_MODULE);
	devstat_remove_entry(pass.device_stats);
	devstat_remove_entry(sa.device_stats);
	sa.device_stats = NULL;
	kernel_param_unlock(THIS_MODULE);
}

module_init(sa_init);
module_exit(sa_exit);

MODULE_DESCRIPTION("Statistics of a FreeBSD tape driver, ported");
MODULE_LICENSE("GPL");
