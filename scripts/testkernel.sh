#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A test kernel, of tests/kernel/KIND.config, built from the source of the
# stock kernel once per version, fragment and recipe. Prints its directory,
# which is a KDIR that holds release, vmlinux and root/lib/modules too. It is of
# the newest series, which the fragments are written for, whatever KERNEL says.
# usage: testkernel.sh [debug|kcsan]

. "$(dirname "$0")/lib.sh"

kind=${1:-debug}
[ -e "$TOP/tests/kernel/$kind.config" ] || die "there is no tests/kernel/$kind.config"

# make_all NAME RELEASE: the compilers must end with the step, or they would
# write on while the next run builds in the same directory. So they get a
# process group of their own.
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
	# What is there was left by a run that ended early: make goes on from it.
	step "$kind test kernel from ${2%%[+-]*}" "12 min" make_all "$@"
}

release=$(basename "$(KERNEL='' "$TOP/scripts/kernel.sh")")
[ -n "$release" ] || exit 1
# The recipe makes the configuration and so belongs to the name.
name=$release-$(cd "$TOP" &&
	cat "tests/kernel/$kind.config" scripts/testkernel-in-root.sh | sha256sum | cut -c1-8)
mkdir -p "$IOSTAT_CACHE/testkernel"
[ -e "$IOSTAT_CACHE/testkernel/$name/ready" ] || locked testkernel build "$name" "$release" >&2
echo "$IOSTAT_CACHE/testkernel/$name"
