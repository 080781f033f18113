"""Rows of docs/PERFORMANCE.md about whole jobs and the verbs for devices."""
import os
import shutil
import subprocess
import time

from measured_run import measured_run

BENCH = {"ORRERY_BENCH_RANKS": "1000", "ORRERY_BENCH_COLLECTIVES": "10000"}


def peak_of_waits(binary):
    """MB of a process that does nothing else."""
    bench = os.path.join(os.path.dirname(binary), "bench", "blame_bench")
    return measured_run(["env", *(f"{name}={value}" for name, value in BENCH.items()), bench, "--benchmark_filter=BM_WaitsAndRootCauses", "--benchmark_min_time=0.01"])[1]


def add_eight_ranks(row, binary, data):
    """Ranks are read side by side: eight files on two cores against one."""
    folder = os.path.join(data, "eight")
    os.makedirs(folder, exist_ok=True)
    for rank in range(8):
        shutil.copyfile(os.path.join(data, "trace.json.gz"), os.path.join(folder, f"rank{rank}.json.gz"))
    seconds = {}
    for threads in ("1", "2") * 3:
        begin = time.monotonic()
        subprocess.run([binary, "breakdown", folder, "--threads", threads, "-q", "--json"], stdout=subprocess.DEVNULL, check=True)
        seconds[threads] = min(seconds.get(threads, 1e9), time.monotonic() - begin)
    shutil.rmtree(folder)
    gain = seconds["1"] / seconds["2"]
    row("`orrery breakdown` of eight such ranks, two cores against one", f"{seconds['1']:.2f} s / {seconds['2']:.2f} s = {gain:.2f} x", ">= 1.8 x", gain >= 1.8)


def add_rows(row, binary, data, reduced, made, machine):
    reduce_ms = reduced["reduce_rank/iterations:3"]["cpu_time"]
    row("a rank's graph of 1.64 million nodes reduced to its skeleton", f"{reduce_ms / 1e3:.2f} s", "<= 0.25 s", reduce_ms <= 250)
    solve = made["BM_SolveJob"]
    row(f"a made job of 1,000 ranks x 10,000 collectives ({solve['edges'] / 1e6:.0f} million edges), solved", f"{solve['real_time'] / 1e3:.2f} s", "<= 0.5 s", solve["real_time"] <= 500)
    waits = made["BM_WaitsAndRootCauses"]["real_time"]
    row(f"the same: {made['BM_WaitsAndRootCauses']['waits']:,.0f} waits with their root causes", f"{waits / 1e3:.1f} s", "<= 15 s", waits <= 15000)
    peak = peak_of_waits(binary)
    row("the same, in a process of its own: memory", f"{peak / 1e3:.1f} GB", "<= 4 GB", peak <= 4000)
    blame = made["BM_Blame"]["real_time"]
    row("the same: all of blame, with the slowdowns of 64 ranks", f"{blame / 1e3:.1f} s", "<= 45 s", blame <= 45000)
    top = made["BM_Top"]
    row(f"the same: `top` with {top['levers']:.0f} levers", f"{top['real_time'] / 1e3:.1f} s", "<= 30 s", top["real_time"] <= 30000)
    whole = machine["simulate_whole_job/200"]
    row(f"`whatif --machine`: 1,024 ranks x 200 collectives ({whole['operations']:,.0f} operations), calibrated and simulated", f"{whole['real_time'] / 1e3:.1f} s", "<= 5 s", whole["real_time"] <= 5000)
    trace = os.path.join(data, "trace.json")
    best = lambda verb: min(measured_run([binary, verb, trace, "-q", "--json"])[:2] for _ in range(3))
    check_cpu, check_mb = best("check")
    for verb in ("breakdown", "kernels", "launches", "memory"):
        cpu, mb = best(verb)
        row(f"`orrery {verb}` of the whole trace against `orrery check`", f"{cpu:.2f} / {check_cpu:.2f} CPU s = {cpu / check_cpu:.2f} x, {mb:.0f} MB = {mb / check_mb:.2f} x",
            "<= 1.15 x, <= 1.1 x", cpu <= 1.15 * check_cpu and mb <= 1.1 * check_mb)
    add_eight_ranks(row, binary, data)
