// SPDX-License-Identifier: GPL-2.0
/* The same client as another module. */

#include "evcnt_client.c"
