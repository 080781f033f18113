#!/usr/bin/env python3
"""Writes the part of docs/ACCURACY.md about whole jobs: what was injected against what `orrery blame` finds, and predicted against real savings.

  job_accuracy.py ORRERY WORLDS.py JOBS DOCUMENT

WORLDS.py executes jobs whose truth is known (a module with World and KINDS); JOBS has recorded jobs NAME/ and beside them NAME.json: what was done to them and
what their steps took without a profiler. The part is put at the end of the document, in place of an earlier one.
"""
import importlib.util, json, pathlib, re, statistics, subprocess, sys, tempfile

TITLE = "## Whole jobs"
MS = 10**9  # in ps
SEEDS = (1, 2, 3)


def ask(orrery, *words):
    run = subprocess.run([orrery, *map(str, words), "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)["data"] if run.returncode == 0 else None


def load(path):
    spec = importlib.util.spec_from_file_location("worlds", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blamed_on(answer, injected):
    keys = {(i["rank"], i["kind"], i["name"]) for i in injected}
    return sum(c["blame_us"] for c in answer["causes"] if (c["rank"], c["kind"], c["name"]) in keys) / 1e3


def lost(job, own):
    return sum(job.at[a] - own.at[b] for a, b in zip(job.ends, own.ends)) / MS


def world_rows(orrery, worlds):
    rows = []
    for kind in worlds.KINDS:
        for seed in SEEDS:
            world = worlds.World(kind, seed)
            if kind in ("compare", "missing") or not world.injected:
                continue
            with tempfile.TemporaryDirectory() as folder:
                job, own = world.build(), world.build(alone=True)
                without, without_own = world.build(without=True), world.build(without=True, alone=True)
                job.write(folder, (), world.clocks(), world.host_traces, world.backend)
                clock = () if kind == "skewed" else ("--clock", "one")
                answer = ask(orrery, "blame", folder, *clock)
                found = blamed_on(answer, world.injected)
                if world.structural:  # much waiting is there anyway: what the run without the delay is blamed for does not count
                    with tempfile.TemporaryDirectory() as other:
                        without.write(other, (), None, False, world.backend)
                        found -= blamed_on(ask(orrery, "blame", other, "--clock", "one"), world.injected)
                waits = answer["wait"]["exposed_us"] / 1e3
            rows.append((kind, seed, world.ranks, world.steps, lost(job, own), waits, lost(job, own) - lost(without, without_own), found))
    return rows


def job_rows(orrery, jobs):
    rows = []
    for description in sorted(jobs.glob("*.json")):
        case = json.loads(description.read_text())
        if len(case.get("delay", {})) != 1 or case.get("extra") or case.get("depth"):
            continue
        ((rank, (sleeps, every)),) = case["delay"].items()
        folder = description.with_suffix("")
        answer = ask(orrery, "blame", folder, "--clock", "one")
        if answer is None:
            continue
        steps, total = len(answer["steps"]), answer["wait"]["exposed_us"]
        by_rank = {r["rank"]: r["caused_root_us"] for r in answer["ranks"]}
        sleep = sum(c["blame_us"] for c in answer["causes"] if c["rank"] == int(rank) and c["name"] == "data_loading")
        edited = ask(orrery, "whatif", folder, f"rank:{rank} untraced:data_loading remove", "--clock", "one", "--annotation", "ProfilerStep#", "--instance", f"0:{steps - 1}")
        saved = (edited["before_us"] - edited["after_us"]) / steps / 1e3
        base = jobs / (case["name"].split("_")[0] + "_base.json")
        really = (case["unprofiled_step_us_median"] - json.loads(base.read_text())["unprofiled_step_us_median"]) / 1e3 if base.exists() else None
        rows.append((case["name"], case["world"], rank, sleeps / every, 100 * by_rank[int(rank)] / total, sleep / steps / (case["world"] - 1) / 1e3, saved, really))
    return rows


def table(head, rows, formats):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        lines.append("| " + " | ".join("-" if value is None else form.format(value) for value, form in zip(row, formats)) + " |")
    return "\n".join(lines)


def main():
    orrery, worlds, jobs, document = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    made, recorded = world_rows(orrery, load(worlds)), job_rows(orrery, jobs)
    off = [abs(row[5] - row[4]) / row[4] * 100 for row in made if row[4] > 0.1]
    share = [row[7] / row[6] for row in made if row[6] > 0.1]
    text = f"""{TITLE}
Jobs that an independent program executes, and executes again without the delay that was injected: waiting is what all ranks would have saved, caused is what of it goes away without the delay, found is what
`orrery blame` blames on the rank and the work where it was injected. Waiting is off by {statistics.mean(off):.2g} % in the mean of {len(off)} jobs; found is {min(share):.2f} to {max(share):.2f} of what was caused. Of a
pipeline the bubbles move, too; what overlap hides is nobody's fault, and 0 is right.

{table(["job", "seed", "ranks", "steps", "waiting, ms", "as found, ms", "caused, ms", "found, ms"], made, ["{}", "{}", "{}", "{}", "{:.2f}", "{:.2f}", "{:.2f}", "{:.2f}"])}

Recorded jobs (PyTorch 2.11, gloo) in which one rank sleeps in every step: its share of all blame, what is blamed on its sleep per step and other rank, and what `whatif` says leaving it out saves per step, against the
difference of runs with and without it that nobody profiled. Of ddp8 the transfers (socket timers of gloo) swallow most of the delay, whatever the arrivals.

{table(["job", "ranks", "rank", "sleeps, ms", "share of blame, %", "blamed on it, ms", "predicted saving, ms", "really, ms"], recorded, ["{}", "{}", "{}", "{:.1f}", "{:.0f}", "{:.2f}", "{:.2f}", "{:.2f}"])}
"""
    old = document.read_text()
    old = re.sub(rf"\n{re.escape(TITLE)}\n.*?(?=\n## |\Z)", "", old, flags=re.S).rstrip("\n")
    document.write_text(old + "\n\n" + text)


main()
