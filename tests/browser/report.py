#!/usr/bin/env python3
"""Opens a report in headless Chromium at the width of a telephone and of a desk, and fails on any console
message, on anything that is wider than the page, and on any request that leaves the page.

    tests/browser/report.py REPORT.html [FOLDER FOR SCREENSHOTS]

Needs Debian's chromium and chromium-driver; says so and does nothing where they are absent.
"""

import os
import sys

from driver import Browser, chromedriver, is_here

WIDTHS = {390: 844, 1280: 900}


def look(browser, page, folder):
    browser.open("file://" + page)
    broken = browser.run("return [...document.images].filter(i => !i.complete || !i.naturalWidth).length")
    images = browser.run("return document.images.length")
    rank1 = browser.run("return JSON.parse(document.getElementById('evaluation').textContent).rank1")
    if folder:
        browser.shot(os.path.join(folder, f"report-{browser.size[0]}.png"))
    outside = [url for url in browser.asked() if not url.startswith(("file://", "data:", "chrome://"))]
    problems = [f"console: {entry['message']}" for entry in browser.log("browser")]
    problems += [f"asked the network for {url}" for url in outside]
    problems += [wide] if (wide := browser.too_wide()) else []
    if broken:
        problems.append(f"{broken} of {images} pictures are broken")
    print(f"{browser.size[0]} pixels wide: {images} pictures, rank-1 {rank1:.4f}, {len(problems)} problems")
    return problems


def main():
    if not is_here():
        print("skipped: no chromium and chromedriver here (apt-get install chromium chromium-driver)")
        return 0
    page = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    problems = []
    with chromedriver() as address:
        for width, height in WIDTHS.items():
            with Browser(address, width, height) as browser:
                problems += [f"at {width}: {what}" for what in look(browser, page, folder)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
