#!/usr/bin/env python3
"""Makes reports of shipped traces and of odd ones, opens them in a real browser, and uses them as people do: keys, pointer, search, links.

Usage: report_test.py ORRERY [FOLDER_FOR_SCREENSHOTS]. The truth is what `orrery info` and `orrery path` say about the same traces.
"""
import base64
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from devtools import READY, Browser

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
TEXT_COLOURS = ["ink", "muted", "accent", "good", "bad", "warn"]
NAMED_ROLES = ("button", "slider", "textbox", "searchbox", "checkbox", "link", "application", "radio", "combobox")


def traces(pattern):
    return sorted(glob.glob(os.path.join(DATA, pattern)))


CASES = {
    "gpt_small": traces("gpt_small.kineto.json.gz"),
    "gpt_small_forloop_opt": traces("gpt_small_forloop_opt.kineto.json.gz"),
    "gpt_wide_bf16": traces("gpt_wide_bf16.kineto.json.gz"),
    "ddp4": traces("ddp4.rank*.kineto.json.gz"),
    "calls4": traces("calls4.rank*.kineto.json.gz"),
    "jax_cpu4": traces("jax_cpu4/*.xplane.pb*"),
}


class Checks:
    def __init__(self):
        self.failed = 0
        self.passed = 0

    def expect(self, what, ok, why=""):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print(f"failed  {what}: {str(why)[:400]}", flush=True)


class Page:
    """A report in the browser."""

    def __init__(self, browser, path):
        self.browser = browser
        self.url = "file://" + os.path.abspath(path)

    def open(self, fragment=""):
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.events.clear()
        self.browser.call("Page.navigate", url=self.url + fragment)
        self.browser.evaluate(READY)
        self.browser.evaluate("orrery.ready.then(api => { window.page = api; })")

    def js(self, expression):
        return self.browser.evaluate(expression)

    def settle(self):
        self.js("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))")

    def press(self, *keys, **more):
        for key in keys:
            self.browser.key(key, **more)
        self.settle()

    def view(self):
        return [int(self.js(f"document.querySelector('#view').dataset.{name}Ps")) for name in ("begin", "end")]

    def selected(self):
        return self.js("document.querySelector('#details').dataset.event ?? null")

    def box(self, selector):
        return self.js(f"(({{x, y, width, height}}) => ({{x, y, width, height}}))(document.querySelector('{selector}').getBoundingClientRect())")

    def trouble(self):
        """Errors in the console, exceptions, and requests for anything but the page."""
        found = []
        for event in self.browser.events:
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", params["exceptionDetails"]["text"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and params["request"]["url"].split("#")[0] not in (self.url, "about:blank"):
                found.append("request for " + params["request"]["url"][:100])
        return found


def answer(orrery, *arguments):
    return json.loads(subprocess.run([orrery, *arguments, "--json"], stdout=subprocess.PIPE, check=True).stdout)["data"]


def report(orrery, inputs, output):
    subprocess.run([orrery, "report", *inputs, "-o", output, "-q"], check=True, stdout=subprocess.DEVNULL)


def check_opens(checks, name, page, events):
    page.open()
    page.settle()
    checks.expect(f"{name}: opens without errors or requests", not page.trouble(), page.trouble())
    checks.expect(f"{name}: has all events", page.js("page.counts().events") == events, (page.js("page.counts()"), events))
    drawn = page.js("(c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)(document.querySelector('#canvas'))")
    checks.expect(f"{name}: draws", drawn > 5, f"{drawn} colours")


def check_ids_and_arguments(checks, name, orrery, page, inputs):
    """Ids and arguments of some events, against what SQL says of the same files."""
    rows = answer(orrery, "query", *inputs, "SELECT id, rank, ordinal, name FROM events WHERE id % 997 = 3 OR ordinal % 211 = 5")["rows"][:60]
    said = {}
    wanted = ", ".join(str(row[0]) for row in rows)
    for event, key, value in answer(orrery, "query", *inputs, "--all-args", f"SELECT event, key, value FROM args WHERE event IN ({wanted})")["rows"]:
        if key not in ("tracer clock ns", "recorded delta ps") and value is not None:
            said.setdefault(event, {})[key] = value
    wrong = []
    for event, rank, ordinal, text in rows:
        facts = page.js(f"page.event({event})")
        shown = page.js(f"page.arguments({event})")
        if page.js(f"page.find({rank}, {ordinal})") != event or facts["name"] != text or facts["ordinal"] != ordinal or facts["rank"] != rank:
            wrong.append((event, facts))
        expected = said.get(event, {})
        if set(shown) != set(expected) or any(not is_same(expected[key], shown[key]) for key in shown):
            wrong.append((event, shown, expected))
    checks.expect(f"{name}: ids and arguments are those of SQL", len(rows) > 3 and not wrong, wrong[:2])


