/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of a jump that the kernel patches, for rust/kernel/jump_label.rs. The kernel has the same file for
 * its macro static_branch_unlikely!, but the headers of some distributions come without what is made of it.
 */

#include <linux/jump_label.h>

// Cut here.

::kernel::concat_literals!(ARCH_STATIC_BRANCH_ASM("{symb} + {off} + 0", "{l_yes}"))
