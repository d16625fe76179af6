#!/usr/bin/env python3
"""Opens a report in headless Chromium at the width of a telephone and of a desk, and fails on any console
message, on anything that is wider than the page, and on any request that leaves the page.

    tests/browser/report.py REPORT.html [FOLDER FOR SCREENSHOTS]

Needs Debian's chromium and chromium-driver; says so and does nothing where they are absent. No other
package: it speaks the WebDriver protocol itself.
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
]
WIDTHS = {390: 844, 1280: 900}


def call(address, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def look(address, page, width, height, profile, folder):
    options = {"args": FLAGS + [f"--user-data-dir={profile}"], "binary": shutil.which("chromium")}
    capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
    session = call(address, "POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
    base = f"/session/{session['sessionId']}"

    def devtools(command, **params):
        return call(address, "POST", f"{base}/goog/cdp/execute", {"cmd": command, "params": params})

    def run(script):
        return call(address, "POST", f"{base}/execute/sync", {"script": script, "args": []})

    try:
        devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        # Away from the browser's own start page, and forget what that has asked for.
        call(address, "POST", f"{base}/url", {"url": "about:blank"})
        call(address, "POST", f"{base}/se/log", {"type": "performance"})
        call(address, "POST", f"{base}/url", {"url": "file://" + page})
        wide = run("return [document.documentElement.scrollWidth, window.innerWidth]")
        broken = run("return [...document.images].filter(i => !i.complete || !i.naturalWidth).length")
        images = run("return document.images.length")
        rank1 = run("return JSON.parse(document.getElementById('evaluation').textContent).rank1")
        length = min(run("return document.documentElement.scrollHeight"), 16000)
        if folder:
            clip = {"x": 0, "y": 0, "width": width, "height": length, "scale": 1}
            shot = devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
            with open(os.path.join(folder, f"report-{width}.png"), "wb") as file:
                file.write(base64.b64decode(shot["data"]))
        console = call(address, "POST", f"{base}/se/log", {"type": "browser"})
        network = [json.loads(entry["message"])["message"] for entry in call(address, "POST", f"{base}/se/log", {"type": "performance"})]
    finally:
        call(address, "DELETE", base)
    asked = [m["params"]["request"]["url"] for m in network if m["method"] == "Network.requestWillBeSent"]
    outside = [url for url in asked if not url.startswith(("file://", "data:", "chrome://"))]
    problems = [f"console: {entry['message']}" for entry in console]
    problems += [f"asked the network for {url}" for url in outside]
    if wide[0] > wide[1]:
        problems.append(f"is {wide[0]} pixels wide in a window of {wide[1]}")
    if broken:
        problems.append(f"{broken} of {images} pictures are broken")
    print(f"{width} pixels wide: {images} pictures, {length} pixels long, rank-1 {rank1:.4f}, {len(problems)} problems")
    return problems


def main():
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        print("skipped: no chromium and chromedriver here (apt-get install chromium chromium-driver)")
        return 0
    page = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    problems = []
    try:
        for _ in range(100):
            try:
                call(address, "GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        for width, height in WIDTHS.items():
            with tempfile.TemporaryDirectory() as profile:
                problems += [f"at {width}: {what}" for what in look(address, page, width, height, profile, folder)]
    finally:
        driver.terminate()
        driver.wait()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