def is_same(value, text):
    """A text of the page against a value of SQL; long ones are cut."""
    if isinstance(value, (int, float)):
        return text == str(value) or float(text) == value
    return text == str(value) or (text.endswith("\u2026") and str(value).startswith(text[:-1]))


def check_names_and_width(checks, name, page):
    nodes = page.browser.call("Accessibility.getFullAXTree")["nodes"]
    silent = [n["role"]["value"] for n in nodes
              if not n.get("ignored") and n.get("role", {}).get("value") in NAMED_ROLES and not n.get("name", {}).get("value")]
    checks.expect(f"{name}: every control has a name", not silent, silent)
    ids = page.js("(all => all.filter((id, i) => all.indexOf(id) !== i))([...document.querySelectorAll('[id]')].map(e => e.id))")
    checks.expect(f"{name}: no id stands twice", not ids, ids)
    loose = page.js("[...document.querySelectorAll('table th')].filter(h => !h.getAttribute('scope')).length")
    checks.expect(f"{name}: headings of tables say what they head", loose == 0, loose)
    for width in (1280, 1024, 640):  # 640: a window of 1280 at 200 %
        page.browser.resize(width, 800)
        page.settle()
        checks.expect(f"{name}: no sideways scrolling at {width} px", not page.js("document.documentElement.scrollWidth > innerWidth + 1"))
    page.browser.resize(1280, 800)
    page.settle()


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return sum(k * (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4) for k, x in zip((0.2126, 0.7152, 0.0722), parts))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def check_contrast(checks, page):
    kinds = page.js("JSON.parse(document.querySelector('#report-data').textContent).kinds.map(kind => 'k-' + kind.id)")
    for theme in ("light", "dark"):
        page.js(f"document.documentElement.dataset.theme = '{theme}'")
        names = [*TEXT_COLOURS, *kinds, "bg", "panel"]
        colour = dict(zip(names, page.js(f"(s => {json.dumps(names)}.map(n => s.getPropertyValue('--' + n).trim()))(getComputedStyle(document.documentElement))")))
        weak = [n for n in TEXT_COLOURS for ground in ("bg", "panel") if contrast(colour[n], colour[ground]) < 4.5]
        weak += [n for n in kinds if contrast(colour[n], colour["bg"]) < 3]
        checks.expect(f"{theme}: contrast of text 4.5, of kinds 3", not weak, weak)
    page.js("document.documentElement.dataset.theme = 'auto'")


def check_keys(checks, page):
    span = lambda: page.view()[1] - page.view()[0]
    page.js("document.querySelector('#stage').scrollIntoView({block: 'center'}); document.querySelector('#stage').focus()")
    page.press("0")
    whole, extent = page.view(), page.js("page.range()")
    checks.expect("0 shows all", whole[0] <= extent["begin_ps"] and whole[1] >= extent["end_ps"], whole)
    page.press("w")
    near = span()
    page.press("W", shift=True)
    checks.expect("W zooms, faster with shift", near < whole[1] - whole[0] and span() / near < near / (whole[1] - whole[0]), (near, span()))
    before = page.view()
    page.press("d")
    right = page.view()
    page.press("a", "a")
    checks.expect("D and A move", page.view()[0] < before[0] < right[0], (before, right, page.view()))
    page.press("1")
    step = page.view()
    page.press("]", "]", "]")
    third = page.selected()
    checks.expect("] goes along the critical path", third is not None and page.js(f"page.event({third}).critical"), third)
    page.press("[")
    checks.expect("[ goes back", page.selected() not in (None, third))
    page.press("f")
    checks.expect("F goes to the selection", span() < (step[1] - step[0]) / 4, span())
    here = page.selected()
    page.press("ArrowRight")
    moved = page.selected()
    page.press("ArrowLeft")
    checks.expect("arrows go to neighbours", moved != here and page.selected() == here, (here, moved, page.selected()))
    page.press("m")
    page.press("?")
    checks.expect("? shows the keys", page.js("document.querySelector('dialog#keys').open"))
    page.press("Escape")
    checks.expect("Esc closes them first", not page.js("document.querySelector('dialog#keys').open") and page.selected() == here)
    theme = page.js("document.documentElement.dataset.theme")
    page.press("t")
    checks.expect("T changes the theme", page.js("document.documentElement.dataset.theme") != theme)
    page.press("t")
    page.press("Escape")
    checks.expect("Esc clears", page.selected() is None)


