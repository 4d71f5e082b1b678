#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs a command inside the build root, with the project at /src and the cache at /cache, in a mount
# namespace of its own, so that no mount is left however the command ends. IN_ROOT=blktests, packages or
# metrics selects that root, and IN_ROOT=/DIR the root in that directory. With OVERLAY=DIR what the command writes to the
# root goes to DIR, for tests that install packages.
# usage: enter.sh COMMAND [ARGUMENT...]

. "$(dirname "$0")/lib.sh"
need_root
case ${IN_ROOT:-} in
/*) ROOT=$IN_ROOT ;;
*) ROOT=$("$TOP/scripts/root.sh" "${IN_ROOT:-$BUILD_ROOT}") ;;
esac
# make takes both from the environment.
cross=''
[ "$ARCH" = amd64 ] || cross="ARCH=$ARCH CROSS_COMPILE=aarch64-linux-gnu-"

exec unshare --mount --propagation private -- /bin/bash -euc '
	root=$1 top=$2 cache=$3 clone=$4 overlay=$5 cross=$6
	shift 6
	if [ -n "$overlay" ]; then
		mkdir -p "$overlay/upper" "$overlay/work" "$overlay/root"
		mount -t overlay -o "lowerdir=$root,upperdir=$overlay/upper,workdir=$overlay/work" overlay "$overlay/root"
		root=$overlay/root
	fi
	mount --rbind /proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs tmpfs "$root/tmp"
	mount --bind "$top" "$root/src"
	mount --bind "$cache" "$root/cache"
	[ ! -e /etc/resolv.conf ] || { touch "$root/etc/resolv.conf"; mount --bind "$(readlink -f /etc/resolv.conf)" "$root/etc/resolv.conf"; }
	exec env -i PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin HOME=/cache/home LANG=C.UTF-8 \
		TERM="${TERM:-dumb}" CCACHE_DIR=/cache/ccache IOSTAT_CACHE=/cache CLONE="$clone" $cross \
		$(env | grep -E "^(https?|no)_proxy=" | tr "\n" " ") \
		chroot "$root" /bin/sh -c '\''cd /src && exec "$@"'\'' sh "$@"
' enter "$ROOT" "$TOP" "$IOSTAT_CACHE" "$CLONE" "${OVERLAY:-}" "$cross" "$@"
