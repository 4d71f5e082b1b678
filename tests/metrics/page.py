# SPDX-License-Identifier: GPL-2.0
"""The page, in a browser: the tables behind its pictures are compared with what ioscope says. It leaves pictures for
people to look at."""

import base64
import collections
import datetime
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

from browser import Browser

OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; one.dispatchEvent(new Event('toggle')); })"
CLASSES = ["read", "write", "free", "none"]
INTERACTIVE = {"button", "checkbox", "combobox", "image", "img", "link", "radio", "searchbox", "slider", "textbox", "table"}


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
        return reply.headers, reply.read()


def growth(before, after):
    """Of reports of one device: what was counted between."""
    if isinstance(after, dict):
        return {key: growth(before.get(key, 0), value) for key, value in after.items() if key != "latency_ns"}
    return after - before if isinstance(after, int) and isinstance(before, int) else None


def buckets(report, classes, phase):
    counts = collections.Counter()
    for name in classes:
        for bound, count in report[name]["latency_ns"][phase]["buckets"]:
            counts[str(bound) if bound is not None else "null"] += count
    return counts


def column(table, index):
    """The numbers behind a column, without its heading."""
    return [int(row[index][1]) for row in table[1:]]


def latency(test, name, browser, phase, counts, rows):
    """The table behind a heat map has these counts, in so many rows."""
    table = browser.table(f"#latency-{phase} table")
    bounds = [value for _, value in table[0][4:]]
    got = dict(zip(bounds, (int(value) for _, value in table[1][4:])))
    test.same(f"{name}, {phase}: each bucket", got, dict(counts))
    test.same(f"{name}, {phase}: I/Os", int(table[1][1][1]), sum(counts.values()))
    sums = [sum(int(row[at][1]) for row in table[2:]) for at in range(4, 4 + len(bounds))]
    test.same(f"{name}, {phase}: its intervals are all", sums, [got[bound] for bound in bounds])
    test.holds(f"{name}, {phase}: {len(table) - 2} intervals", rows is None or len(table) - 2 == rows, rows)
    return table


def names(test, name, browser):
    """Each thing that can be used has a name, each picture is described, and each table has headings."""
    nameless = [role for role, text in browser.names() if role in INTERACTIVE and not text]
    test.same(f"{name}: all has a name for assistive technology", nameless, [])
    test.same(f"{name}: each picture has a table", browser.run(
        "[...document.querySelectorAll('figure')].filter((one) => !one.querySelector('table caption') || "
        "!one.querySelector('table th[scope=col]')).map((one) => one.id)"), [])
    test.same(f"{name}: each picture takes the focus", browser.run(
        "[...document.querySelectorAll('canvas')].filter((one) => one.tabIndex !== 0 || !one.getAttribute('aria-label')).length"), 0)


def widths(test, name, browser, url, shots):
    """From a phone to a wall nothing is cut off."""
    for width, height, is_dark in [(360, 740, True), (1280, 900, False), (3840, 2160, True)]:
        browser.open("about:blank", width, height)
        browser.open(url, width, height, is_dark, is_phone=width == 360)
        browser.until("document.querySelectorAll('#devices tbody tr').length")
        time.sleep(1.5)
        test.same(f"{name}: {width} px are enough", browser.run("document.documentElement.scrollWidth"), width)
        browser.shot(f"{shots}/page-{name}-{width}.png")