def check_search(checks, page):
    page.press("/")
    checks.expect("/ goes to the search", page.js("document.activeElement.id") == "search")
    view = page.view()
    page.browser.type("ATEN::mm")
    page.settle()
    found = int(page.js("document.querySelector('#search-count').dataset.count"))
    seen = []
    for _ in range(3):
        page.press("Enter")
        seen.append(page.selected())
    page.press("Enter", shift=True)
    checks.expect("search goes through matches and back", found > 3 and len(set(seen)) == 3 and page.selected() == seen[1], (found, seen, page.selected()))
    page.browser.type("wasd0")
    page.settle()
    checks.expect("keys are letters in a text box", page.js("document.querySelector('#search').value").endswith("wasd0"))
    page.press("Escape")
    page.press("/")
    page.browser.type("#1234")
    page.press("Enter")
    checks.expect("an id is searched for with #", page.selected() == "1234", page.selected())
    page.press("Escape")
    checks.expect("Esc clears the search", page.js("document.querySelector('#search').value") == "" and view is not None)


def check_pointer(checks, page):
    page.press("Escape", "1")
    page.js("document.querySelector('#stage').scrollIntoView({block: 'center'})")
    box = page.box("#canvas")
    x, y = box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.8
    before = page.view()
    page.browser.drag(x, y, x - 200, y)
    page.settle()
    after = page.view()
    checks.expect("drag pans", after[0] > before[0] and abs((after[1] - after[0]) - (before[1] - before[0])) <= 2, (before, after))
    page.browser.drag(x, y, x - 200, y, shift=True)
    page.settle()
    checks.expect("shift + drag measures and does not move", page.view() == after, (after, page.view()))
    under = page.js(f"page.timeAt({x})")
    page.browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2)
    page.settle()
    now = page.view()
    checks.expect("ctrl + wheel zooms at the pointer", now[1] - now[0] < after[1] - after[0] and abs(page.js(f"page.timeAt({x})") - under) <= (now[1] - now[0]) / 500)
    page.js("page.reveal(page.find(0, 1500))")
    page.settle()
    spot = page.js("page.locate(page.find(0, 1500))")
    page.browser.click(spot["x"] + min(4, spot["width"] / 2), spot["y"] + spot["height"] / 2)
    page.settle()
    checks.expect("a click selects", page.selected() == str(page.js("page.find(0, 1500)")), page.selected())


def check_address(checks, page):
    page.js("page.setView(page.range().begin_ps + 2e9, page.range().begin_ps + 7e9); page.select(page.find(0, 700))")
    page.js("new Promise(go => setTimeout(go, 500))")
    link, view, event = page.js("location.hash"), page.view(), page.selected()
    page.open(link)
    page.settle()
    checks.expect("a link shows the same", page.view() == view and page.selected() == event, (link, view, page.view()))
    page.open("#t=9,x&e=99999999&w=%")
    checks.expect("a broken link opens the page", page.selected() is None and not page.trouble(), page.trouble())


def check_tables(checks, page):
    page.js("[...document.querySelectorAll('#kernels th button')].find(b => b.textContent === 'calls').click()")
    calls = page.js("[...document.querySelectorAll('#kernels tbody tr')].map(r => +r.querySelector('[data-sort]').dataset.sort)")
    checks.expect("a heading sorts", calls == sorted(calls, reverse=True) and page.js("document.querySelectorAll('#kernels th[aria-sort=descending]').length") == 1)
    page.js("document.querySelector('#kernel-filter').focus()")
    page.browser.type("GEMM")
    page.settle()
    names = page.js("[...document.querySelectorAll('#kernels tbody tr')].filter(r => r.offsetParent !== null).map(r => r.dataset.name)")
    checks.expect("the filter filters", all("gemm" in n.lower() for n in names) and len(names) < len(calls), names)


