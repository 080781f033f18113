"""Times `orrery llm` on shipped configurations: rows for docs/PERFORMANCE.md. Used by performance.py."""
import json, time

from measured_run import measured_run


def best_run(binary, *arguments, repetitions=5):
    """CPU seconds, peak MB, wall seconds and data of the best of a few runs."""
    best = None
    for _ in range(repetitions):
        start = time.monotonic()
        cpu, mb, status, output = measured_run([binary, "llm", *arguments, "--json"])
        wall = time.monotonic() - start
        assert status == 0, arguments
        if best is None or cpu < best["cpu"]:
            best = {"cpu": cpu, "rss": mb, "wall": wall, "data": json.loads(output)["data"]}
    return best


def add_rows(row, binary, llm):
    full = llm["full_schedule"]["cpu_time"]
    one = best_run(binary, "data/llm/gpt_3_175b_64xa100.yml", repetitions=10)
    row("a step of GPT-3 175B on 64 GPUs, 64 micro-batches, full schedule, fluid in-loop [43 to 48 CPU s, 2 GB]", f"{full:.0f} ms, {one['rss']:.0f} MB", "<= 50 ms, <= 200 MB",
        full <= 50 and one["rss"] <= 200)
    row("the same with `orrery llm`, from reading the catalogue to critical path and memory", f"{1000 * one['cpu']:.0f} CPU ms", "", True)
    folded = llm["folded"]["cpu_time"]
    row("the same, folded", f"{folded:.2f} ms", "<= 1 ms", folded <= 1)
    sweep = best_run(binary, "data/llm/gpt_3_175b_sweep.yml", "--sweep", repetitions=1)
    plans = len(sweep["data"]["sweep"])
    row(f"a sweep of {plans:,} plans, two cores", f"{sweep['wall']:.1f} s = {10000 * sweep['wall'] / plans:.1f} s for 10,000", "<= 60 s for 10,000", 10000 * sweep["wall"] / plans <= 60)
    large = best_run(binary, "data/llm/llama_3_405b_16384xh100.yml", repetitions=1)
    row("a step of Llama 3 405B on 16,384 GPUs, fluid in-loop", f"{large['cpu']:.1f} CPU s, {large['rss']:.0f} MB", "<= 60 s", large["cpu"] <= 60)
