#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture chamber, for as long as torture.sh takes by default. What is tested is a
# function of the commit: always the same seed. "make torture" draws one.
# usage: test-torture.sh

SEED=${SEED:-15} exec "$(dirname "$0")/torture.sh" all
