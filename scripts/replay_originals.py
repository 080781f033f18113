#!/usr/bin/env python3
"""Records and measures jobs on one GPU, to hold replays against.

replay_originals.py record DIR [NAME...]     records each job (DIR/NAME.{et,kineto}.json.gz, two steps; where it launches graphs, DIR/NAME.capture.* of their capture) and
                                             measures it
replay_originals.py measure DIR [NAME...]    measures only, so that a replay can be held against its original on the same machine at the same time

Both add to DIR/originals.json per job: step_ms (median, without a profiler, the device awaited after every step) and peak_bytes (of the allocator).
"""
import argparse
import gc
import gzip
import json
import pathlib
import shutil
import statistics
import time

import torch
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule

from replay_further_jobs import FURTHER_JOBS
from replay_jobs import JOBS

ALL_JOBS = {**JOBS, **FURTHER_JOBS}


def measured(step, left_before):
    """`left_before`: bytes that jobs before this one left behind, which are not this one's."""
    for _ in range(6):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    return {"step_ms": statistics.median(times), "step_ms_least": min(times), "peak_bytes": torch.cuda.max_memory_allocated() - left_before}


def compressed(path):
    with open(path, "rb") as plain, gzip.open(str(path) + ".gz", "wb", 6) as packed:
        shutil.copyfileobj(plain, packed)
    path.unlink()


def record(step, name, folder):
    host, device = folder / f"{name}.et.json", folder / f"{name}.kineto.json"
    observer = ExecutionTraceObserver()
    observer.register_callback(str(host))
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, schedule=schedule(wait=0, warmup=2, active=2),
                 experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True), execution_trace_observer=observer,
                 on_trace_ready=lambda done: done.export_chrome_trace(str(device))) as recorder:
        for _ in range(4):
            step()
            recorder.step()
    observer.unregister_callback()
    compressed(host)
    compressed(device)


def record_capture(capture, name, folder):
    host, device = folder / f"{name}.capture.et.json", folder / f"{name}.capture.kineto.json"
    observer = ExecutionTraceObserver()
    observer.register_callback(str(host))
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, execution_trace_observer=observer) as recorder:
        capture()
    recorder.export_chrome_trace(str(device))
    observer.unregister_callback()
    compressed(host)
    compressed(device)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("record", "measure"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL_JOBS))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    path = asked.folder / "originals.json"
    originals = json.loads(path.read_text()) if path.exists() else {}
    for name in asked.names or ALL_JOBS:
        torch.manual_seed(0)
        torch.backends.cuda.matmul.allow_tf32 = False
        left_before = torch.cuda.memory_allocated()
        step = ALL_JOBS[name]()
        originals[name] = measured(step, left_before)
        if asked.what == "record":
            record(step, name, asked.folder)
            if hasattr(step, "capture"):
                record_capture(step.capture, name, asked.folder)
        del step
        gc.collect()  # models and optimizers refer to each other: the next job's peak must not have them in it
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()
        print(name, json.dumps(originals[name]), flush=True)
        path.write_text(json.dumps(originals, indent=1) + "\n")


if __name__ == "__main__":
    main()
