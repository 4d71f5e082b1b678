// SPDX-License-Identifier: GPL-2.0
/*
 * Exports the kernel API, which src/kapi/exports.rs and src/kapi/exports/ define, and sets the
 * version of the module, for which the module! macro has no field.
 */

#include <iostat/devstat.h>
#include <iostat/evcnt.h>
#include <iostat/kstat.h>
#include <linux/export.h>
#include <linux/module.h>

MODULE_VERSION(IOSTAT_VERSION);

EXPORT_SYMBOL_GPL(iostat_evcnt_attach);
EXPORT_SYMBOL_GPL(iostat_evcnt_attach_dynamic);
EXPORT_SYMBOL_GPL(iostat_evcnt_detach);
EXPORT_SYMBOL_GPL(iostat_evcnt_add);
EXPORT_SYMBOL_GPL(iostat_evcnt_set);
EXPORT_SYMBOL_GPL(iostat_evcnt_read);
EXPORT_SYMBOL_GPL(iostat_evcnt_read_total);

/* The other functions of devstat(9) are exported in src/hooks/transactions.c. */
EXPORT_SYMBOL_GPL(iostat_devstat_new_entry);
EXPORT_SYMBOL_GPL(iostat_devstat_add_entry);
EXPORT_SYMBOL_GPL(iostat_devstat_remove_entry);
EXPORT_SYMBOL_GPL(iostat_devstat_set_block_size);
EXPORT_SYMBOL_GPL(iostat_kstat_create);
EXPORT_SYMBOL_GPL(iostat_kstat_install);
EXPORT_SYMBOL_GPL(iostat_kstat_delete);
EXPORT_SYMBOL_GPL(iostat_kstat_lookup);
EXPORT_SYMBOL_GPL(iostat_kstat_named_init);
EXPORT_SYMBOL_GPL(iostat_kstat_named_setstr);
EXPORT_SYMBOL_GPL(iostat_kstat_timer_init);
EXPORT_SYMBOL_GPL(iostat_kstat_timer_start);
EXPORT_SYMBOL_GPL(iostat_kstat_timer_stop);
EXPORT_SYMBOL_GPL(iostat_kstat_waitq_enter);
EXPORT_SYMBOL_GPL(iostat_kstat_waitq_exit);
EXPORT_SYMBOL_GPL(iostat_kstat_runq_enter);
EXPORT_SYMBOL_GPL(iostat_kstat_runq_exit);
EXPORT_SYMBOL_GPL(iostat_kstat_waitq_to_runq);
EXPORT_SYMBOL_GPL(iostat_kstat_runq_back_to_waitq);
