#!/usr/bin/env python3
"""Opens overlays in the trace viewer of chrome://tracing, in a real browser, and holds what it shows against what orrery said it wrote.

Usage: overlay_test.py ORRERY [SCREENSHOT.png]. Chromium draws; the viewer is the one that Go's sources carry, as Debian's Chromium has none.
"""
import base64
import glob
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from devtools import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "data")
VIEWER = ["/usr/share/go-*/src/cmd/trace/static", "/usr/share/go-*/src/internal/trace/traceviewer/static"]
CASES = [
    ("gpt_small", []),
    ("gpt_small", ["--only-critical"]),
    ("gpt_wide_bf16", ["--all-edges"]),
    ("ddp4.rank0", ["--all-edges"]),
    ("calls4.rank0", []),
    ("gpt_small", ["--compat", "hta"]),
]


def viewer_folder():
    found = [path for pattern in VIEWER for path in sorted(glob.glob(pattern)) if os.path.exists(path + "/trace_viewer_full.html")]
    return found[-1] if found else sys.exit("there is no trace viewer: install golang-src (scripts/setup.sh browser)")


def serve(folder):
    """Serves `folder` to this machine only; the address of its root."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **options):
            super().__init__(*args, directory=folder, **options)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def show(browser, root, name):
    browser.call("Page.navigate", url=root + "viewer.html")
    browser.evaluate("new Promise(go => document.readyState === 'complete' ? go(true) : addEventListener('load', () => go(true)))")
    return browser.evaluate(f"show('{name}')")


def written(file):
    """What stands in the overlay: complete events, and arrows as pairs of ends."""
    with gzip.open(file) as stream:
        events = json.load(stream)["traceEvents"]
    starts = [e for e in events if e["ph"] == "s" and e.get("cat") == "critical_path"]
    return {
        "slices": sum(e["ph"] == "X" for e in events),
        "critical": sum(e["ph"] == "X" and e.get("args", {}).get("critical") == 1 for e in events),
        "arrows": len(starts),
        "critical_arrows": sum(e["args"]["critical"] for e in starts),
    }


def flow_warnings(counts):
    return sum(n for kind, n in counts["warnings"].items() if kind.startswith("flow_"))


def check_case(browser, root, folder, orrery, trace, flags):
    overlay = os.path.join(folder, "overlay.json.gz")
    source = os.path.join(DATA, trace + ".kineto.json.gz")
    shutil.copy(source, os.path.join(folder, "source.json.gz"))
    command = [orrery, "path", source, "--overlay", overlay, "--json", *flags]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["data"]
    before, shown, expected = show(browser, root, "source.json.gz"), show(browser, root, "overlay.json.gz"), written(overlay)
    exact = "--compat" not in flags  # HTA cuts times to whole microseconds: some of its arrows end beside the event they mean
    compared = expected if exact else ("slices", "critical")
    problems = [f"{key}: {shown[key]} shown, {expected[key]} written" for key in compared if shown[key] != expected[key]]
    if shown["critical"] != answer["path"]["events"]:
        problems.append(f"{shown['critical']} critical events shown, {answer['path']['events']} on the path")
    if shown["loose_arrows"]:
        problems.append(f"{shown['loose_arrows']} arrows do not touch an event")
    if not shown["drawn_pixels"]:
        problems.append("nothing is drawn")
    if "--only-critical" not in flags:
        if shown["slices"] != before["slices"]:
            problems.append(f"{shown['slices']} events shown, {before['slices']} without the overlay")
        if exact and flow_warnings(shown) > flow_warnings(before):
            problems.append(f"the viewer warns of {shown['warnings']}, without the overlay of {before['warnings']}")
    print(f"{'failed' if problems else 'ok':7}{trace} {' '.join(flags)}: {shown['slices']} events on {shown['tracks']} tracks, "
          f"{shown['critical']} critical, {shown['arrows']} arrows")
    for problem in problems:
        print("       " + problem)
    return not problems


def main():
    orrery = os.path.abspath(sys.argv[1])
    executable = shutil.which("chromium") or shutil.which("google-chrome") or sys.exit("there is no browser: install chromium")
    with tempfile.TemporaryDirectory(prefix="orrery-overlays-") as folder, Browser(executable) as browser:
        for file in ("trace_viewer_full.html", "webcomponents.min.js"):
            shutil.copy(os.path.join(viewer_folder(), file), folder)
        shutil.copy(os.path.join(HERE, "viewer.html"), folder)
        root = serve(folder)
        passed = [check_case(browser, root, folder, orrery, trace, flags) for trace, flags in CASES]
        if len(sys.argv) > 2:
            with open(sys.argv[2], "wb") as picture:
                picture.write(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))
    print(f"browser: {sum(passed)} of {len(passed)} overlays open as they should")
    sys.exit(0 if all(passed) else 1)


main()
