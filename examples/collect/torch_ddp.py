"""Records a distributed PyTorch job: one Kineto trace and one execution trace per rank.

Two jobs of four ranks run one after the other, both over gloo, so that one GPU is enough:
  ddp4    DistributedDataParallel with all ranks on the first GPU; the last rank sleeps 4 ms in every step (a known straggler)
  calls4  CPU ranks that use every collective and point-to-point call, one of them in a sub-group
All ranks run on one host and share its clock, so their true skew is zero.

    python3 torch_ddp.py --out traces
"""
import argparse
import gzip
import os
import shutil
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule

WORLD = 4


def compress(path):
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", 6) as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(path)


def record(out, job, rank, step, cuda, steps=2):
    """Every rank records the same steps, into a file of its own that names the rank."""
    execution_trace = f"{out}/{job}.rank{rank}.et.json"
    kineto = f"{out}/{job}.rank{rank}.kineto.json"
    observer = ExecutionTraceObserver()
    observer.register_callback(execution_trace)
    for _ in range(3):
        step()
    with profile(
        activities=[ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else []),
        record_shapes=True,
        schedule=schedule(wait=0, warmup=1, active=steps),
        experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True) if cuda else None,
        execution_trace_observer=observer,
        on_trace_ready=lambda p: p.export_chrome_trace(kineto),
    ) as prof:
        for _ in range(1 + steps):
            step()
            prof.step()
    observer.unregister_callback()
    compress(execution_trace)
    compress(kineto)


def join(rank, world, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=world)


def leave():
    dist.barrier()
    dist.destroy_process_group()


def ddp(rank, world, out):
    join(rank, world, 29511)
    torch.cuda.set_device(0)
    torch.manual_seed(rank)
    layers = [nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024)) for _ in range(4)]
    model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers).cuda(), bucket_cap_mb=8)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        if rank == world - 1:
            time.sleep(0.004)  # a known straggler
        x = torch.randn(512, 1024, device="cuda")
        loss = model(x).square().mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
        loss.item()

    record(out, f"ddp{world}", rank, step, cuda=True)
    leave()


def all_calls(rank, world, out):
    join(rank, world, 29512)
    torch.set_num_threads(1)
    a = torch.randn(256, 256)
    half = dist.new_group(list(range(world // 2)))

    def step():
        b = a @ a
        dist.all_reduce(b)
        gathered = [torch.empty_like(a) for _ in range(world)]
        dist.all_gather(gathered, a)
        dist.broadcast(b, 0)
        dist.reduce(b, 0)
        if rank < world // 2:
            dist.all_reduce(b, group=half)
        exchanged = torch.empty(256 * 256)
        dist.all_to_all_single(exchanged, a.flatten())
        if rank > 0:
            received = torch.empty(1024, 64)
            dist.recv(received, rank - 1)
        if rank < world - 1:
            dist.send(torch.randn(1024, 64), rank + 1)
        sent = dist.isend(torch.ones(4096), (rank + 1) % world)
        around = torch.empty(4096)
        dist.irecv(around, (rank - 1) % world).wait()
        sent.wait()
        dist.barrier()

    record(out, f"calls{world}", rank, step, cuda=False)
    leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the traces")
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    mp.spawn(ddp, (WORLD, args.out), WORLD)
    print("ddp done", flush=True)
    mp.spawn(all_calls, (WORLD, args.out), WORLD)
    print("calls done", flush=True)


if __name__ == "__main__":
    main()
