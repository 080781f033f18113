#!/usr/bin/env python3
"""Writes data/accuracy/published.yaml: how far published measurements lay from predictions of their kind.

  llm_accuracy.py ORRERY TABLE.csv...   (tables with measured values, columns as in docs/LLM.md)
"""
import collections, csv, json, pathlib, subprocess, sys

FEWEST = 5  # measurements of a kind below which an interval says nothing


def quantile(values, share):
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


ratios = collections.defaultdict(list)
for table in sys.argv[2:]:
    run = subprocess.run([sys.argv[1], "llm", "backtest", table, "--json"], capture_output=True, text=True, check=True)
    for row, answer in zip(csv.DictReader(open(table)), json.loads(run.stdout)["data"]["rows"]):
        if row["unit"] != "bool" and row["value"] and answer["predicted"]:
            ratios[answer["kind"]].append(float(row["value"]) / answer["predicted"])
lines = ["# Written by scripts/llm_accuracy.py from published measurements, most of which the constants were fitted on: between these ratios of measured",
         "# to predicted lay eight of ten measurements of a kind. Kinds with fewer than %d are left out." % FEWEST,
         "format: orrery.accuracy/1", "kinds:"]
for kind, values in sorted(ratios.items()):
    values.sort()
    if len(values) >= FEWEST:
        lines.append('  - {name: "%s", rows: %d, low_ratio: %.4g, high_ratio: %.4g}' % (kind, len(values), quantile(values, 0.1), quantile(values, 0.9)))
path = pathlib.Path(__file__).parent.parent / "data/accuracy/published.yaml"
path.parent.mkdir(exist_ok=True)
path.write_text("\n".join(lines) + "\n")
