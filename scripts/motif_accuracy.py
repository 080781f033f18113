#!/usr/bin/env python3
"""Writes the section "Motifs" of docs/ACCURACY.md: runs that were left out of a fit, predicted by `orrery motif`.

  motif_accuracy.py ORRERY DATA [ACCURACY.md]     DATA has isb-bfs/ (traces and published models of a search) and ampip/ (folders of traces)

Compared are: the published exponential and polynomial models, with the true number of transitions (their authors fitted them to all runs, those asked about
included); the same two families fitted to the same runs as the motif, with the true number of transitions; and the motif, which predicts the control flow too.
"""
import csv, gzip, json, pathlib, re, statistics, subprocess, sys, tempfile
from collections import defaultdict

ORRERY, DATA = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
OUTPUT = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else "docs/ACCURACY.md")
WORK = pathlib.Path(tempfile.mkdtemp())


def orrery(*arguments):
    run = subprocess.run([ORRERY, "-q", "motif", *map(str, arguments), "--json"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["data"]


def trace(kind, nodes, size):
    return DATA / "isb-bfs" / "trace" / f"bfs_{kind}trace_{nodes}-{nodes}-1-{size}-0.txt"


RUNS = {(int(r["nodes"]), int(r["scale"])): float(r["measured_rank0_total_ms"]) * 1e3 for r in csv.DictReader(open(DATA / "isb-bfs" / "measured.csv"))}
COUNTS = {run: {tuple(map(int, line.split()[:2])): len(line.split()) - 4 for line in open(trace("exec", *run))} for run in RUNS}


def with_counts(model, run):
    """What a model file gives with the true number of transitions, in microseconds."""
    rows = {(r["src"], r["dst"]): r["us"] for r in orrery("eval", "--exec", model, "--nodes", run[0], "--size", run[1])["exec"]}
    return sum(count * rows.get(edge, 0) for edge, count in COUNTS[run].items() if edge[0])


def split(name, train, test):
    manifest, motif = WORK / "runs.csv", WORK / "bfs.motif"
    chosen = [run for run in RUNS if train(*run)]
    manifest.write_text("exec,msg,nodes,size,threads\n" + "".join(f"{trace('exec', *run)},{trace('msg', *run)},{run[0]},{run[1]},1\n" for run in chosen))
    orrery("fit", "--manifest", manifest, "-o", motif, "--models", WORK / "refitted")
    errors, inside, widths = defaultdict(list), 0, []
    asked = [run for run in RUNS if test(*run) and not train(*run)]
    for run in asked:
        truth = RUNS[run]
        prediction = orrery("predict", motif, "--nodes", run[0], "--size", run[1])
        low, high = prediction["interval_us"]
        inside += low <= truth <= high
        widths.append((high - low) / prediction["total_us"] * 100)
        values = {"motif": prediction["total_us"]}
        for family in ("exp", "poly"):
            values["published " + family] = with_counts(DATA / "isb-bfs" / f"exec_{family}.model", run)
            values["refitted " + family] = with_counts(WORK / f"refitted.exec_{family}.model", run)
        for what, value in values.items():
            errors[what].append(abs(value - truth) / truth * 100)
    mean = {what: statistics.mean(values) for what, values in errors.items()}
    figure = lambda value: f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return (f"| {name} | {len(chosen)} → {len(asked)} | {figure(mean['published exp'])} | {figure(mean['published poly'])} | {figure(mean['refitted exp'])} | "
            f"{figure(mean['refitted poly'])} | **{figure(mean['motif'])}** | {max(errors['motif']):.0f} | {inside} of {len(asked)} | {statistics.mean(widths):.0f} |")


def tally(folder):
    counts, files = defaultdict(lambda: [0, 0]), list(folder.glob("trace_*"))
    for file in files:
        for line in (gzip.open if file.suffix == ".gz" else open)(file, "rt"):
            if found := re.match(r"TRACE \d+ -> \d+ \S+ (MPI_\w+)(?: (?:coll \S+|p2p) (\d+) to)?", line):
                counts[found[1]][0] += 1
                counts[found[1]][1] += int(found[2] or 0)
    return {name: [value / len(files) for value in pair] for name, pair in counts.items()}


def calls(name, train, test):
    manifest, motif = WORK / "folders.csv", WORK / "folders.motif"
    manifest.write_text("dir,nodes,size,threads\n" + "".join(f"{DATA / 'ampip' / folder},{ranks},{size},1\n" for folder, ranks, size in train))
    orrery("fit", "--manifest", manifest, "-o", motif)
    errors = {"calls": [], "bytes": []}
    for folder, ranks, size in test:
        prediction = orrery("predict", motif, "--nodes", ranks, "--size", size)["per_rank"]
        for function, (count, sent) in tally(DATA / "ampip" / folder).items():
            if count < 8:
                continue
            guess = prediction.get(function, {"calls": 0, "bytes": 0})
            errors["calls"].append(abs(guess["calls"] - count) / count * 100)
            if sent:
                errors["bytes"].append(abs(guess["bytes"] - sent) / sent * 100)
    everything = errors["calls"] + errors["bytes"]
    return f"| {name} | {statistics.mean(errors['calls']):.1f} | {statistics.mean(errors['bytes']):.1f} | {max(everything):.0f} |"


def folders(program, parameter, ranks, sizes):
    return [(f"{program}_p{p}_{parameter}{s}", p, s) for p in ranks for s in sizes]


section = ["## Motifs", "",
           "Runs of a search on a grid of nodes (CombBLAS DirOptBFS on Cori, n nodes, 2^s vertices), left out of the fit and predicted by `orrery motif predict`:",
           "mean error of the time in percent. The published models were fitted by their authors to all of these runs and are given the true number of",
           "transitions; refitted are the same families on the runs of the row. The motif predicts the control flow too. The interval is the stated 90 %.", "",
           "| fitted → predicted | runs | published exponential | published polynomial | exponential | polynomial | motif | its worst | in the interval | width % |",
           "|---|---|---|---|---|---|---|---|---|---|",
           split("n ≤ 25, s ≤ 20 → larger", lambda n, s: n <= 25 and s <= 20, lambda n, s: True),
           split("n ≤ 25 → 36", lambda n, s: n <= 25, lambda n, s: True),
           split("s ≤ 20 → 21, 22", lambda n, s: s <= 20, lambda n, s: True),
           split("s ≤ 21 → 22", lambda n, s: s <= 21, lambda n, s: True),
           split("n ≤ 16, s ≤ 20 → n ≥ 25 and s ≥ 21", lambda n, s: n <= 16 and s <= 20, lambda n, s: n >= 25 and s >= 21), "",
           "Calls and bytes per MPI function of folders of A-mpiP traces, mean error in percent over functions with 8 calls or more:", "",
           "| fitted → predicted | calls | bytes | worst |", "|---|---|---|---|",
           calls("DirOptBFS, 4 and 9 ranks, scale 10, 11 → 12", folders("dobfs", "s", (4, 9), (10, 11)), folders("dobfs", "s", (4, 9), (12,))),
           calls("halo, 4 ranks and one run of 9 → 9 ranks, other sizes", folders("halo", "n", (4,), (64, 128, 256)) + folders("halo", "n", (9,), (64,)),
                 folders("halo", "n", (9,), (128, 256))),
           calls("small search of 8 roots, scale 10, 12 → 14", folders("minibfs", "s", (4, 9), (10, 12)), folders("minibfs", "s", (4, 9), (14,))), "",
           "Of the small search, the number of levels of eight roots is what differs: chance, not law.", ""]
text = OUTPUT.read_text() if OUTPUT.exists() else "# Accuracy\n"
text = re.sub(r"\n*## Motifs\n.*?(?=\n## |\Z)", "", text, flags=re.S).rstrip("\n")
OUTPUT.write_text(text + "\n\n" + "\n".join(section))
