#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of kernel.sh that runs inside the build root.
# usage: kernel-in-root.sh resolve FLAVOUR SERIES... | fetch RELEASE VERSION | prepare RELEASE VERSION

set -euo pipefail
KERNELS=/cache/kernel
ARCH=${ARCH:-amd64}

die()
{
	echo "error: $*" >&2
	exit 1
}

# release FLAVOUR VERSION: the release that Debian gives the kernel of this version of the package.
release()
{
	local base=${2%%-*}
	case $2 in
	*~bpo13+*) base+=+deb13 ;;
	*) base+=+deb14 ;;
	esac
	case $1 in
	generic) echo "$base-$ARCH" ;;
	16k) echo "$base-$ARCH-16k" ;;
	*) echo "$base-$1-$ARCH" ;;
	esac
}

has()
{
	apt-cache madison "$1:$ARCH" | awk -v v="$2" '$3 == v { found = 1 } END { exit !found }'
}

is_ubuntu()
{
	grep -qx 'ID=ubuntu' /etc/os-release
}

# The newest kernel of a series is what the package for its headers depends on.
resolve_ubuntu()
{
	local flavour=$1 series release version package
	shift
	for series in "$@"; do
		release=$(apt-cache depends "linux-headers-$flavour-$series" |
			sed -n 's/.*Depends: linux-headers-\([0-9].*\)/\1/p' | head -n 1)
		[ -n "$release" ] || continue
		version=$(apt-cache madison "linux-headers-$release" | awk '{ print $3; exit }')
		for package in image-unsigned modules lib-rust; do
			has "linux-$package-$release" "$version" || continue 2
		done
		echo "$release $version"
		return
	done
	die "the mirror has no $flavour kernel of series $* with headers, Rust metadata, image and modules in one version"
}

# Source, headers, image and modules must exist in the same version: without MODVERSIONS a mixture is
# not detected.
resolve()
{
	local flavour=$1 series version release package
	apt-get update -qq >&2 || die "the package mirror cannot be reached; check the network and run this again"
	if is_ubuntu; then
		resolve_ubuntu "$@"
		return
	fi
	shift
	for series in "$@"; do
		for version in $(apt-cache madison "linux-source-$series" | awk '{ print $3 }' | sort -rV); do
			release=$(release "$flavour" "$version")
			for package in binary-unsigned modules headers base; do
				has "linux-$package-$release" "$version" || continue 2
			done
			echo "$release $version"
			return
		done
	done
	die "the mirror has no $flavour kernel for $ARCH of series $* with source, headers, image and modules in one version"
}

# Its headers and its package linux-lib-rust are a complete KDIR.
fetch_ubuntu()
{
	local release=$1 version=$2 dir=$KERNELS/$1 debs=$KERNELS/$1/debs package
	rm -rf "$dir"
	mkdir -p "$debs" "$dir/unpacked" "$dir/modules/lib"
	cd "$debs"
	apt-get update -qq
	apt-get download -o APT::Sandbox::User=root "linux-headers-$release=$version" "linux-headers-${release%-*}=$version" \
		"linux-lib-rust-$release=$version" "linux-image-unsigned-$release=$version" "linux-modules-$release=$version"
	for package in *.deb; do
		echo "unpacking $package"
		dpkg-deb -x "$package" "$dir/unpacked"
	done
	cd "$dir"
	mv unpacked/usr/src src
	ln -s "src/linux-headers-$release" kdir
	mv unpacked/usr/lib/modules modules/lib/
	mv "unpacked/boot/vmlinuz-$release" vmlinuz
	cp kdir/.config config
	cp kdir/Module.symvers .
	depmod -b modules "$release"
	rm -rf debs unpacked
}

fetch()
{
	if is_ubuntu; then
		fetch_ubuntu "$@"
		return
	fi
	local release=$1 version=$2 series dir=$KERNELS/$1 debs=$KERNELS/$1/debs package source=source-$2 packages=()
	series=$(echo "$version" | cut -d. -f1,2)
	# All flavours and architectures have one source.
	[ -d "$KERNELS/$source" ] || packages=("linux-source-$series=$version")
	rm -rf "$dir"
	mkdir -p "$debs" "$dir/unpacked"
	cd "$debs"
	apt-get update -qq
	apt-get download -o APT::Sandbox::User=root \
		"${packages[@]}" "linux-headers-$release:$ARCH=$version" \
		"linux-binary-unsigned-$release:$ARCH=$version" "linux-modules-$release:$ARCH=$version" \
		"linux-base-$release:$ARCH=$version"
	for package in *.deb; do
		echo "unpacking $package"
		dpkg-deb -x "$package" "$dir/unpacked"
	done
	cd "$dir"
	[ -d "../$source" ] || {
		tar -xf "unpacked/usr/src/linux-source-$series.tar.xz"
		mv "linux-source-$series" "../$source"
	}
	ln -s "../$source" source
	mkdir -p modules/lib
	mv unpacked/usr/lib/modules modules/lib/
	mv "modules/lib/modules/$release/vmlinuz.unsigned" vmlinuz
	# modprobe reads from these which modules are built in; Debian ships them with linux-base.
	find unpacked -name 'modules.builtin*' -exec cp {} "modules/lib/modules/$release/" \;
	cp "unpacked/usr/src/linux-headers-$release/.config" config
	cp "unpacked/usr/src/linux-headers-$release/Module.symvers" .
	depmod -b modules "$release"
	rm -rf debs unpacked
}

prepare()
{
	local dir=$KERNELS/$1
	is_ubuntu || scripts/prepare-kdir.sh "$dir/source" "$dir/config" "$dir/Module.symvers" "$1" "$dir/kdir"
	echo "$1" >"$dir/release"
	touch "$dir/ready"
}

"$@"
