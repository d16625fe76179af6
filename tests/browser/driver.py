"""Headless Chromium by the WebDriver protocol, with the standard library alone."""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
]
def call(address, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_here():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


@contextlib.contextmanager
def chromedriver():
    """The address of a driver that ends with the block."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                call(address, "GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        driver.terminate()
        driver.wait()


class Browser:
    """A window of a browser with a profile of its own."""

    def __init__(self, address, width, height, flags=()):
        self.address, self.size = address, (width, height)
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = {"args": FLAGS + [f"--user-data-dir={self.profile.name}", *flags], "binary": shutil.which("chromium")}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = call(address, "POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base = f"/session/{session['sessionId']}"
        self.resize(width, height)
        # Away from the browser's own start page, and forget what that has asked for.
        self.open("about:blank")
        self.log("performance")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call(self.address, "DELETE", self.base)
        self.profile.cleanup()

    def post(self, path, body):
        return call(self.address, "POST", self.base + path, body)

    def resize(self, width, height):
        self.size = (width, height)
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def devtools(self, command, **params):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": params})

    def open(self, url):
        self.post("/url", {"url": url})

    def run(self, script, *args):
        return self.post("/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args, what=None):
        """Until a script returns something."""
        for _ in range(900):
            found = self.run(script, *args)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"waited in vain for {what or script}")

    def find(self, selector):
        return next(iter(self.post("/element", {"using": "css selector", "value": selector}).values()))

    def type(self, selector, text):
        self.post(f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, keys):
        """Keys at the place that has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def log(self, kind):
        return self.post("/se/log", {"type": kind})

    def asked(self):
        """Addresses that were asked for since the last time."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def shot(self, path):
        width = self.size[0]
        length = min(self.run("return document.documentElement.scrollHeight"), 16000)
        clip = {"x": 0, "y": 0, "width": width, "height": length, "scale": 1}
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def too_wide(self):
        # Not innerWidth, which grows with the page on a telephone.
        wide, window = self.run("return document.documentElement.scrollWidth"), self.size[0]
        return f"is {wide} pixels wide in a window of {window}" if wide > window else None
