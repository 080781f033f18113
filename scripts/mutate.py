#!/usr/bin/env python3
"""Damages shipped inputs in random ways and runs the verbs on them. Usage: mutate.py ORRERY SECONDS [--seed N] [--keep FOLDER]

Whatever the input, a verb ends by itself, in time, with exit code 0 to 3: 4 is a defect of ours, and so is a signal. What fails is kept in
FOLDER with the command that failed. The same seed tries the same inputs in the same order."""
import argparse
import glob
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT_S = 60
INTERESTING_NUMBERS = ["0", "-1", "1e300", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "0.0000001", "1e-320", "NaN", ""]

GROUPS = ["--comm-group", "data/workloads/training.groups.json"]
GRAPHED = ["replay", "data/graphs/graphed.et.json.gz", "data/graphs/graphed.kineto.json.gz"]

# Per kind of input: the files to start from, the name that a damaged one gets, and the verbs to run on it. {in}: the input, {out}: a place to
# write to, {stem}: the input without ".0.et".
KINDS = [
    (["data/*.kineto.json.gz", "data/graphs/*.kineto.json.gz"], "trace.json", [
        ["info", "{in}"], ["check", "{in}"], ["path", "{in}"], ["path", "{in}", "--compat", "hta"],
        ["graphs", "{in}"], ["graphs", "data/graphs/decode.replay.kineto.json.gz", "--capture", "{in}"], ["steps", "{in}"], ["roofline", "{in}", "--device", "h200"], ["path", "{in}", "--overlay", "{out}.json"],
        ["whatif", "{in}", "comm remove"], ["link", "{in}", "-o", "{out}"], ["scrub", "{in}", "-o", "{out}"],
        ["align", "{in}", "{other}", "-o", "{out}"], ["convert", "{in}", "--to", "et", "-o", "{out}.et"]]),
    (["data/*.et.json.gz"], "host.json", [
        ["link", "--device", "{pair}", "--host", "{in}", "-o", "{out}"], ["convert", "{in}", "--to", "et", "-o", "{out}.et"], ["scrub", "{in}", "-o", "{out}"]]),
    (["data/graphs/graphed.capture.kineto.json.gz"], "capture.json", [
        [*GRAPHED, "--capture", "{in}", "--emit", "torch", "-o", "{out}"],
        [*GRAPHED, "--capture", "{in}", "--capture", "data/graphs/graphed.capture.et.json.gz", "--emit", "torch", "-o", "{out}"]]),
    (["data/graphs/graphed.capture.et.json.gz"], "capture.et.json", [
        [*GRAPHED, "--capture", "{in}", "--capture", "data/graphs/graphed.capture.kineto.json.gz", "--emit", "torch", "-o", "{out}"]]),
    (["data/jax_*/*.xplane.pb.gz"], "node0.xplane.pb", [
        ["info", "{in}"], ["check", "{in}"], ["align", "{in}", "{other}", "-o", "{out}"], ["convert", "{in}", "--to", "timeline", "-o", "{out}.json"]]),
    (["data/workloads/*.et"], "job.0.et", [
        ["simulate", "--workload", "{stem}", *GROUPS, "--machine", "data/machines/dgx_h100_pod.yaml"], ["replay", "{in}"], ["scrub", "{in}", "-o", "{out}"],
        ["convert", "{in}", "--to", "jsonl", "-o", "{out}.jsonl"], ["convert", "{in}", "--to", "dot", "-o", "{out}.dot"]]),
    (["data/machines/*_pod.yaml", "data/machines/example_*.yaml"], "machine.yaml", [
        ["simulate", "--workload", "data/workloads/training", *GROUPS, "--machine", "{in}"]]),
    (["fuzz/corpus/goal/*"], "job.goal", [
        ["simulate", "--workload", "{in}", "--machine", "hgx_h200"], ["convert", "{in}", "--to", "et", "-o", "{out}.et"]]),
]


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def damage_once(rng, data, other):
    """One change of a random kind at a random place."""
    at = rng.randrange(len(data) + 1)
    length = min(len(data) - at, rng.choice([1, 2, 8, 64, 1000, 50_000]))
    kind = rng.randrange(8)
    if kind == 0 and length:  # some bits
        changed = bytearray(data)
        for _ in range(rng.choice([1, 3, 20])):
            changed[at + rng.randrange(length)] ^= 1 << rng.randrange(8)
        return bytes(changed)
    if kind == 1:  # a piece is lost
        return data[:at] + data[at + length:]
    if kind == 2:  # a piece is there twice
        return data[:at] + data[at:at + length] + data[at:]
    if kind == 3:  # the end is lost
        return data[:at]
    if kind == 4:  # a piece of another file
        start = rng.randrange(len(other) + 1)
        return data[:at] + other[start:start + length] + data[at + length:]
    if kind == 5:  # another number, in a text
        digits = [i for i in range(at, min(len(data), at + 2000)) if data[i:i + 1].isdigit()]
        if digits:
            begin = end = digits[0]
            while end < len(data) and chr(data[end]) in "0123456789.-+eE":
                end += 1
            return data[:begin] + rng.choice(INTERESTING_NUMBERS).encode() + data[end:]
    if kind == 6:  # two pieces change places
        begin = rng.randrange(len(data) + 1)
        first, last = sorted([at, begin])
        return data[:first] + data[last:last + length] + data[first + length:last] + data[first:first + length] + data[last + length:]
    return data[:at] + bytes([rng.choice([0, 0xFF, 0x80, 0x7F, 34, 91, 123])]) * rng.choice([1, 10, 5000]) + data[at:]


