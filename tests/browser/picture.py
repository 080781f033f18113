#!/usr/bin/env python3
"""The README's picture: the first screen of the report of a shipped trace, as a browser shows it. Usage: picture.py ORRERY OUT.png"""
import base64
import os
import shutil
import subprocess
import sys
import tempfile

from devtools import READY, Browser

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def main():
    orrery, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, Browser(os.environ.get("CHROMIUM") or shutil.which("chromium"), ["--hide-scrollbars"]) as browser:
        page = os.path.join(folder, "report.html")
        subprocess.run([orrery, "report", "data/gpt_small.kineto.json.gz", "-q", "-o", page], cwd=ROOT, check=True)
        browser.resize(1280, 1200)
        browser.call("Page.navigate", url="file://" + page)
        browser.evaluate(READY)
        browser.evaluate("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))")
        with open(out, "wb") as file:
            file.write(base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"]))


main()
