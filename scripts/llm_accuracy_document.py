#!/usr/bin/env python3
"""Writes the part of docs/ACCURACY.md about language models: how far the closed forms and the schedules of `orrery llm backtest` are from measurements.

  llm_accuracy_document.py ORRERY DOCUMENT TABLE.csv... [--schedules ANSWERS.json]

Tables have measured values (columns as in docs/LLM.md). The part is put at the end of the document, in place of an earlier one. --schedules takes the answer
of `orrery llm backtest FIRST_TABLE --schedule --json` from a file, which otherwise takes minutes.
"""
import collections, csv, json, pathlib, re, statistics, subprocess, sys

from llm_accuracy import UNSEEN

TITLE = "## Language models"
ROOT = pathlib.Path(__file__).parent.parent
# Where the constants of each data set's model are, which say on what they were fitted.
CONSTANTS = {
    "h200": "data/frameworks/pytorch_eager.yaml", "vtrain": "data/frameworks/megatron_2021.yaml", "korth": "data/frameworks/megatron_2021.yaml",
    "narayanan": "data/frameworks/megatron_2021.yaml", "mtnlg": "data/frameworks/megatron_2021.yaml", "megatron_h100": "data/frameworks/megatron_core.yaml",
    "nvidia_megatron": "data/frameworks/megatron_core.yaml", "llama3": "data/frameworks/megatron_core.yaml", "mosaic": "data/frameworks/llm_foundry.yaml",
    "uci_4xA100_inf": "data/frameworks/serving.yaml", "uci": "data/frameworks/paired_devices.yaml", "hf_nanotron": "data/frameworks/nanotron.yaml",
    "nvidia_llama2": "data/frameworks/serving.yaml", "nvidia_nim": "data/frameworks/serving.yaml", "koyeb": "data/frameworks/serving.yaml",
    "llmcompass": "data/benchmarks", "rapid": "data/benchmarks",
}


def constants_of(dataset):
    return next((path for prefix, path in CONSTANTS.items() if dataset.startswith(prefix)), "")


