#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of test-packages.sh that runs inside the root for Debian packages, with an overlay over it.
# usage: packages-test-in-root.sh PACKAGES RELEASE [dkms]

set -euo pipefail
packages=$1 release=$2 dkms=${3:-}

# is DESCRIPTION ACTUAL PATTERN: checks that ACTUAL matches a shell pattern.
is()
{
	case $2 in
	$3) echo "ok - $1" ;;
	*) echo "not ok - $1: $2" ;;
	esac
}

# Files outside of what apt, dpkg and dkms keep for themselves.
files()
{
	find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/cache/apt \
		-o -path /var/cache/debconf -o -path /var/log -o -path /var/cache/man -o -path "/var/lib/dkms/mok.*" \) -prune -o -print |
		grep -vE '/(modules\..*|ld\.so\.cache|aux-cache)$' | sort
}

install()
{
	apt-get install -y -qq --no-install-recommends "$@" 2>&1
}

purge()
{
	apt-get purge -y -qq "$@" 2>&1
}

# no_file_left NAME PACKAGE...: purges packages, and compares with the list that was made before.
no_file_left()
{
	local name=$1 left
	shift
	purge "$@"
	files >/tmp/after
	left=$(comm -13 /tmp/before /tmp/after | head -n 5 | xargs)
	is "$name: purge leaves no file" "$left" ""
}

export DEBIAN_FRONTEND=noninteractive
# The root has no manual pages of its packages; ours are tested.
rm -f /etc/dpkg/dpkg.cfg.d/*mmdebstrap*
apt-get update -qq
version=$(dpkg-parsechangelog -S Version -l debian/changelog)

# What the modules of the kernel bring is not ours.
install "linux-modules-$release"
files >/tmp/before
install "$packages"/iostat-{utils,dev,doc}_*.deb "$packages/iostat-modules-${release}_${version}_amd64.deb"
is "modules: modinfo finds the module" "$(modinfo -k "$release" -F vermagic iostat)" "$release *"
is "modules: modprobe finds it" "$(modprobe -S "$release" --show-depends iostat)" "insmod */updates/iostat.ko.xz*"
is "modules: at most 0.4 MB" "$(find /usr/lib/modules -name iostat.ko.xz -size -400k | wc -l)" 1
is "utils: ioscope runs" "$(ioscope --version)" "ioscope *"
is "utils: without the module" "$(ioscope 2>&1)" "*modprobe iostat*"
is "utils: the module is not loaded at boot" "$(grep -v '^#' /etc/modules-load.d/iostat.conf)" ""
is "utils: no parameter is set" "$(grep -v '^#' /etc/modprobe.d/iostat.conf)" ""
is "utils: the parameters that can be set are those of the module" \
	"$(sed -n 's/^#options iostat \([a-z_]*\)=.*/\1/p' /etc/modprobe.d/iostat.conf | sort | xargs)" \
	"$(modinfo -k "$release" -F parm iostat | cut -d: -f1 | sort | xargs)"
is "utils: the rule of udev does nothing" "$(grep -v '^#' /usr/lib/udev/rules.d/60-iostat.rules)" ""
is "utils: manual pages" "$(ls /usr/share/man/man1/ioscope{,-lat,-top}.1.gz \
	/usr/share/man/man[45]/iostat.[45].gz 2>/dev/null | wc -l)" 5
is "utils: completions" "$(ls /usr/share/bash-completion/completions/ioscope /usr/share/zsh/vendor-completions/_ioscope \
	/usr/share/fish/vendor_completions.d/ioscope.fish | wc -l)" 3
echo '#include <linux/iostat.h>
int main(void) { return IOSTAT_IOC_INFO == 0; }' >/tmp/user.c
is "dev: a program compiles" "$(gcc -Wall -Werror -o /tmp/user /tmp/user.c 2>&1 && /tmp/user && echo yes)" yes
echo '#include <linux/iostat.h>
#include <iostat.h>
int main(void) { struct iostat_map map; return iostat_map_open(&map, "/nonexistent") != -1; }' >/tmp/reader.c
is "dev: a reader of the mapped records compiles" \
	"$(gcc -Wall -Werror -o /tmp/reader /tmp/reader.c 2>&1 && /tmp/reader && echo yes)" yes
cp -r /usr/share/iostat/iostat-map /tmp # cargo writes a file beside its sources
is "dev: the reader in Rust compiles" \
	"$(cd /tmp/iostat-map && cargo build --offline --quiet 2>&1; ls target/debug/libiostat_map.rlib)" target/debug/libiostat_map.rlib
is "dev: samples, and where their headers are" \
	"$(ls /usr/share/doc/iostat-dev/examples/fake_* | wc -l) $(ls "$(sed -n 's/^ccflags-y := -I//p' /usr/share/doc/iostat-dev/examples/Kbuild)/iostat/kstat.h")" \
	"$(ls samples/fake_* | wc -l) /usr/src/iostat-headers/include/iostat/kstat.h"
is "dev: symbols for modules" "$(grep -c devstat_new_entry /usr/src/iostat-headers/Module.symvers)" 1
is "dev: pkg-config" "$(sed -n 's/^Version: //p' /usr/share/pkgconfig/iostat.pc)" "$version"
is "doc: pages" "$(ls /usr/share/doc/iostat-doc/abi.rst* /usr/share/doc/iostat-doc/README.md* | wc -l)" 2
no_file_left "packages" iostat-utils iostat-dev iostat-doc "iostat-modules-$release"
is "modules: modprobe does not find it any more" "$(modprobe -S "$release" --show-depends iostat 2>&1)" "*not found*"

# DKMS: without the headers of any kernel it builds nothing, which takes minutes.
[ -z "$dkms" ] || install "linux-headers-$release"
install dkms flex bison bc libelf-dev libssl-dev
files >/tmp/before
install "$packages"/iostat-dkms_*.deb
if [ -n "$dkms" ]; then
	is "dkms: the module is installed" "$(dkms status -k "$release")" "iostat/$version, $release, *: installed*"
	is "dkms: modinfo finds the module" "$(modinfo -k "$release" -F vermagic iostat)" "$release *"
else
	is "dkms: the source is registered" "$(dkms status)" "iostat/$version: added*"
	is "dkms: says what the kernel lacks" "$(cd "/usr/src/iostat-$version" && debian/dkms-kdir.sh "$release" 2>&1)" \
		"error: the headers of kernel $release are not installed;*"
fi
no_file_left "dkms" iostat-dkms
