# SPDX-License-Identifier: GPL-2.0
"""A real Prometheus scrapes two guests under known loads. What it says is compared with what ioscope and fio say in
the guests; and so is the page, in a browser.
usage: metrics.py CONTROL-PORT PORT-OF-A PORT-OF-B DIRECTORY IOSCOPE DIRECTORY-FOR-PICTURES"""

import base64
import json
import math
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import loads
import page

CONTROL, PORT_A, PORT_B = map(int, sys.argv[1:4])
DIRECTORY = pathlib.Path(sys.argv[4])
IOSCOPE, SHOTS = sys.argv[5:7]
PORTS = {"a": PORT_A, "b": PORT_B}
# Prometheus' own, in a name space of ports that the guests' forwards leave free.
PROMETHEUS = PORT_B + 1
PROTOBUF = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"


class Tests:
    """Counted assertions."""
    passed = failed = 0

    def holds(self, name, condition, why=""):
        if condition:
            self.passed += 1
            print(f"ok - {name}", flush=True)
        else:
            self.failed += 1
            print(f"not ok - {name}: {why}", flush=True)

    def same(self, name, got, want):
        self.holds(name, got == want, f"got {got!r}, want {want!r}")

    def near(self, name, got, want, part):
        self.holds(f"{name} ({got}, {want})", got is not None and abs(got - want) <= part * abs(want),
                   f"not within {part:.0%}")


T = Tests()


def timed(part, *arguments):
    """Runs a part of the test and prints how long it took."""
    begin = time.monotonic()
    result = part(*arguments)
    print(f"# {part.__module__.removeprefix('__main__')}{'.' if part.__module__ != '__main__' else ''}{part.__name__}: "
          f"{time.monotonic() - begin:.1f} s", flush=True)
    return result


class Guest:
    """A guest that runs what it is sent: see tests/guest/runs/metrics.sh."""

    def __init__(self, connection):
        self.stream = connection.makefile("rwb")
        self.name = self.stream.readline().decode().strip()

    def start(self, command):
        self.stream.write(command.encode("utf-8", "surrogateescape") + b"\n")
        self.stream.flush()

    def finish(self):
        status, length = map(int, self.stream.readline().split())
        return status, self.stream.read(length).decode("utf-8", "replace")

    def run(self, command, may_fail=False):
        self.start(command)
        status, output = self.finish()
        if status and not may_fail:
            sys.exit(f"{self.name}: {command}: status {status}: {output}")
        return output

    def bash(self, script):
        """A script of several lines."""
        return self.run(f"eval \"$(base64 -d <<<{base64.b64encode(script.encode()).decode()})\"")

    def devices(self):
        """What ioscope says of each device, by name."""
        reports = json.loads(self.run("ioscope show -o json"))
        return {report["device"]: report for report in reports}


def scrape(guest, accept="text/plain", timeout=60):
    request = urllib.request.Request(f"http://127.0.0.1:{PORTS[guest]}/metrics", headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return response.headers["Content-Type"], response.read()


def samples(text):
    """Numbers by what is before them on a line."""
    lines = (line.rsplit(" ", 1) for line in text.decode().split("\n") if line and not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def query(expression, at=None):
    parameters = {"query": expression, **({"time": at} if at else {})}
    url = f"http://127.0.0.1:{PROMETHEUS}/api/v1/query?" + urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)["data"]["result"]


def value(expression, at=None):
    result = query(expression, at)
    return float(result[0]["value"][1]) if len(result) == 1 else None


def wait(name, condition, seconds=90):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if condition():
                return True
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(0.5)
    T.holds(name, False, f"not within {seconds} s")
    return False


def settled(guest):
    """Waits until Prometheus has what the guest has counted. Devices are idle meanwhile."""
    # A scrape that began before would have older numbers.
    begin = time.time()
    wait("scrapes go on", lambda: float(query(f'timestamp(iostat_up{{instance="{guest}"}})')[0]["value"][1]) > begin + 0.5)


def start_prometheus():
    configuration = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "5s"},
        "rule_files": ["/src/tools/ioscope/prometheus/rules.yml"],
        "scrape_configs": [{
            "job_name": "iostat",
            "scrape_classic_histograms": True,
            "static_configs": [{"targets": [f"127.0.0.1:{port}"], "labels": {"instance": name}}
                               for name, port in PORTS.items()],
        }],
    }
    path = DIRECTORY / "prometheus.yml"
    # JSON is YAML too.
    path.write_text(json.dumps(configuration))
    return subprocess.Popen(
        ["prometheus", f"--config.file={path}", f"--storage.tsdb.path={DIRECTORY}/data",
         f"--web.listen-address=127.0.0.1:{PROMETHEUS}", "--enable-feature=native-histograms", "--log.level=warn"],
        stdout=(DIRECTORY / "prometheus.log").open("w"), stderr=subprocess.STDOUT)


