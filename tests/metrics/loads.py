# SPDX-License-Identifier: GPL-2.0
"""ioscope export beside node_exporter, of many disks, and of many requests."""

import os
import re
import socket
import subprocess
import time

NODE = 9100
#: How long many requests a second are made; the nightly run sets a minute.
SCRAPE_SECONDS = int(os.environ.get("SCRAPE_SECONDS", "10"))
#: Columns of /proc/diskstats that node_exporter has and --compat node has not: the module does not count them.
ABSENT = {"node_disk_discards_merged_total"}
#: Those that the kernel counts as the module does.
EQUAL = ["reads_completed_total", "reads_merged_total", "writes_merged_total", "read_bytes_total", "written_bytes_total", "discards_completed_total",
         "discarded_sectors_total", "flush_requests_total"]
#: And those whose times it rounds down to ms, each of so many.
ROUNDED = [("read_time_seconds_total", "reads_completed_total"), ("write_time_seconds_total", "writes_completed_total"),
           ("discard_time_seconds_total", "discards_completed_total")]
#: How long a request of the disk takes, ns.
LATENCY_NS = 3000000


def start_node_exporter(guest):
    guest.run("LD_LIBRARY_PATH=/payload /payload/node_exporter --collector.disable-defaults --collector.diskstats "
              f"--collector.diskstats.device-exclude='^(ram|loop)' --web.disable-exporter-metrics --web.listen-address=127.0.0.1:{NODE} "
              ">/tmp/node.log 2>&1 & node=$!")
    guest.bash(f"for try in {{1..100}}; do (exec 4<>/dev/tcp/127.0.0.1/{NODE}) 2>/dev/null && break; sleep 0.2; done")


def fetch(guest, port, path="/metrics", headers=""):
    """A response to a client in the guest."""
    return guest.bash(f"exec 4<>/dev/tcp/127.0.0.1/{port} || exit\n"
                      f"printf 'GET {path} HTTP/1.0\\r\\nHost: x\\r\\n{headers}\\r\\n' >&4\ncat <&4\nexec 4<&-")


def samples(text):
    """Of metrics of disks: by metric and device."""
    found = re.findall(r'^(node_disk_\w+)\{device="(\w+)"[^}]*\} (\S+)\r?$', text, re.M)
    return {(name, device): float(value) for name, device, value in found}


def compat(test, guest):
    """Column by column: over the same load, as both began at other times."""
    guest.run(f"make_null_blk_disk both irqmode=2 completion_nsec={LATENCY_NS} discard=1 memory_backed=1 size=64 cache_size=8")

    def take():
        """What both say, and the number and the seconds of the flushes that were submitted, which are all that is neither read, write nor discard."""
        text = fetch(guest, 9797)
        flushes = [float(re.search(rf'^iostat_{name}_total\{{device="both",operation="other"\}} (\S+)', text, re.M)[1])
                   for name in ("operations", "duration_seconds")]
        return samples(text), samples(fetch(guest, NODE)), *flushes

    ours, theirs, flushes, flushing = take()
    guest.run("fio --output=/tmp/fio.txt --direct=1 --ioengine=psync --filename=/dev/both --size=16m "
              "--name=a --rw=randread --bs=4k --number_ios=60 --name=b --rw=randwrite --bs=8k --number_ios=40 --fsync=10 "
              "--name=c --rw=randtrim --bs=64k --number_ios=20")
    # Bios that are submitted together are merged.
    guest.run("fio --output=/tmp/fio.txt --direct=1 --ioengine=libaio --iodepth=16 --iodepth_batch=16 --filename=/dev/both --size=16m "
              "--bs=4k --number_ios=64 --name=d --rw=read --name=e --rw=write")
    time.sleep(0.3)
    ours_after, theirs_after, flushes_after, flushing_after = take()

    def grown(after, before, name):
        key = (f"node_disk_{name}", "both")
        return after[key] - before.get(key, 0.0)

    names = {name for name, device in theirs_after if device == "both"}
    test.same("node_exporter: columns that --compat node lacks", names - {name for name, device in ours_after if device == "both"}, ABSENT)
    for name in EQUAL:
        got, want = grown(ours_after, ours, name), grown(theirs_after, theirs, name)
        test.same(f"node_exporter: {name}", got, want)
        test.holds(f"node_exporter: {name} has a load", want > 0)
    # The kernel takes a flush for a write, of no bytes.
    name, flushes, flushing = "writes_completed_total", flushes_after - flushes, flushing_after - flushing
    test.same(f"node_exporter: {name}, with {flushes:.0f} flushes", grown(ours_after, ours, name) + flushes, grown(theirs_after, theirs, name))
    test.holds("node_exporter: there are flushes", flushes > 0)
    for name, count in ROUNDED:
        got, want, most = grown(ours_after, ours, name), grown(theirs_after, theirs, name), grown(theirs_after, theirs, count)
        if name == "write_time_seconds_total":
            got += flushing
        # The kernel's times begin when the request is made, and it adds whole ms of the sum, or ns, as its version is.
        test.holds(f"node_exporter: {name} ({got}, {want})", abs(got - want) <= 0.002 * most + 0.01)
    # The kernel's time of a flush begins before the flush is issued (blk_kick_flush()), ours at its issue.
    name = "flush_requests_time_seconds_total"
    got, want, most = grown(ours_after, ours, name), grown(theirs_after, theirs, name), grown(theirs_after, theirs, "flush_requests_total")
    slack = 0.002 * most + 0.01
    test.holds(f"node_exporter: {name} ({got}, {want}), of {flushing} s from their submission on",
               most * LATENCY_NS / 1e9 <= got <= want + slack and want <= flushing + slack)
    got, want = grown(ours_after, ours, "io_time_seconds_total"), grown(theirs_after, theirs, "io_time_seconds_total")
    test.holds(f"node_exporter: io_time_seconds_total, which it samples at the tick ({got}, {want})", 0 < got and abs(got - want) <= 0.5 * max(got, want) + 0.05)
    got, want = (grown(of, before, "io_time_weighted_seconds_total") for of, before in [(ours_after, ours), (theirs_after, theirs)])
    test.holds(f"node_exporter: io_time_weighted_seconds_total ({got}, {want})", abs(got - want) <= 0.3 * want + 0.05)
    test.same("node_exporter: io_now", [of[("node_disk_io_now", "both")] for of in (ours_after, theirs_after)], [0.0, 0.0])
    guest.run("remove_null_blk_disk both")


