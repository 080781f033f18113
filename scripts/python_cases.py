"""The Python module in docs/PERFORMANCE.md: what a column costs, and what opening costs beside the program reading the same file."""
import json
import os
import subprocess

MEASURE = """
import json, resource, sys, time
import orrery

def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime

def best(call, repetitions):
    seconds = []
    for _ in range(repetitions):
        begin = cpu(); call(); seconds.append(cpu() - begin)
    return min(seconds)

trace = orrery.open(sys.argv[1]); rank = trace.ranks[0]
def columns():
    for _ in range(10000): rank.start_ps
step = orrery.step(trace, annotation="")
print(json.dumps({"events": len(rank), "column_us": best(columns, 5) / 10000 * 1e6, "open_s": best(lambda: orrery.open(sys.argv[1]), 3),
                  "info_s": best(lambda: orrery.info(trace), 3), "edges": len(step.source), "solve_s": best(lambda: step.solve(step.weight_ps), 5)}))
"""


def cpu_of(command):
    best = None
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        seconds = usage.ru_utime + usage.ru_stime
        best = seconds if best is None else min(best, seconds)
    return best


def add_rows(row, binary, data):
    package = os.path.join(os.path.dirname(os.path.abspath(binary)), "python")
    if not os.path.isdir(package + "/orrery"):
        return
    trace = os.path.join(data, "trace.json")
    measured = json.loads(subprocess.run(["/usr/bin/python3", "-c", MEASURE, trace], env={**os.environ, "PYTHONPATH": package}, stdout=subprocess.PIPE, check=True).stdout)
    info = cpu_of([binary, "info", trace, "--json"])
    row(f"Python: a column of {measured['events']:,} events as a numpy array", f"{measured['column_us']:.2f} us, no copy", "microseconds", measured["column_us"] < 10)
    row("Python: `orrery.open` against `orrery info`, both hash the file", f"{measured['open_s']:.2f} CPU s / {info:.2f} CPU s", "", True)
    row("Python: `orrery.info` of the opened trace", f"{measured['info_s']:.3f} CPU s", "", True)
    row(f"Python: `Step.solve` with other weights, {measured['edges']:,} edges", f"{measured['solve_s'] * 1e3:.1f} ms", "", True)