def check_without(checks, page):
    """Script off, and a browser that cannot inflate."""
    browser = page.browser
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.call("Page.navigate", url=page.url)
    time.sleep(0.5)  # nothing in the page can tell when it is there
    text = browser.evaluate("document.body.innerText")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    checks.expect("without script the verdict, the tables and a sentence are there",
                  "per step" in text and "Device work" in text and "The timeline needs JavaScript" in text, text[:300])
    hidden = browser.call("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")["identifier"]
    page.open()
    text = page.js("document.querySelector('#timeline').innerText")
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=hidden)
    checks.expect("without DecompressionStream a sentence stands instead of the timeline", "DecompressionStream" in text and not page.trouble(), (text, page.trouble()))


def check_unprofiled(checks, orrery, page, inputs):
    """The switch: what recording cost is taken off, alone and below other edits, as whatif does it."""
    page.open()
    step = lambda: page.js("({ps: +document.querySelector('#whatif-step').dataset.ps, edits: JSON.parse(document.querySelector('#whatif-step').dataset.edits), "
                           "between: document.querySelector('#whatif-interval').textContent, command: document.querySelector('#whatif-command').textContent})")
    engine = lambda *edits: answer(orrery, "whatif", *inputs, *edits)
    recorded = step()["ps"]
    page.js("document.querySelector('#unprofiled').focus()")
    page.press(" ")
    on, truth = step(), engine("profiler remove")
    checks.expect("the switch takes the profiler off", on["edits"] == ["profiler remove"] and on["ps"] == round(truth["after_us"] * 1e6) < recorded, (on, truth["after_us"]))
    checks.expect("the switch gives the command", "'profiler remove'" in on["command"], on["command"])
    low, high = (int(page.js(f"document.querySelector('#unprofiled').dataset.{end}Ps")) for end in ("low", "high"))
    said = [round(truth["unprofiled"][end] * 1e6) for end in ("low_us", "high_us")]
    checks.expect("the switch says between what", [low, high] == said and low <= on["ps"] <= high and " to " in on["between"], (low, high, said, on))
    page.js("document.querySelector('input[data-edit=op]').focus()")
    page.press("ArrowLeft", "ArrowLeft")
    both = step()
    checks.expect("edits are of the run without the profiler", both["edits"] == ["profiler remove", "op * 0.9"] and both["between"] == ""
                  and both["ps"] == round(engine(*both["edits"])["after_us"] * 1e6), both)
    page.js("document.querySelector('.gain').click()")
    gained = step()["edits"]
    checks.expect("a gain leaves the switch on", gained[0] == "profiler remove" and len(gained) == 2 and page.js("document.querySelector('.gain').getAttribute('aria-pressed')") == "true", gained)
    page.open("#w=profiler%20remove&w=op%20*%200.9")
    checks.expect("a link keeps the switch", step()["edits"] == both["edits"] and page.js("document.querySelector('#unprofiled').checked"), step())
    page.js("document.querySelector('#reset').click()")
    checks.expect("reset turns it off", step()["ps"] == recorded and not page.js("document.querySelector('#unprofiled').checked"), step())


def check_taken_off(checks, orrery, browser, folder):
    """The page of the run without the profiler: nothing is left to take off."""
    made = os.path.join(folder, "taken_off.html")
    report(orrery, [*CASES["gpt_small"], "--without-profiler"], made)
    page = Page(browser, made)
    page.open()
    checks.expect("without the profiler there is no switch", not page.js("!!document.querySelector('#unprofiled')"))
    page.js("(box => { box.value = 'profiler remove'; box.dispatchEvent(new Event('change')); })(document.querySelector('#edit'))")
    checks.expect("what recording cost is taken off once", "taken off once" in page.js("document.querySelector('#edit-error').textContent"))


