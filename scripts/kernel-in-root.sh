#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of kernel.sh that runs inside the build root.
# usage: kernel-in-root.sh resolve FLAVOUR SERIES... | fetch RELEASE VERSION | prepare RELEASE VERSION

set -euo pipefail
KERNELS=/cache/kernel

die()
{
	echo "error: $*" >&2
	exit 1
}

has()
{
	apt-cache madison "$1" | awk -v v="$2" '$3 == v { found = 1 } END { exit !found }'
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
			release=${version%%-*}+deb13-$flavour-amd64
			for package in binary-unsigned modules headers base; do
				has "linux-$package-$release" "$version" || continue 2
			done
			echo "$release $version"
			return
		done
	done
	die "the mirror has no $flavour kernel of series $* with source, headers, image and modules in one version"
}

fetch()
{
	local release=$1 version=$2 series dir=$KERNELS/$1 debs=$KERNELS/$1/debs package
	series=$(echo "$version" | cut -d. -f1,2)
	rm -rf "$dir"
	mkdir -p "$debs" "$dir/unpacked"
	cd "$debs"
	apt-get update -qq
	apt-get download -o APT::Sandbox::User=root \
		"linux-source-$series=$version" "linux-headers-$release=$version" \
		"linux-binary-unsigned-$release=$version" "linux-modules-$release=$version" \
		"linux-base-$release=$version"
	for package in *.deb; do
		echo "unpacking $package"
		dpkg-deb -x "$package" "$dir/unpacked"
	done
	cd "$dir"
	tar -xf "unpacked/usr/src/linux-source-$series.tar.xz"
	mv "linux-source-$series" source
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

# same_tool WHAT OPTION ACTUAL: compares the compiler in the kernel's configuration with the one here.
# Rust symbols contain the compiler's version, so a module built by a different rustc cannot be
# linked.
same_tool()
{
	local recorded
	recorded=$(sed -n "s/^$2=\"\(.*\)\"/\1/p" config | sed 's/^[^ ]* //')
	[ "$recorded" = "${3#* }" ] ||
		die "$1 differs: the kernel was built with \"$recorded\", the build root has \"${3#* }\""
}

prepare()
{
	local release=$1 dir=$KERNELS/$1 built differs
	cd "$dir"
	grep -q '^CONFIG_RUST=y' config || die "kernel $release was built without CONFIG_RUST"
	same_tool rustc CONFIG_RUSTC_VERSION_TEXT "$(rustc --version)"
	same_tool gcc CONFIG_CC_VERSION_TEXT "$(gcc --version | head -n 1)"
	rm -rf kdir
	mkdir kdir
	cp config kdir/.config
	cp Module.symvers kdir/
	make -C source O="$dir/kdir" olddefconfig
	cd kdir
	differs=$(diff <(grep '^CONFIG' ../config | grep -v _VERSION_TEXT) \
		<(grep '^CONFIG' .config | grep -v _VERSION_TEXT) | grep '^[<>]' | head -n 5 | tr '\n' ' ') || true
	[ -z "$differs" ] ||
		die "the configuration of kernel $release changes when its own source reads it: $differs"
	make -j"$(nproc)" KERNELRELEASE="$release" LOCALVERSION= modules_prepare
	built=$(cat include/config/kernel.release)
	[ "$built" = "$release" ] || die "KDIR says release $built, the image says $release"
	echo "$release" >"$dir/release"
	touch "$dir/ready"
}

"$@"
