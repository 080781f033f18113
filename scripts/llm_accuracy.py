#!/usr/bin/env python3
"""Writes how far measurements lie from predictions of their kind: what the intervals of `orrery llm` stand on.

  llm_accuracy.py ORRERY TABLE.csv...        data/accuracy/published.yaml, from a back-test (tables with measured values, columns as in docs/LLM.md)
  llm_accuracy.py ORRERY --kernels K.csv     the section `accuracy` of data/devices/h200.yaml, from kernels that were timed alone there

Both give an interval in which a further measurement lies eight times out of ten. The ends are those order statistics of n ratios of measured to
predicted that a further one exceeds one time out of ten (n + 1 in the count: of nine, the smallest and the largest). Fewer than nine published rows support
none; of kernels, three to eight have Student's interval (src/llm/backtest/calibration.cc).

Kernels are cross-validated: `orrery llm calibrate` fits on four fifths of the shapes, from a start that had not seen any of them, and prices the rest;
where shapes that were kept back altogether were off by more (UNSEEN_KERNELS), the interval is widened by that ratio.
Published rows were mostly fitted on, and fitting every framework again without each of its configurations is not done here. Their intervals are widened
instead: by what unseen rows were off in the experiments that the constants come from (data/accuracy/unseen.csv: cross-validated or kept back,
whichever was more), over what the rows here are off, both as mean errors. A kind whose interval does not hold the prediction is biased, and is left out.
"""
import collections, csv, json, math, pathlib, re, subprocess, sys, tempfile

FEWEST = 9
# Mean error in percent of kernels timed alone on the H200, of shapes that were kept back when their formulas were made,
# some of them further off than any fold.
UNSEEN_KERNELS = {"gemm": 6.1, "layernorm": 16.0, "softmax": 9.0, "sdpa_fwd": 15.0, "sdpa_fwd_bwd": 22.0}
ROOT = pathlib.Path(__file__).parent.parent
# Requests in a loop that were published for serving engines' continuous batches: `llm CONFIG` with `batching: continuous` is held against them. What they
# measure, what it is to one request, and by which of the answer's fields; in a loop the throughput is the requests' number over a request's latency.
LOOPS = "docs.nvidia.com/nim"
LOOP_METRICS = {"ttft": ("first_token", lambda value, one: 1e3 * value / one["first_token_us"]),
                "itl": ("token", lambda value, one: 1e3 * value / one["token_us"]),
                "throughput": ("latency", lambda value, one: one["all_tokens_per_s"] / value)}
LOOP_CONFIG = """format: orrery.llm/1
name: "%s"
model: llama_3_70b
machine: %s
devices: %s
inference: {batch: %s, prompt: %s, generate: %s, precision: %s, batching: continuous}
parallelism: {tensor: %s}
"""


def unseen():
    """By kind: None or the mean error in percent of rows that the constants had not seen, and how that was found. Other kinds were not fitted on."""
    with open(ROOT / "data/accuracy/unseen.csv", newline="") as table:
        return {row["kind"]: (float(row["unseen_pct"]) if row["unseen_pct"] else None, row["how"]) for row in csv.DictReader(table)}


def mean_error(ratios):
    """Of the predictions, in percent."""
    return 100 * sum(abs(1 / one - 1) for one in ratios) / len(ratios)


def interval(ratios):
    """None, or the two ends."""
    if len(ratios) < FEWEST:
        return None
    ratios, at = sorted(ratios), int(0.1 * (len(ratios) + 1))
    return ratios[at - 1], ratios[-at]


def loop_ratios(orrery, rows):
    """Measured to predicted of continuous batches, by kind."""
    rows = [row for row in rows if LOOPS in row["source"] and row["model"] == "Llama-3.3-70B" and row["metric"] in LOOP_METRICS and row["value"]]
    if not rows:
        return {}
    ratios = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            machine = "dgx_a100" if "A100" in row["gpu"] else "dgx_h100"
            (pathlib.Path(folder) / (row["id"] + ".yml")).write_text(LOOP_CONFIG % (
                row["id"], machine, row["tp"], row["gbs"], row["seq"], row["decode_len"], row["precision"], row["tp"]))
        run = subprocess.run([orrery, "llm", *sorted(pathlib.Path(folder).iterdir()), "--json"], capture_output=True, text=True, check=True)
    answers = {one["name"]: one for one in json.loads(run.stdout)["data"]["inference"]}
    for row in rows:
        kind, ratio = LOOP_METRICS[row["metric"]]
        ratios["continuous " + kind].append(ratio(float(row["value"]), answers[row["id"]]))
    return ratios