def promtool_metrics(name, text):
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    said = (checked.stdout + checked.stderr).decode()
    T.holds(name, checked.returncode == 0 and said == "", said[:300])


def without_module(guest):
    kind, text = scrape("a")
    T.same("without the module: one metric", samples(text), {"iostat_up": 0.0})
    T.same("without the module: the form", kind, "text/plain; version=0.0.4; charset=utf-8")
    T.holds("without the module: Prometheus sees it",
            wait("iostat_up is 0", lambda: value('iostat_up{instance="a"}') == 0))
    T.same("without the module: nothing is open", guest.run("lsof 2>/dev/null | grep -c /dev/iostat", may_fail=True), "0\n")


def bucket_counts(result):
    """Of a native histogram from the API: the count by upper bound, in whole ns."""
    # Half a ns is rounded up, as the module's bounds are.
    return {math.floor(float(upper) * 1e9 + 0.5): float(count)
            for _, _, upper, count in result["histogram"][1].get("buckets", [])}


def rates(series, begin):
    """The least and the highest rate that the samples since then allow, as a load begins and ends between two of them.
    On a busy host, some scrapes time out."""
    taken = [(at, float(count)) for at, count in query(f"{series}[{math.ceil(time.time() - begin)}s]")[0]["values"]]
    first, last = taken[0][1], taken[-1][1]
    before, ended = max(at for at, count in taken if count == first), min(at for at, count in taken if count == last)
    begun, during = min(at for at, count in taken if count > first), max(at for at, count in taken if count < last)
    return (last - first) / (ended - before), (last - first) / max(during - begun, 1e-9)


