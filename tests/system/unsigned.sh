# SPDX-License-Identifier: GPL-2.0
# Secure Boot, and a module that is not signed, as that of iostat-modules-*: Documentation/kernels.rst has the messages.

is "unsigned: Secure Boot" "$(mokutil --sb-state)" "SecureBoot enabled"
matches "unsigned: lockdown" "$(cat /sys/kernel/security/lockdown)" "none \[integrity\]*"
install "unsigned: apt" $(debs "$this" iostat-utils "iostat-modules-$old")
message=$(modprobe iostat 2>&1)
echo "# $message"
is "unsigned: modprobe" "$message" "modprobe: ERROR: could not insert 'iostat': Key was rejected by service"
echo "# $(dmesg | grep -i 'module' | tail -n 3)"
is "unsigned: the kernel" "$(dmesg | grep -c 'Loading of unsigned module is rejected')" 1
is "unsigned: ioscope" "$(ioscope 2>&1 | grep -c 'modprobe iostat')" 1
