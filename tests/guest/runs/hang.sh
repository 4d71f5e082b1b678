# SPDX-License-Identifier: GPL-2.0
# A guest that hangs. scripts/test-guest.sh checks how it is ended.

mkfifo /tmp/never
echo "waiting for ever"
cat /tmp/never