def under_load(a, b):
    """Random reads of both guests, each at a rate of its own."""
    for name in PORTS:
        settled(name)
    begin = time.time() - 2
    loads = {"a": (a, 100, 4000000), "b": (b, 60, 8000000)}
    before = {name: guest.devices()["nullb0"]["read"]["ops"] for name, (guest, _, _) in loads.items()}
    for guest, rate, _ in loads.values():
        guest.start(f"fio --name=job --filename=/dev/nullb0 --rw=randread --bs=4k --direct=1 --ioengine=psync "
                    f"--rate_iops={rate} --runtime=25 --time_based --output-format=json --output=/tmp/fio.json")
    for guest, _, _ in loads.values():
        status, output = guest.finish()
        T.holds(f"{guest.name}: fio ends", status == 0, output)
    for name, (guest, _, service_ns) in loads.items():
        settled(name)
        fio = json.loads(guest.run("cat /tmp/fio.json"))["jobs"][0]["read"]
        ioscope = guest.devices()["nullb0"]["read"]
        labels = f'instance="{name}",device="nullb0",operation="read"'
        T.same(f"{name}: operations are fio's", ioscope["ops"] - before[name], fio["total_ios"])
        T.same(f"{name}: operations are ioscope's", value(f"iostat_operations_total{{{labels}}}"), float(ioscope["ops"]))
        T.same(f"{name}: bytes are ioscope's", value(f"iostat_bytes_total{{{labels}}}"), float(ioscope["bytes"]))
        least, most = rates(f"iostat_operations_total{{{labels}}}", begin)
        # A sample has the time at which its scrape begins, and one that lasts a second fails.
        T.holds(f"{name}: the rate is fio's ({least}, {fio['iops']}, {most})", 0.9 * least <= fio["iops"] <= 1.1 * most)
        T.near(f"{name}: durations are ioscope's", value(f"iostat_duration_seconds_total{{{labels}}}"),
               ioscope["duration_ns"] / 1e9, 1e-12)
        for phase in ["wait", "service", "total"]:
            histogram = query(f'iostat_latency_seconds{{{labels},phase="{phase}"}}')[0]
            counts = {bound: float(count) for bound, count in ioscope["latency_ns"][phase]["buckets"]}
            zero = counts.pop(238, 0.0)
            got = bucket_counts(histogram)
            # The zero bucket's bound is the module's first: 2^-22 s.
            T.same(f"{name}: native histogram, {phase}: the zero bucket", got.pop(round(2**-22 * 1e9), 0.0), zero)
            T.same(f"{name}: native histogram, {phase}: each bucket", got, counts)
            T.same(f"{name}: native histogram, {phase}: its count", float(histogram["histogram"][1]["count"]),
                   float(ioscope["ops"]))
            classic = {round(float(r["metric"]["le"]) * 1e9): float(r["value"][1]) for r in
                       query(f'iostat_latency_seconds_bucket{{{labels},phase="{phase}",le!="+Inf"}}')}
            sums = {bound: sum(count for upper, count in {**counts, 238: zero}.items() if upper <= bound) for bound in classic}
            T.holds(f"{name}: classic histogram, {phase}: each bucket", classic == sums and len(classic) == (109 if name == "a" else 14),
                    f"{len(classic)} {classic} {sums}")
        quantiles = fio["clat_ns"]["percentile"]
        for percent, key in [(0.5, "50.000000"), (0.99, "99.000000")]:
            native = value(f'histogram_quantile({percent}, increase(iostat_latency_seconds{{{labels},phase="total"}}[40s]))')
            # fio's end when it runs again, which takes longer on a busy host: seen in the highest ones.
            late = 0.5 if percent < 0.9 else 4
            T.holds(f"{name}: {percent} quantile is fio's ({native} s, {quantiles[key]} ns)", native is not None and
                    -late <= math.log2(native / (quantiles[key] / 1e9)) <= 0.5, "by more than two buckets")
        half = value(f'histogram_quantile(0.5, iostat_latency_seconds{{{labels},phase="total"}})')
        classic = value(f'histogram_quantile(0.5, iostat_latency_seconds_bucket{{{labels},phase="total"}})')
        T.holds(f"{name}: the median is at least the disk's time ({half} s)", half * 2**0.25 >= service_ns / 1e9)
        part = 0.19 if name == "a" else 3.0
        T.near(f"{name}: classic and native median agree", classic, half, part)
    sums = sum(guest.devices()["nullb0"]["read"]["ops"] for guest in (a, b))
    T.same("the sum over both machines", value('sum(iostat_operations_total{device="nullb0",operation="read"})'), float(sums))
    # Accounts by cgroup were switched on before it: here all are of the root.
    labels = 'instance="a",device="nullb0",operation="read",cgroup="/"'
    reads = float(a.devices()["nullb0"]["read"]["ops"] - before["a"])
    T.same("a cgroup's operations", value(f"iostat_cgroup_operations_total{{{labels}}}"), reads)
    T.same("a cgroup's bytes", value(f"iostat_cgroup_bytes_total{{{labels}}}"), 4096 * reads)
    T.same("a cgroup's times", float(query(f"iostat_cgroup_latency_seconds{{{labels}}}")[0]["histogram"][1]["count"]), reads)
    T.same("without --cgroups there are none", query('iostat_cgroup_operations_total{instance="b"}'), [])
    histogram = query('sum(iostat_latency_seconds{device="nullb0",operation="read",phase="total"})')[0]
    T.same("the sum of both histograms", float(histogram["histogram"][1]["count"]), float(sums))
    busy = value(f'rate(iostat_busy_seconds_total{{instance="a",device="nullb0"}}[{math.ceil(time.time() - begin)}s])')
    T.holds(f"utilisation is a share ({busy})", 0.3 < busy <= 1.001)


