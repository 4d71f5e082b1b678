// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/nfs_mounts.h.
 *
 * The kernel has no list of super blocks that could be walked without waiting for a server that
 * does not answer. But each NFS file system has a device of the class bdi, whose name is the number
 * of the file system, from before its first I/O until after its last. FUSE names its devices the
 * same way. New devices of NFS are registered inside nfs_get_tree_common(). A device that exists
 * already is one of NFS if there is a directory with its name in /sys/fs/nfs.
 */

#include <iostat/functions.h>
#include <iostat/nfs_mounts.h>
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/backing-dev.h>
#include <linux/device.h>
#include <linux/device/class.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/ns_common.h>
#include <linux/rtnetlink.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <net/net_namespace.h>

static struct iostat_nfs_mounts mounts;

/* The tasks inside nfs_get_tree_common(). If a task finds no place, its mount is not recorded. */
static struct task_struct *mounting[64];

static int on_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(mounting); i++)
		if (!READ_ONCE(mounting[i]) && !cmpxchg(&mounting[i], NULL, current))
			return 0;
	return 1;	/* the exit handler is not called */
}

static void on_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(mounting); i++) {
		if (READ_ONCE(mounting[i]) == current) {
			WRITE_ONCE(mounting[i], NULL);
			return;
		}
	}
}

static bool is_mounting(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(mounting); i++)
		if (READ_ONCE(mounting[i]) == current)
			return true;
	return false;
}

static struct fprobe probe;
static struct iostat_function get_tree = { "nfs_get_tree_common" };
static struct iostat_function *const functions[] = { &get_tree };

/*
 * The directories in @nfs belong to the network namespaces in which the file systems were mounted.
 */
static bool is_in(struct kernfs_node *nfs, const char *name)
{
	struct kernfs_node *server = NULL;

	if (kernfs_ns_enabled(nfs)) {
#ifdef CONFIG_NET
		struct net *net;

		guard(rwsem_read)(&net_rwsem);
		for_each_net(net) {
			server = kernfs_find_and_get_ns(nfs, name, to_ns_common(net));
			if (server)
				break;
		}
#endif
	} else {
		server = kernfs_find_and_get(nfs, name);
	}
	kernfs_put(server);
	return server;
}

static bool is_in_sysfs(const char *name)
{
	struct kernfs_node *nfs = kernfs_find_and_get(fs_kobj->sd, "nfs");
	bool found = nfs && is_in(nfs, name);

	kernfs_put(nfs);
	return found;
}

static int add_dev(struct device *dev)
{
	const char *name = dev_name(dev);
	unsigned int minor;
	int len = 0;

	if (sscanf(name, "0:%u%n", &minor, &len) == 1 && !name[len] &&
	    (is_mounting() || is_in_sysfs(name)))
		mounts.mounted(mounts.state, (u64)dev_get_drvdata(dev), MKDEV(0, minor));
	return 0;
}

static void remove_dev(struct device *dev)
{
	mounts.unmounted(mounts.state, (u64)dev_get_drvdata(dev));
}

static struct class_interface interface;

/*
 * The class is not exported, but each of its devices points to it. This creates one to find the
 * class.
 */
static const struct class *bdi_class(void)
{
	struct backing_dev_info *bdi = bdi_alloc(NUMA_NO_NODE);
	const struct class *class;
	int error;

	if (!bdi)
		return ERR_PTR(-ENOMEM);
	error = bdi_register(bdi, "iostat");
	class = error ? ERR_PTR(error) : bdi->dev->class;
	if (!error)
		bdi_unregister(bdi);
	bdi_put(bdi);
	return class;
}

int iostat_nfs_mounts_start(const struct iostat_nfs_mounts *new_mounts)
{
	const struct class *class = bdi_class();
	int error;

	if (IS_ERR(class))
		return PTR_ERR(class);
	mounts = *new_mounts;
	probe = (struct fprobe) { .entry_handler = on_entry, .exit_handler = on_exit };
	error = iostat_functions_hook(&probe, functions, ARRAY_SIZE(functions));
	if (error)
		return error;
	interface = (struct class_interface) {
		.class = class,
		.add_dev = add_dev,
		.remove_dev = remove_dev,
	};
	error = class_interface_register(&interface);
	if (error)
		iostat_functions_unhook(&probe, functions, ARRAY_SIZE(functions));
	return error;
}

void iostat_nfs_mounts_stop(void)
{
	class_interface_unregister(&interface);
	iostat_functions_unhook(&probe, functions, ARRAY_SIZE(functions));
	memset(mounting, 0, sizeof(mounting));
}
