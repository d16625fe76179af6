#!/usr/bin/env python3
"""Opens pages of evaluations and lessons in headless Chromium at the width of a telephone and of a desk, and fails on any console
message, on anything that is wider than the page, on letters of drawings that are too small or too large, and on any
request that leaves the page.

    tests/browser/pages.py PAGE.html ... [--pictures FOLDER]

Needs Debian's chromium and chromium-driver; says so and does nothing where they are absent.
"""

import argparse
import os
import sys

from driver import Browser, chromedriver, is_here

WIDTHS = {390: 844, 1280: 900}

# Pixels of the letters in drawings as they are shown.
LETTERS = """
    return [...document.querySelectorAll('svg')].filter(svg => svg.viewBox.baseVal.width).flatMap(svg => {
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return [...svg.querySelectorAll('text')].map(text => parseFloat(getComputedStyle(text).fontSize) * scale);
    }).filter(size => size > 0)"""


def look(browser, page, folder):
    browser.open("file://" + page)
    broken = browser.run("return [...document.images].filter(i => !i.complete || !i.naturalWidth).length")
    images = browser.run("return document.images.length")
    letters = browser.run(LETTERS)
    if folder:
        name = os.path.splitext(os.path.basename(page))[0]
        browser.shot(os.path.join(folder, f"{name}-{browser.size[0]}.png"))
    outside = [url for url in browser.asked() if not url.startswith(("file://", "data:", "chrome://"))]
    problems = [f"console: {entry['message']}" for entry in browser.log("browser")]
    problems += [f"asked the network for {url}" for url in outside]
    problems += [wide] if (wide := browser.too_wide()) else []
    if broken:
        problems.append(f"{broken} of {images} pictures are broken")
    if not letters or min(letters) < 8 or max(letters) > 20:
        problems.append(f"letters of drawings are {min(letters, default=0):.1f} to {max(letters, default=0):.1f} pixels high")
    print(f"{page} {browser.size[0]} pixels wide: {images} pictures, {len(problems)} problems")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--pictures")
    asked = parser.parse_args()
    if not is_here():
        print("skipped: no chromium and chromedriver here (apt-get install chromium chromium-driver)")
        return 0
    problems = []
    with chromedriver() as address:
        for width, height in WIDTHS.items():
            with Browser(address, width, height) as browser:
                for page in asked.pages:
                    found = look(browser, os.path.abspath(page), asked.pictures)
                    problems += [f"{page} at {width}: {what}" for what in found]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
