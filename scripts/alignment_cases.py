"""Times the alignment of clocks: rows for docs/PERFORMANCE.md. Used by performance.py."""
import gzip, json, os, time

from measured_run import measured_run

LARGE_BYTES = 1_000_000_000  # the usual viewer needs 20 to 30 times as much memory as such a file has bytes


def make_large(source, folder):
    """A recording repeated: XSpaces joined are one XSpace. With snapshot pairs of a device clock, so that there is something to align by."""
    path = os.path.join(folder, "large.xplane.pb")
    once = gzip.open(source).read()
    with open(path, "wb") as file:
        for _ in range(-(-LARGE_BYTES // len(once))):
            file.write(once)
    pairs = os.path.join(folder, "snapshots.jsonl")
    with open(pairs, "w") as file:
        file.write(json.dumps({"meta": True, "start_walltime_ns": 0, "start_gpu_ns": 0}) + "\n")
        for i in range(600):
            file.write(json.dumps({"sys_ns": i * 100_000_000 + i * 700, "tracer_ns": i * 100_000_000}) + "\n")
    return path, pairs


def add_rows(row, binary, data, source, xspace, align):
    read, written = (xspace[name] for name in ("read_file", "rewrite_file"))
    row("reading XSpace, one core", f"{read['bytes_per_second'] / 1e6:.0f} MB/s", ">= 600 MB/s", read["bytes_per_second"] >= 600e6)
    row("rewriting XSpace on another clock, one core", f"{written['bytes_per_second'] / 1e6:.0f} MB/s", ">= 300 MB/s", written["bytes_per_second"] >= 300e6)
    path, pairs = make_large(source, data)
    size = os.path.getsize(path) / 1e6
    begin = time.monotonic()
    _, mb, status, _ = measured_run([binary, "align", "--trace", path, "--snapshot_pairs", pairs, "-o", os.path.join(data, "large_aligned"), "-q"])
    row(f"`orrery align`, one XSpace of {size:,.0f} MB, reading and writing", f"{time.monotonic() - begin:.1f} s, {mb:,.0f} MB", f"<= {2 * size:,.0f} MB", status == 0 and mb <= 2 * size)
    for name in os.listdir(os.path.join(data, "large_aligned")):
        os.remove(os.path.join(data, "large_aligned", name))
    os.remove(path)
    for nodes, collectives, every_ms, seconds in ((8, 2000, 10, 0.05), (1000, 10000, 10, 20), (1000, 3600, 1000, 30)):
        run = next(run for name, run in align.items() if f"nodes:{nodes}/collectives:{collectives}/every_ms:{every_ms}" in name)
        row(f"clocks of {nodes:,} nodes from {collectives:,} collectives in {collectives * every_ms / 1000:,.0f} s", f"{run['real_time'] / 1e3:.3g} s",
            f"<= {seconds} s" if seconds else "", not seconds or run["real_time"] <= seconds * 1e3)