def live(test, guest, port, directory, shots):
    guest.run("ioscope region create --areas 16 nullb0")
    url = f"http://127.0.0.1:{port}/#nullb0"
    with Browser(directory, port + 3) as browser:
        before = guest.devices()["nullb0"]
        browser.open(url, 1280, 900)
        test.holds("page: it is live", browser.until("document.querySelector('#status').textContent === 'Live, every 1 s'"))
        test.same("page: its device", browser.run("document.querySelector('#detail-heading').textContent"), "nullb0")
        # A first sample is the beginning of the first interval.
        browser.until("document.querySelector('#latency-service canvas').getAttribute('aria-label')")
        guest.run("fio --name=job --filename=/dev/nullb0 --rw=randrw --rwmixread=70 --bs=4k --direct=1 --ioengine=psync --rate_iops=40,20 "
                  "--runtime=8 --time_based --output=/tmp/fio.txt")
        after = guest.devices()["nullb0"]
        grown = growth(before, after)
        ops = sum(grown[name]["ops"] for name in CLASSES)
        counts = {phase: buckets(after, CLASSES, phase) - buckets(before, CLASSES, phase) for phase in ["wait", "service"]}

        def is_whole():
            browser.run(OPEN)
            table = browser.table("#latency-service table")
            return len(table) > 2 and int(table[1][1][1]) >= ops

        deadline = time.time() + 30
        while not is_whole() and time.time() < deadline:
            time.sleep(0.5)
        for phase in counts:
            latency(test, "page", browser, phase, counts[phase], None)
        table = browser.table("#operations table")
        test.same("page: I/Os by class", [sum(column(table, at)) for at in range(1, 5)], [grown[name]["ops"] for name in CLASSES])
        table = browser.table("#bytes table")
        test.same("page: bytes", [sum(column(table, at)) for at in (1, 2)], [grown[name]["bytes"] for name in ["read", "write"]])
        table = browser.table("#queues table")
        test.same("page: integrals of the queues", [sum(column(table, at)) for at in (1, 2)],
                  [grown["run_queue"]["length_time_ns"], grown["wait_queue"]["length_time_ns"]])
        table = browser.table("#utilisation table")
        test.same("page: busy time", sum(column(table, 1)), grown["busy_ns"])
        browser.shot(f"{shots}/page-live.png")
        test.holds("page: totals are ioscope's", browser.until(
            f"[...document.querySelectorAll('#totals tr')].some((row) => row.cells[0].textContent === 'ended' && "
            f"row.querySelector('data')?.value === '{after['ended']}')", 20))
        table = {row[0][0]: int(row[1][1]) for row in browser.table("#totals table")[1:]}
        test.same("page: totals of reads and writes", [table[f"{name}: {what}"] for name in ("Reads", "Writes") for what in ("I/Os", "bytes")],
                  [after[name][what] for name in ("read", "write") for what in ("ops", "bytes")])
        browser.run(OPEN)
        areas = json.loads(guest.run("ioscope region print -a -o json nullb0"))
        table = browser.table("#map table")
        test.same("page: each area", [[int(cell[1]) for cell in row] for row in table[1:]],
                  [[area[key] for key in ("area", "start", "sectors", "reads", "writes", "read_sectors", "write_sectors")] for area in areas])
        test.holds("page: the areas have all I/Os", sum(area["reads"] + area["writes"] for area in areas) == ops, ops)
        names(test, "page", browser)
        # What was there before a page was opened: the server has kept it.
        browser.open("about:blank", 1280, 900)
        browser.open(url, 1280, 900)
        browser.until("document.querySelectorAll('#latency-service').length && document.querySelector('#detail-heading').textContent === 'nullb0'")
        time.sleep(2)
        browser.run(OPEN)
        latency(test, "page, opened again", browser, "service", counts["service"], None)
        in_flight(test, guest, browser, shots)
        unload(test, guest, browser)
        test.same("page: the browser has nothing to complain of", browser.complaints, [])


def many(test, guest, port, directory, shots, count):
    """A list of many devices, of which few do something."""
    with Browser(directory, port + 3) as browser:
        browser.open(f"http://127.0.0.1:{port}/", 1920, 1080, is_dark=True)
        rows = "[...document.querySelectorAll('#devices tbody th')].filter((one) => one.textContent.startsWith('many'))"
        test.holds(f"page of {count} disks: all are listed", browser.until(f"{rows}.length === {count}", 30))
        browser.run("document.querySelector('#active').click()")
        test.holds(f"page of {count} disks: nothing did something", browser.until(f"{rows}.length === 0", 20))
        guest.bash("loads=\nfor one in 3 77 200; do while :; do dd if=/dev/many$one of=/dev/null bs=4k count=500 iflag=direct 2>/dev/null; sleep 0.2; done & "
                   "loads+=\" $!\"; done")
        shown = "[...document.querySelectorAll('#devices tbody th')].map((one) => one.textContent).sort().join()"
        test.holds(f"page of {count} disks: what did something", browser.until(f"{shown} === 'many200,many3,many77'", 20))
        browser.run("document.querySelector('#active').click()")
        test.holds(f"page of {count} disks: all again", browser.until(f"{rows}.length === {count}", 20))
        browser.run("document.querySelector('#find').value = 'many25'; document.querySelector('#find').dispatchEvent(new Event('input'))")
        test.same(f"page of {count} disks: found by name", browser.run(f"{rows}.length"), sum("many25" in f"many{one}" for one in range(1, count + 1)))
        browser.run("document.querySelector('#find').value = ''; document.querySelector('#find').dispatchEvent(new Event('input'))")
        browser.shot(f"{shots}/page-many.png", is_whole=False)
        browser.run("document.querySelector('#busy').scrollIntoView()")
        browser.shot(f"{shots}/page-many-busy.png", is_whole=False)
        guest.run("kill $loads; wait $loads", may_fail=True)
        test.same(f"page of {count} disks: the browser has nothing to complain of", browser.complaints, [])


