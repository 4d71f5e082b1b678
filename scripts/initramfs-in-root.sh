#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the guests' initramfs, uncompressed because unpacking costs more under TCG than reading. Runs
# inside the build root; prints the path of the image, whose name contains a hash of everything in it, so
# an image is only built when that changes. WITH_BPFTRACE=1 adds bpftrace and perf (300 MB instead of 80).
# usage: initramfs-in-root.sh KERNELDIR OUTDIR

set -euo pipefail
cd "$(dirname "$0")"
kernel=$1 out=$2

TOOLS="bash dmsetup iostat mkfs.ext4 mkfs.xfs mkfs.btrfs mount umount losetup blkdiscard blkzone partx mdadm
	trace-cmd strace setpriv taskset nvme blktrace blkparse flock kmod tmux filefrag
	biolatency-libbpf biosnoop-libbpf dd"
[ -z "${WITH_BPFTRACE:-}" ] || TOOLS="$TOOLS bpftrace perf biolatency.bt biosnoop.bt bitesize.bt biostacks.bt
	biotop-libbpf bitesize-libbpf biopattern-libbpf biostacks-libbpf"

# Those that the kernel has as modules are included, with the modules they depend on.
MODULES="null_blk scsi_debug sd_mod brd loop zram ublk_drv nvme nvme-loop virtio_pci virtio_blk virtio_console virtio_net
	dm-mod dm-multipath dm-round-robin dm-delay dm-flakey dm-dust dm-mirror dm-snapshot dm-zero dm-log-writes
	md-mod raid0 raid1 raid10 bfq mq-deadline kyber-iosched ext4 xfs btrfs erofs overlay configfs nfsv4 nfsd"

die()
{
	echo "error: $*" >&2
	exit 1
}

# The programs are those of the build root; for another architecture, of the system in its /guest.
case ${ARCH:-amd64} in
amd64) sysroot='' ;;
*) sysroot=/guest ;;
esac
release=$(cat "$kernel/release")
for base in "$kernel/modules" "$kernel/root"; do
	[ ! -d "$base/lib/modules/$release" ] || break
done
tree=lib/modules/$release
[ -d "$base/$tree" ] || die "$kernel has no modules of release $release, neither in modules/ nor in root/"

stamp=$({
	cat "$(basename "$0")" guest-init /var/lib/dpkg/status
	[ -z "$sysroot" ] || stat -c %Y "$sysroot"
	find "$base/$tree/" \( -name '*.ko*' -o -name modules.builtin \) -printf '%P %s %T@\n' | sort
} | sha256sum | cut -c1-12)
image=$out/initramfs-$release${WITH_BPFTRACE:+-bpftrace}-$stamp.cpio
if [ -e "$image" ]; then
	touch "$image" # marks it as used: see the end of this script
	echo "$image"
	exit
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir" "$image.tmp.$$"' EXIT
root=$dir/root
mkdir -p "$root"/{dev,etc,mnt,proc,sys,tmp,usr/bin,usr/sbin,usr/lib64,"usr/$tree"}
for link in bin sbin lib lib64; do
	ln -s "usr/$link" "$root/$link"
done

# copy FILE...: copies to the same path; links are resolved.
copy()
{
	local file
	for file in "$@"; do
		mkdir -p "$root$(dirname "$file")"
		[ -e "$root$file" ] || cp -L "$sysroot$file" "$root$file"
	done
}

# where TOOL: its path.
where()
{
	[ -n "$sysroot" ] || { command -v "$1" && return; }
	for dir in /usr/sbin /usr/bin; do
		[ ! -e "$sysroot$dir/$1" ] || { echo "$dir/$1" && return; }
	done
	return 1
}

