#!/usr/bin/env python3
"""Measured devices, each predicted by the tables of each other one: how far a relative's tables hold (src/machine/warm/borrowed_table.cc).

  relative_accuracy.py ORRERY KERNELS.csv[.gz] [EVERY]     every EVERYth row (4) of a table of warm kernels with times and the column `device`

Prints per pair and kind the mean error and the share inside the interval in percent; then, per kind, between which ratios of measured to predicted all but 8 % at
either end lie between generations (each pair counts alike), and what the same holds of pairs of a generation that it was not taken from.
"""
import collections, csv, gzip, json, pathlib, re, shutil, statistics, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).parent.parent
OUTSIDE = 0.08
OWN = re.compile(r"(?m)^(gemm|attention|elementwise|standalone|accuracy|tables):.*\n(?: .*\n)*")


def described():
    """Devices with tables: the text and the path by name, of all the names a table may use."""
    found, names = {}, {}
    for path in sorted((ROOT / "data/devices").glob("*.yaml")):
        text = path.read_text()
        if (path.parent / path.stem / "gemm.yaml").exists():
            name = re.search(r'(?m)^name: "(.*)"', text).group(1)
            found[name] = (path, text, re.search(r'(?m)^generation: "(.*)"', text).group(1))
            for alias in [name, *re.findall(r'"([^"]*)"', (re.search(r"(?m)^aliases: \[(.*)\]", text) or [""])[0])]:
                names[alias] = name
    return found, names


def priced_by(orrery, relative, devices, table):
    """The rows of `table` where only `relative` has tables. A program looks for data beside itself."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "build").mkdir(), (folder / "data/devices").mkdir(parents=True)
        shutil.copy(orrery, folder / "build/orrery")
        for one in (ROOT / "data").iterdir():
            if one.name != "devices":
                (folder / "data" / one.name).symlink_to(one.resolve())
        for name, (path, text, _) in devices.items():
            (folder / "data/devices" / path.name).write_text(text if name == relative else OWN.sub("", text))
        path = devices[relative][0]
        (folder / "data/devices" / path.stem).symlink_to(path.parent.resolve() / path.stem)
        run = subprocess.run([folder / "build/orrery", "llm", "kernels", table, "--json", "-q"], capture_output=True, text=True, check=True)
    return {one["id"]: one for one in json.loads(run.stdout)["data"]["rows"] if one["us"] is not None}


def weighted_quantile(lists, share):
    """Of all values, each list weighing the same."""
    values = sorted((one, 1 / len(values) / len(lists)) for values in lists for one in values)
    for value, weight in values:
        share -= weight
        if share <= 0:
            return value
    return values[-1][0]


def inside(ratios, low, high):
    return 100 * statistics.mean(low <= one <= high for one in ratios)


def main(orrery, kernels, every=4):
    devices, names = described()
    rows = list(csv.DictReader(gzip.open(kernels, "rt") if kernels.endswith(".gz") else open(kernels)))[::int(every)]
    ratios, answers = collections.defaultdict(list), collections.defaultdict(list)  # by kind, device and relative
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as table:
        writer = csv.DictWriter(table, rows[0].keys())
        writer.writeheader(), writer.writerows(rows), table.flush()
        for relative in devices:
            priced = priced_by(orrery, relative, devices, table.name)
            for row in rows:
                one, device = priced.get(row["id"]), names[row["device"]]
                if one and device != relative:
                    us = float(row["us"])
                    ratios[row["kind"], device, relative].append(us / one["us"])
                    answers[row["kind"], device, relative].append((abs(one["us"] / us - 1), one["low_us"] <= us <= one["high_us"]))
    generation = {name: one[2] for name, one in devices.items()}
    for (kind, device, relative), found in sorted(answers.items()):
        print("%-12s %-8s by %-8s %6.1f %% off, %3.0f %% inside" % (kind, device, relative, 100 * statistics.mean(one[0] for one in found), 100 * statistics.mean(one[1] for one in found)))
    for kind in sorted({key[0] for key in ratios}):
        far = {key[1:]: found for key, found in ratios.items() if key[0] == kind and generation[key[1]] != generation[key[2]]}
        low, high = (weighted_quantile(far.values(), share) for share in (OUTSIDE, 1 - OUTSIDE))
        held = []
        for left_out in set(generation.values()):
            seen = [found for pair, found in far.items() if left_out not in (generation[pair[0]], generation[pair[1]])]
            ends = [weighted_quantile(seen, share) for share in (OUTSIDE, 1 - OUTSIDE)]
            held += [inside(found, *ends) for pair, found in far.items() if generation[pair[0]] == left_out]
        print("%-12s between generations %.3g to %.3g; of a generation left out %.0f %% inside" % (kind, low, high, statistics.mean(held)))


if __name__ == "__main__":
    main(*sys.argv[1:])
