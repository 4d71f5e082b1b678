// SPDX-License-Identifier: GPL-2.0
/* Another module that does the same. */

#include "evcnt_client.c"