def fill(words, places):
    return [word.format(**places) for word in words]


def run(command):
    """None, or what is wrong with how it ended."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT_S} s"
    if 0 <= done.returncode <= 3:
        return None
    return f"ended with {done.returncode}: " + done.stderr.decode(errors="replace")[-2000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("orrery")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=".")
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    orrery = os.path.abspath(options.orrery)
    kinds = [([path for pattern in patterns for path in sorted(glob.glob(pattern))], name, verbs) for patterns, name, verbs in KINDS]
    kinds = [kind for kind in kinds if kind[0]]
    rng = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    inputs = runs = 0
    failures = []
    while time.monotonic() < end and not failures:
        paths, name, verbs = rng.choice(kinds)
        path, other_path = rng.choice(paths), rng.choice(paths)
        data, other = read(path), read(other_path)
        for _ in range(rng.choice([1, 1, 2, 5])):
            data = damage_once(rng, data, other)
        inputs += 1
        with tempfile.TemporaryDirectory(prefix="orrery-mutate-") as folder:
            damaged = os.path.join(folder, name)
            if not name.endswith((".yaml", ".et")) and rng.randrange(4) == 0:
                data = gzip.compress(data, 1)
                if rng.randrange(2):
                    data = damage_once(rng, data, other)
            with open(damaged, "wb") as file:
                file.write(data)
            if name == "job.0.et":  # the other ranks are as they were
                for rank in range(1, 16):
                    os.symlink(os.path.abspath(f"data/workloads/training.{rank}.et"), os.path.join(folder, f"job.{rank}.et"))
            places = {"in": damaged, "out": os.path.join(folder, "out"), "stem": damaged.removesuffix(".0.et"), "other": other_path,
                      "pair": path.replace(".et.json.gz", ".kineto.json.gz")}
            command = [orrery, *fill(rng.choice(verbs), places)]
            problem = run(command)
            runs += 1
            if problem:
                os.makedirs(options.keep, exist_ok=True)
                kept = os.path.join(options.keep, f"mutate-{options.seed}-{inputs}-{name}")
                shutil.copy(damaged, kept)
                failures.append(f"{' '.join(command)}\n  {problem}\n  the input is kept as {kept}")
    for failure in failures:
        print(f"mutate: {failure}", file=sys.stderr)
    print(f"mutate: {inputs} damaged inputs in {runs} runs (seed {options.seed}), {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