def check_simulated(checks, orrery, browser, folder):
    """A simulated run: looked at like a recorded one, with the answers that the traces have which it writes."""
    made = os.path.join(folder, "simulated.html")
    traces = os.path.join(folder, "simulated")
    workload = ["--workload", os.path.join(DATA, "workloads/training"), "--comm-group", os.path.join(DATA, "workloads/training.groups.json"),
                "--machine", os.path.join(DATA, "machines/dgx_h100_pod.yaml")]
    subprocess.run([orrery, "simulate", *workload, "--report", made, "-o", traces, "-q"], check=True, stdout=subprocess.DEVNULL)
    page = Page(browser, made)
    check_opens(checks, "simulated", page, page_events(made))
    check_names_and_width(checks, "simulated", page)
    checks.expect("simulated: nobody recorded it", not page.js("!!document.querySelector('#unprofiled')"))
    absent = [part for part in ("trust", "waterfall", "contributors", "whatif", "ranks", "simulation") if not page.js(f"!!document.querySelector('#{part}')")]
    checks.expect("simulated: has what a recorded run has", not absent, absent)
    for edits in (["kernel * 0.5"], ["comm * 3", "kernel:backward* * 0.9"]):
        engine = round(answer(orrery, "whatif", traces, *edits)["after_us"] * 1e6)
        solved = page.js(f"page.whatif({json.dumps(edits)}).after_ps")
        checks.expect(f"simulated: {edits} as whatif of its traces", solved == engine, (solved, engine))


def check_replayed(checks, orrery, browser, folder):
    """One rank of several, replayed alone: it is called by its number, and what-if is that of its file."""
    graph = os.path.join(folder, "step.2.et")
    rank = os.path.join(DATA, "ddp4.rank2.")
    subprocess.run([orrery, "link", rank + "et.json.gz", "--device", rank + "kineto.json.gz", "-o", graph, "-q"], check=True, stdout=subprocess.DEVNULL)
    made = os.path.join(folder, "replayed.html")
    subprocess.run([orrery, "replay", graph, "--report", made, "-q"], check=True, stdout=subprocess.DEVNULL)
    page = Page(browser, made)
    check_opens(checks, "replayed", page, page_events(made))
    label = page.js("JSON.parse(document.querySelector('#report-data').textContent).ranks[0].label")
    checks.expect("replayed: the rank has its number", label == "rank 2" and page.js("document.querySelector('#simulation tr[data-rank]').dataset.rank") == "2", label)
    engine = round(answer(orrery, "whatif", graph, "cpu * 0.5")["after_us"] * 1e6)
    checks.expect("replayed: what-if as of its file", page.js("page.whatif(['cpu * 0.5']).after_ps") == engine, engine)


def check_too_long(checks, orrery, browser, folder):
    """A step of hours, which no page solves: what small changes do, and how far that holds, against whatif."""
    op = lambda name, tid, ts, dur: {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur}
    hour = 3_600_000_000
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1000, "dur": 3 * hour}, op("long", 1, 2000, 2.5 * hour)]
    for i, stream in enumerate((7, 20)):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2100 + i, "dur": 1, "args": {"correlation": 5 + i}})
        events.append({"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 0, "tid": stream, "ts": 3000 + i, "dur": (2.4 - i) * hour,
                       "args": {"correlation": 5 + i, "device": 0, "stream": stream}})
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 1, "tid": 1, "ts": 3000 + 2.5 * hour, "dur": 0.1 * hour, "args": {"correlation": 9}})
    trace = os.path.join(folder, "hours.json")
    with open(trace, "w") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    made = os.path.join(folder, "hours.html")
    report(orrery, [trace], made)
    page = Page(browser, made)
    check_opens(checks, "hours", page, page_events(made))
    shown = page.js("['path-previous', 'dim'].filter(id => document.getElementById(id).offsetParent !== null)")
    checks.expect("hours: nothing about a path where there is no graph", not shown, shown)
    rows = page.js("[...document.querySelectorAll('#whatif tr[data-edit]')].map(r => [r.dataset.edit, +r.dataset.from, +r.dataset.to, "
                   "+r.querySelector('[data-saves-ps]').dataset.savesPs, +r.querySelector('[data-costs-ps]').dataset.costsPs])")
    wrong = []
    for edit, least, most, saves, costs in rows:
        for factor, change in ((least, (least - 1) * saves), (most, (most - 1) * costs)):
            found = answer(orrery, "whatif", trace, f"{edit} * {factor}")
            if abs((found["after_us"] - found["before_us"]) * 1e6 - change) > 100:
                wrong.append((edit, factor, change, found["after_us"] - found["before_us"]))
    checks.expect("hours: the step is a straight line between the factors", len(rows) >= 3 and any(0 < row[1] for row in rows) and not wrong, (rows, wrong))


