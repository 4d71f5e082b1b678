#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture test, with the default duration of torture.sh. A fixed seed, so that the test is a
# function of the commit; "make torture" draws one.
# usage: test-torture.sh

SEED=${SEED:-15} exec "$(dirname "$0")/torture.sh" all