def slow_rows(listed):
    """What the table of slow I/Os has of those that ioscope lists."""
    return [[str(io[key]) for key in ("number", "wait_ns", "service_ns", "error", "wcnt", "rcnt")] for io in reversed(listed)]


def slow_ios(test, name, browser, listed):
    """The table of slow I/Os is what ioscope says."""
    browser.until(f"document.querySelectorAll('#slow tbody tr').length === {len(listed)}", 20)
    table = browser.table("#slow table")[1:]
    test.same(f"{name}: slow I/Os", [[value for _, value in row[1:]] for row in table], slow_rows(listed))
    off = [abs(milliseconds(row[0][1]) - milliseconds(io["time"])) for row, io in zip(table, reversed(listed))]
    # ioscope and the exporter read the clocks one after the other.
    test.holds(f"{name}: when {len(listed)} slow I/Os ended", listed and max(off) < 100, off)


def milliseconds(time_of_day):
    return datetime.datetime.fromisoformat(time_of_day.replace("Z", "+00:00")).timestamp() * 1000


def in_flight(test, guest, browser, shots):
    """A device that takes long, chosen by the keyboard."""
    guest.run("make_null_blk_disk slow irqmode=2 completion_nsec=3000000000 size=64")
    is_there = "[...document.querySelectorAll('#devices tbody button')].some((one) => one.textContent === 'slow')"
    test.holds("page: a new device is listed", browser.until(is_there, 20))
    browser.run("[...document.querySelectorAll('#devices tbody button')].find((one) => one.textContent === 'slow').focus()")
    browser.press("Enter", 13, "\r")
    test.holds("page: Enter opens a device", browser.until("document.querySelector('#detail-heading').textContent === 'slow'", 10))
    tile = "[...document.querySelectorAll('#now div')].find((one) => one.textContent.startsWith('At device now')).querySelector('data').value"
    # When it came, the kernel has read it to look for partitions.
    test.holds("page: nothing is in flight at first", browser.until(f"{tile} === '0' && !document.querySelectorAll('#inflight tbody tr').length", 20))
    # On a busy machine the read may end before the page and ioscope have shown it: then it is repeated.
    for _ in range(5):
        guest.run("dd if=/dev/slow of=/dev/null bs=4k count=1 iflag=direct status=none & reader=$!")
        is_seen = browser.until(f"{tile} === '1'", 20)
        browser.until("document.querySelectorAll('#inflight tbody tr').length", 10)
        table = browser.table("#inflight table")[1:]
        listed = json.loads(guest.run("ioscope inflight -o json slow"))
        if is_seen and table and listed:
            break
        guest.run("wait $reader")
        browser.until(f"{tile} === '0' && !document.querySelectorAll('#inflight tbody tr').length", 20)
    test.holds("page: what is in flight", is_seen)
    test.holds("page: I/Os in flight are ioscope's", len(table) == len(listed) == 1 and
               [table[0][0][1], table[0][1][0]] == [str(listed[0]["number"]), "at the device"] and
               0 < int(table[0][3][1]) <= int(table[0][2][1]) < listed[0]["age_ns"], (table, listed))
    browser.shot(f"{shots}/page-in-flight.png")
    guest.run("wait $reader")
    test.holds("page: what was in flight is done", browser.until(f"{tile} === '0'", 20))
    test.holds("page: nothing is in flight", browser.until("!document.querySelectorAll('#inflight tbody tr').length", 10))
    slow_ios(test, "page", browser, json.loads(guest.run("ioscope slow -o json slow")))
    browser.run("document.querySelector('#latency-service canvas').focus()")
    browser.press("ArrowLeft", 37)
    test.holds("page: arrow keys read the picture", browser.until("/I\\/O/.test(document.querySelector('#said').textContent)", 10))
    browser.run("document.querySelector('[data-key=name]').focus()")
    browser.press("Enter", 13, "\r")
    test.same("page: Enter sorts", browser.run("[document.activeElement.dataset.key, document.activeElement.closest('th').ariaSort]"), ["name", "ascending"])
    guest.run("remove_null_blk_disk slow")
    test.holds("page: a device that left is not listed", browser.until(f"!{is_there}", 20))


