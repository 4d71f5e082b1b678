#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of test-kdir.sh that runs inside the build root, with an overlay over it: installs the headers of a
# kernel, and builds and installs the module as a user without privilege and root do.
# usage: kdir-test-in-root.sh RELEASE

set -euo pipefail
release=$1
home=/home/admin

# is DESCRIPTION ACTUAL PATTERN: checks that ACTUAL matches a shell pattern.
is()
{
	case $2 in
	$3) echo "ok - $1" ;;
	*) echo "not ok - $1: $2" ;;
	esac
}

# as_user COMMAND: the environment of a login, without that of the build root.
as_user()
{
	env -i PATH=/usr/bin:/bin LANG=C.UTF-8 HOME=$home $(env | grep -E '^(https?|no)_proxy=' || true) \
		setpriv --reuid admin --regid admin --init-groups bash -c "cd $home/iostat && $1" 2>&1
}

# The last line but those of make itself.
last()
{
	grep -v '^make' | tail -n 1
}

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
useradd -m admin
mkdir $home/iostat
tar -C /src -c --exclude=.git . | tar -C $home/iostat -x
chown -R admin: $home

# Of the kernel: the root has the rustc that built it.
built_by=$(rustc --version)
is "kdir: no headers" "$(as_user "make kdir KRELEASE=$release" | last)" \
	"error: the headers of kernel $release are not installed; *apt install linux-headers-$release)"
apt-get install -y -qq --no-install-recommends "linux-headers-$release"
is "make: names make kdir" "$(as_user "make KRELEASE=$release" | last)" "error: * has no built rust/ directory *; run 'make kdir'*"
# A rustc of trixie-backports, which is newer than the one that built the kernel.
apt-get install -y -qq --no-install-recommends -t trixie-backports rustc libstd-rust-dev rust-src
newer=$(rustc --version)
if [ "$newer" = "$built_by" ]; then
	echo "# trixie-backports has no other rustc"
else
	said=$(as_user "make kdir KRELEASE=$release" | last) || true
	is "kdir: another rustc" "$said" \
		"error: that kernel was built by \"$built_by\", this machine has \"$newer\"; run: apt install *"
	# What it says is enough.
	apt-get install -y -qq --no-install-recommends --allow-downgrades ${said##*apt install }
	is "kdir: the rustc that it has named" "$(rustc --version)" "$built_by"
fi
as_user "make kdir KRELEASE=$release" | tee /tmp/kdir.out
is "kdir: says what it takes" "$(head -n 1 /tmp/kdir.out)" "kernel $release: * MB to download, * about * minutes"
is "kdir: prepared" "$(last </tmp/kdir.out)" "* is prepared; run make"
is "kdir: a second time" "$(as_user "make kdir KRELEASE=$release" | last)" "* is prepared; run make"
printf '#!/bin/sh\necho "rustc 1.0.0 (no date)"\n' >/tmp/rustc
chmod +x /tmp/rustc
is "make: another rustc" "$(as_user "make RUSTC=/tmp/rustc KRELEASE=$release" | last)" \
	"error: that kernel was built by \"$built_by\", this machine has \"rustc 1.0.0 (no date)\"; run: apt install * rustc=*"
is "make: no rustc" "$(as_user "make RUSTC=/nowhere/rustc KRELEASE=$release" | last)" \
	"error: that kernel was built by \"$built_by\", this machine has no rustc; run: apt install *"
size=$(du -sm $home/.cache/iostat/kdir | cut -f1)
[ "$size" -le 400 ] && echo "ok - kdir: at most 0.4 GB" || echo "not ok - kdir: takes $size MB"
as_user "make KRELEASE=$release" | tail -n 5
# By sudo, then by su, after which the owner of the files is the only trace of the user. Root may have no rustc.
as_root()
{
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
}
as_root SUDO_USER=admin make -C $home/iostat install KRELEASE="$release"
is "install: by sudo" "$(modinfo -k "$release" -F vermagic iostat)" "$release *"
rm /lib/modules/"$release"/updates/iostat.ko*
as_root make -C $home/iostat install KRELEASE="$release" RUSTC=/nowhere/rustc
is "install: modinfo finds the module" "$(modinfo -k "$release" -F vermagic iostat)" "$release *"
is "install: modprobe finds it" "$(modprobe -S "$release" --show-depends iostat)" "insmod */updates/iostat.ko.xz*"
