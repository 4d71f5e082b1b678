#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of test-system.sh that runs inside the root for Debian packages, with an overlay over it: DKMS builds the module for
# the older kernel, and again when the newer one is installed. Leaves the modules and the key that they are signed by in WORK/dkms.
# usage: system-dkms-in-root.sh WORK PACKAGES OLD OLD-VERSION NEW NEW-VERSION

set -euo pipefail
work=$1 packages=$2 old=$3 old_version=$4 new=$5 new_version=$6
. /src/tests/guest/lib/tap.sh

install()
{
	apt-get install -y -q --no-install-recommends -t trixie-backports "$@"
}

# built RELEASE: DKMS has installed a module for it, which is signed by the key of this machine.
built()
{
	is "dkms: installed for $1" "$(dkms status -k "$1" | sed 's/.*: //')" installed
	is "dkms: built for $1" "$(modinfo -k "$1" -F vermagic iostat | cut -d' ' -f1)" "$1"
	is "dkms: signed" "$(modinfo -k "$1" -F signer iostat)" "DKMS module signing key"
}

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
install "linux-image-$old=$old_version" "linux-headers-$old=$old_version" initramfs-tools
install "$packages"/iostat-dkms_*.deb
built "$old"
# The newer kernel: DKMS has its hook.
install "linux-image-$new=$new_version" "linux-headers-$new=$new_version"
built "$new"
is "dkms: and is still there for $old" "$(dkms status -k "$old" | sed 's/.*: //')" installed

rm -rf "$work/dkms"
for release in "$old" "$new"; do
	mkdir -p "$work/dkms/$release"
	cp "$(modinfo -k "$release" -n iostat)" "$work/dkms/$release"
done
cp /var/lib/dkms/mok.pub "$work/dkms"
openssl x509 -inform DER -in /var/lib/dkms/mok.pub -out "$work/dkms/mok.pem"
apt-get purge -y -q iostat-dkms
is "dkms: purge" "$(dkms status; find /var/lib/dkms /usr/lib/modules /usr/src -name '*iostat*' ! -name nfs_iostat.h)" ""
finish