def unload(test, guest, browser):
    gone = guest.run("for try in {1..50}; do rmmod iostat && break; sleep 0.05; done 2>/tmp/rmmod.log; [ -c /dev/iostat ] || echo gone", True)
    test.same("page: the module can be unloaded below it", gone, "gone\n")
    test.holds("page: it says so", browser.until("document.querySelector('#status').textContent === 'The module is not loaded'", 20))
    guest.run("load_module")
    test.holds("page: loaded again, it goes on", browser.until("document.querySelector('#status').textContent.startsWith('Live') && "
               "document.querySelectorAll('#devices tbody tr').length", 30))


def clients(test, port):
    """Those who follow get the same, and there are not too many."""
    sockets = []
    for _ in range(16):
        one = socket.create_connection(("127.0.0.1", port), timeout=30)
        one.sendall(b"GET /api/live HTTP/1.1\r\nHost: x\r\n\r\n")
        sockets.append(one)
        # Those before are connected by then.
        one.recv(10)
    try:
        get(port, "/api/live")
        test.holds("page: a 17th client is refused", False)
    except urllib.error.HTTPError as error:
        test.same("page: a 17th client is refused", error.code, 503)
    begin = time.time()
    seen = [b"", b""]
    while time.time() - begin < 20 and min(text.count(b"event: interval") for text in seen) < 4:
        for at in range(2):
            seen[at] += sockets[at].recv(65536)
    events = [[line for line in text.split(b"\n") if line.startswith(b"data: {\"time\"")] for text in seen]
    both = set(events[0][1:3])
    test.holds("page: all get the same intervals", len(both) == 2 and both <= set(events[1]), [len(one) for one in events])
    for one in sockets:
        one.close()
    # Closed connections make room.
    end = time.time() + 20
    code = 503
    while code == 503 and time.time() < end:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as one:
            one.sendall(b"GET /api/live HTTP/1.1\r\nHost: x\r\n\r\n")
            code = int(one.recv(12).split()[1])
        time.sleep(0.5)
    test.same("page: who leaves makes room", code, 200)


