#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prepares the tree that iostat.ko is built in, if the headers of the kernel are not enough: those of Debian have no
# rust/ directory. Takes the configuration from the headers, and the source of exactly that version from the
# distribution. Needs no privilege. usage: kdir.sh RELEASE

. "$(dirname "$0")/lib.sh"

release=$1
headers=/lib/modules/$release/build
dir=$IOSTAT_CACHE/kdir/$release

# What building needs, and which package of Debian has it.
needed()
{
	local tool sysroot
	for tool in make:make gcc:gcc flex:flex bison:bison bc:bc perl:perl xz:xz-utils pahole:pahole \
		bindgen:bindgen "${RUSTC:-rustc}:rustc" dpkg-deb:dpkg; do
		command -v "${tool%%:*}" >/dev/null || echo "${tool#*:}"
	done
	sysroot=$(${RUSTC:-rustc} --print sysroot 2>/dev/null) &&
		[ ! -e "$sysroot/lib/rustlib/src/rust/library/core/src/lib.rs" ] && echo rust-src
	[ -e /usr/include/gelf.h ] || echo libelf-dev
	[ -e /usr/include/openssl/ssl.h ] || echo libssl-dev
}

unpack()
{
	local deb
	rm -rf "$dir/unpacked" "$dir/source"
	for deb in "$dir"/*.deb; do
		dpkg-deb -x "$deb" "$dir/unpacked"
	done
	mkdir "$dir/source"
	tar -C "$dir/source" --strip-components=1 -xf "$dir"/unpacked/usr/src/linux-source-*.tar.xz
	rm -rf "$dir/unpacked" "$dir"/*.deb
}

# Removes what building modules does not need: 1.8 GB become 0.1. Kconfig has read files of all directories by now.
prune()
{
	local arch
	cd "$dir/source"
	arch=$(cd "$dir/kdir/arch" && echo *)
	find . -mindepth 1 -maxdepth 1 -type d ! -name arch ! -name include ! -name lib ! -name rust \
		! -name scripts ! -name tools -exec rm -r {} +
	find arch -mindepth 1 -maxdepth 1 -type d ! -name "$arch" -exec rm -r {} +
	rm -rf tools/testing tools/perf
}

[ -n "$release" ] || die "give the release of a kernel: make kdir KRELEASE=..."
[ -e "$headers/.config" ] ||
	die "the headers of kernel $release are not installed; install them (Debian: apt install linux-headers-$release)"
grep -q '^CONFIG_RUST=y' "$headers/.config" ||
	die "kernel $release was built without CONFIG_RUST: iostat does not work there (Debian: use a kernel of trixie-backports)"
if [ -e "$headers/rust/libkernel.rmeta" ]; then
	echo "the headers of kernel $release are complete; run make"
	exit
fi
if [ -e "$dir/kdir/ready" ] && cmp -s "$headers/.config" "$dir/config"; then
	echo "$dir/kdir is prepared; run make"
	exit
fi

command -v apt-get >/dev/null && package=$(dpkg-query -S "$(realpath "$headers/.config")" 2>/dev/null | cut -d: -f1) ||
	die "the headers of kernel $release have no rust/ directory, and this distribution is not supported here: unpack the source of exactly this version and run scripts/prepare-kdir.sh"
! apt-cache show "linux-lib-rust-$release" >/dev/null 2>&1 ||
	die "the rust/ directory of kernel $release is in a package of its own: apt install linux-lib-rust-$release"
version=$(dpkg-query -W -f '${Version}' "$package")
source=linux-source-$(echo "$version" | cut -d. -f1,2)
missing=$(needed | xargs)
[ -z "$missing" ] || die "tools are missing; run: apt install $missing"
"$TOP/scripts/check-rustc.sh" "$headers/.config"
# rustc is of that version: so must be the source of its library, which is a package of its own.
source_of_core=$(realpath "$(${RUSTC:-rustc} --print sysroot)/lib/rustlib/src/rust")
number=$(${RUSTC:-rustc} --version | cut -d' ' -f2)
[[ ! "$source_of_core" =~ /rustc-([0-9.]+) ]] || [ "${BASH_REMATCH[1]}" = "$number" ] ||
	die "the package rust-src is of rustc ${BASH_REMATCH[1]}, and rustc is $number; install both in one version"

mkdir -p "$dir"
bytes=$(cd "$dir" && apt-get download --print-uris "$source=$version" 2>/dev/null | awk '{ print $3 }')
[ -n "$bytes" ] ||
	die "apt does not find $source $version, the source of the installed headers; run apt update, and apt upgrade if there is a newer kernel"
echo "kernel $release: $((bytes / 1000000)) MB to download, 2.5 GB on disk meanwhile and 0.4 GB afterwards, about 5 minutes"
need_space "$dir" 2500
download()
{
	cd "$dir" && rm -f ./*.deb && apt-get download -o APT::Sandbox::User="$(id -un)" "$source=$version"
}
cp "$headers/.config" "$dir/config"
step "source of kernel $release: download" "60 s" download
step "source of kernel $release: unpack" "30 s" unpack
step "tree for kernel $release: prepare" "200 s" \
	"$TOP/scripts/prepare-kdir.sh" "$dir/source" "$dir/config" "$headers/Module.symvers" "$release" "$dir/kdir"
step "source of kernel $release: remove what modules do not need" "5 s" prune
echo "$dir/kdir is prepared; run make"
