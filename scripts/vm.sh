#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs PAYLOADDIR/run as root in a virtual machine with the kernel in KERNELDIR
# (kernel.sh prints one) and exits with its status; options and statuses are
# described in vm-in-root.sh. PAYLOADDIR, --out DIR, --image FILE and --profile PLUGIN are relative to the
# project or absolute, and lie in it or in the cache: the build root has both.
# usage: vm.sh [option...] KERNELDIR PAYLOADDIR

. "$(dirname "$0")/lib.sh"

# inside PATH: what PATH is called in the build root.
inside()
{
	local path cache
	cache=$(realpath "$IOSTAT_CACHE")
	path=$(cd "$TOP" && realpath -m -- "$1")
	case $path in
	"$cache"/*) echo "/cache${path#"$cache"}" ;;
	"$TOP"/*) echo "/src${path#"$TOP"}" ;;
	*) die "$1 is neither in $TOP nor in $cache, so the build root cannot see it" ;;
	esac
}

args=("$@")
for ((i = 0; i < $#; i++)); do
	if ((i >= $# - 2)) || { ((i > 0)) && [[ ${args[i - 1]} == --@(out|image|profile) ]]; }; then
		args[i]=$(inside "${args[i]}")
	fi
done
exec "$TOP/scripts/enter.sh" scripts/vm-in-root.sh "${args[@]}"