def sizes_of_ios(a):
    """I/Os of several sizes are in the buckets that begin with these sizes."""
    labels = 'instance="a",device="sized",operation="{}"'

    def counts(operation):
        """By the smallest size of a bucket."""
        these = labels.format(operation)
        found = {int(float(one["metric"]["le"])): int(one["value"][1]) for one in
                 query(f'iostat_size_bytes_bucket{{{these},le!="+Inf"}}')}
        bounds, found = sorted(found), {-1: 0, **found}
        return {low + 1: found[bound] - found[low] for low, bound in zip([-1, *bounds], bounds)}

    a.run("make_null_blk_disk sized irqmode=0 size=64")
    settled("a")
    before = {operation: counts(operation) for operation in ("read", "write")}
    loads = [("read", "4k", 40), ("read", "8k", 30), ("read", "12k", 20), ("write", "512", 7), ("write", "64k", 10), ("write", "124k", 5)]
    a.run("fio --output=/tmp/fio.txt --filename=/dev/sized --size=32m --direct=1 --ioengine=psync " +
          " ".join(f"--name=j{number} --rw=rand{rw} --bs={bs} --number_ios={ios}" for number, (rw, bs, ios) in enumerate(loads)))
    settled("a")
    for operation, want in [("read", {4096: 40, 8192: 50}), ("write", {0: 7, 65536: 15})]:
        after = counts(operation)
        T.same(f"sizes: {operation}s by bucket", {low: after[low] - count for low, count in before[operation].items() if after[low] != count}, want)
        these = labels.format(operation)
        T.same(f"sizes: {operation}s: as many as completed", value(f'iostat_size_bytes_bucket{{{these},le="+Inf"}}'), value(f"iostat_operations_total{{{these}}}"))
        T.same(f"sizes: {operation}s: their sum", value(f"iostat_size_bytes_sum{{{these}}}"), value(f"iostat_bytes_total{{{these}}}"))
    T.same("sizes: all bounds, and some", [len(query(f'iostat_size_bytes_bucket{{instance="{name}",device="nullb0",operation="read"}}')) for name in PORTS], [23, 13])
    T.same("sizes: none of what is neither read, written nor discarded", query('iostat_size_bytes_count{operation="other"}'), [])
    a.run("remove_null_blk_disk sized")