def cost(guest, process, port, headers, times=4):
    """Of a scrape: time of the CPU in ms, and bytes."""
    used = f"awk '{{ sum += $1 }} END {{ print sum }}' /proc/${process}/task/*/schedstat"
    size = len(fetch(guest, port, headers=headers))
    before = int(guest.run(used))
    # Further apart than what requests share.
    guest.bash(f"for one in {{1..{times}}}; do exec 4<>/dev/tcp/127.0.0.1/{port}; "
               f"printf 'GET /metrics HTTP/1.0\\r\\nHost: x\\r\\n{headers}\\r\\n' >&4; cat <&4 >/dev/null; exec 4<&-; sleep 0.12; done")
    return (int(guest.run(used)) - before) / times / 1e6, size


def for_each(count, command):
    """A script that runs a command for each of many disks, 16 at a time: most of its time each waits for the kernel."""
    return (f"these=\nfor one in {{1..{count}}}; do {command} & these+=\" $!\"\n"
            # Without a number wait would wait for the exporter too.
            "((one % 16)) || { wait $these; these=; }; done\n[ -z \"$these\" ] || wait $these\n")


def remove_disks(guest, count):
    guest.bash(for_each(count, "remove_null_blk_disk many$one") + "kill $node; wait $node; true")


def many_disks(test, guest, count):
    """A scrape of many disks, with what node_exporter takes for the same. The times are those of an emulated CPU."""
    guest.bash(for_each(count, "make_null_blk_disk many$one irqmode=0 size=16 submit_queues=1 >/dev/null 2>&1") +
               f"for one in {{1..{count}}}; do dd if=/dev/many$one of=/dev/null bs=4k count=4 iflag=direct 2>/dev/null; done")
    protobuf = "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited\\r\\n"
    guest.run("ioscope export --buckets none --listen 127.0.0.1:9798 >/dev/null 2>&1 & bare=$!; sleep 0.5")
    costs = {
        "text": cost(guest, "exporter", 9797, ""),
        "text without histograms": cost(guest, "bare", 9798, ""),
        "protobuf, native histograms": cost(guest, "bare", 9798, protobuf),
        "node_exporter": cost(guest, "node", NODE, "", 2),
    }
    guest.run("kill $bare; wait $bare")
    for name, (ms, size) in costs.items():
        print(f"# {count} disks, a scrape, {name}: {ms:.1f} ms of CPU, {size} bytes")
    text = fetch(guest, 9797)
    devices = set(re.findall(r'^iostat_merged_total\{device="(many\d+)"\} 0\r?$', text, re.M))
    test.same(f"{count} disks: all are in a scrape", len(devices), count)
    test.holds(f"{count} disks: no more CPU time than node_exporter, of what both have ({costs['text without histograms'][0]:.1f} ms, "
               f"{costs['node_exporter'][0]:.1f} ms)", costs["text without histograms"][0] <= costs["node_exporter"][0] * 1.5)


