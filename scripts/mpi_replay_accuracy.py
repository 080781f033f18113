#!/usr/bin/env python3
"""Writes the section "Replays by MPI" of docs/ACCURACY.md: a description fitted to one pattern on this machine, held against others that it was not fitted to.

  mpi_replay_accuracy.py ORRERY [ACCURACY.md]     needs mpirun; some seconds
"""
import datetime, json, os, pathlib, re, subprocess, sys, tempfile

ORRERY = sys.argv[1]
OUTPUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/ACCURACY.md")
WORK = pathlib.Path(tempfile.mkdtemp())
REPEAT = "25"
LEARNT = [(name, {size: value, "iterations": 5}) for name, size, values in (("allreduce", "count", (1, 1000, 20000)), ("pingpong", "messageSize", (8, 2000, 100000)),
          ("allgather", "count", (1, 2000)), ("random", "messagesize", (1000, 50000))) for value in values]
ASKED = [("halo2d", {"iterations": 10, "messagesizex": 20000, "messagesizey": 20000}), ("alltoall", {"iterations": 10, "bytes": 4000}), ("fft3d", {}),
         ("allreduce", {"iterations": 10, "count": 5000}), ("sweep2d", {}), ("bcast", {"iterations": 10, "count": 10000})]


def replay(processes, *arguments):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-q", "-n", str(processes), ORRERY, "-q", "replay", *arguments, "--on", "mpi", "--repeat", REPEAT, "--json"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["data"]


def percent(value):
    return f"{value:+.0f} %" if abs(value) >= 10 else f"{value:+.1f} %"


def rows_for(processes):
    jobs, fitted = WORK / f"learnt{processes}.yml", WORK / f"fitted{processes}.yml"
    motifs = "".join(f"      - {{motif: {name}, set: {{{', '.join(f'{key}: {value}' for key, value in settings.items())}}}}}\n" for name, settings in LEARNT)
    jobs.write_text(f"format: orrery.motif_jobs/1\njobs:\n  - name: \"sizes\"\n    nodes: 0-{processes - 1}\n    motifs:\n{motifs}")
    learnt = replay(processes, str(jobs), "--calibrate", str(fitted))
    rows = [f"| {processes} | fitted to: all-reduces, ping-pongs, all-gathers and random partners, several sizes | {learnt['makespan_us'] / 1e3:.2f} | {learnt['least_makespan_us'] / 1e3:.2f} to "
            f"{learnt['most_makespan_us'] / 1e3:.2f} | | {percent(learnt['fitted_makespan_error_pct'])} | |"]
    within = 0
    for name, settings in ASKED:
        answer = replay(processes, name, *(word for key, value in settings.items() for word in ("--set", f"{key}={value}")), "--against", str(fitted))
        whole = answer["against"][0]
        within += abs(whole["error_pct"]) <= 25
        said = ", ".join(f"{key} {value}" for key, value in settings.items())
        rows.append(f"| {processes} | {name}{' (' + said + ')' if said else ''} | {answer['makespan_us'] / 1e3:.3f} | {answer['least_makespan_us'] / 1e3:.3f} to "
                    f"{answer['most_makespan_us'] / 1e3:.3f} | {whole['simulated_us'] / 1e3:.3f} | {percent(whole['error_pct'])} | {'yes' if abs(whole['error_pct']) <= 25 else 'no'} |")
    parameters = ", ".join(f"{p['parameter']} {p['value']:g}{'' if p['determined'] else ' (not told)'}" for p in learnt["parameters"])
    return rows, f"{processes} processes: {parameters}; a row of the fit is {learnt['fitted_median_error_pct']:.0f} % off in the median, over {learnt['fitted_samples']:,} samples.", within


results = {processes: rows_for(processes) for processes in (2, 4)}
section = ["## Replays by MPI", "",
           f"Motifs run for real by `orrery replay --on mpi` through shared memory, on {os.cpu_count()} cores that others used too, {datetime.date.today().isoformat()}; medians of {REPEAT} runs, with least",
           "and most. A description is fitted to the first row of each number of processes (`--calibrate`), and predicts the others (`--against`), which it was not fitted to. With four processes",
           "the cores are oversubscribed: whoever waits gives its core away, and that is in the times. Asked for are 25 % on another pattern. One run of the script, whatever came out of it: on a",
           f"machine with a load of {os.getloadavg()[0]:.1f} the same rows differ by a factor from run to run.", "",
           "| processes | pattern | measured, ms | runs, ms | simulated, ms | error | within 25 % |", "|---|---|---|---|---|---|---|"]
for rows, _, _ in results.values():
    section += rows
counted = sum(within for _, _, within in results.values())
section += ["", *(text for _, text, _ in results.values()), "",
            f"Within 25 %: {counted} of {len(ASKED) * len(results)}. Of the patterns to fit to and to ask about, and of the weight of the makespan, two other choices were tried before, on the same two busy",
            "cores: 2 to 6 of 10 to 12 rows were within 25 %. What is asked for is not reached here; how much of that is the load is not known until it is run on idle cores. Known to be missing in the",
            "description: one bandwidth stands for messages and for reductions, which also add, and a simulated broadcast ends on all ranks at once, where MPI's root runs ahead of the others.", ""]
text = OUTPUT.read_text() if OUTPUT.exists() else "# Accuracy\n"
text = re.sub(r"\n*## Replays by MPI\n.*?(?=\n## |\Z)", "", text, flags=re.S).rstrip("\n")
OUTPUT.write_text(text + "\n\n" + "\n".join(section))
