#!/usr/bin/env python3
"""Damaged operation lists against their reader, src/replay/torch/replay.py: each must be read or refused in a sentence.
Usage: fuzz_operations.py SECONDS [--seed N]. Exit code 1 if the reader ends in any other way; the list is then printed."""
import argparse
import copy
import importlib.util
import json
import pathlib
import random
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ODD = [None, True, -1, 0, 1, 2**63, 2**70, 1.5, float("inf"), "", "cuda", "aten::mm", "x" * 5000, [], [[]], {}, {"t": 0}, {"t": -1}, {"nan": 1}, [0, [0], [1]],
       ["thread", 1], ["pause", 1], ["collective", {"kind": "all_reduce"}, [], []], "\ud800"]


def places(value, path=()):
    """Every place inside a JSON value."""
    yield path
    inner = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def damaged(original, chance):
    """A copy with some of its values replaced by odd ones, by one another, or removed."""
    value = copy.deepcopy(original)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        path = chance.choice(list(places(value)))
        if not path:
            continue
        holder = value
        for key in path[:-1]:
            holder = holder[key]
        if chance.random() < 0.15:
            del holder[path[-1]]
        else:
            holder[path[-1]] = copy.deepcopy(chance.choice(ODD))
    return value


def damaged_bytes(text, chance):
    content = bytearray(text.encode())
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        content[at:at + chance.randint(0, 8)] = chance.randbytes(chance.randint(0, 4))
    return bytes(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("replay", ROOT / "src/replay/torch/replay.py")
    replay = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replay)
    seeds = [json.loads(path.read_text()) for path in sorted((ROOT / "fuzz/corpus/operations").glob("*.json"))]
    chance, end, tried, read = random.Random(options.seed), time.monotonic() + options.seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rank0.json"
        while time.monotonic() < end:
            seed = chance.choice(seeds)
            content = json.dumps(damaged(seed, chance)).encode() if chance.random() < 0.7 else damaged_bytes(json.dumps(seed), chance)
            path.write_bytes(content)
            tried += 1
            try:
                replay.Operations(path, [[0, 1], [0]]).peak_bytes()
                read += 1
            except replay.Refusal:
                pass
            except BaseException:
                print(content.decode(errors="replace"), file=sys.stderr)
                raise
    print(f"fuzz: operation lists: {tried} damaged ones tried, {read} of them still lists, and each other one refused in a sentence")


if __name__ == "__main__":
    main()