def check_memory(checks, orrery, browser, folder):
    """A memory snapshot, compared with another: the figures are those of `memory`, and the peak is a point of the curve."""
    now, before = (os.path.join(DATA, "memory", name + ".snapshot.pickle.gz") for name in ("out_of_memory", "max_split"))
    made = os.path.join(folder, "memory.html")
    report(orrery, [now, "--against", before], made)
    page = Page(browser, made)
    page.open()
    page.settle()
    checks.expect("memory: opens without errors or requests", not page.trouble(), page.trouble())
    check_names_and_width(checks, "memory", page)
    device = answer(orrery, "memory", now)["snapshot"]["devices"][0]
    curve = page.js("(f => ({peak: +f.dataset.peakBytes, series: JSON.parse(f.dataset.series)}))(document.querySelector('#memory .memory-curve'))")
    checks.expect("memory: the peak is a point of the curve", max(curve["series"]) == curve["peak"] == device["peak_allocated_bytes"] and len(curve["series"]) <= 1000, curve["peak"])
    line = page.js("(l => l.getBoundingClientRect().x)(document.querySelector('#memory line.peak'))")
    plot = page.box("#memory .memory-curve svg")
    place = (curve["series"].index(curve["peak"]) + 0.5) / len(curve["series"])
    checks.expect("memory: the line stands at the peak", abs(line - plot["x"] - place * plot["width"]) < 2, (line, plot, place))
    filled = page.js("[...document.querySelectorAll('#memory [data-table=peak] tbody')].map(t => [...t.querySelectorAll('td[data-bytes]')].reduce((sum, c) => sum + +c.dataset.bytes, 0))")
    checks.expect("memory: lines and phases add up to the peak", filled == [curve["peak"]] * 2, filled)
    free = sum(int(bytes_) for bytes_ in page.js("[...document.querySelectorAll('#memory figure[data-segment]')].map(f => f.dataset.freeBytes)"))
    checks.expect("memory: segments with what is free in them", 0 < free <= device["free_bytes"], (free, device["free_bytes"]))
    change = answer(orrery, "memory", before, "--against", now)["against"]["peak_change_bytes"]
    said = page.js("(d => d.afterBytes - d.beforeBytes)(document.querySelector('#diff').dataset)")
    checks.expect("memory: what changed since", said == change, (said, change))
    return page


def check_counters(checks, orrery, browser, folder):
    """Counters of a trace as lanes: their values are those of SQL, they are drawn, and said on hovering."""
    trace = os.path.join(folder, "counters.pftrace")
    workload = ["--workload", os.path.join(DATA, "workloads/training"), "--comm-group", os.path.join(DATA, "workloads/training.groups.json"),
                "--machine", os.path.join(DATA, "machines/dgx_h100_pod.yaml")]
    subprocess.run([orrery, "simulate", *workload, "-o", trace, "-q"], check=True, stdout=subprocess.DEVNULL)
    made = os.path.join(folder, "counters.html")
    report(orrery, [trace], made)
    page = Page(browser, made)
    page.open()
    page.settle()
    checks.expect("counters: opens without errors or requests", not page.trouble(), page.trouble())
    shown = page.js("page.counters().map(c => [c.rank, c.name, Math.max(...c.values), c.values.length])")
    truth = answer(orrery, "query", trace, "SELECT rank, name, max(value) FROM counters GROUP BY 1, 2 ORDER BY 1, 2")["rows"]
    checks.expect("counters: all of them, with their largest values", sorted(row[:3] for row in shown) == [list(row) for row in truth] and truth, (shown[:2], truth[:2]))
    checks.expect("counters: in few points", all(row[3] <= 2000 for row in shown), max((row[3] for row in shown), default=0))
    # A page scrolls its lanes: the first that is on the screen.
    spot = page.js("""(() => {
      document.querySelector('#stage').scrollIntoView({block: 'center'});
      const canvas = document.querySelector('#canvas'), box = canvas.getBoundingClientRect();
      const found = page.counters().find(c => c.y !== null && c.y < box.bottom - 4 && Math.max(...c.values) > 0);
      if (!found) return null;
      const place = found.values.indexOf(Math.max(...found.values));
      page.setView(found.times_ps[place] - 1e8, found.times_ps[place] + 1e8);
      return {x: box.left + 168 + (box.width - 168) / 2 + 1, y: found.y - 2, name: found.name};
    })()""")
    if not spot:
        checks.expect("counters: one is in sight", False, shown[:2])
        return
    page.settle()
    page.browser.mouse("mouseMoved", spot["x"], spot["y"])
    page.settle()
    tip = page.js("(t => t.hidden ? '' : t.textContent)(document.querySelector('.tip'))")
    checks.expect("counters: the value is said on hovering", tip.startswith(spot["name"]) and "·" in tip, (tip, spot))


