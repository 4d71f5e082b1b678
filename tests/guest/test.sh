# SPDX-License-Identifier: GPL-2.0
# All guest tests of exact numbers, on the stock kernel.

. /payload/tap.sh
. /payload/balance.sh
dmesg -n 3

for part in ${PARTS:-load request bio flush requeue devices churn interfaces latency events recount parameters storm leaks}; do
	echo "# $part"
	. "/payload/test-$part.sh"
done
finish