# libraries FILE: paths of the shared libraries that it needs. Those of another architecture cannot be asked by ldd.
libraries()
{
	local name path
	[ -n "$sysroot" ] || { ldd "$1" | grep -o '/[^ ]*' && return; } || return 0
	for name in $("${CROSS_COMPILE}readelf" -d "$sysroot$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
		[ -z "${seen[$name]:-}" ] || continue
		seen[$name]=yes
		path=$(cd "$sysroot" && find usr/lib -name "$name" | head -n 1)
		[ -n "$path" ] || die "$sysroot has no $name, which $1 needs"
		echo "/$path"
		libraries "/$path"
	done
}
declare -A seen

# stub_libraries PROGRAM: for each library of PROGRAM that no tool so far needs, and that it only needs for what no
# test uses, a library whose functions trap. Those of fio for remote storage are sixty with what they need, and
# loading them took longer than most of the I/O of the tests.
stub_libraries()
{
	local name path options
	for name in $("${CROSS_COMPILE:-}readelf" -d "$sysroot$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
		case $name in
		libc.so.* | libm.so.* | libz.so.* | libaio.so.*) continue ;;
		esac
		path=$(cd "$sysroot/" && find usr/lib -name "$name" | head -n 1)
		[ -n "$path" ] || die "there is no $name, which $1 needs"
		[ ! -e "$root/$path" ] || continue
		{
			"${CROSS_COMPILE:-}readelf" -VW "$sysroot$1"
			"${CROSS_COMPILE:-}readelf" -W --dyn-syms "$sysroot$1"
		} | awk -v file="$name" -v map="$dir/stub.map" '
			/ File: / { here = $5 == file }
			/ Name: / && here { versions[$3] }
			$7 == "UND" && $5 == "GLOBAL" {
				split($8, symbol, "@")
				if (symbol[2] == "" || symbol[2] in versions) {
					print "void " symbol[1] "(void);\nvoid " symbol[1] "(void) { __builtin_trap(); }"
					list[symbol[2]] = list[symbol[2]] symbol[1] "; "
				}
			}
			END {
				printf "" >map
				for (version in list)
					if (version != "")
						print version " { global: " list[version] "};" >map
			}' >"$dir/stub.c"
		options=(-shared -nostdlib -fPIC "-Wl,-soname=$name")
		[ ! -s "$dir/stub.map" ] || options+=("-Wl,--version-script=$dir/stub.map")
		mkdir -p "$root/${path%/*}"
		"${CROSS_COMPILE:-}gcc" "${options[@]}" -o "$root/$path" "$dir/stub.c"
	done
}

copy /usr/bin/busybox
for applet in $(busybox --list | grep -vx busybox); do
	ln -s busybox "$root/usr/bin/$applet"
done
for tool in $TOOLS; do
	path=$(where "$tool") || die "the build root has no $tool"
	rm -f "$root/usr/bin/$tool" # busybox's
	copy "$path" $(libraries "$path")
done
stub_libraries /usr/bin/fio
copy /usr/bin/fio
for file in libz.so.1 libaio.so.1t64 libm.so.6; do
	copy "/$(cd "$sysroot/" && find usr/lib -name "$file" | head -n 1)"
done
for name in modprobe insmod rmmod lsmod modinfo depmod; do
	rm -f "$root/usr/bin/$name"
	ln -s ../bin/kmod "$root/usr/sbin/$name"
done
[ -z "$sysroot" ] || copy /usr/lib/ld-linux-aarch64.so.1
ln -sf bash "$root/usr/bin/sh"
copy /etc/mke2fs.conf /usr/lib/locale/C.utf8/LC_CTYPE
echo 'root:x:0:0::/:/bin/bash
nobody:x:65534:65534::/:/bin/false' >"$root/etc/passwd"
echo 'root:x:0:
nogroup:x:65534:' >"$root/etc/group"
install -m 755 guest-init "$root/init"

# -C: the root's own modprobe.d does not apply to the guest's kernel.
for name in $MODULES; do
	modprobe -C /dev/null -d "$base" -S "$release" --show-depends "$name" 2>/dev/null || true
done | awk '$1 == "insmod" { print $2 }' | sort -u | while read -r file; do
	to=$root/usr/$tree/${file#"$base/$tree/"}
	mkdir -p "$(dirname "$to")"
	# Unpacked once here, natively, instead of at each load in the guest. Large ones that few guests
	# load stay packed, as they would make every boot longer.
	case $file in
	*/xfs.ko* | */btrfs.ko* | */nfs*.ko* | */sunrpc.ko*) cp "$file" "$to" ;;
	*.xz) xz -dc "$file" >"${to%.xz}" ;;
	*.zst) zstd -qdc "$file" >"${to%.zst}" ;;
	*) cp "$file" "$to" ;;
	esac
done
for list in "$base/$tree"/modules.{order,builtin,builtin.modinfo}; do
	[ ! -e "$list" ] || cp "$list" "$root/usr/$tree/"
done
# depmod warns if these do not exist.
touch "$root/usr/$tree"/modules.{order,builtin,builtin.modinfo}
depmod -b "$root" "$release"

mkdir -p "$out"
(cd "$root" && find . -print0 | cpio --null -o -H newc -R 0:0 --quiet) >"$image.tmp.$$"
mv "$image.tmp.$$" "$image"
# Removes images that were not used for a week.
find "$out" -name 'initramfs-*.cpio*' -mtime +7 -delete
echo "$image"
