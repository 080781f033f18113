#!/usr/bin/env python3
"""Replays the graph of a typical step and of the whole trace for every Kineto trace in the folders, and writes docs/ACCURACY.md."""
import argparse
import glob
import json
import os
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--binary", required=True)
parser.add_argument("--output", required=True)
parser.add_argument("folders", nargs="+")
args = parser.parse_args()

rows, worst, failed = [], 0.0, []
for folder in args.folders:
    label = os.path.basename(os.path.dirname(folder)) if os.path.basename(folder) == "traces" else os.path.basename(folder)
    files = [f for f in sorted(glob.glob(os.path.join(folder, "*.json*"))) if ".et.json" not in f]
    for path in files:
        for flags in ([], ["--annotation", ""]):
            run = subprocess.run([args.binary, "path", path, "--json", *flags], capture_output=True, text=True)
            envelope = json.loads(run.stdout)
            if run.returncode != 0:
                failed.append(f"{label}/{os.path.basename(path)}: {envelope['diagnostics'][-1]['message']}")
                continue
            data = envelope["data"]
            if flags and data["window"]["label"] != "whole trace":
                continue
            if rows and rows[-1][:2] == (f"{label}/{os.path.basename(path)}", data["window"]["label"]):
                continue
            worst = max(worst, data["residual_pct"])
            rows.append((f"{label}/{os.path.basename(path)}", data["window"]["label"], data["window"]["span_us"], data["coverage_pct"], data["residual_pct"], data["unexplained_pct"], data["typical_replay_pct"], data["verdict"]))

with open(args.output, "w") as out:
    out.write("# Accuracy\n\nWritten by `make accuracy`; do not edit.\n\n## Replay residual of the default mode\n\n"
              "The graph of a window, executed from its edges alone, against the measured time. *Covered*: the part of the window that is on the path or named idle.\n"
              "*Unexplained*: the part of the path that is idle without a recorded cause; it is what the graph knows least about. The residual is small by\n"
              "construction, since every delay has its measured length; *typical delays* is the harder test: the same graph with every launch, gap and wait\n"
              "at the typical length of its kind and no idleness, against the measured time.\n\n")
    out.write(f"{len(rows)} windows; the largest residual is {worst:.4f} %.\n\n| trace | window | measured | covered | residual | unexplained | typical delays | bound by |\n|---|---|---:|---:|---:|---:|---:|---|\n")
    for name, window, span, covered, residual, unexplained, typical, verdict in rows:
        out.write(f"| {name} | {window} | {span / 1e3:.3f} ms | {covered:.2f} % | {residual:.4f} % | {unexplained:.2f} % | {typical:+.2f} % | {verdict} |\n")
    if failed:
        out.write("\nNot analysed:\n\n" + "".join(f"- {line}\n" for line in failed))
print(f"accuracy: {len(rows)} windows, largest residual {worst:.4f} %, {len(failed)} not analysed; wrote {args.output}")
sys.exit(1 if worst > 1.0 or failed else 0)
