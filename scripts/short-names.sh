#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes a list for objcopy --redefine-syms, from nm's output for an object, that shortens names of more
# than 184 bytes: /proc/kallsyms shows each function of a Rust module twice, once with the prefix
# "__pfx_", and programs that read it into a buffer of 256 bytes fail at a longer line. The longest name
# in the stock kernel has 185 bytes.
# A short name is the front of the mangled name, which identifies the function in a backtrace, and a
# hash of the whole name, as names must stay unique.

awk '{ print $NF }' | LC_ALL=C grep -E '^.{185,}$' | sort -u | while read -r name; do
	echo "$name $(echo "$name" | cut -c1-170).$(echo "$name" | sha256sum | cut -c1-8)"
done
