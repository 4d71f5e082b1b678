#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Creates the build root: a trixie + trixie-backports system with the toolchain that built the stock
# kernels, QEMU and the tools for the guests; the same of sid, and of Ubuntu 26.04 (resolute); another root with the packages that blktests
# needs, for the guests of scripts/nightly-blktests.sh; one with Prometheus and a browser, for scripts/test-metrics.sh; and
# for scripts/test-system.sh a whole system without a kernel, and one with QEMU and UEFI to boot it. Two are copies of the
# build root with more packages: the one for Debian packages, and the one that builds for arm64 and emulates it. Prints the
# path of the root.
# usage: root.sh [build|sid|resolute|blktests|packages|metrics|arm64|system|firmware]

. "$(dirname "$0")/lib.sh"

TOOLCHAIN="make gcc libc6-dev libc6-dev-i386 lib32gcc-14-dev bc bison flex libelf-dev libssl-dev rustc rust-src bindgen
	cargo rustfmt rust-clippy librust-proptest-dev librust-loom-dev librust-criterion-dev
	libclang-rt-19-dev
	kmod cpio xz-utils zstd pahole python3 perl patch git openssl"
# What tools/ioscope is made with, and what its tests take.
SCOPE="librust-clap-dev librust-clap-mangen-dev librust-clap-complete-dev librust-serde-dev librust-serde-json-dev
	librust-csv-dev librust-ratatui-dev librust-crossterm-dev librust-jiff-dev librust-rustix-dev
	librust-signal-hook-dev librust-glob-dev librust-postcard-dev librust-crc32fast-dev librust-anyhow-dev
	librust-vt100-dev librust-http-body-util-dev librust-hyper-dev librust-hyper-util-dev librust-listenfd-dev
	librust-prost-dev librust-tokio-dev python3-jsonschema tmux mandoc zsh fish"
TEST_KERNEL="clang-19 lld-19 llvm-19 ccache"
# What the initramfs of a guest takes.
GUEST="fio busybox-static dmsetup sysstat e2fsprogs bpftrace trace-cmd
	mdadm util-linux procps xfsprogs btrfs-progs blktrace nvme-cli strace linux-perf
	libbpf-tools"
# Cross compilers for programs of 64 and of 32 bits, and the library of Rust's programs for arm64. The kernel's Rust
# needs neither.
CROSS="gcc-aarch64-linux-gnu libc6-dev-arm64-cross libstd-rust-dev:arm64 qemu-system-arm
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
BLKTESTS="make gcc g++ libc6-dev liburing-dev bash gawk fio util-linux udev kmod procps bc dmsetup
	e2fsprogs xfsprogs btrfs-progs f2fs-tools nvme-cli multipath-tools blktrace iproute2 ethtool sg3-utils
	bsdextrautils"
PACKAGING="debhelper dh-dkms dkms lintian fakeroot"
METRICS="prometheus prometheus-node-exporter chromium-headless-shell fonts-dejavu-core python3 python3-websocket"
# What a machine has that a kernel and our packages are installed on.
SYSTEM="systemd-sysv udev dbus kmod procps zstd initramfs-tools apt-utils e2fsprogs
	shim-signed grub-efi-amd64-signed grub-efi-amd64 mokutil"
FIRMWARE="qemu-system-x86 ovmf python3-virt-firmware mtools dosfstools fdisk e2fsprogs openssl"
# Ubuntu's keys, where fetch_keyring() puts them.
KEYRING=$IOSTAT_CACHE/keyring/usr/share/keyrings/ubuntu-archive-keyring.gpg
# BASE: the root that is copied. FOREIGN: an architecture whose packages are installed too.
BASE='' FOREIGN='' OPTIONS=() GUEST_PACKAGES='' SUITES="trixie trixie-backports" DISTRIBUTION=Debian COMPONENTS=main
case ${1:-build} in
build)
	PACKAGES=$(echo $TOOLCHAIN $SCOPE $TEST_KERNEL qemu-system-x86 $GUEST liburing-dev)
	TITLE="build root (trixie, toolchain, QEMU)"
	;;
sid)
	PACKAGES="make gcc libc6-dev bc bison flex libelf-dev libssl-dev rustc rust-src bindgen kmod cpio xz-utils zstd
		pahole python3 perl openssl tmux liburing-dev qemu-system-x86 cargo libc6-dev-i386 lib32gcc-16-dev mount util-linux-extra"
	PACKAGES=$(echo $PACKAGES $GUEST)
	SUITES=sid
	# The list of packages of sid expires in a week, and a mirror may be older. Signatures are checked all the same.
	OPTIONS=(--aptopt='Acquire::Check-Valid-Until "false"')
	TITLE="root of sid (toolchain, QEMU)"
	;;
resolute)
	PACKAGES="make gcc libc6-dev bc bison flex libelf-dev libssl-dev rustc rust-src bindgen kmod cpio xz-utils zstd
		python3 perl openssl tmux liburing-dev qemu-system-x86 cargo gcc-multilib mount util-linux-extra
		gnu-coreutils"
	PACKAGES=$(echo $PACKAGES $GUEST)
	SUITES="resolute resolute-updates" DISTRIBUTION=Ubuntu COMPONENTS="main universe"
	# The dd of uutils fails with some operands that the tests use.
	OPTIONS=(--keyring="$KEYRING" --customize-hook='ln -sf gnudd "$1/usr/bin/dd"')
	TITLE="root of Ubuntu 26.04 (toolchain, QEMU)"
	;;
blktests)
	PACKAGES=$(echo $BLKTESTS)
	TITLE="root of blktests"
	;;
packages)
	BASE=build
	PACKAGES=$PACKAGING
	TITLE="root for Debian packages"
	;;
