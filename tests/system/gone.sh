# SPDX-License-Identifier: GPL-2.0
# After the packages were purged, the system starts without a trace of them.

is "after the purge: kernel" "$(uname -r)" "$new"
healthy "after the purge"
is "after the purge: not loaded" "$(lsmod | grep -c '^iostat ')" 0
is "after the purge: nothing of it in the journal" "$(journalctl -b -q -o cat | grep -E 'iostat|ioscope')" ""
