# SPDX-License-Identifier: GPL-2.0
# A guest that does what the host says, by a connection to its port $port: runs each line as a command, and replies
# with the status, the length of the output, and the output. Run by scripts/test-metrics.sh.

for module in failover net_failover virtio_net; do
	insmod "/payload/$module.ko"
done
for link in lo eth0; do
	ip link set "$link" up
done
ip address add 10.0.2.15/24 dev eth0
PATH=/payload:$PATH

# Lengths are in bytes.
export LC_ALL=C
exec 3<>"/dev/tcp/10.0.2.2/$port" || exit
echo "$name" >&3
while read -ru 3 line && [ "$line" != exit ]; do
	eval "$line" >/tmp/reply 2>&1 3>&-
	printf '%s %s\n' $? "$(stat -c %s /tmp/reply)" >&3
	cat /tmp/reply >&3
done
