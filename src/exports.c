// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel API: what src/kapi/exports.rs defines, for other modules to call.
 */

#include <iostat/devstat.h>
#include <iostat/evcnt.h>
#include <linux/export.h>

EXPORT_SYMBOL_GPL(iostat_evcnt_attach);
EXPORT_SYMBOL_GPL(iostat_evcnt_attach_dynamic);
EXPORT_SYMBOL_GPL(iostat_evcnt_detach);
EXPORT_SYMBOL_GPL(iostat_evcnt_add);
EXPORT_SYMBOL_GPL(iostat_evcnt_read);
EXPORT_SYMBOL_GPL(iostat_evcnt_read_total);

/* Its other functions are in src/transactions.c. */
EXPORT_SYMBOL_GPL(iostat_devstat_new_entry);
EXPORT_SYMBOL_GPL(iostat_devstat_add_entry);
EXPORT_SYMBOL_GPL(iostat_devstat_remove_entry);
