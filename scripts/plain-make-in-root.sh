#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs make, modules_install with all its options, and clean, in a tree read as an archive from standard
# input. Prints what is wrong; make's output goes to standard error. clippy is the compiler, here and for the samples
# and the modules of the tests: it builds what rustc builds, and a build of its own takes as long as this one. Runs
# inside the build root.
# usage: plain-make-in-root.sh KDIR

set -euo pipefail
kdir=$1

# has_debug_sections FILE. No pipe: grep -q ends at its first match, and readelf would fail by SIGPIPE.
has_debug_sections()
{
	local headers
	headers=$(readelf -SW "$1")
	grep -qF .debug_ <<<"$headers"
}

# install_to DIR [MAKE ARGUMENT...]: installs the module, unpacks it and sets $module.
install_to()
{
	local dir=/tmp/$1
	shift
	make KDIR="$kdir" INSTALL_MOD_PATH="$dir" DEPMOD=true "$@" modules_install >&2
	find "$dir" -name 'iostat.ko.gz' -exec gzip -d {} +
	find "$dir" -name 'iostat.ko.xz' -exec xz -d {} +
	find "$dir" -name 'iostat.ko.zst' -exec zstd -q --rm -d {} +
	module=$(find "$dir" -name iostat.ko)
	[ -n "$module" ] || { echo "modules_install $* installs no iostat.ko"; exit; }
}

# Prints a module's sections except those of debug information.
sections()
{
	readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] \([._a-z][^ ]*\) .*/\1/p' |
		grep -vE '^\.(rela?\.)?debug|^\.(symtab|strtab|shstrtab)$' | sort
}

mkdir /tmp/copy
tar -C /tmp/copy -xf -
cd /tmp/copy
make -j"$(nproc)" KDIR="$kdir" CLIPPY=1 >&2
for clients in samples tests/modules; do
	make -j"$(nproc)" -C "$kdir" M="$PWD/$clients" KBUILD_EXTRA_SYMBOLS="$PWD/Module.symvers" CLIPPY=1 modules >&2
	make -C "$kdir" M="$PWD/$clients" clean >&2
done

install_to stripped
! has_debug_sections "$module" || echo "the module is installed with debug information"
size=$(stat -c %s "$module")
[ "$size" -lt 2000000 ] || echo "the installed module has $size bytes"
diff <(sections iostat.ko) <(sections "$module") || echo "modules_install loses these sections"

install_to whole INSTALL_MOD_STRIP=
has_debug_sections "$module" || echo "INSTALL_MOD_STRIP= does not keep debug information"

# The same tree with a key where the kernel's build has one.
cp -as "$kdir" /tmp/kdir
sed "s|$kdir|/tmp/kdir|" "$kdir/Makefile" >/tmp/Makefile
mv /tmp/Makefile /tmp/kdir/
kdir=/tmp/kdir
mkdir -p "$kdir/certs"
openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -outform DER \
	-keyout "$kdir/certs/signing_key.pem" -out "$kdir/certs/signing_key.x509" 2>/dev/null
for compression in GZIP XZ ZSTD; do
	off=(CONFIG_MODULE_COMPRESS_GZIP= CONFIG_MODULE_COMPRESS_XZ= CONFIG_MODULE_COMPRESS_ZSTD=)
	install_to "$compression" "${off[@]}" CONFIG_MODULE_COMPRESS_ALL=y "CONFIG_MODULE_COMPRESS_$compression=y"
	tail -c 28 "$module" | grep -q '^~Module signature appended~$' ||
		echo "the module compressed by $compression is not signed"
done

# checked SERIES: what is said of a kernel of this series.
checked()
{
	echo "$1.1" >/tmp/other/include/config/kernel.release
	scripts/check-kdir.sh /tmp/other install 2>&1 | sed 's/,.*//; s/;.*//'
}
mkdir -p /tmp/other/{include/config,rust}
echo CONFIG_RUST=y >/tmp/other/include/config/auto.conf
touch /tmp/other/{Makefile,Module.symvers,rust/libkernel.rmeta}
[ "$(checked 6.18)" = "error: Linux 6.18 of /tmp/other is not supported" ] || echo "a kernel that is too old is not refused"
[ "$(checked 99.1)" = "warning: iostat has not been tried on Linux 99.1" ] || echo "no warning of a kernel that has not been tried"
[ -z "$(checked "$(cut -d. -f1,2 "$kdir/include/config/kernel.release")")" ] || echo "something is said of a supported kernel"

make KDIR="$kdir" clean >&2
left=$(find . -name '*.ko' -o -name '*.o' -o -name '*.names')
[ -z "$left" ] || echo "make clean leaves" $left