SERVING = """format: orrery.llm/1
name: "served"
serving:
  arrivals: {law: poisson, rate_per_s: 40, count: 200, seed: 3, prompt: {law: lognormal, mean: 400, variation: 1, most: 4000}, generate: {law: uniform, mean: 30, variation: 0.5}}
  kv_blocks: 600
  max_requests: 16
  costs: {kind: linear, step_us: 8000, token_us: 20, context_us: 0.01}
  objectives: {ttft_ms: 400}
"""


def check_serving(checks, orrery, browser, folder):
    """Requests through a serving engine: the pictures are the figures of the run, and its timeline has all steps and requests."""
    config, made, trace, drawn = (os.path.join(folder, name) for name in ("served.yml", "served.html", "served.json.gz", "steps.html"))
    with open(config, "w", encoding="utf8") as file:
        file.write(SERVING)
    run = answer(orrery, "llm", config, "--timeline", trace)
    rates = answer(orrery, "llm", config, "--rates", "10,20,40", "--report", made)["rates"]
    page = Page(browser, made)
    page.open()
    page.settle()
    checks.expect("serving: opens without errors or requests", not page.trouble(), page.trouble())
    check_names_and_width(checks, "serving", page)
    for metric in ("ttft", "tpot", "latency", "queue"):
        data = page.js(f"(f => ({{p99: +f.dataset.p99Ps, series: JSON.parse(f.dataset.series)}}))(document.querySelector('#requests [data-metric={metric}]'))")
        truth = run["summary"][metric + "_ms"]["p99"]
        checks.expect(f"serving: P99 of {metric}", abs(data["p99"] / 1e9 - truth) < 1e-6 and data["series"][198] == data["p99"] and len(data["series"]) == 201, (data["p99"], truth))
    points = page.js("[...document.querySelectorAll('#rates [data-metric=ttft] .throughput circle')].map(c => [+c.dataset.rate, +c.dataset.p99Ms])")
    truth = [[rate["rate_per_s"], rate["ttft_ms"]["p99"]] for rate in rates]
    checks.expect("serving: a point per rate", points == truth, (points, truth))
    slowest = page.js("document.querySelector('#tail [data-table=tail_requests] tbody th').textContent")
    checks.expect("serving: the tail begins with the slowest request", slowest == max(run["requests"], key=lambda request: request["ttft_ms"])["id"], slowest)
    report(orrery, [trace], drawn)
    timeline = Page(browser, drawn)
    check_opens(checks, "serving timeline", timeline, page_events(drawn))
    names = sorted({counter[0] for counter in timeline.js("page.counters().map(c => [c.name])")})
    checks.expect("serving timeline: queue, requests and blocks are counters", names == ["running requests", "used blocks", "waiting requests"], names)
    return page


def page_events(path):
    with open(path, encoding="utf8") as file:
        data = json.loads(file.read().split('id="report-data">')[1].split("</script>")[0])
    return sum(rank["events"] for rank in data["ranks"])


