#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture chamber, for as long as torture.sh takes by default.
# usage: test-torture.sh

exec "$(dirname "$0")/torture.sh" all
