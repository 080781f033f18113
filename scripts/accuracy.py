#!/usr/bin/env python3
"""Replays the graph of a typical step and of the whole trace for every Kineto trace in the folders, links every pair of host and Kineto trace,
aligns clocks whose truth is known, and writes docs/ACCURACY.md."""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--binary", required=True)
parser.add_argument("--output", required=True)
parser.add_argument("--alignment", required=True, help="the program alignment_accuracy")
parser.add_argument("folders", nargs="+")
args = parser.parse_args()

rows, worst, failed = [], 0.0, []
for folder in args.folders:
    label = os.path.basename(os.path.dirname(folder)) if os.path.basename(folder) == "traces" else os.path.basename(folder)
    files = [f for f in sorted(glob.glob(os.path.join(folder, "*.json*"))) if not any(part in f for part in (".et.json", ".host.json", ".device.json", ".linked.json"))]
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

links, worst_link = [], 0.0
for folder in args.folders:
    for host in sorted(glob.glob(os.path.join(folder, "*.et.json.gz")) + glob.glob(os.path.join(folder, "*.host.json.gz"))):
        device = host.replace(".et.json", ".kineto.json").replace(".host.json", ".device.json")
        name = f"{os.path.basename(folder)}/{os.path.basename(host).split('.et.json')[0].split('.host.json')[0]}"
        with tempfile.TemporaryDirectory() as scratch:
            run = subprocess.run([args.binary, "link", "--host", host, "--device", device, "--json", "-o", os.path.join(scratch, "x.et")], capture_output=True, text=True)
        envelope = json.loads(run.stdout)
        if run.returncode != 0:
            failed.append(f"{name}: {envelope['diagnostics'][-1]['message']}")
            continue
        link = envelope["data"]["ranks"][0]
        worst_link = max(worst_link, link["residual_pct"])
        links.append((name, link))

worlds = json.loads(subprocess.run([args.alignment], capture_output=True, text=True, check=True).stdout)
covered = {}
for world in worlds:
    for scored in ("after", "device"):
        if scored in world:
            covered.setdefault(world["source"], []).append((world[scored]["moments"], world[scored]["covered_pct"]))
coverage_of = {source: sum(n * share for n, share in scores) / sum(n for n, _ in scores) for source, scores in covered.items()}


def alignment_tables(out):
    out.write("\n## Alignment of clocks\n\n"
              "Jobs of 8 nodes and 16 s with some 1,200 collectives, in which the clocks of the nodes are known (`tests/align/world`), three seeds each:\n"
              "the error of the maps that `orrery align` found, every 10 ms, and the share of moments at which it lies inside the stated band. Clocks are up to 5 ms\n"
              "apart; *wander*: the frequency walks; *temperature*: a sinusoid of 1 ppm; *slew*: a daemon corrects every clock by 50 to 500 µs at up to 500 ppm;\n"
              "*steps*: a daemon sets two or three clocks by 50 µs to 20 ms. Nodes see a collective end 40 µs late on average; packets take 12 µs and wait 15 µs;\n"
              "windows and offsets come every 2 s. *Device*: the clock of a device tracer, by snapshot pairs. Where a clock was set, the largest error is the step\n"
              "itself, until the next observation. *Steps*: found of those there were, and found where there was none.\n\n"
              "| source | coverage of the band |\n|---|---:|\n")
    for source, share in coverage_of.items():
        out.write(f"| {source} | {share:.1f} % |\n")
    out.write("\n| source | clocks | seed | before: mean | 95 % | largest | after: mean | 95 % | largest | inside the band | steps |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
    for world in worlds:
        for scored, label in (("after", ""), ("device", " (device)")):
            if scored not in world:
                continue
            score = world[scored]
            steps = f"{world['steps_found']} of {world['steps']}" + (f", {world['steps_invented']} more" if world["steps_invented"] else "") if world["steps"] or world["steps_invented"] else "-"
            out.write(f"| {world['source']}{label} | {world['family']} | {world['seed']} | {world['before']['mean_us']:.0f} µs | {world['before']['p95_us']:.0f} µs | {world['before']['max_us']:.0f} µs | {score['mean_us']:.2f} µs | {score['p95_us']:.2f} µs "
                      f"| {score['max_us']:.2f} µs | {score['covered_pct']:.1f} % | {steps} |\n")


with open(args.output, "w") as out:
    out.write("# Accuracy\n\nWritten by `make accuracy`; do not edit.\n\n## Replay residual of the default mode\n\n"
              "The graph of a window, executed from its edges alone, against the measured time. *Covered*: the part of the window that is on the path or named idle.\n"
              "*Unexplained*: the part of the path that is idle without a recorded cause; it is what the graph knows least about. The residual is small by\n"
              "construction, since every delay has its measured length; *typical delays* is the harder test: the same graph with every launch, gap and wait\n"
              "at the typical length of its kind and no idleness, against the measured time.\n\n")
    out.write(f"{len(rows)} windows; the largest residual is {worst:.4f} %.\n\n| trace | window | measured | covered | residual | unexplained | typical delays | bound by |\n|---|---|---:|---:|---:|---:|---:|---|\n")
    for name, window, span, covered, residual, unexplained, typical, verdict in rows:
        out.write(f"| {name} | {window} | {span / 1e3:.3f} ms | {covered:.2f} % | {residual:.4f} % | {unexplained:.2f} % | {typical:+.2f} % | {verdict} |\n")
    out.write("\n## Linked host and device traces\n\n"
              "`orrery link --host ET --device KINETO -o X.et`: the Chakra graph, in whole microseconds, executed from dependencies and durations alone,\n"
              "against the measured time. *Operators*: rows of the host trace found in the profiler trace. *Device work*: kernels, copies and fills with a\n"
              "known operator. *Cut*: inferred dependencies left out because they contradict the recorded times.\n\n")
    out.write(f"{len(links)} pairs; the largest residual is {worst_link:.4f} %.\n\n| pair | operators | device work | activities | dependencies | cut | measured | replayed | residual |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
    for name, link in links:
        percent = lambda share: "-" if share is None else f"{share:.1f} %"
        causes = sum(row["count"] for row in link["dependency_causes"])
        out.write(f"| {name} | {percent(link['operators_pct'])} | {percent(link['attributed_pct'])} | {link['activities']:,} | {causes:,} | {link['cut_dependencies']} "
                  f"| {link['measured_us'] / 1e3:.3f} ms | {link['replayed_us'] / 1e3:.3f} ms | {link['residual_pct']:.4f} % |\n")
    alignment_tables(out)
    if failed:
        out.write("\nNot analysed:\n\n" + "".join(f"- {line}\n" for line in failed))
print(f"accuracy: {len(rows)} windows, largest residual {worst:.4f} %; {len(links)} linked pairs, largest residual {worst_link:.4f} %; band of {len(worlds)} aligned worlds holds {min(coverage_of.values()):.1f} % or more; {len(failed)} not analysed; wrote {args.output}")
sys.exit(1 if max(worst, worst_link) > 1.0 or min(coverage_of.values()) < 95 or failed else 0)