def many_scrapes(test, guest, rounds=SCRAPE_SECONDS // 2, each=200):
    """Requests one after the other on a connection, in each second as many as the emulated CPU may have time for."""
    guest.run("ioscope export --buckets none --listen 127.0.0.1:9798 >/dev/null 2>&1 & bare=$!; sleep 0.5")
    one = "GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n"
    guest.bash(f"yes x | head -n {each - 1} | while read -r _; do printf '{one}\\r\\n'; done >/tmp/requests\n"
               f"printf '{one}Connection: close\\r\\n\\r\\n' >>/tmp/requests")
    begin = time.time()
    output = guest.bash(
        f"for round in {{1..{rounds}}}; do sleep 1 & pace=$!; exec 4<>/dev/tcp/127.0.0.1/9798; cat /tmp/requests >&4 & cat <&4 >/tmp/replies; exec 4<&-\n"
        "grep -ac '^HTTP/1.1 200' /tmp/replies; grep -ac '^iostat_up 1' /tmp/replies; grep -a '^iostat_snapshot_seconds' /tmp/replies | sort -u | wc -l\n"
        "wait $pace; done")
    took = time.time() - begin
    numbers = [int(word) for word in output.split()]
    test.same(f"{rounds * each} scrapes in {took:.1f} s: all are answered", (sum(numbers[0::3]), sum(numbers[1::3])), (rounds * each,) * 2)
    test.holds(f"{rounds * each} scrapes: {sum(numbers[2::3])} samples", sum(numbers[2::3]) <= took * 10 + rounds, numbers)
    guest.run("kill $bare; wait $bare")
    print(f"# {rounds * each / took:.0f} scrapes per second")


def scrapes_without_module(test, ioscope, port, seconds=SCRAPE_SECONDS, rate=1000):
    """On this machine, with its real CPU but without the module: what HTTP alone takes."""
    server = subprocess.Popen([ioscope, "export", "--listen", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
    try:
        end = time.time() + 20
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=20)
                break
            except ConnectionError:
                if time.time() > end:
                    raise
                time.sleep(0.1)
        request = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
        replies = connection.makefile("rb")
        right, late, begin = 0, 0, time.time()
        # Ten at a time, each hundredth of a second.
        for turn in range(seconds * rate // 10):
            wait = begin + turn * 10 / rate - time.time()
            late = max(late, -wait)
            time.sleep(max(wait, 0))
            connection.sendall(request * 10)
            for _ in range(10):
                status, length = replies.readline(), 0
                while (line := replies.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                right += status.startswith(b"HTTP/1.1 200") and b"\niostat_up 0\n" in replies.read(length)
        took = time.time() - begin
        with open(f"/proc/{server.pid}/stat", encoding="ascii") as file:
            ticks = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        test.same(f"{rate} scrapes a second for {took:.1f} s, without the module: all are answered", right, seconds * rate)
        test.holds(f"{rate} scrapes a second: in time", took <= 2 * seconds, took)
        print(f"# {right / took:.0f} scrapes per second, {ticks * 10 / right:.3f} ms of CPU each, at most {late:.2f} s late")
    finally:
        server.terminate()
        server.wait()


def begin_slow(guest, port):
    """Clients that do not end what they begin: one asks, one does not read. Returns what ends_slow() takes."""
    asks = socket.create_connection(("127.0.0.1", port), timeout=20)
    asks.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    # In the guest, where nothing but its socket keeps what it does not read.
    guest.bash("exec 5<>/dev/tcp/127.0.0.1/9797\nyes x | head -n 400 | while read -r _; do printf 'GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'; done >&5")
    return time.time(), asks, int(guest.run("ls /proc/$exporter/fd 2>/dev/null | wc -l"))


def end_slow(test, guest, begun):
    began, asks, descriptors = begun
    asks.settimeout(60)
    rest = asks.recv(1000)
    test.holds(f"a client that does not ask to its end is disconnected ({time.time() - began:.0f} s)", rest == b"" or rest.startswith(b"HTTP/1.1 408"), rest)
    left = int(guest.bash(f"for try in {{1..100}}; do [ $(ls /proc/$exporter/fd 2>/dev/null | wc -l) -gt {descriptors - 2} ] || break; sleep 0.2; done\n"
                          "ls /proc/$exporter/fd 2>/dev/null | wc -l"))
    test.holds(f"a client that does not read is disconnected ({descriptors}, {left} descriptors)", left <= descriptors - 2)
    guest.run("exec 5<&-", may_fail=True)
    asks.close()