def write_published(orrery, tables):
    # Steps known by their schedules alone: `llm backtest` has the interval of a model that was not seen (src/llm/backtest/step_interval.h). Of a kind
    # in several tables, the last one has the best rows.
    ratios, of_models = collections.defaultdict(list), {}
    for table in tables:
        # The closed forms, and once more the schedules of what is a plan.
        for flags in ([], ["--schedule"]):
            run = subprocess.run([orrery, "llm", "backtest", table, "--json", *flags], capture_output=True, text=True, check=True)
            if not flags:
                of_models |= {one["kind"]: one for one in json.loads(run.stdout)["data"].get("step_intervals", [])}
            for row, answer in zip(csv.DictReader(open(table)), json.loads(run.stdout)["data"]["rows"]):
                is_schedule = answer["kind"].startswith("schedule ")
                if row["unit"] != "bool" and row["value"] and answer["predicted"] and is_schedule == bool(flags) and answer["kind"] not in of_models:
                    ratios[answer["kind"]].append(float(row["value"]) / answer["predicted"])
        for kind, values in loop_ratios(orrery, csv.DictReader(open(table))).items():
            ratios[kind] += values
    lines, left_out, fitted = [], [], unseen()
    for kind, values in sorted(ratios.items()):
        ends = interval(values)
        if ends is None:
            left_out.append("%s (%d rows)" % (kind, len(values)))
            continue
        seen = mean_error(values)
        unseen_pct, how = fitted.get(kind, (None, "not fitted on"))
        widening = max(1.0, unseen_pct / seen) if unseen_pct else 1.0
        low, high = (math.exp(widening * math.log(end)) for end in ends)
        if not low <= 1 <= high:
            left_out.append("%s (measured is %.3g to %.3g of predicted)" % (kind, low, high))
            continue
        why = "widened %.2f times: unseen %.1f %% (%s), here %.1f" % (widening, unseen_pct, how, seen) if unseen_pct else how
        of_unseen = ", unseen_pct: %.4g" % unseen_pct if unseen_pct else ""
        lines.append('  - {name: "%s", rows: %d, low_ratio: %.4g, high_ratio: %.4g%s}  # %s' % (kind, len(values), low, high, of_unseen, why))
    for kind, one in of_models.items():
        lines.append('  - {name: "%s", rows: %d, low_ratio: %.4g, high_ratio: %.4g}  # of a model that was not seen' % (kind, one["rows"], one["low_ratio"], one["high_ratio"]))
    lines.sort()
    head = ["# Written by scripts/llm_accuracy.py, which says how: between these ratios of measured to predicted lie eight of ten further measurements of a kind.",
            "# Left out, because fewer than %d measurements support no interval, or because the interval would not hold the prediction:" % FEWEST]
    head += ["#   " + one for one in left_out]
    path = ROOT / "data/accuracy/published.yaml"
    path.write_text("\n".join(head + ["format: orrery.accuracy/1", "kinds:"] + lines) + "\n")


def section(text, key):
    found = re.search(r"(?m)^%s:.*\n(?: .*\n)*" % key, text)
    return found.group(0) if found else ""


# Round figures that no kernel of the H200 was asked about.
UNINFORMED = """standalone:
  add: {floor_us: 5, bandwidth_gb_per_s: 2880}
  gelu: {floor_us: 5, bandwidth_gb_per_s: 2880}
  softmax:
    floor_us: 5
    algorithms:
      - {max_columns: 1024, bandwidth_gb_per_s: 2880}
      - {max_columns: 9216, bandwidth_gb_per_s: 2880, at_columns: 4096, exponent: -0.29}
      - {max_columns: 1048576, bandwidth_gb_per_s: 2880}
  norm: {floor_us: 5, block_us: 1, column_ns: 3, blocks_per_unit: 8, sharpness: 3}
  host_copy: {floor_us: 10, bandwidth_gb_per_s: 40}
  device_copy: {floor_us: 5, bandwidth_gb_per_s: 2880}
  attention: {floor_us: 5, forward_share: 0.5, forward_half_sequence: 256, backward_share: 0.5, backward_half_sequence: 256, gradient_passes: 1, host_us: 300}
  block: {factor: 1, forward_us: 100, both_us: 200}
"""


def write_kernels(orrery, table):
    path = ROOT / "data/devices/h200.yaml"
    device, a100 = path.read_text(), (ROOT / "data/devices/a100_80.yaml").read_text()
    start = device.replace(section(device, "gemm"), section(a100, "gemm")).replace(section(device, "standalone"), UNINFORMED)
    start = start.replace(section(device, "accuracy"), "") if section(device, "accuracy") else start
    start = re.sub(r"(?m)^(cache:.*bandwidth_gb_per_s: )[\d.]+", r"\g<1>10000", start)
    with tempfile.TemporaryDirectory() as folder:
        base, fitted = pathlib.Path(folder) / "base.yaml", pathlib.Path(folder) / "fitted.yaml"
        base.write_text(start)
        run = subprocess.run([orrery, "llm", "calibrate", table, "--hardware", base, "-o", fitted, "--json"], capture_output=True, text=True, check=True)
        found = section(fitted.read_text(), "accuracy")
    errors = {one["kind"]: one["held_out_pct"] for one in json.loads(run.stdout)["data"]["kinds"]}
    entry = re.compile(r'kind: "(\w+)".*\n *rows: (\d+).*\n *low_ratio: ([\d.]+).*\n *high_ratio: ([\d.]+)')
    lines = ["accuracy:                         # [unseen]"]
    for kind, rows, *ends in entry.findall(found):
        widening = max(1.0, UNSEEN_KERNELS.get(kind, 0) / errors[kind])
        low, high = (math.exp(widening * math.log(float(end))) for end in ends)
        lines.append('  - {kind: "%s", rows: %s, low_ratio: %.4g, high_ratio: %.4g}' % (kind, rows, low, high))
    path.write_text(device.replace(section(device, "accuracy"), "").rstrip() + "\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[2] == "--kernels":
        write_kernels(sys.argv[1], sys.argv[3])
    else:
        write_published(sys.argv[1], sys.argv[2:])
