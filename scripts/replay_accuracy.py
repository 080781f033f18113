#!/usr/bin/env python3
"""Holds replays on a GPU against what they replay.

replay_accuracy.py measure RUNS.json -o RESULT.json    on the machine with the GPU: runs every emitted folder and compares it with its original
replay_accuracy.py document RESULT.json DOCUMENT       writes the table into docs/ACCURACY.md

RUNS.json: a list of {"name", "folder" (emitted), "original" (Kineto trace), "step_ms" and "peak_bytes" (of the original without a profiler; null: not measured)}.
"""
import argparse
import collections
import datetime
import gzip
import hashlib
import json
import pathlib
import subprocess
import sys

HEADING = "## Replay on a GPU"
RUNTIME = pathlib.Path(__file__).resolve().parent.parent / "src/replay/torch/replay.py"


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:12]


def device_work(path):
    """(durations in us by name and launch shape, time in which anything ran)."""
    content = pathlib.Path(path).read_bytes()
    events = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)["traceEvents"]
    durations, spans = collections.defaultdict(list), []
    for event in events:
        if event.get("ph") != "X" or event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        about = event["args"]
        shape = (tuple(about.get("grid", ())), tuple(about.get("block", ()))) if event["cat"] == "kernel" else about.get("bytes")
        durations[event["name"], shape].append(float(event["dur"]))
        spans.append((float(event["ts"]), float(event["ts"]) + float(event["dur"])))
    busy, end = 0.0, float("-inf")
    for begin, stop in sorted(spans):
        busy += max(0.0, stop - max(begin, end))
        end = max(end, stop)
    return durations, busy


def compare(original, replayed):
    (before, busy_before), (after, busy_after) = device_work(original), device_work(replayed)
    total = sum(map(sum, before.values()))
    same = sum(sum(times[:len(after.get(key, ()))]) for key, times in before.items())
    unequal = [(sum(times), len(times), len(after.get(key, ())), str(key)[:160]) for key, times in before.items() if len(times) != len(after.get(key, ()))]
    added = [(sum(times), 0, len(times), str(key)[:160]) for key, times in after.items() if key not in before]
    return {"kernels": sum(map(len, before.values())), "kernels_replayed": sum(map(len, after.values())), "same_percent": 100 * same / total,
            "kinds_unequal": len(unequal) + len(added), "busy_ms": busy_before / 1e3, "busy_replayed_ms": busy_after / 1e3,
            "largest_differences": sorted(unequal, reverse=True)[:5] + sorted(added, reverse=True)[:5]}


def measure(runs_path, output):
    results = []
    for run in json.loads(pathlib.Path(runs_path).read_text()):
        folder = pathlib.Path(run["folder"])
        done = subprocess.run([sys.executable, folder / "replay.py", "--json", "--repeat", "15", *run.get("options", [])], capture_output=True, text=True)
        row = {"name": run["name"], "step_ms": run["step_ms"], "peak_bytes": run["peak_bytes"]}
        if done.returncode == 0:
            answer = json.loads(done.stdout.splitlines()[-1])
            row.update(replayed=answer, **compare(run["original"], folder / "replayed" / "rank0.kineto.json.gz"))
        else:
            row["failed"] = (done.stderr.strip().splitlines() or ["?"])[-1]
        print(json.dumps(row)[:1500], flush=True)
        results.append(row)
        pathlib.Path(output).write_text(json.dumps({"date": datetime.date.today().isoformat(), "runtime": digest(folder / "replay.py"), "rows": results}, indent=1) + "\n")


def percent(now, before):
    return "-" if not before else f"{100 * (now / before - 1):+.1f} %"


def table(result):
    rows = [row for row in result["rows"] if "failed" not in row]
    first = rows[0]["replayed"]
    lines = [HEADING, f"Measured on {result['date']} on one {first['device']} with PyTorch {first['torch']}, by `scripts/replay_accuracy.py`. Each job was recorded, emitted "
             "([REPLAY.md](REPLAY.md#on-gpus-replay---emit-torch)) and run without its code. Same: share of the original's device time that is spent in work of the same name and launch shape. "
             "Step and peak memory are of runs without a profiler; busy time is of the recorded windows." +
             ("" if result["runtime"] == digest(RUNTIME) else f" The runtime has changed since (it was {result['runtime']})."), "",
             "| job | device work | replayed | same | busy | replayed | step | replayed | difference | peak memory |", "|---|---|---|---|---|---|---|---|---|---|"]
    for row in result["rows"]:
        if "failed" in row:
            lines.append(f"| {row['name']} | | | | | | | | refused: {row['failed'][:80]} | |")
            continue
        replayed = row["replayed"]
        step = replayed["step_ms"]["median"]
        lines.append(f"| {row['name']} | {row['kernels']} | {row['kernels_replayed']} | {row['same_percent']:.2f} % | {row['busy_ms']:.2f} ms | "
                     f"{percent(row['busy_replayed_ms'], row['busy_ms'])} | {row['step_ms']:.2f} ms | {step:.2f} ms | {percent(step, row['step_ms'])} | "
                     f"{percent(replayed['peak_bytes'], row['peak_bytes'])} |")
    return "\n".join(lines) + "\n"


def document(result_path, path):
    """Puts the section where it was, or at the end."""
    path = pathlib.Path(path)
    text = path.read_text()
    section = table(json.loads(pathlib.Path(result_path).read_text()))
    if HEADING in text:
        begin = text.index(HEADING)
        end = text.find("\n## ", begin + 1)
        text = text[:begin] + section + (text[end:] if end >= 0 else "")
    else:
        text = text.rstrip("\n") + "\n\n" + section
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    measuring = verbs.add_parser("measure")
    measuring.add_argument("runs")
    measuring.add_argument("-o", "--output", required=True)
    documenting = verbs.add_parser("document")
    documenting.add_argument("result")
    documenting.add_argument("document")
    options = parser.parse_args()
    if options.verb == "measure":
        measure(options.runs, options.output)
    else:
        document(options.result, options.document)


if __name__ == "__main__":
    main()
