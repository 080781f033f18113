"""The report page in docs/PERFORMANCE.md: what making it costs, how large it is, and how a browser without a window gets on with it."""
import gzip
import json
import os
import re
import shutil
import sys

from measured_run import measured_run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "browser"))
from devtools import READY, Browser  # noqa: E402

RANKS, EVENTS = 4, 1_000_000
BLOB = re.compile(r'<script type="application/gzip;base64" data-columns="(\w+)"[^>]*>([^<]*)</script>')
INFLATE = """(async () => { for (const e of document.querySelectorAll('script[data-columns]')) { const s = atob(e.textContent), u = new Uint8Array(s.length);
  for (let i = 0; i < s.length; i++) u[i] = s.charCodeAt(i); const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); w.write(u); w.close();
  await new Response(d.readable).arrayBuffer(); } document.documentElement.dataset.ready = 'true'; })()"""
PAN = """(async part => { const o = await orrery.ready, r = o.range(), s = r.end_ps - r.begin_ps; for (let k = 0; k < 90; k++) { const at = r.begin_ps + s * (0.2 + 0.004 * k * part);
  o.setView(at, at + s * part); await new Promise(requestAnimationFrame); } })"""
WHATIF = """orrery.ready.then(o => { const t = []; for (let k = 1; k < 12; k++) { const s = performance.now(); o.whatif(['op * 0.' + k, 'gap * 0.5']); t.push(performance.now() - s); } return t.sort((x, y) => x - y)[5]; })"""
SEARCH = "orrery.ready.then(o => { const s = performance.now(); o.search('copy'); const d = performance.now() - s; o.search(''); return d; })"


def make_job(source, folder):
    """Files that add up to EVENTS: the trace again and again, every copy stretched a little, so that no two look alike to a compressor."""
    with gzip.open(source) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and e.get("cat") not in ("Trace", "cuda_sync")]
    first = min(e["ts"] for e in events)
    span = max(e["ts"] + e["dur"] for e in events) - first
    last_id = 1 + max(e.get("args", {}).get("correlation", 0) for e in events)
    steps = 1 + sum(e["name"].startswith("ProfilerStep#") for e in events)
    copies = -(-EVENTS // (len(events) * RANKS))
    os.makedirs(folder, exist_ok=True)
    for rank in range(RANKS):
        with open(os.path.join(folder, f"rank{rank}.json"), "w") as out:
            out.write(f'{{"schemaVersion":1,"distributedInfo":{{"backend":"nccl","rank":{rank},"world_size":{RANKS}}},"traceEvents":[')
            for copy in range(copies):
                stretch = 1 + ((copy * 7919 + rank * 104729) % 90_000) / 1e6
                lines = []
                for e in events:
                    begin, end = (round((t - first) * stretch * 1000) for t in (e["ts"], e["ts"] + e["dur"]))
                    at = copy * round(span * 1.2 * 1000) + begin + rank * 1777
                    args = {k: e["args"][k] for k in ("stream", "device", "External id") if k in e.get("args", {})}
                    if "correlation" in e.get("args", {}):
                        args["correlation"] = e["args"]["correlation"] + copy * last_id
                    name = e["name"]
                    if name.startswith("ProfilerStep#"):
                        name = f"ProfilerStep#{int(name.split('#')[1]) + copy * steps}"
                    lines.append(f'{{"ph":"X","cat":"{e["cat"]}","name":{json.dumps(name)},"pid":{json.dumps(e["pid"])},"tid":{json.dumps(e["tid"])},'
                                 f'"ts":{at // 1000}.{at % 1000:03d},"dur":{(end - begin) // 1000}.{(end - begin) % 1000:03d},"args":{json.dumps(args)}}}')
                out.write((",\n" if copy else "\n") + ",\n".join(lines))
            out.write("\n]}\n")
    return copies * len(events) * RANKS


def main_thread_ms(browser):
    return 1e3 * next(m["value"] for m in browser.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")


def add_browser_rows(row, executable, page, yardstick):
    with Browser(executable) as browser:
        browser.call("Performance.enable", timeDomain="threadTicks")
        browser.resize(1280, 800)
        best = {}
        for _ in range(5):
            for name, path in (("yardstick", yardstick), ("page", page)):
                browser.call("Page.navigate", url="about:blank")
                browser.call("Page.navigate", url="file://" + os.path.abspath(path))
                best[name] = min(best.get(name, 1e9), browser.evaluate(READY))
        paint = browser.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        row("opening it in a Chromium without a window, against a page that only inflates the same bytes", f"{best['page']:.0f} ms / {best['yardstick']:.0f} ms; first paint {paint:.0f} ms",
            "<= 1 s, or <= 3 x", best["page"] <= 1000 or best["page"] <= 3 * best["yardstick"])
        frames = []
        for part in (0.78, 0.2, 0.03, 0.002):
            before = main_thread_ms(browser)
            browser.evaluate(f"{PAN}({part})")
            frames.append((main_thread_ms(browser) - before) / 90)
        row("panning, from most of it to a five-hundredth: the main thread's CPU time per frame", " / ".join(f"{ms:.1f}" for ms in frames) + " ms", "<= 14 ms", max(frames) <= 14)
        whatif, search = browser.evaluate(WHATIF), browser.evaluate(SEARCH)
        row("a what-if of its step in the page; a search of all events", f"{whatif:.1f} ms; {search:.0f} ms", "<= 5 ms; <= 100 ms", whatif <= 5 and search <= 100)


def add_rows(row, binary, data, source):
    folder, page, yardstick = (os.path.join(data, name) for name in ("page_job", "page.html", "yardstick.html"))
    events = make_job(source, folder)
    check = min((measured_run([binary, "check", folder, "-q"]) for _ in range(3)), key=lambda run: run[0])
    report = min((measured_run([binary, "report", folder, "-q", "-o", page]) for _ in range(3)), key=lambda run: run[0])
    with open(page, encoding="utf8") as file:
        text = file.read()
    blobs = BLOB.findall(text)
    size = sum(len(content) for kind, content in blobs if kind == "rank")
    row(f"`orrery report`, {events:,} events on {RANKS} ranks, against `check`", f"{report[0]:.2f} CPU s, {report[1]:.0f} MB / {check[0]:.2f} CPU s, {check[1]:.0f} MB = {report[0] / check[0]:.2f} x",
        "<= 3.5 x", report[0] <= 3.5 * check[0])
    row("the page: bytes per event; all but events and graph", f"{size / events:.2f} B; {(len(text) - sum(len(content) for _, content in blobs)) / 1e3:.0f} kB", "<= 6 B; <= 300 kB",
        size <= 6 * events and len(text) - sum(len(content) for _, content in blobs) <= 300_000)
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if executable:
        with open(yardstick, "w", encoding="utf8") as file:
            file.write("<!doctype html><title>y</title><body>y" + "".join(match[0] for match in BLOB.finditer(text)) + f"<script>{INFLATE}</script>")
        add_browser_rows(row, executable, page, yardstick)
    shutil.rmtree(folder)
