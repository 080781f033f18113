"""Recordings of other tools in docs/PERFORMANCE.md: dumps of a job that hangs, an export of Nsight Systems, a Perfetto trace, a memory snapshot. The inputs are
made here, large, in the form in which those tools write them."""
import json
import os
import pickle
import shutil
import sqlite3
import time

from measured_run import measured_run

RANKS, RECORDS = 512, 2000
KERNELS = 1_440_000
SNAPSHOT_EVENTS = 12_000_000
BATCH = 1000  # as many items as Python's pickler writes at once


def make_dumps(source, folder):
    """The dump of a real rank, its records repeated and renumbered. All wait in the last collective but one, which has not come."""
    with open(source, "rb") as file:
        dump = pickle.load(file)
    entry = next(e for e in dump["entries"] if not e.get("is_p2p"))
    frames = [{"name": f"layer{i}", "filename": f"model{i % 7}.py", "line": 10 + i} for i in range(40)]
    entries = []
    for i in range(RECORDS):
        at = 1_700_000_000_000_000_000 + i * 1_000_000
        entries.append({**entry, "record_id": i, "collective_seq_id": i + 1, "op_id": i + 1, "process_group": ("0", "default_pg"), "profiling_name": "nccl:all_reduce", "state": "completed",
                        "retired": True, "time_created_ns": at, "time_discovered_started_ns": at + 1000, "time_discovered_completed_ns": at + 900_000, "duration_ms": None,
                        "frames": frames[i % 20:i % 20 + 12]})
    dump["pg_config"] = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(RANKS)))}}
    dump["entries"] = entries[:-1]
    late = pickle.dumps(dump, protocol=2)
    entries[-1].update(state="started", retired=False, time_discovered_completed_ns=None)
    dump["entries"] = entries
    waiting = pickle.dumps(dump, protocol=2)
    os.makedirs(folder, exist_ok=True)
    for rank in range(RANKS):
        with open(os.path.join(folder, f"nccl_trace_rank_{rank}"), "wb") as file:
            file.write(late if rank == 77 else waiting)