def slow_and_stalled(a):
    """An I/O that takes six seconds, while it is in flight and afterwards."""
    labels = '{instance="a",device="slug"}'
    oldest = 'iostat_oldest_in_flight_seconds{device="slug"}'
    a.run("make_null_blk_disk slug irqmode=2 completion_nsec=6000000000 size=64")
    settled("a")
    T.same("the threshold of slow I/Os", value('iostat_slow_threshold_seconds{instance="a"}'),
           int(a.run("cat /sys/class/misc/iostat/slow_threshold_ns")) / 1e9)
    # The kernel has read it when it came, to look for partitions.
    slow = value(f"iostat_slow_total{labels}")
    T.same("nothing is in flight: no age", value(f"iostat_oldest_in_flight_seconds{labels}"), 0.0)
    a.run("dd if=/dev/slug of=/dev/null bs=4k count=1 iflag=direct status=none & reader=$!")
    T.holds("Prometheus sees a stall", wait("a stall", lambda: value(f"iostat_oldest_in_flight_seconds{labels}") > 0.5, 20))
    before = samples(scrape("a")[1])[oldest]
    between = [one["oldest_age_ns"] / 1e9 for one in json.loads(a.run("ioscope inflight -s -o json slug"))]
    # Older than what requests share.
    time.sleep(0.1)
    after = samples(scrape("a")[1])[oldest]
    T.holds(f"the age of the oldest I/O is ioscope's ({before}, {between}, {after})", len(between) == 1 and 0 < before < between[0] < after)
    a.run("wait $reader")
    settled("a")
    listed = json.loads(a.run("ioscope slow -o json slug"))
    T.same("slow I/Os are ioscope's", (value(f"iostat_slow_total{labels}"), len(listed)), (slow + 1, slow + 1))
    T.same("its end: no age", value(f"iostat_oldest_in_flight_seconds{labels}"), 0.0)
    T.same("no slow I/O was replaced or dropped", [value(f"iostat_slow_{what}_total{labels}") for what in ("replaced", "dropped")], [0.0, 0.0])
    T.same("those who may not write to /dev/iostat have ages and the threshold, and no events", a.bash(
        "chmod 444 /dev/iostat\nsetpriv --reuid=65534 --clear-groups ioscope export --textfile - >/tmp/metrics\nchmod 666 /dev/iostat\n"
        "grep -c ^iostat_errors_total /tmp/metrics\n"
        "grep -e '^iostat_oldest_in_flight_seconds{device=\"slug\"}' -e ^iostat_slow_threshold_seconds /tmp/metrics"),
        "0\niostat_oldest_in_flight_seconds{device=\"slug\"} 0\niostat_slow_threshold_seconds 0.5\n")