def odd_traces(folder):
    """Traces that are hard to show: names that are markup, one event, many lanes, everything overlapping."""
    names = ["</script><script>window.owned=1</script>", "<img src=x onerror=window.owned=1>", "a\"b'c&d", "\u202e turned \u0001 \U0001f600", "x" * 10000]
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1000, "dur": 900}
    op = lambda name, tid, ts, dur: {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur}
    odd = {
        "hostile": [step] + [op(n, 1, 1010 + 50 * i, 40) for i, n in enumerate(names)],
        "one_event": [op("alone", 1, 1000, 5)],
        "many_lanes": [step] + [op("work", 10 + i, 1000 + i % 800, 50) for i in range(10000)],
        "overlapping": [step] + [op(f"o{i}", 1, 1001 + i * 0.5, 400) for i in range(600)],
    }
    for name, events in odd.items():
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return odd


def check_scrolling(checks, page):
    page.press("Escape")
    page.js("document.querySelector('#stage').focus()")
    picture = "document.querySelector('#canvas').toDataURL()"
    before = page.js(picture)
    page.press("PageDown")
    scrolled = page.js(picture)
    page.press("PageUp")
    checks.expect("page down and up scroll the lanes", before != scrolled and page.js(picture) == before)
    page.js("page.select(page.find(0, 2))")


def check_odd(checks, orrery, browser, folder):
    for name, events in odd_traces(folder).items():
        made = os.path.join(folder, name + ".html")
        report(orrery, [os.path.join(folder, name + ".json")], made)
        page = Page(browser, made)
        page.open()
        page.settle()
        page.js(f"page.select(page.find(0, {min(2, len(events) - 1)}))")
        page.press("0", "w", "s", "1")
        if name == "many_lanes":
            check_scrolling(checks, page)
        checks.expect(f"{name}: opens without errors", not page.trouble() and page.js("window.owned") is None, page.trouble())
        if name == "one_event":
            page.js("(box => { box.value = 'profiler  remove'; box.dispatchEvent(new Event('change')); })(document.querySelector('#edit'))")
            checks.expect("without a ruler the switch is off, with the reason", page.js("document.querySelector('#unprofiled').disabled")
                          and "W406" in page.js("document.querySelector('#edit-error').textContent"), page.js("document.querySelector('#edit-error').textContent"))
        checks.expect(f"{name}: all events, one selected", page.js("page.counts().events") == len(events) and page.selected() is not None, page.js("page.counts()"))


def picture(browser, folder, name):
    if folder:
        with open(os.path.join(folder, name + ".png"), "wb") as file:
            file.write(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))


def main():
    orrery = os.path.abspath(sys.argv[1])
    shots = sys.argv[2] if len(sys.argv) > 2 else None
    executable = shutil.which("chromium") or shutil.which("google-chrome") or sys.exit("there is no browser: install chromium")
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="orrery-reports-") as folder, Browser(executable, ["--hide-scrollbars"]) as browser:
        for domain in ("Page", "Runtime", "Network", "Log"):
            browser.call(domain + ".enable")
        browser.resize(1280, 800)
        for name, inputs in CASES.items():
            made = os.path.join(folder, name + ".html")
            report(orrery, inputs, made)
            page = Page(browser, made)
            check_opens(checks, name, page, sum(rank["events"] for rank in answer(orrery, "info", *inputs)["ranks"]))
            check_names_and_width(checks, name, page)
            check_ids_and_arguments(checks, name, orrery, page, inputs)
            picture(browser, shots, name)
        page = Page(browser, os.path.join(folder, "gpt_small.html"))
        page.open()
        for check in (check_contrast, check_keys, check_search, check_pointer, check_tables, check_address, check_without):
            check(checks, page)
        check_unprofiled(checks, orrery, page, CASES["gpt_small"])
        check_taken_off(checks, orrery, browser, folder)
        check_simulated(checks, orrery, browser, folder)
        check_replayed(checks, orrery, browser, folder)
        check_too_long(checks, orrery, browser, folder)
        check_odd(checks, orrery, browser, folder)
        check_memory(checks, orrery, browser, folder)
        picture(browser, shots, "memory")
        check_counters(checks, orrery, browser, folder)
        picture(browser, shots, "counters")
        check_serving(checks, orrery, browser, folder)
        picture(browser, shots, "serving")
    print(f"report: {checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


main()
