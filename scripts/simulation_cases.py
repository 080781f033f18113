"""Times `orrery simulate` on generated workloads: rows for docs/PERFORMANCE.md. Used by performance.py."""
import json, os, subprocess, time

from measured_run import measured_run

SYSTEM = {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1,
          "collective-optimization": "localBWAware", "local-mem-bw": 1600,
          **{f"{kind}-implementation": ["ring"] for kind in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")}}
LEAF_SPINE = """format: orrery.machine/1
name: "16,384 devices, leaf-spine"
devices: {count: 16384, name: "accelerator"}
network:
  - {name: "fabric", topology: leaf_spine, size: 16384, leaf_size: 32, spine_count: 32, oversubscription: 2, bandwidth_gb_per_s: 50, latency_ns: 500}
"""


class Cases:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, os.path.join(folder, "simulate")
        os.makedirs(self.folder, exist_ok=True)
        self.system = self.write("system.json", json.dumps(SYSTEM))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def workload(self, name, ranks, *arguments):
        """One rank's file, generated, and a link to it for every rank."""
        folder = os.path.join(self.folder, f"{name}.{ranks}")
        if not os.path.isdir(folder):
            subprocess.run([self.binary, "generate", *arguments, "--ranks", "2", "-o", folder + ".part", "-q"], check=True, stdout=subprocess.DEVNULL)
            what = arguments[0]
            one = os.path.abspath(os.path.join(folder + ".part", f"{what}.0.et"))
            os.makedirs(folder)
            for rank in range(ranks):
                os.symlink(one, os.path.join(folder, f"w.{rank}.et"))
        return os.path.join(folder, "w")

    def ring(self, ranks):
        return self.write(f"ring{ranks}.yml", f"topology: [ Ring ]\nnpus_count: [ {ranks} ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")

    def run(self, *arguments, repetitions=3):
        """CPU seconds, peak MB and data of the best of a few runs."""
        best = None
        for _ in range(repetitions):
            cpu, mb, status, output = measured_run([self.binary, "simulate", *arguments, "--json"])
            assert status == 0, arguments
            if best is None or cpu < best["cpu"]:
                best = {"cpu": cpu, "rss": mb, "data": json.loads(output)["data"]}
        return best

    def compat(self, workload, ranks, backend, *flags):
        return self.run("--workload", workload, "--network", self.ring(ranks), "--system", self.system, "--compat", backend, *flags)


def add_pipeline_rows(row, cases):
    """A training step of TP 8 x PP 16 x DP n in the 1F1B order on a rail-optimised fat tree: one rank per stage executed, and all of them."""
    machine = "data/machines/example_rail_fat_tree_16384.yaml"
    step = ("pipeline", "--tensor-parallel", "8", "--pipeline-parallel", "16", "--microbatches", "64", "--layers", "96", "--layer-us", "500", "--recipe")
    for data, most_mb in ((128, 2000), (16, 4000)):
        ranks, folder = 128 * data, os.path.join(cases.folder, f"pipeline{data}")
        made = subprocess.run([cases.binary, "generate", *step, "--ranks", str(ranks), "-o", folder, "--json"], check=True, stdout=subprocess.PIPE).stdout
        nodes = json.loads(made)["data"]["workloads"][0]["nodes"] // ranks
        what = f"a 1F1B step of TP 8 x PP 16 x DP {data} = {ranks:,} ranks of {nodes:,} activities, fluid, rail-optimised fat tree"
        job = ("--workload", os.path.join(folder, "pipeline.json"), "--machine", machine)
        start = time.monotonic()
        folded = cases.run(*job, repetitions=1)
        wall = time.monotonic() - start
        row(what, f"{wall:.1f} s, {folded['rss']:.0f} MB", "<= 60 s, <= 2,000 MB" if data == 128 else "", data != 128 or (wall <= 60 and folded["rss"] <= 2000))
        if data == 128:
            continue
        every = cases.run(*job, "--no-symmetry", repetitions=1)
        same = every["data"]["ranks"] == folded["data"]["ranks"] and every["data"]["links"] == folded["data"]["links"]
        row("the same, every rank executed: " + ("the same result" if same else "another result"), f"{every['cpu']:.1f} CPU s, {every['rss']:.0f} MB",
            f"the same, <= {most_mb:,} MB", same and every["rss"] <= most_mb)


def add_rows(row, binary, folder, fluid, loggops):
    """`fluid`, `loggops`: the benchmarks of fluid_bench and loggops_bench."""
    cases = Cases(binary, folder)
    gib = ("all_reduce", "--bytes", str(1 << 30))
    for ranks, backend, limit, peer in ((1024, "astra-unaware", 0.05, "4.5 s, 353 MB"), (4096, "astra-unaware", 0.25, "137 s, 5.4 GB"), (1024, "astra-aware", 0.1, "6.3 s")):
        result = cases.compat(cases.workload("ar", ranks, *gib), ranks, backend)
        row(f"ring all-reduce of 1 GiB, {ranks:,} ranks, `{backend}` [ASTRA-sim: {peer}]", f"{result['cpu']:.3f} CPU s, {result['rss']:.0f} MB", f"<= {limit} s",
            result["cpu"] <= limit and result["rss"] <= 100)
    for backend in ("astra-unaware", "astra-aware"):
        result = cases.compat(cases.workload("ar", 1024, *gib), 1024, backend, "--no-symmetry")
        rate = result["data"]["events"] / result["cpu"]
        row(f"the same, 1,024 ranks, every rank simulated, `{backend}`", f"{result['data']['events']:,} events in {result['cpu']:.2f} CPU s = {rate / 1e6:.1f} M/s",
            ">= 8 M/s", rate >= 8e6)
    result = cases.compat(cases.workload("et", 64, "training", "--layers", "9900", "--layer-us", "10", "--bytes", "737280"), 64, "astra-unaware", "--no-symmetry")
    row(f"64 ranks of 20,076 nodes, {result['data']['events']:,} events, `astra-unaware`, every rank simulated [46 s, 1.5 GB]", f"{result['cpu']:.2f} CPU s, {result['rss']:.0f} MB",
        "<= 2 s", result["cpu"] <= 2)
    add_pipeline_rows(row, cases)
    machine = cases.write("leaf_spine.yaml", LEAF_SPINE)
    step = cases.workload("step", 16384, "training", "--layers", "100", "--bytes", str(26 << 20))
    for flags, what in (((), ""), (("--no-symmetry",), ", every rank executed")):
        result = cases.run("--workload", step, "--machine", machine, *flags, repetitions=2)
        row(f"data-parallel step of 16,384 ranks, {len(result['data']['collectives'])} collectives, fluid, leaf-spine{what}", f"{result['cpu']:.2f} CPU s, {result['rss']:.0f} MB",
            "<= 10 s", result["cpu"] <= 10)
    seconds = lambda name: next(run["cpu_time"] for key, run in fluid.items() if key.startswith(name)) / 1e3
    torus, tree = seconds("torus512_permutations"), seconds("fat_tree1024_random_pairs")
    row("fluid: 4,090 flows of random sizes on a 512-node torus [SimGrid: 13.6 to 26.9 s]", f"{torus:.3f} CPU s", "<= 0.7 s", torus <= 0.7)
    row("fluid: 100,000 flows between random pairs of 1,024 hosts on a fat tree [SimGrid: 8,192 flows not done in 120 s]", f"{tree:.1f} CPU s", "<= 10 s", tree <= 10)
    best = lambda name: min((run for key, run in loggops.items() if key.startswith(name)), key=lambda run: run["cpu_time"])
    rounds, pairs = best("loggops_dissemination/16384"), best("loggops_all_to_all/1024")
    rate = rounds["events"] / rounds["cpu_time"] / 1e3
    row("LogGOPS: a dissemination barrier of 16,384 ranks [LogGOPSim: 2.2 to 2.5 M/s]", f"{rounds['events']:,.0f} events in {rounds['cpu_time'] / 1e3:.3f} CPU s = {rate:.1f} M/s", ">= 8 M/s", rate >= 8)
    row("LogGOPS: a linear all-to-all of 1,024 ranks [LogGOPSim: not done in 9 min]", f"{pairs['events']:,.0f} events in {pairs['cpu_time'] / 1e3:.2f} CPU s", "<= 2 s", pairs["cpu_time"] <= 2000)