def policy(test, port):
    headers, _ = get(port, "/")
    test.holds("page: its policy allows nothing from elsewhere", headers["Content-Security-Policy"].startswith(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"), headers)
    for path, code in [("/api/nothing", 404), ("/api/intervals?device=%ff", 400), ("/page.js/..", 404), ("/api/", 404)]:
        try:
            get(port, path)
            test.holds(f"page: {path} is refused", False)
        except urllib.error.HTTPError as error:
            test.same(f"page: {path} is refused", error.code, code)


def record(guest, path):
    """A recording of loads of three devices: each I/O of the third is slow."""
    guest.run("make_null_blk_disk slug irqmode=2 completion_nsec=1500000000 size=64")
    # Three readers that begin at different times, so that something is in flight while one or two of them start their next dd.
    guest.run("readers=; for one in 1 2 3; do (while dd if=/dev/slug of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null; do :; done) & readers+=\" $!\"; sleep 0.5; done")
    guest.run("ioscope record --areas 16 /tmp/recording 1 10 & recorder=$!")
    guest.run("fio --output=/tmp/fio.txt --direct=1 --ioengine=psync --time_based --runtime=6 "
              "--name=a --filename=/dev/nullb0 --rw=randread --bs=4k --rate_iops=50 "
              "--name=b --filename=/dev/nullb1 --rw=write --bs=16k --rate_iops=30")
    guest.run("wait $recorder; kill $readers; wait $readers; remove_null_blk_disk slug", may_fail=True)
    path.write_bytes(base64.b64decode(guest.run("base64 /tmp/recording")))


def replay(test, ioscope, recording, port, directory, shots):
    """A recording: each interval is what ioscope replay says."""

    def say(*words):
        return json.loads(subprocess.run([ioscope, *words, "-o", "json"], check=True, capture_output=True).stdout)

    server = subprocess.Popen([ioscope, "export", "--replay", recording, "--listen", f"127.0.0.1:{port}"])
    try:
        with Browser(directory, port + 1) as browser:
            url = f"http://127.0.0.1:{port}/#nullb0"
            browser.open(url, 1280, 900)
            browser.until("document.querySelectorAll('#latency-service').length && document.querySelector('#detail-heading').textContent === 'nullb0'")
            time.sleep(2)
            browser.run(OPEN)
            each = [report for report in say("replay", recording) if report["device"] == "nullb0"]
            whole = {report["device"]: report for report in say("show", "--replay", recording)}
            for phase in ["service", "wait"]:
                table = latency(test, "recording", browser, phase, buckets(whole["nullb0"], CLASSES, phase), len(each))
                test.same(f"recording, {phase}: times and counts of each interval", [(row[0][1], int(row[1][1])) for row in table[2:]],
                          [(report["time"], sum(report[name]["latency_ns"][phase]["count"] for name in CLASSES)) for report in reversed(each)])
                lat = say("lat", "-c", "read", "-P", phase, "-q", "50,99", "--replay", recording, "nullb0")[0]
                test.same(f"recording, {phase}: percentiles", [int(value) for _, value in table[1][2:4]],
                          [lat["quantiles_ns"][percent] for percent in ("50", "99")])
            # Columns of charts, with the numbers of ioscope that they are made of.
            charts = {"queues": [("run_queue", "length_time_ns"), ("wait_queue", "length_time_ns")], "utilisation": [("busy_ns",), ("wait_queue", "busy_ns")],
                      "operations": [(name, "ops") for name in CLASSES], "bytes": [("read", "bytes"), ("write", "bytes")]}

            def of(report, path):
                for key in path:
                    report = report[key]
                return report

            for name, paths in charts.items():
                got = [[int(cell[1]) for cell in row[1:]] for row in browser.table(f"#{name} table")[1:]]
                test.same(f"recording: {name} of each interval", got, [[of(report, path) for path in paths] for report in reversed(each)])
            areas = say("region", "report", "-a", "--replay", recording, "nullb0")
            most = max((area["region"] for area in areas), key=lambda region: sum(area["region"] == region for area in areas))
            test.same("recording: each area", [[int(cell[1]) for cell in row] for row in browser.table("#map table")[1:]],
                      [[area[key] for key in ("area", "start", "sectors", "reads", "writes", "read_sectors", "write_sectors")]
                       for area in areas if area["region"] == most])
            got = {row[0][0]: [row[at][1] for at in (2, 3, 4, 5)] for row in browser.table("#devices")[1:]}
            test.same("recording: the list of devices", got, {name: [str(report[kind][what]) for what in ("ops", "bytes") for kind in ("read", "write")]
                      for name, report in whole.items() if report["class"] != "partition"})
            browser.run("[...document.querySelectorAll('#devices tbody button')].find((one) => one.textContent === 'slug').click()")
            listed = say("slow", "--replay", recording, "slug")
            slow_ios(test, "recording", browser, listed)
            test.holds("recording: there are slow I/Os of its time", len(listed) > 3, listed)
            flights = say("inflight", "--replay", recording, "slug")
            test.same("recording: what is in flight at its end", [[cells[0][1], cells[2][1], cells[3][1]] for cells in browser.table("#inflight table")[1:]],
                      [[str(io[key]) for key in ("number", "age_ns", "service_ns")] for io in flights])
            test.holds("recording: I/Os are in flight at its end", len(flights) in (1, 2, 3), flights)
            browser.run("[...document.querySelectorAll('#devices tbody button')].find((one) => one.textContent === 'nullb0').click()")
            browser.until("document.querySelector('#detail-heading').textContent === 'nullb0' && document.querySelectorAll('#map tbody tr').length")
            # A part, by the keyboard.
            browser.run("document.querySelector('#from').focus()")
            for _ in range(3):
                browser.press("ArrowRight", 39)
            first = json.loads(get(port, "/api/info")[1])["from"]
            part = browser.run(f"new Date(Date.parse('{first}') + Number(document.querySelector('#from').value)).toISOString()")
            report = [report for report in say("show", "--replay", recording, "--from", part) if report["device"] == "nullb0"][0]
            test.holds("recording: a part of it", report["ended"] != whole["nullb0"]["ended"] and browser.until(
                f"[...document.querySelectorAll('#totals tr')].some((row) => row.cells[0].textContent === 'ended' && "
                f"row.querySelector('data').value === '{report['ended']}')", 20), (part, report["ended"], whole["nullb0"]["ended"]))
            names(test, "recording", browser)
            listed = say("slow", "--replay", recording, "--from", part, "slug")
            browser.run("[...document.querySelectorAll('#devices tbody button')].find((one) => one.textContent === 'slug').click()")
            slow_ios(test, "a part of the recording", browser, listed)
            widths(test, "recording", browser, url, shots)
            test.same("recording: the browser has nothing to complain of", browser.complaints, [])
        try:
            get(port, "/metrics")
            test.holds("recording: there are no metrics", False)
        except urllib.error.HTTPError as error:
            test.same("recording: there are no metrics", error.code, 404)
    finally:
        server.terminate()
        test.same("recording: SIGTERM ends it with 0", server.wait(), 0)
