#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# From what nm says of an object, a list for objcopy --redefine-syms that cuts
# names of more than 184 bytes: /proc/kallsyms shows each of a Rust module's
# functions twice, once with "__pfx_" before it, and programs that read it into
# 256 bytes end, or stop there, at a longer line. The stock kernel's longest
# name has 185.
# What is left is the front of the mangled name, which says in a backtrace what the function is,
# and a hash of the whole, as the names must stay different.

awk '{ print $NF }' | LC_ALL=C grep -E '^.{185,}$' | sort -u | while read -r name; do
	echo "$name $(echo "$name" | cut -c1-170).$(echo "$name" | sha256sum | cut -c1-8)"
done
