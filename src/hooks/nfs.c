// SPDX-License-Identifier: GPL-2.0
/*
 * The probes on nfs.ko, which may be loaded and unloaded at any time.
 *
 * A READ or WRITE is a struct nfs_pgio_header, a COMMIT a struct nfs_commit_data,
 * from nfs_initiate_* to *_done. These are not pairs:
 *
 * - A READ or WRITE of which the server did only a part has a done; then the
 *   client sends the rest, without another initiate. Whether it will do so is
 *   decided after the done, by what is known at the done.
 * - A READ or WRITE that has to be sent once more (the server is busy, or has
 *   restarted) has no done for the first time: it is one I/O that takes longer.
 *   A COMMIT has a done each time; the last is the one whose task has nothing
 *   to do.
 * - With pNFS an I/O to a data server may end without a done and come again as one to the metadata
 *   server; block layouts have dones alone. I/O with a layout is not recorded.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <iostat/clock.h>
#include <iostat/nfs.h>
#include <iostat/nfs_mounts.h>
#include <iostat/probes.h>
#include <iostat/io_trace.h>
#include <linux/blk_types.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/nfs_fs.h>
#include <linux/nfs_xdr.h>
#include <linux/sunrpc/sched.h>

static void start(const void *state, const struct iostat_nfs_io *io, struct inode *inode)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_nfs_start(state, io, iostat_here());
	local_irq_restore(flags);
	if (static_branch_unlikely(&iostat_traced))
		iostat_nfs_start_trace(state, io, inode);
}

static void done(const void *state, const struct iostat_nfs_io *io, const struct rpc_task *task,
		 u32 bytes)
{
	int error = task->tk_status < 0 ? -task->tk_status : 0;
	unsigned long flags;

	local_irq_save(flags);
	iostat_nfs_done(state, io, iostat_here(), error ? 0 : min(bytes, io->bytes), error);
	local_irq_restore(flags);
}

static u64 mount_of(const struct inode *inode)
{
	return (u64)inode->i_sb->s_bdi;
}

static struct iostat_nfs_io of_header(const struct nfs_pgio_header *hdr, u8 op)
{
	return (struct iostat_nfs_io) {
		.key = (u64)hdr,
		.mount = mount_of(hdr->inode),
		.offset = hdr->args.offset,
		.bytes = hdr->args.count,
		.op = op,
		.is_direct = hdr->dreq,
	};
}

static void start_of_header(const void *state, const struct nfs_pgio_header *hdr, u8 op)
{
	struct iostat_nfs_io io = of_header(hdr, op);

	if (!hdr->lseg)
		start(state, &io, hdr->inode);
}

/*
 * Ends a call. @rest: the client will send the part that the server has not done, or with @all the
 * whole again.
 */
static void done_of_header(const void *state, const struct rpc_task *task,
			   const struct nfs_pgio_header *hdr, u8 op, bool rest, bool all)
{
	struct iostat_nfs_io io = of_header(hdr, op);

	if (hdr->lseg)
		return;
	done(state, &io, task, hdr->res.count);
	if (!rest || task->tk_status < 0 || !task->tk_ops || !hdr->res.count ||
	    hdr->res.count >= hdr->args.count)
		return;
	if (!all) {
		io.offset += hdr->res.count;
		io.bytes -= hdr->res.count;
	}
	start(state, &io, hdr->inode);
}

static void notrace on_initiate_read(void *state, const struct nfs_pgio_header *hdr)
{
	start_of_header(state, hdr, REQ_OP_READ);
}

static void notrace on_readpage_done(void *state, const struct rpc_task *task,
				     const struct nfs_pgio_header *hdr)
{
	done_of_header(state, task, hdr, REQ_OP_READ, !hdr->res.eof, false);
}

static void notrace on_initiate_write(void *state, const struct nfs_pgio_header *hdr)
{
	start_of_header(state, hdr, REQ_OP_WRITE);
}

