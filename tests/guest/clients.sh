# SPDX-License-Identifier: GPL-2.0
# What needs the large image: those who listen to the events.

PARTS="load clients recipes"
. /payload/test.sh