def make_export(path):
    """Kernels of two processes on four streams each, with the launches of some."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
    database.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, f"kernel{i}") for i in range(200)] + [(900, "cudaLaunchKernel_v7000")])
    database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "
                     "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL)")
    database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, "
                     "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, "
                     "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
                     "graphNodeId INTEGER, graphId INTEGER)")
    process = lambda i: (1 << 56) + ((i % 2 + 100) << 24)
    kernels = ((i * 2000, i * 2000 + 1900, i % 2, 1, None, 7 + i // 2 % 4, i, process(i), i * 7919 % 200, 1, 2, 1, 64, 1, 1, 256, 1, 1, None, None) for i in range(KERNELS))
    database.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({','.join('?' * 20)})", kernels)
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 900, 0)", ((i * 2000 - 500, i * 2000 - 100, process(i) + 1, i) for i in range(1, KERNELS, 1000)))
    database.commit()
    database.close()


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """A member of a message of protocol buffers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def make_torch_trace(path, megabytes):
    """As PyTorch's exporter writes: operators and launches as slices with all their arguments, all begins before all ends; kernels as render stages."""
    message = lambda *fields: b"".join(field(n, v) for n, v in fields)
    base, step = 1_700_000_000_000_000_000, 20_000
    names, argument = 60, lambda key, value: field(4, message((10, key), (4 if isinstance(value, int) else 6, value)))
    shapes = [argument("Input Dims", "[[64, 512, 1024], [1024, 4096], [4096]]"), argument("Input type", "['c10::BFloat16', 'c10::BFloat16', 'c10::BFloat16']"),
              argument("Input Strides", "[[524288, 1024, 1], [1, 1024], [1]]"), argument("Concrete Inputs", "['', '', '']"), argument("Fwd thread id", 0)]
    head = [field(1, message((8, base), (10, 1), (6, message((1, message((1, 6), (2, base))), (1, message((1, 1), (2, base))))))),
            field(1, message((60, message((1, 1), (3, message((1, 99), (6, "python3"))))))), field(1, message((60, message((1, 2), (5, 1), (4, message((1, 99), (2, 99), (5, "thread")))))))]
    interned = [field(2, message((1, i), (2, f"aten::operator_{i}"))) for i in range(1, names)] + [field(1, message((1, 1), (2, "cpu_op"))), field(1, message((1, 2), (2, "cuda_runtime")))]
    interned += [field(24, message((1, 1), (2, "Kernel"), (4, 2))), field(24, message((1, 100), (2, "[07] stream 7"))), field(23, message((1, 1), (2, 99)))]
    interned += [field(1000, message((1, i), (3, f"void gemm_kernel<{i}>(float*)"))) for i in range(1, names)]
    head.append(field(1, message((10, 1), (13, 1), (12, b"".join(interned)))))
    size, i = 0, 0
    with open(path, "wb") as file:
        file.write(b"".join(head))
        while size < megabytes * 1_000_000:
            out = []
            for i in range(i, i + 500):
                slice_of = lambda kind, number, *more: message((9, 1), (11, 2), (10, number), (3, kind)) + b"".join(more)
                out.append(field(1, message((8, base + i * step), (10, 1), (13, 2), (11, slice_of(1, i % 59 + 1, argument("External id", i + 1), argument("Record function id", i), argument("Ev Idx", i), argument("Sequence number", i // 3), *shapes)))))
                out.append(field(1, message((8, base + i * step + 2000), (10, 1), (13, 2), (11, slice_of(2, i % 7 + 1, argument("External id", i + 1), argument("correlation", i + 1), argument("cbid", 211))))))
            for k in range(i - 499, i + 1):
                for end in (k * step + 5000, k * step + 9000):
                    out.append(field(1, message((8, base + end), (10, 1), (11, message((9, 2), (11, 2))))))
            for k in range(i - 499, i + 1):
                extra = b"".join(field(6, message((1, key), (2, text))) for key, text in (("device id", "0"), ("stream id", "7"), ("correlation", str(k + 1)), ("arch", "sm_90"), ("process_id", "99")))
                out.append(field(1, message((8, base + k * step + 8000), (10, 1), (13, 2), (53, message((2, 11_000), (5, 1), (13, 100), (14, 1), (11, 0), (19, k % 59 + 1)) + extra))))
            i += 1
            data = b"".join(out)
            size += len(data)
            file.write(data)


class Pieces:
    """A pickle of protocol 2 as Python's own pickler writes one, of a history that need not lie in memory."""

    def __init__(self, file):
        self.file, self.puts, self.known = file, 0, {}
        file.write(b"\x80\x02")

    def put(self):
        number, self.puts = self.puts, self.puts + 1
        return (b"q" + bytes([number]) if number < 256 else b"r" + number.to_bytes(4, "little")), number

    def get(self, number):
        return b"h" + bytes([number]) if number < 256 else b"j" + number.to_bytes(4, "little")

    def plain(self, value):
        if value is None:
            return b"N"
        if isinstance(value, bool):
            return b"\x88" if value else b"\x89"
        if isinstance(value, int):
            if 0 <= value < 256:
                return b"K" + bytes([value])
            if 0 <= value < 65536:
                return b"M" + value.to_bytes(2, "little")
            if -(1 << 31) <= value < 1 << 31:
                return b"J" + value.to_bytes(4, "little", signed=True)
            size = value.bit_length() // 8 + 1
            return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)
        key = value if isinstance(value, str) else id(value)
        if key in self.known:
            return self.get(self.known[key])
        if isinstance(value, str):
            text = value.encode()
            put, self.known[key] = self.put()
            return b"X" + len(text).to_bytes(4, "little") + text + put
        put, number = self.put()
        if isinstance(value, dict):
            self.known[key] = number
            return b"}" + put + b"(" + b"".join(self.plain(k) + self.plain(v) for k, v in value.items()) + b"u"
        return b"]" + put + b"(" + b"".join(self.plain(v) for v in value) + b"e"


def make_snapshot(path):
    """Allocations and frees on a thousand places in memory; each event has a list of frames of its own, as recorded ones have. The first batch has all names and
    frames; those behind it only refer to them, and a stretch of them is written again and again."""
    frames = [{"name": f"function{i}", "filename": f"model{i % 9}.py", "line": 10 * i} for i in range(400)]
    block = 4 << 20
    segments = [{"device": 0, "address": 1 << 40, "total_size": 1000 * block, "stream": 0, "segment_type": "large", "is_expandable": False, "frames": [],
                 "blocks": [{"address": 1 << 40, "size": 1000 * block, "requested_size": 0, "state": "inactive", "frames": []}]}]

    def batch(first):
        records = []
        for i in range(first, first + BATCH):
            place, action = i // 3 % 1000, ("alloc", "free_requested", "free_completed")[i % 3]
            event = {"action": action, "addr": (1 << 40) + place * block, "size": block - place * 512, "stream": 0, "time_us": 1_700_000_000_000_000 + i}
            members = b"".join(out.plain(key) + out.plain(value) for key, value in event.items())
            stack = b"]" + out.put()[0] + b"(" + b"".join(out.plain(frame) for frame in frames[i % 380:i % 380 + 5]) + b"e"
            records.append(b"}" + out.put()[0] + b"(" + members + out.plain("frames") + stack + b"u")
        return b"(" + b"".join(records) + b"e"

    with open(path, "wb") as file:
        out = Pieces(file)
        file.write(b"}" + out.put()[0] + b"(" + out.plain("segments") + out.plain(segments) + out.plain("device_traces") + b"]" + out.put()[0] + b"]" + out.put()[0])
        file.write(batch(0))
        stretch = b"".join(batch(first) for first in range(3 * BATCH, 63 * BATCH, BATCH))
        for _ in range(SNAPSHOT_EVENTS // BATCH // 60):
            file.write(stretch)
        file.write(b"a" + out.plain("external_annotations") + b"]u.")


def best_of(times, command, expected=0):
    """The least CPU seconds, wall seconds and peak memory of several runs, and what the last one wrote."""
    best = None
    for _ in range(times):
        begin = time.monotonic()
        cpu, memory, status, output = measured_run(command)
        run = {"cpu": cpu, "wall": time.monotonic() - begin, "rss": memory, "ok": status == expected}
        best = run if best is None else {key: min(best[key], run[key]) for key in best}
    return best, output


def add_rows(row, binary, data):
    folder = os.path.join(data, "dumps")
    make_dumps("data/dumps/late/fr_trace_rank_0.pickle", folder)
    size = sum(entry.stat().st_size for entry in os.scandir(folder)) / 1e6
    run, answer = best_of(5, [binary, "-q", "hang", folder, "--json"], expected=1)
    shutil.rmtree(folder)
    row(f"`orrery hang`, {RANKS} dumps of {RECORDS:,} records ({size:.0f} MB), two cores", f"{run['wall']:.2f} s, {run['cpu']:.2f} CPU s, {run['rss']:.0f} MB", "<= 2 s",
        run["ok"] and run["wall"] <= 2 and json.loads(answer)["data"]["culprits"] == [77])

    export = os.path.join(data, "export.sqlite")
    make_export(export)
    run, _ = best_of(5, [binary, "-q", "info", export, "--threads", "1", "--json"])
    os.remove(export)
    row(f"`orrery info` of an export of Nsight Systems, {KERNELS:,} kernels, one core", f"{run['cpu']:.2f} CPU s = {KERNELS / run['cpu'] / 1e6:.2f} million rows/s", ">= 1 million rows/s",
        run["ok"] and run["cpu"] <= KERNELS / 1e6)

    trace = os.path.join(data, "torch.pftrace")
    make_torch_trace(trace, 200)
    size = os.path.getsize(trace) / 1e6
    run, _ = best_of(5, [binary, "-q", "info", trace, "--threads", "1", "--json"])
    os.remove(trace)
    row(f"`orrery info` of a Perfetto trace as PyTorch writes it, {size:.0f} MB, one core", f"{run['cpu']:.2f} CPU s = {size / run['cpu']:.0f} MB/s", ">= 300 MB/s", run["ok"] and size / run["cpu"] >= 300)

    snapshot = os.path.join(data, "snapshot.pickle")
    make_snapshot(snapshot)
    size = os.path.getsize(snapshot) / 1e6
    run, _ = best_of(2, [binary, "-q", "memory", snapshot, "--json"])
    os.remove(snapshot)
    row(f"`orrery memory` of a snapshot of {SNAPSHOT_EVENTS:,} events ({size:.0f} MB)", f"{run['cpu']:.2f} CPU s = {size / run['cpu']:.0f} MB/s, {run['rss']:.0f} MB", "<= 10 s a GB, <= 2 x its size",
        run["ok"] and run["cpu"] <= size / 100 and run["rss"] <= 2 * size)
