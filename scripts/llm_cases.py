"""Times `orrery llm` on shipped configurations: rows for docs/PERFORMANCE.md. Used by performance.py."""
import json, os, random, tempfile, time

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


REQUESTS = """format: orrery.llm/1
name: "made requests"
serving:
  requests: requests.csv
  block_tokens: 16
  prefix_tokens: 64
  kv_blocks: 40000
  max_requests: 256
  max_batch_tokens: 8192
  costs: {kind: linear, step_us: 2000, token_us: 1, context_us: 0.01}
%s"""


def write_requests(folder, count, sweep=""):
    """A log in which a request in two begins like others: 2,000 beginnings of 64 to 512 tokens."""
    draw = random.Random(36)
    with open(os.path.join(folder, "requests.csv"), "w") as table:
        table.write("id,arrival_s,prompt,generate,prefix\n")
        at, own = 0.0, 2000 * 8
        for request in range(count):
            at += draw.expovariate(120)
            pieces = draw.randint(1, 8)
            first = draw.randrange(2000) * 8 if draw.random() < 0.5 else own
            own += 8 if first == own else 0
            prompt = 64 * pieces + draw.randint(1, 63)
            table.write(f"r{request},{at:.6f},{prompt},{draw.randint(1, 128)},{' '.join(str(first + i) for i in range(pieces))}\n")
    path = os.path.join(folder, "made.yml")
    with open(path, "w") as config:
        config.write(REQUESTS % sweep)
    return path


def add_serving_rows(row, binary):
    with tempfile.TemporaryDirectory() as folder:
        million = best_run(binary, write_requests(folder, 1_000_000), "--summary", repetitions=2)
        steps = million["data"]["summary"]["steps"]
        row("1,000,000 requests through a serving engine with a prefix cache, from the table to the percentiles",
            f"{million['cpu']:.1f} CPU s, {million['rss']:.0f} MB, {steps:,} steps", "<= 6 s, <= 2,500 MB", million["cpu"] <= 6 and million["rss"] <= 2500)
        lists = "sweep: {max_requests: [16, 32, 64, 128, 256], max_batch_tokens: [1024, 2048, 4096, 8192, 16384], replicas: [1, 2, 3, 4, 5, 6, 7, 8]}\n"
        sweep = best_run(binary, write_requests(folder, 10_000, lists), "--sweep", repetitions=1)
        settings = len(sweep["data"]["sweep"])
        row(f"a sweep of {settings} settings of the engine for 10,000 requests, two cores", f"{sweep['wall']:.1f} s", "<= 30 s", sweep["wall"] <= 30)


def write_eightfold(folder):
    """The step of 16,384 GPUs on eight times as many, which work on eight times the batch."""
    name = "example_rail_fat_tree_16384"
    with open(f"data/machines/{name}.yaml") as machine, open(os.path.join(folder, "machine.yaml"), "w") as copy:
        copy.write(machine.read().replace("count: 16384", "count: 131072").replace("children: 64", "children: 512"))
    path = os.path.join(folder, "step.yml")
    with open("data/llm/llama_3_405b_16384xh100.yml") as config, open(path, "w") as copy:
        copy.write(config.read().replace("data: 128", "data: 1024").replace("global_batch: 2048", "global_batch: 16384").replace(f"machine: {name}", "machine: machine.yaml"))
    return path


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
    row("a step of Llama 3 405B on 16,384 GPUs, fluid in-loop", f"{large['cpu']:.1f} CPU s, {large['rss']:.0f} MB", "<= 5 s", large["cpu"] <= 5)
    with tempfile.TemporaryDirectory() as folder:
        larger = best_run(binary, write_eightfold(folder), repetitions=1)
    row("the same of eight times the batch on 131,072 GPUs", f"{larger['cpu']:.1f} CPU s, {larger['rss']:.0f} MB", "<= 60 s, <= 1,000 MB", larger["cpu"] <= 60 and larger["rss"] <= 1000)
    add_serving_rows(row, binary)
