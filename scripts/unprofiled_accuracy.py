#!/usr/bin/env python3
"""Writes the part of docs/ACCURACY.md about what recording costs: steps as predicted from one recording, against the same job timed without a profiler.

  unprofiled_accuracy.py ORRERY RECORDINGS JAX JOBS DOCUMENT

RECORDINGS has truth.json (per job: without_ms, recorded_ms by way) and the recordings JOB.WAY.kineto.json.gz, of the way `pair` with JOB.pair.et.json.gz beside; JAX has
truth.json (without_ms) and NAME.xplane.pb.gz; JOBS has recorded jobs NAME_base/ and beside them NAME_base.json with what their steps took without a profiler. The part is put at the end of the document, in place of an earlier one.
"""
import json, pathlib, re, statistics, subprocess, sys, tempfile

TITLE = "## Without the profiler"
WAYS = {"both": "host and device", "shapes": "and shapes", "stack": "and shapes and stacks", "pair": "shapes, and the host trace"}
REPLAYED = "pair, linked and replayed"


def ask(orrery, *words):
    run = subprocess.run([orrery, *map(str, words), "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)["data"] if run.returncode == 0 else None


class Row:
    """One recording: times in ms; `predicted` is None where there was no answer, `between` where there is no interval."""
    def __init__(self, job, way, recorded, without, predicted, between=None):
        self.job, self.way, self.recorded, self.without, self.predicted, self.between = job, way, recorded, without, predicted, between
        self.error = None if predicted is None else (predicted / without - 1) * 100
        self.holds = None if between is None else between[0] <= without <= between[1]


def predict(orrery, job, way, recorded, without, steps, *words):
    answer = ask(orrery, "whatif", *words, "profiler remove")
    if answer is None:
        return Row(job, way, recorded, without, None)
    told = answer.get("unprofiled")
    return Row(job, way, recorded, without, answer["after_us"] / steps / 1e3, told and (told["low_us"] / steps / 1e3, told["high_us"] / steps / 1e3))


def replay(orrery, job, host, device, recorded, without, steps):
    with tempfile.TemporaryDirectory() as folder:
        linked = folder + "/linked.et"
        done = ask(orrery, "link", "--host", host, "--device", device, "--without-profiler", "-o", linked)
        answer = ask(orrery, "replay", linked) if done is not None else None
    return Row(job, REPLAYED, recorded, without, answer and answer["makespan_us"] / steps / 1e3)


def recordings(orrery, folder):
    rows = []
    for job, truth in sorted(json.loads((folder / "truth.json").read_text()).items()):
        without = statistics.median(truth["without_ms"])
        for way in WAYS:
            files = [folder / f"{job}.{way}.kineto.json.gz"] + ([folder / f"{job}.{way}.et.json.gz"] if way == "pair" else [])
            rows.append(predict(orrery, job, way, statistics.median(truth["recorded_ms"][way]), without, 1, *files))
        pair = truth["recorded_ms"]["pair"]
        rows.append(replay(orrery, job, folder / f"{job}.pair.et.json.gz", folder / f"{job}.pair.kineto.json.gz", statistics.median(pair), without, len(pair)))
    return rows


def profiles(orrery, folder):
    rows = []
    for job, truth in sorted(json.loads((folder / "truth.json").read_text()).items()):
        path = folder / f"{job}.xplane.pb.gz"
        recorded = ask(orrery, "path", path)["window"]["span_us"] / 1e3
        rows.append(predict(orrery, job, "XSpace", recorded, statistics.median(truth["without_ms"]), 1, path))
    return rows


def whole_jobs(orrery, folder):
    """All recorded steps together, and the typical one alone, which is what verbs show by themselves."""
    rows, typical = [], []
    for description in sorted(folder.glob("*_base.json")):
        case, files = json.loads(description.read_text()), description.with_suffix("")
        window = ("--clock", "one", "--annotation", "ProfilerStep#")
        answer = ask(orrery, "blame", files, "--clock", "one")
        steps = len(answer["steps"])
        before = ask(orrery, "path", files, *window, "--instance", f"0:{steps - 1}")["window"]["span_us"] / steps / 1e3
        rows.append(predict(orrery, case["name"], f"{case['world']} ranks", before, case["unprofiled_step_us_median"] / 1e3, steps, files, *window, "--instance", f"0:{steps - 1}"))
        alone = ask(orrery, "path", files, "--clock", "one")["window"]["span_us"] / 1e3
        typical.append(predict(orrery, case["name"], f"{case['world']} ranks", alone, case["unprofiled_step_us_median"] / 1e3, 1, files, "--clock", "one"))
    return rows, typical


def cell(value, form):
    return "-" if value is None else form.format(value)


def details(rows, second):
    lines = [f"| job | {second} | recorded, ms | without, ms | predicted, ms | error | interval, ms | holds |", "|---|---|---:|---:|---:|---:|---:|---|"]
    for r in rows:
        interval = "-" if r.between is None else f"{r.between[0]:.2f} to {r.between[1]:.2f}"
        lines.append(f"| {r.job} | {r.way} | {r.recorded:.2f} | {r.without:.2f} | {cell(r.predicted, '{:.2f}')} | {cell(r.error, '{:+.1f} %')} | {interval} | {'-' if r.holds is None else 'yes' if r.holds else 'no'} |")
    return "\n".join(lines)


def summary(groups):
    lines = ["| recorded | recordings | as recorded, median | predicted: median | mean | largest | interval holds |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name, rows in groups:
        errors = [abs(r.error) for r in rows if r.error is not None]
        held = [r.holds for r in rows if r.holds is not None]
        recorded = statistics.median((r.recorded / r.without - 1) * 100 for r in rows)
        figures = [f"{f(errors):.1f} %" for f in (statistics.median, statistics.mean, max)] if len(errors) == len(rows) else ["-"] * 3
        lines.append(f"| {name} | {len(rows)} | {recorded:+.0f} % | {' | '.join(figures)} | {f'{sum(held)} of {len(held)}' if held else '-'} |")
    return "\n".join(lines)


def main():
    orrery, (data, jax, jobs, document) = sys.argv[1], map(pathlib.Path, sys.argv[2:6])
    rows, spaces, (base, typical) = recordings(orrery, data), profiles(orrery, jax), whole_jobs(orrery, jobs)
    groups = [(f"`{way}`: {words}", [r for r in rows if r.way == way]) for way, words in WAYS.items()]
    groups += [(f"`{REPLAYED}`", [r for r in rows if r.way == REPLAYED]), ("JAX: XSpace with Python stacks", spaces), ("jobs of several ranks over gloo, shapes: all steps", base), ("the same jobs: the typical step alone", typical)]
    text = f"""{TITLE}
What a step takes when nobody records it, predicted by `orrery whatif FILES 'profiler remove'` from one recording alone, against the median of 80 steps of the same job that
were timed without a profiler, on one H200 with PyTorch 2.11 ([RECORDING.md](RECORDING.md)). *As recorded*: the error of who takes the recorded step for the real one. *Interval holds*: the
real step lies between the two figures that the answer gives. `{REPLAYED}`: `orrery link --without-profiler`, then `orrery replay`, per step.

Some choices of the model (how finely rows are told apart by length, how many names make a ruler, how much of the host is slowed down) were made by looking at these same recordings, several variants each: of
other jobs expect more. Twelve others, recorded on a host whose speed differs by a fifth from one recording to the next, had median errors of 7 % (host and device), 8 % (shapes), 13 % (stacks), 18 % (pairs) and 14 % (replayed).

{summary(groups)}

{details(rows, "recorded")}

JAX 0.11 on one H200, against the median of 20 steps without a profiler.

{details(spaces, "recorded")}

Jobs of several CPU ranks over gloo, six recorded steps with shapes, against the median of 60 steps without a profiler.

{details(base, "ranks")}
"""
    old = document.read_text()
    old = re.sub(rf"\n{re.escape(TITLE)}\n.*?(?=\n## |\Z)", "", old, flags=re.S).rstrip("\n")
    document.write_text(old + "\n\n" + text)


main()