def rules_and_dashboard():
    for rule in ["device:iostat_utilization:rate5m", "device:iostat_wait_share:rate5m",
                 "device_operation:iostat_latency_seconds:mean_rate5m",
                 "device_operation_phase:iostat_latency_seconds:p99_rate5m"]:
        T.holds(f"rule {rule} has values", query(rule + '{device="nullb0"}'))
    dashboard = json.loads(pathlib.Path("/src/tools/ioscope/prometheus/dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"].replace("$instance", ".*").replace("$device", ".*")
            found = query(expression.replace("$__rate_interval", "1m"))
            # Nothing fails here, and nothing is discarded.
            T.holds(f"dashboard, {panel['title']}: {expression}", found or "iostat_errors" in expression or
                    "iostat_timeouts" in expression or "iostat_events" in expression or '"write"' in expression, found)


def a_device_leaves(b):
    b.run("fio --name=job --filename=/dev/nullb1 --rw=write --bs=4k --direct=1 --ioengine=psync --io_size=2m --output=/tmp/fio.txt")
    settled("b")
    labels = '{instance="b",device="nullb1",operation="write"}'
    before = value(f"iostat_operations_total{labels}")
    created = samples(scrape("b", "application/openmetrics-text;version=1.0.0")[1])['iostat_merged_created{device="nullb1"}']
    again = samples(scrape("b", "application/openmetrics-text;version=1.0.0")[1])['iostat_merged_created{device="nullb1"}']
    T.same("creation stays what it was", again, created)
    T.holds("creation is a time of today", abs(created - float(b.run("date +%s"))) < 3600, created)
    b.run("remove_null_blk_disk nullb1")
    T.holds("a device that left has no metrics", wait("nullb1 leaves", lambda: not query(f"iostat_operations_total{labels}")))
    b.run("make_null_blk_disk nullb1 irqmode=0")
    b.run("fio --name=job --filename=/dev/nullb1 --rw=write --bs=4k --direct=1 --ioengine=psync --io_size=1m --output=/tmp/fio.txt")
    settled("b")
    after = value(f"iostat_operations_total{labels}")
    T.same("counts before and after", (before, after), (512.0, 256.0))
    later = samples(scrape("b", "application/openmetrics-text;version=1.0.0")[1])['iostat_merged_created{device="nullb1"}']
    T.holds("a device that came back was created later", later > created, f"{later} {created}")
    growth = value(f"max_over_time(rate(iostat_operations_total{labels}[5s])[60s:1s])")
    T.holds(f"no spike ({growth}/s)", growth is not None and growth * 5 <= 2 * 512)


def odd_names(b):
    b.bash('odd=$\'a b\\n"\\\\\\xff\'\nmake_null_blk_disk "$odd" size=64 irqmode=0')
    # Older than what requests share.
    time.sleep(0.2)
    text = scrape("b")[1]
    name = r'a\\040b\\012\"\\134\\377'
    T.holds("an odd name is escaped", f'iostat_merged_total{{device="{name}"}} 0\n' in text.decode(),
            [line for line in text.decode().split("\n") if "merged" in line])
    settled("b")
    T.same("an odd name: Prometheus has it", [r["metric"]["device"] for r in query('iostat_merged_total{device=~"a.*"}')],
           [r'a\040b\012"\134\377'])
    promtool_metrics("promtool has nothing to say: text", text)
    b.bash('remove_null_blk_disk "$odd"')


def unload(a):
    # A scrape that takes its sample holds the module for that time.
    gone = a.run("for try in {1..20}; do rmmod iostat && break; sleep 0.1; done 2>/tmp/rmmod.log; [ -c /dev/iostat ] || echo gone", True)
    T.same("the module can be unloaded under the exporter", gone, "gone\n")
    T.holds("unloaded: iostat_up is 0", wait("iostat_up is 0", lambda: value('iostat_up{instance="a"}') == 0))
    T.same("unloaded: nothing else", query('iostat_operations_total{instance="a"}'), [])
    a.run("load_module")
    T.holds("loaded again: metrics are back", wait("metrics are back", lambda: query('iostat_operations_total{instance="a"}')))
    a.run("dd if=/dev/nullb0 of=/dev/null bs=4k count=20 iflag=direct")
    settled("a")
    T.same("loaded again: counts are the new ones",
           value('iostat_operations_total{instance="a",device="nullb0",operation="read"}'), 20.0)
    latency = query('iostat_latency_seconds{instance="a",device="nullb0",operation="read",phase="total"}')[0]
    T.same("loaded again: histograms are the new ones", latency["histogram"][1]["count"], "20")


def talk(guest, request, timeout=20):
    """The status line that a request gets. Empty if the connection is closed without."""
    with socket.create_connection(("127.0.0.1", PORTS[guest]), timeout=timeout) as connection:
        try:
            connection.sendall(request)
            reply = connection.makefile("rb")
            line = reply.readline().decode("latin-1").strip()
            return " ".join(line.split()[:2])
        except (ConnectionError, TimeoutError):
            return ""


def odd_requests():
    tail = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    cases = [
        (b"GET /metrics" + tail + b"\r\n", "HTTP/1.1 200"),
        (b"HEAD /metrics" + tail + b"\r\n", "HTTP/1.1 200"),
        (b"GET http://x/metrics?name[]=a" + tail + b"\r\n", "HTTP/1.1 200"),
        (b"GET /metrics HTTP/1.0\r\n\r\n", "HTTP/1.0 200"),
        (b"GET /-/healthy" + tail + b"\r\n", "HTTP/1.1 200"),
        (b"GET /" + tail + b"\r\n", "HTTP/1.1 200"),
        (b"GET /etc/passwd" + tail + b"\r\n", "HTTP/1.1 404"),
        (b"GET /metrics/../../x" + tail + b"\r\n", "HTTP/1.1 404"),
        (b"POST /metrics" + tail + b"Content-Length: 3\r\n\r\nabc", "HTTP/1.1 405"),
        (b"DELETE /metrics" + tail + b"\r\n", "HTTP/1.1 405"),
        (b"BREW /metrics" + tail + b"\r\n", "HTTP/1.1 405"),
        (b"OPTIONS *" + tail + b"\r\n", "HTTP/1.1 404"),
        (b"GET /metrics" + tail + b"Accept: " + b"\xff" * 40 + b"\r\n\r\n", "HTTP/1.1 200"),
        (b"GET /metrics" + tail + b"Accept: " + b";q=,," * 800 + b"\r\n\r\n", "HTTP/1.1 200"),
        (b"GET /metrics" + tail + b"".join(b"X-%d: y\r\n" % n for n in range(200)) + b"\r\n", "HTTP/1.1 431"),
        (b"GET /metrics" + tail + b"X: " + b"y" * 100000 + b"\r\n\r\n", "HTTP/1.1 431"),
        (b"GET /" + b"y" * 100000 + tail + b"\r\n", "HTTP/1.1 431"),
        (b"GET /metrics" + tail + b"Content-Length: -1\r\n\r\n", "HTTP/1.1 400"),
        (b"GET /metrics" + tail + b"X y\r\n\r\n", "HTTP/1.1 400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "HTTP/1.1 400"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 400"),
        (b"\0" * 100, "HTTP/1.1 400"),
        (b"SSH-2.0-x\r\n\r\n", "HTTP/1.1 400"),
    ]
    for request, want in cases:
        got = talk("a", request)
        # One that cannot be read may be answered by closing the connection.
        is_right = got == want or (want[-3:] in ("400", "431") and got in ("", "HTTP/1.1 400", "HTTP/1.1 414", "HTTP/1.1 431"))
        T.holds(f"request {request[:40]!r}: {want}", is_right, got)
    kinds = [scrape("a", accept)[0].split(";")[0] for accept in
             [PROTOBUF, "application/openmetrics-text;version=1.0.0", "text/plain", "image/png"]]
    T.same("the form is the one asked for", kinds,
           ["application/vnd.google.protobuf", "application/openmetrics-text", "text/plain", "text/plain"])


def hostile_clients(a):
    def memory():
        return int(re.search(r"VmRSS:\s*(\d+)", a.run("cat /proc/$exporter/status"))[1])

    before = memory()
    # In the guest: QEMU's forward has room for one connection that it has not accepted yet, and the host tries again after a second.
    a.bash("half=()\nfor one in {1..500}; do exec {open}<>/dev/tcp/127.0.0.1/9797; half+=($open)\n"
           "printf 'GET /metrics HTTP/1.1\\r\\nHost: x\\r\\nX-Slow: ' >&$open; done")
    begin = time.time()
    T.same("500 half-open connections: a scrape succeeds", talk("a", b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
           "HTTP/1.1 200")
    T.holds("500 half-open connections: in time", time.time() - begin < 10, time.time() - begin)
    count = int(a.run("ls /proc/$exporter/fd 2>/dev/null | wc -l"))
    T.holds(f"500 half-open connections: at most 64 are open ({count} descriptors)", count <= 64 + 20)
    after = memory()
    T.holds(f"500 half-open connections: memory ({before} KiB, {after} KiB)", after - before <= 8192)
    a.run("for open in ${half[@]}; do exec {open}<&-; done")
    # Requests that come within 100 ms of a sample are answered from it, so samples begin at least 100 ms apart. The
    # first can be up to 100 ms older than the requests: Prometheus asks too. A run that takes so long that 20 requests
    # may have 20 samples shows nothing, and is repeated.
    for _ in range(10):
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", PORTS["a"]), timeout=60) as connection:
            one = b"GET /metrics HTTP/1.1\r\nHost: x\r\n"
            connection.sendall((one + b"\r\n") * 19 + one + b"Connection: close\r\n\r\n")
            replies = connection.makefile("rb").read()
        most = 2 + int((time.monotonic() - begin) / 0.1)
        if most < 20:
            break
    took = re.findall(rb"\niostat_snapshot_seconds (\S+)\n", replies)
    T.holds(f"20 requests together: {len(set(took))} samples, {most} at most",
            len(took) == 20 and len(set(took)) <= most < 20, took)


def textfile(b):
    listing = b.run("cd /tmp && mkdir -p text && ioscope export --textfile text/iostat.prom && ls -l text | tail -n +2 | cut -c 1-10 && ls text")
    T.same("--textfile: one file, for all to read", listing, "-rw-r--r--\niostat.prom\n")
    promtool_metrics("--textfile: promtool has nothing to say", b.run("cat /tmp/text/iostat.prom").encode())
    T.same("--textfile: a directory that is not there",
           b.run("ioscope export --textfile /tmp/none/x.prom", may_fail=True).startswith("ioscope: cannot write /tmp/none/x.prom"), True)


def many(b):
    timed(loads.start_node_exporter, b)
    timed(loads.compat, T, b)
    timed(loads.scrapes_without_module, T, IOSCOPE, PORT_B + 12)
    timed(loads.many_scrapes, T, b)
    timed(loads.many_disks, T, b, 256)
    timed(page.many, T, b, PORT_B, DIRECTORY, SHOTS, 256)
    timed(loads.remove_disks, b, 256)


def pages(b):
    timed(page.policy, T, PORT_B)
    timed(page.clients, T, PORT_B)
    timed(page.live, T, b, PORT_B, DIRECTORY, SHOTS)
    timed(page.record, b, DIRECTORY / "recording")
    timed(page.replay, T, IOSCOPE, DIRECTORY / "recording", PORT_B + 10, DIRECTORY, SHOTS)


def main():
    listener = socket.create_server(("127.0.0.1", CONTROL))
    listener.settimeout(300)
    guests = {}
    while len(guests) < 2:
        guest = Guest(listener.accept()[0])
        guests[guest.name] = guest
    a, b = guests["a"], guests["b"]
    # As systemd runs it, without any right.
    a.run("setpriv --reuid=65534 --clear-groups ioscope export --buckets all --cgroups --listen 0.0.0.0:9797 >/tmp/exporter.log 2>&1 & exporter=$!")
    b.run("ioscope export --compat node --listen 0.0.0.0:9797 >/tmp/exporter.log 2>&1 & exporter=$!")
    prometheus = start_prometheus()
    try:
        wait("Prometheus starts", lambda: query("vector(1)"))
        wait("the exporter starts", lambda: scrape("a"))
        timed(without_module, a)
        a.run("load_module; make_null_blk_disk nullb0 irqmode=2 completion_nsec=4000000; mkdir -p /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; ioscope cgroups --on")
        b.run("load_module; make_null_blk_disk nullb0 irqmode=2 completion_nsec=8000000; make_null_blk_disk nullb1 irqmode=0")
        for name in PORTS:
            wait("both are up", lambda: value(f'iostat_up{{instance="{name}"}}') == 1)
        slow = timed(loads.begin_slow, b, PORT_B)
        timed(under_load, a, b)
        timed(sizes_of_ios, a)
        timed(slow_and_stalled, a)
        timed(rules_and_dashboard)
        timed(a_device_leaves, b)
        timed(odd_names, b)
        timed(textfile, b)
        timed(loads.end_slow, T, b, slow)
        timed(unload, a)
        timed(odd_requests)
        timed(hostile_clients, a)
        T.same("SIGTERM ends the exporter with 0", a.run("kill $exporter; wait $exporter; echo $?"), "0\n")
        log = (DIRECTORY / "prometheus.log").read_text()
        T.same("Prometheus has nothing to complain of", [line for line in log.splitlines() if "scrape" in line][:3], [])
        # Both cost time, which the browser needs.
        a.start("exit")
        del guests["a"]
        prometheus.terminate()
        many(b)
        pages(b)
    finally:
        for guest in guests.values():
            guest.start("exit")
        prometheus.terminate()
        prometheus.wait()
    print(f"{T.passed} passed, {T.failed} failed")
    return T.failed != 0


sys.exit(main())
