#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ioscope export: a Prometheus in a root of its own scrapes two guests, a browser there shows the page of one of them, and
# the rules for Prometheus are tested. The browser's pictures are beside the logs. SCRAPE_SECONDS is how long many
# requests a second are made.

. "$(dirname "$0")/lib.sh"

passed=0 failed=0

count()
{
	grep '^not ok' "$1" | sed 's/^/  /' || true
	passed=$((passed + $(grep -c '^ok' "$1" || true)))
	failed=$((failed + $(grep -c '^not ok' "$1" || true)))
}

rules()
{
	local log=$LOGS/metrics-rules.log
	if IN_ROOT=metrics "$TOP/scripts/enter.sh" sh -euc '
		cd tools/ioscope/prometheus
		promtool check rules rules.yml
		promtool test rules rules-test.yml
		python3 -m json.tool dashboard.json /dev/null' >"$log" 2>&1; then
		passed=$((passed + 1))
	else
		echo "  not ok - rules and dashboard (log: $log)"
		failed=$((failed + 1))
	fi
}

# guest NAME PORT: a guest that does what the test says, of which its console says nothing. Each has 1 CPU, as the host may have 2.
guest()
{
	local payload=$dir/$1 base=$kernel/modules/lib/modules/$(<"$kernel/release")/kernel file
	mkdir "$payload"
	cp "$("$TOP/scripts/tools.sh")" "$modules/stripped/iostat.ko" "$TOP"/tests/guest/{lib/lib,runs/metrics}.sh "$payload"
	cp "$("$TOP/scripts/root.sh" metrics)/usr/bin/prometheus-node-exporter" "$payload/node_exporter"
	for file in net/core/failover drivers/net/net_failover drivers/net/virtio_net; do
		xz -dc "$base/$file.ko.xz" >"$payload/${file##*/}.ko"
	done
	printf 'name=%s port=%s\n. /payload/lib.sh\n. /payload/metrics.sh\n' "$1" "$control" >"$payload/run"
	"$TOP/scripts/vm.sh" --cpus 1 --memory 768 --silence 900 --forward "$2:9797" "$kernel" "$payload" >"$LOGS/metrics-$1.log" 2>&1
}

guests()
{
	local log=$LOGS/metrics-guests.log kernel modules control=$((20000 + RANDOM % 20000)) status=0 one ioscope
	kernel=$("$TOP/scripts/kernel.sh")
	modules=$("$TOP/scripts/build.sh" "$kernel")
	ioscope=$("$TOP/scripts/tools.sh")
	dir=$(mktemp -d "$IOSTAT_CACHE/metrics.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	echo "  Prometheus and two guests on $(<"$kernel/release") (log: $log)"
	guest a $((control + 1)) &
	local pids=$!
	guest b $((control + 2)) &
	pids+=" $!"
	IN_ROOT=metrics "$TOP/scripts/enter.sh" env SCRAPE_SECONDS="${SCRAPE_SECONDS:-10}" timeout 900 python3 -B tests/metrics/metrics.py "$control" $((control + 1)) $((control + 2)) \
		"/cache/${dir#"$IOSTAT_CACHE"/}" "/cache/${ioscope#"$IOSTAT_CACHE"/}" "/cache/${LOGS#"$IOSTAT_CACHE"/}" >"$log" 2>&1 || status=$?
	count "$log"
	if [ "$status" -gt 1 ] || ! grep -q ' passed, ' "$log"; then
		tail -n 3 "$log" | sed 's/^/  /'
		echo "  not ok - the test did not run to its end (status $status)"
		failed=$((failed + 1))
		kill $pids 2>/dev/null || true
	fi
	for one in $pids; do
		status=0
		wait "$one" || status=$?
		[ $status = 0 ] || {
			echo "  not ok - a guest ended with status $status (logs: $LOGS/metrics-[ab].log)"
			failed=$((failed + 1))
		}
	done
}

rules
guests
echo "metrics: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