metrics)
	PACKAGES=$(echo $METRICS)
	TITLE="root with Prometheus and a browser"
	;;
arm64)
	BASE=build FOREIGN=arm64
	PACKAGES=$(echo $CROSS)
	# In /guest of the root, where initramfs-in-root.sh finds it.
	GUEST_PACKAGES=$(echo $GUEST kmod tmux bash coreutils libc-bin)
	TITLE="root for arm64 (cross compiler, QEMU)"
	;;
system)
	PACKAGES=$(echo $SYSTEM)
	TITLE="root of a whole system"
	;;
firmware)
	PACKAGES=$(echo $FIRMWARE)
	TITLE="root with QEMU and UEFI"
	;;
*) die "there is no root $1; choose one of: build sid resolute blktests packages metrics arm64 system firmware" ;;
esac

base=''
[ -z "$BASE" ] || base=$("$0" "$BASE")
ROOT=$IOSTAT_CACHE/root-$(echo "${base:+${base##*/} }$PACKAGES $SUITES${GUEST_PACKAGES:+ $GUEST_PACKAGES}" | sha256sum | cut -c1-12)

# mirror DISTRIBUTION: prints the mirror that this machine's apt uses, so that no host is named here. For Ubuntu,
# UBUNTU_MIRROR is another; many mirrors of Debian have Ubuntu beside it.
mirror()
{
	local uri
	uri=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
		awk -v label="$1" '$2 == label { print $1; exit }')
	if [ "$1" = Ubuntu ]; then
		uri=${UBUNTU_MIRROR:-$uri}
		[ -n "$uri" ] || uri=$(mirror Debian | sed 's|/debian/*$|/ubuntu|')
	fi
	[ -n "$uri" ] || die "apt on this machine has no $1 mirror; run apt-get update and try again"
	echo "$uri"
}

# The keys of Ubuntu's archive, from Debian's package.
fetch_keyring()
{
	# shellcheck disable=SC2016 # of the inner shell
	IN_ROOT=build "$TOP/scripts/enter.sh" sh -euc 'cd /tmp
		apt-get update -qq
		apt-get download -o APT::Sandbox::User=root ubuntu-keyring
		dpkg-deb -x ubuntu-keyring_*.deb /cache/keyring'
}

install_mmdebstrap()
{
	export DEBIAN_FRONTEND=noninteractive
	apt-get update && apt-get install -y --no-install-recommends mmdebstrap zstd
}

need_mmdebstrap()
{
	command -v mmdebstrap >/dev/null || step "install mmdebstrap" "20 s" install_mmdebstrap
}

# bootstrap DIR PACKAGES OPTION...
bootstrap()
{
	local dir=$1 packages=$2 uri suite opts=()
	shift 2
	uri=$(mirror $DISTRIBUTION)
	# The root's apt gets the proxy and certificate settings of this machine's apt.
	while IFS= read -r line; do
		opts+=("--aptopt=$line")
	done < <(apt-config dump | grep -E '^Acquire::https?::(Proxy|CaInfo|Verify|.*::Proxy)' || true)
	mmdebstrap --mode=root "$@" "${opts[@]}" \
		--aptopt='Apt::Install-Recommends "false"' \
		--dpkgopt='force-unsafe-io' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="$(echo "$packages" | tr ' ' ',')" \
		"${SUITES%% *}" "$dir" \
		- < <(for suite in $SUITES; do echo "deb $uri $suite $COMPONENTS"; done)
}

# extend DIR PACKAGES: copies the base, and installs packages in the copy. apt's lists are left out, as another run may be
# updating them.
extend()
{
	mkdir -p "$1/var/lib/apt/lists/partial"
	tar -C "$base" --numeric-owner --xattrs --exclude=./var/lib/apt/lists --exclude=./var/cache/apt -c . |
		tar -C "$1" --numeric-owner --xattrs -x
	mkdir -p "$1/var/cache/apt/archives/partial"
	# shellcheck disable=SC2016 # of the inner shell
	IN_ROOT=$1 "$TOP/scripts/enter.sh" sh -euc '
		export DEBIAN_FRONTEND=noninteractive
		[ -z "$1" ] || dpkg --add-architecture "$1"
		apt-get update -qq
		apt-get install -y -qq --no-install-recommends $2
		apt-get clean
		rm -rf /var/lib/apt/lists/*' sh "$FOREIGN" "$2"
}

make_root()
{
	local tmp=$ROOT.tmp.$$
	rm -rf "$ROOT".tmp.*
	# The trap runs when the variable is gone.
	trap "rm -rf '$tmp'" EXIT
	if [ -n "$base" ]; then
		extend "$tmp" "$PACKAGES"
	else
		bootstrap "$tmp" "$PACKAGES" --variant=apt "${OPTIONS[@]}"
	fi
	# Scripts of foreign packages would need an emulator: the packages are unpacked, and no more.
	[ -z "$GUEST_PACKAGES" ] || {
		bootstrap "$tmp/guest" "$GUEST_PACKAGES" --variant=extract --architectures="$FOREIGN"
		rm -rf "$tmp/guest/var/cache" "$tmp/guest/var/lib/apt"
	}
	mkdir -p "$tmp/src" "$tmp/cache"
	mv "$tmp" "$ROOT"
	trap - EXIT
}

build()
{
	[ ! -d "$ROOT" ] || return 0
	need_root
	need_space "$IOSTAT_CACHE" 4000
	locked mmdebstrap need_mmdebstrap
	[ "$DISTRIBUTION" = Debian ] || [ -e "$KEYRING" ] || step "keys of Ubuntu's archive" "10 s" fetch_keyring
	step "$TITLE" "90 s" make_root
}

[ -d "$ROOT" ] || locked "root-${1:-build}" build >&2
echo "$ROOT"
