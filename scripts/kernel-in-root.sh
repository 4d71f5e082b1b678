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

# Source, headers, image and modules must exist in the same version: without MODVERSIONS a mixture is
# not detected.
resolve()
{
	local flavour=$1 series version release package
	shift
	apt-get update -qq >&2 || die "the package mirror cannot be reached; check the network and run this again"
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

fetch()
{
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
	scripts/prepare-kdir.sh "$dir/source" "$dir/config" "$dir/Module.symvers" "$1" "$dir/kdir"
	echo "$1" >"$dir/release"
	touch "$dir/ready"
}

"$@"
