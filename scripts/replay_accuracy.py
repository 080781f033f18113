#!/usr/bin/env python3
"""Holds replays on a GPU against what they replay.

replay_accuracy.py measure EMITTED -o RESULT.json              on the machine with the GPU: records and measures every original (replay_originals.py), runs every
                                                               emitted folder, and compares the two
replay_accuracy.py document RESULT.json DOCUMENT               writes the table into docs/ACCURACY.md

EMITTED: folders written by `orrery replay --emit torch`: NAME, or NAME.WHAT for a replay that was made otherwise
(scrubbed, scaled) and must still do what the original NAME did.
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
import tempfile

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


def run_originals(what, folder, names):
    """Step times and peaks by name."""
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("replay_originals.py"), what, folder, *names], check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / "originals.json").read_text())


def measure(emitted, output):
    emitted, results = sorted(pathlib.Path(emitted).iterdir()), []
    names = sorted({folder.name.split(".")[0] for folder in emitted})
    with tempfile.TemporaryDirectory() as scratch:
        # The originals are recorded again where their replays run: clocks differ from one GPU to the next. And they are measured before and after: the host, which
        # binds many of them, is never quite the same.
        originals = pathlib.Path(scratch)
        before = run_originals("record", originals, names)
        for folder in emitted:
            name = folder.name.split(".")[0]
            done = subprocess.run([sys.executable, folder / "replay.py", "--json", "--repeat", "15"], capture_output=True, text=True)
            row = {"name": folder.name}
            if done.returncode == 0:
                answer = json.loads(done.stdout.splitlines()[-1])
                row.update(replayed=answer, **compare(originals / f"{name}.kineto.json.gz", folder / "replayed" / "rank0.kineto.json.gz"))
            else:
                row["failed"] = (done.stderr.strip().splitlines() or ["?"])[-1]
            print(json.dumps(row)[:1500], flush=True)
            results.append(row)
        after = run_originals("measure", originals, names)
    for row in results:
        first, second = (times[row["name"].split(".")[0]] for times in (before, after))
        row.update(step_ms=(first["step_ms"] + second["step_ms"]) / 2, step_ms_least=min(first["step_ms_least"], second["step_ms_least"]), peak_bytes=first["peak_bytes"])
    pathlib.Path(output).write_text(json.dumps({"date": datetime.date.today().isoformat(), "runtime": digest(emitted[0] / "replay.py"), "rows": results}, indent=1) + "\n")


def percent(now, before):
    return "-" if not before else f"{100 * (now / before - 1):+.1f} %"


def kept_rows(section, result):
    """Rows of jobs that were not measured this time."""
    measured = {row["name"] for row in result["rows"]}
    rows = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| job |")]
    return [line for line in rows if line.split("|")[1].strip() not in measured]


def table(result, kept):
    rows = [row for row in result["rows"] if "failed" not in row]
    first = rows[0]["replayed"]
    lines = [HEADING, f"Measured on {result['date']} on one {first['device']} with PyTorch {first['torch']}, by `scripts/replay_accuracy.py`. Each job was recorded, emitted "
             "([REPLAY.md](REPLAY.md#on-gpus-replay---emit-torch)) and run without its code. Same: share of the original's device time that is spent in work of the same name and launch shape. "
             "Step and peak memory are of runs without a profiler; busy time is of the recorded windows. The jobs are those of `scripts/replay_originals.py`; NAME.chakra and "
             "NAME.scrubbed were emitted from such files of the same recording, A.scaled_from_B from the recording of B with `--scale`. Host-bound steps vary by a third from one "
             "minute to the next on this machine, whose host is shared. Kernels of Triton (`compiled`) are replaced by work of their duration. `graphed` was emitted with the recording of its "
             "capture (`--capture`), graphed.profiled with the profiler trace of the capture alone; without either 32 % were the same." +
             ("" if result["runtime"] == digest(RUNTIME) else f" The runtime has changed since (it was {result['runtime']})."), "",
             "| job | device work | replayed | same | busy | replayed | step | replayed | difference | peak memory |", "|---|---|---|---|---|---|---|---|---|---|"]
    body = list(kept)
    for row in result["rows"]:
        if "failed" in row:
            body.append(f"| {row['name']} | | | | | | | | refused: {row['failed'][:80]} | |")
            continue
        replayed = row["replayed"]
        step = replayed["step_ms"]["median"]
        body.append(f"| {row['name']} | {row['kernels']} | {row['kernels_replayed']} | {row['same_percent']:.2f} % | {row['busy_ms']:.2f} ms | "
                     f"{percent(row['busy_replayed_ms'], row['busy_ms'])} | {row['step_ms']:.2f} ms | {step:.2f} ms | {percent(step, row['step_ms'])} | "
                     f"{percent(replayed['peak_bytes'], row['peak_bytes'])} |")
    return "\n".join(lines + sorted(body)) + "\n"


def document(result_path, path):
    """Puts the section where it was, or at the end; jobs that were not measured this time keep their rows."""
    path = pathlib.Path(path)
    text, result = path.read_text(), json.loads(pathlib.Path(result_path).read_text())
    if HEADING in text:
        begin = text.index(HEADING)
        end = text.find("\n## ", begin + 1)
        section = table(result, kept_rows(text[begin:end if end >= 0 else None], result))
        text = text[:begin] + section + (text[end:] if end >= 0 else "")
    else:
        text = text.rstrip("\n") + "\n\n" + table(result, [])
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    measuring = verbs.add_parser("measure")
    measuring.add_argument("emitted")
    measuring.add_argument("-o", "--output", required=True)
    documenting = verbs.add_parser("document")
    documenting.add_argument("result")
    documenting.add_argument("document")
    options = parser.parse_args()
    if options.verb == "measure":
        measure(options.emitted, options.output)
    else:
        document(options.result, options.document)


if __name__ == "__main__":
    main()