static void notrace on_writeback_done(void *state, const struct rpc_task *task,
				      const struct nfs_pgio_header *hdr)
{
	/* Data that is not on stable storage is written as a whole again. */
	done_of_header(state, task, hdr, REQ_OP_WRITE, !list_empty(&hdr->pages),
		       hdr->res.verf->committed == NFS_UNSTABLE);
}

static struct iostat_nfs_io of_commit(const struct nfs_commit_data *data)
{
	return (struct iostat_nfs_io) {
		.key = (u64)data,
		.mount = mount_of(data->inode),
		.offset = data->args.offset,
		.op = REQ_OP_FLUSH,
		.is_direct = data->dreq,
	};
}

static void notrace on_initiate_commit(void *state, const struct nfs_commit_data *data)
{
	struct iostat_nfs_io io = of_commit(data);

	if (!data->lseg)
		start(state, &io, data->inode);
}

static void notrace on_commit_done(void *state, const struct rpc_task *task,
				   const struct nfs_commit_data *data)
{
	struct iostat_nfs_io io = of_commit(data);

	if (!data->lseg && !READ_ONCE(task->tk_action))
		done(state, &io, task, 0);
}

/* The probes of *_done come first: an I/O whose end is missed would stay in its queue for ever. */
static struct {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} points[] = {
	{ "nfs_readpage_done", on_readpage_done },
	{ "nfs_writeback_done", on_writeback_done },
	{ "nfs_commit_done", on_commit_done },
	{ "nfs_initiate_read", on_initiate_read },
	{ "nfs_initiate_write", on_initiate_write },
	{ "nfs_initiate_commit", on_initiate_commit },
};

static struct iostat_nfs_mounts mounts;
static const void *probe_state;
static bool is_attached;

static struct tracepoint *find(const struct module *module, const char *name)
{
	for (unsigned int i = 0; i < module->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(module->tracepoints_ptrs + i);

		if (!strcmp(tp->name, name))
			return tp;
	}
	return NULL;
}

/* Unregisters the probes that are registered, in reverse order. */
static void unregister_probes(void)
{
	for (unsigned int i = ARRAY_SIZE(points); i-- > 0;) {
		if (!points[i].tracepoint)
			continue;
		tracepoint_probe_unregister(points[i].tracepoint, points[i].probe,
					    (void *)probe_state);
		points[i].tracepoint = NULL;
	}
	iostat_synchronize_probes();
}

static int register_probes(const struct module *module)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(points); i++) {
		struct tracepoint *tp = find(module, points[i].name);
		int error = tp ? tracepoint_probe_register(tp, points[i].probe,
							   (void *)probe_state) : -ENOENT;

		if (error) {
			unregister_probes();
			return error;
		}
		points[i].tracepoint = tp;
	}
	return 0;
}

static void attach(const struct module *module)
{
	int error = iostat_nfs_mounts_start(&mounts);

	if (!error) {
		error = register_probes(module);
		if (error)
			iostat_nfs_mounts_stop();
	}
	if (error)
		pr_warn("nfs is not recorded: error %d\n", error);
	is_attached = !error;
}

static void detach(void)
{
	if (!is_attached)
		return;
	is_attached = false;
	unregister_probes();
	iostat_nfs_mounts_stop();
}

/*
 * Called before the module's own init function, when there is no mount yet, and
 * after all mounts are gone; or at any time, by iostat_nfs_open() and
 * iostat_nfs_close(). One call at a time.
 */
static int on_module(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct tp_module *tracing = data;

	if (strcmp(tracing->mod->name, "nfs"))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING)
		attach(tracing->mod);
	else if (event == MODULE_STATE_GOING)
		detach();
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = { .notifier_call = on_module };

int iostat_nfs_open(const struct iostat_nfs_mounts *new_mounts, const void *new_state)
{
	mounts = *new_mounts;
	probe_state = new_state;
	return register_tracepoint_module_notifier(&module_nb);
}

void iostat_nfs_close(void)
{
	unregister_tracepoint_module_notifier(&module_nb);
}
