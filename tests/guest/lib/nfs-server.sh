# SPDX-License-Identifier: GPL-2.0
# An NFS server in the guest, and mounts of it over loopback. Sourced. There is no mountd: the
# export is written into the server's caches that mountd would fill.

# nfs_server_start DIR: exports DIR as the root of NFSv4.
nfs_server_start()
{
	local rpc=/proc/net/rpc never=2147483647
	ip link set lo up
	modprobe nfsd && mount -t nfsd nfsd /proc/fs/nfsd || return 1
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	echo "-3 +4 +4.1 +4.2" >/proc/fs/nfsd/versions
	# Class, address, expiry, domain.
	echo "nfsd 127.0.0.1 $never guest" >$rpc/auth.unix.ip/channel
	# Domain, path, expiry, flags (FSID, NOSUBTREECHECK, INSECURE_PORT), anonymous ids, fsid.
	echo "guest $1 $never $((0x2402)) 65534 65534 0" >$rpc/nfsd.export/channel
	# Domain, type (a number), the number, expiry, path.
	printf 'guest 1 \\x00000000 %s %s\n' $never "$1" >$rpc/nfsd.fh/channel
	echo "tcp 2049" >/proc/fs/nfsd/portlist
	echo 4 >/proc/fs/nfsd/threads
}

nfs_server_stop()
{
	echo 0 >/proc/fs/nfsd/threads
}

# nfs_mount DIR [OPTIONS]
nfs_mount()
{
	mount -i -t nfs4 -o "addr=127.0.0.1,clientaddr=127.0.0.1,vers=4.2,sec=sys,rsize=65536,wsize=65536${2:+,$2}" \
		127.0.0.1:/ "$1"
}