def answers(orrery, table, flags):
    run = subprocess.run([orrery, "llm", "backtest", table, "--json", *flags], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["data"]["rows"]


def errors_of(tables, rows_of):
    """By data set and metric: (answer, row, error in percent)."""
    found = collections.defaultdict(list)
    for table in tables:
        for row, answer in zip(csv.DictReader(open(table)), rows_of(table)):
            if row["unit"] == "bool" or not row["value"] or not answer["predicted"]:
                continue
            plain = row["metric"] in ("iteration_time", "latency", "e2e_latency")
            key = row["dataset"] if plain else "%s, %s" % (row["dataset"], row["metric"])
            found[key].append((answer, row, 100 * (answer["predicted"] / float(row["value"]) - 1)))
    return found


def summary(errors):
    return "%.1f | %.1f | %+.1f" % (statistics.mean(map(abs, errors)), statistics.median(map(abs, errors)), statistics.mean(errors))


def closed_forms(out, closed):
    out.append("""
### Closed forms

`orrery llm backtest`: one set of constants per device, framework and cluster, fitted on the public rows that the first lines of the file with the constants
name. *Not seen*: mean error of rows of the kind that the constants had not seen, cross-validated or kept back, whichever was more. *80 % interval*: what every
prediction of the kind prints, as a ratio of measured to predicted; widened by not seen over seen (`data/accuracy/published.yaml`).

| data set | rows | mean error % | median % | bias % | not seen % | 80 % interval | constants |
|---|---:|---:|---:|---:|---:|---|---|""")
    intervals = dict(re.findall(r'name: "([^"]+)".*?(low_ratio: [^}]+)}', (ROOT / "data/accuracy/published.yaml").read_text()))
    for dataset, rows in sorted(closed.items()):
        kind = rows[0][0]["kind"]
        unseen = "%.1f" % UNSEEN[kind] if kind in UNSEEN else "not fitted on" if kind in intervals else "-"
        ends = re.findall(r"[\d.]+", intervals.get(kind, ""))
        out.append("| %s | %d | %s | %s | %s | %s |" % (dataset, len(rows), summary([e for _, _, e in rows]), unseen,
                                                     " to ".join(ends) if ends else "-", constants_of(dataset)))


def memory_lines(out, closed):
    peaks = collections.defaultdict(list)
    for rows in closed.values():
        for answer, row, _ in rows:
            if row["second_metric"] == "peak_gib" and row["second_value"] and answer["peak_gib"]:
                peaks["training" if row["phase"] == "train" else "inference"].append(100 * (answer["peak_gib"] / float(row["second_value"]) - 1))
    out.append("""
### Peak memory on one H200

| rows | | mean error % | median % | bias % |
|---|---:|---:|---:|---:|""")
    for name, errors in sorted(peaks.items()):
        out.append("| %s | %d | %s |" % (name, len(errors), summary(errors)))
    out.append("""
Of the inference rows, what is left after weights, cache, activations and logits is not a matter of the configuration. Measured on an H200 with the same PyTorch
(2.11, CUDA 13): every graph that is captured after warming up on a stream of its own leaves a workspace of cuBLAS of 32 MiB behind (33 with biases, where
cuBLASLt has one besides), until the 32 streams of PyTorch's pool all have one: from 64 MiB after the first capture to 1,024 (1,056 with biases) from the
31st on, where it stays. A process that never captured one holds 32 MiB. The rows show 0.10 to 1.06 GiB, half of them the full amount, as if measured one after
another in one process; how many captures came before a row is not in the table. The prediction is the amount that makes the expected error least; with
one row left out at a time, its error is 10 %. With the full amount the rows that hold it are 0.2 % off.""")


def schedules(out, closed, scheduled):
    out.append("""
### Schedules

`orrery llm backtest --schedule`: the same configurations run by the engine, on clusters with the nominal bandwidth of their networks. Kernels and what software adds to
them have the constants of the closed forms; overlap, bubbles and shared links have none: those follow from streams, dependencies and links.

| data set | rows | mean error % | median % | bias % | closed form, same rows % |
|---|---:|---:|---:|---:|---:|""")
    by_id = {answer["id"]: error for rows in closed.values() for answer, _, error in rows}
    for dataset, rows in sorted(scheduled.items()):
        rows = [one for one in rows if one[0]["kind"].startswith("schedule ")]
        if rows:
            out.append("| %s | %d | %s | %.1f |" % (dataset, len(rows), summary([e for _, _, e in rows]),
                                                    statistics.mean(abs(by_id[a["id"]]) for a, _, _ in rows)))
    out.append("""
By what the schedule is about:

| rows | | mean error % | median % | bias % | closed form, same rows % |
|---|---:|---:|---:|---:|---:|""")
    number = lambda row, key: float(row[key] or 1)
    groups = {
        "models with experts": lambda r: number(r, "ep") > 1,
        "experts across scale-up domains, interleaved: exchange hidden by pairs of passes":
            lambda r: number(r, "ep") > 8 and number(r, "vpp") > 1 and "GB" not in r["gpu"],
        "dense models of 2024 and later": lambda r: r["dataset"] == "nvidia_megatron_bridge" and number(r, "ep") <= 1,
        "adapters (LoRA): no weight gradients": lambda r: "LoRA" in r["notes"],
        "everything sharded (FSDP)": lambda r: r["dataset"] == "mosaic_mpt",
        "FSDP, 70B, on A100 across nodes": lambda r: r["dataset"] == "mosaic_mpt" and "70b" in r["model"] and "A100" in r["gpu"],
        "vTrain, data parallelism of 16 and more": lambda r: r["dataset"] == "vtrain_multi" and number(r, "dp") >= 16,
        "vTrain, data parallelism below 16": lambda r: r["dataset"] == "vtrain_multi" and number(r, "dp") < 16,
        "MT-NLG 530B": lambda r: r["dataset"] == "mtnlg530b",
    }
    all_rows = [one for rows in scheduled.values() for one in rows if one[0]["kind"].startswith("schedule ")]
    for name, belongs in groups.items():
        rows = [one for one in all_rows if belongs(one[1])]
        if rows:
            out.append("| %s | %d | %s | %.1f |" % (name, len(rows), summary([e for _, _, e in rows]),
                                                    statistics.mean(abs(by_id[a["id"]]) for a, _, _ in rows)))
    verdicts = [one[0]["oom"] for one in all_rows if one[0]["oom"] is not None]
    out.append("""
Memory of the same plans, all of which ran: %d of %d are said to fit. The tables do not tell what was recomputed, offloaded or kept in fewer bits.""" %
               (sum(not one for one in verdicts), len(verdicts)))


def main():
    arguments = sys.argv[1:]
    stored = None
    if "--schedules" in arguments:
        at = arguments.index("--schedules")
        stored = json.load(open(arguments[at + 1]))["data"]["rows"]
        del arguments[at:at + 2]
    orrery, document, *tables = arguments
    closed = errors_of(tables, lambda table: answers(orrery, table, []))
    by_schedule = lambda table: stored if stored is not None and table == tables[0] else answers(orrery, table, ["--schedule"])
    scheduled = errors_of(tables, by_schedule)
    out = [TITLE, "", "Against the public half of the published measurements and our own on one H200. The fields of a table and the models are in [LLM.md](LLM.md)."]
    closed_forms(out, closed)
    memory_lines(out, closed)
    schedules(out, closed, scheduled)
    path = pathlib.Path(document)
    text = path.read_text() if path.exists() else ""
    path.write_text(text.split(TITLE)[0].rstrip("\n") + "\n\n" + "\n".join(out) + "\n")


if __name__ == "__main__":
    main()
