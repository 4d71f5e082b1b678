# SPDX-License-Identifier: GPL-2.0
"""A browser without a screen, driven by the DevTools protocol."""

import base64
import json
import pathlib
import subprocess
import time
import urllib.request

import websocket


class Browser:
    """Chromium with one page. It is closed when this is left."""

    def __init__(self, directory, port):
        self.log = (pathlib.Path(directory) / "browser.log").open("w")
        # As root there is no sandbox; everything that it opens is ours.
        self.process = subprocess.Popen(
            ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--remote-debugging-port={port}",
             "--remote-allow-origins=*", f"--user-data-dir={directory}/browser", "--disable-dev-shm-usage", "about:blank"],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.port = port
        self.count = 0
        #: What the page wrote to its console, and what it violated.
        self.complaints = []
        self.socket = websocket.create_connection(self.find(), timeout=120)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # It ends its other processes, which terminate() would leave.
        self.call("Browser.close")
        self.socket.close()
        self.process.wait()

    def find(self):
        """The address of the page, once the browser has started."""
        end = time.time() + 120
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/list", timeout=10) as reply:
                    pages = [target for target in json.load(reply) if target["type"] == "page"]
                if pages:
                    return pages[0]["webSocketDebuggerUrl"]
            except OSError:
                pass
            if time.time() > end:
                raise TimeoutError("the browser does not start")
            time.sleep(0.3)

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            self.see(message)
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def see(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Log.entryAdded":
            entry = parameters["entry"]
            # A browser asks for an icon on its own.
            if not entry.get("url", "").endswith("/favicon.ico"):
                self.complaints.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")
        elif message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif message.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.complaints.append(str([one.get("value") for one in parameters["args"]]))

    def open(self, url, width, height, is_dark=False, is_phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", result["exceptionDetails"]["text"]))
        return result["result"].get("value")

    def until(self, script, seconds=60):
        """Whether an expression becomes true in time."""
        end = time.time() + seconds
        # What is looked for may not be there yet.
        while not self.run(f"(() => {{ try {{ return Boolean({script}); }} catch {{ return false; }} }})()"):
            if time.time() > end:
                return False
            time.sleep(0.3)
        return True

    def press(self, key, code=0, text=""):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def table(self, selector):
        """Rows of a table: of each cell what people read, and the number behind it, if there is one."""
        return self.run(f"""[...document.querySelectorAll({json.dumps(selector)})].flatMap((table) => [...table.rows]).map((row) =>
            [...row.cells].map((cell) => [cell.textContent, cell.querySelector("data")?.value ?? cell.querySelector("time")?.dateTime ?? null]))""")

    def names(self):
        """What assistive technology gets: role and name of each node."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in nodes if not node.get("ignored")]

    def shot(self, path, is_whole=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole, **({"clip": clip} if is_whole else {}))
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))
