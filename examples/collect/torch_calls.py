"""Records CPU jobs over gloo that use what torch_ddp.py does not: one Kineto trace per rank, four steps each.

  calls_and_sizes4  every collective, among them scatter, reduce_scatter and all_to_all with unequal parts
  any_source4       rank 0 takes messages from whoever sends
All ranks run on one host and share its clock, so their true skew is zero.

    python3 torch_calls.py --out traces
"""
import argparse
import gzip
import os
import shutil

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule

WORLD = 4
STEPS = 4


def work(size=200):
    x = torch.randn(size, size)
    for _ in range(4):
        x = (x @ x).tanh()


def calls_and_sizes(rank):
    dist.all_reduce(torch.ones(1000))
    work()
    dist.all_gather([torch.empty(500) for _ in range(WORLD)], torch.ones(500))
    dist.all_gather_into_tensor(torch.empty(500 * WORLD), torch.ones(500))
    dist.reduce_scatter_tensor(torch.empty(250), torch.ones(250 * WORLD))
    dist.broadcast(torch.ones(2000), src=1)
    dist.reduce(torch.ones(2000), dst=2)
    dist.gather(torch.ones(100), [torch.empty(100) for _ in range(WORLD)] if rank == 0 else None, dst=0)
    dist.scatter(torch.empty(100), [torch.ones(100) for _ in range(WORLD)] if rank == 1 else None, src=1)
    dist.all_to_all_single(torch.empty(64 * WORLD), torch.ones(64 * WORLD))
    work()
    sent, received = [10 * (rank + 1)] * WORLD, [10 * (i + 1) for i in range(WORLD)]
    dist.all_to_all_single(torch.empty(sum(received)), torch.ones(sum(sent)), received, sent)
    dist.barrier()


def any_source(rank):
    if rank == 0:
        for _ in range(WORLD - 1):
            dist.recv(torch.empty(3000))
            work(80)
    else:
        work(60 * rank)
        dist.send(torch.ones(3000), 0)
    dist.barrier()


JOBS = {"calls_and_sizes4": calls_and_sizes, "any_source4": any_source}


def run(rank, job, out, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    os.makedirs(f"{out}/{job}", exist_ok=True)
    kineto = f"{out}/{job}/rank{rank}.kineto.json"
    # Beside an execution trace the profiler writes the numbers of its record functions.
    observer = ExecutionTraceObserver()
    observer.register_callback(f"{out}/{job}/rank{rank}.et.json")
    for _ in range(4):
        JOBS[job](rank)
    with profile(
        activities=[ProfilerActivity.CPU],
        record_shapes=True,
        execution_trace_observer=observer,
        schedule=schedule(wait=0, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(kineto),
    ) as prof:
        for _ in range(1 + STEPS):
            JOBS[job](rank)
            prof.step()
    dist.barrier()
    dist.destroy_process_group()
    with open(kineto, "rb") as plain, gzip.open(kineto + ".gz", "wb", 9) as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(kineto)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="traces")
    out = parser.parse_args().out
    for i, job in enumerate(JOBS):
        mp.spawn(run, (job, out, 29500 + i), WORLD)
