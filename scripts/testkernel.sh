#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds a test kernel with tests/kernel/KIND.config from the source of the stock kernel, once per
# version, configuration and recipe. Prints its directory, which is a KDIR with release, vmlinux and
# root/lib/modules as well. Always of the newest series, for which the configurations are written.
# usage: testkernel.sh [debug|kcsan]

. "$(dirname "$0")/lib.sh"

kind=${1:-debug}
[ -e "$TOP/tests/kernel/$kind.config" ] || die "there is no tests/kernel/$kind.config"

# make_all NAME RELEASE: runs the build in a process group of its own, so that the compilers end with
# the step. Otherwise they would go on writing while the next run builds in the same directory.
make_all()
{
	set -m
	"$TOP/scripts/enter.sh" scripts/testkernel-in-root.sh "$kind" "$2" "/cache/testkernel/$1" &
	set +m
	trap "kill -- -$!; wait; exit 143" INT TERM
	wait $!
}

build()
{
	[ ! -e "$IOSTAT_CACHE/testkernel/$1/ready" ] || return 0
	need_space "$IOSTAT_CACHE" 3000
	# After an interrupted run make goes on from the files it left.
	step "$kind test kernel from ${2%%[+-]*}" "12 min" make_all "$@"
}

release=$(basename "$(KERNEL='' "$TOP/scripts/kernel.sh")")
[ -n "$release" ] || exit 1
# The recipe defines the configuration and so is a part of the name.
name=$release-$(cd "$TOP" &&
	cat "tests/kernel/$kind.config" scripts/testkernel-in-root.sh | sha256sum | cut -c1-8)
mkdir -p "$IOSTAT_CACHE/testkernel"
[ -e "$IOSTAT_CACHE/testkernel/$name/ready" ] || locked testkernel build "$name" "$release" >&2
echo "$IOSTAT_CACHE/testkernel/$name"
