"""Records computing on one GPU with and without an exchange beside it: what does it cost to share the device?

The exchange is a kernel of a few blocks that copies memory, as kernels of collectives do, and begins before the computing. Of
each kind of computing there are two traces, beside and alone, whose kernels are the same.

    python3 torch_overlap.py --out traces                                     # all kinds
    python3 torch_overlap.py --out traces --only norm --blocks 32 --mb 2500
    orrery whatif traces/norm_beside.kineto.json.gz 'comm remove' --rules data/overlap/rules.yaml --interference
"""
import argparse
import gzip
import json
import os
import time

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.profiler import ProfilerActivity, profile, schedule

CALLS = 24  # kernels of a step


@triton.jit
def exchange_kernel(source, target, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        place = start + tl.arange(0, BLOCK)
        tl.store(target + place, tl.load(source + place, mask=place < n), mask=place < n)


# An operator, so that the trace has its operands.
@torch.library.custom_op("comm::exchange", mutates_args={"target"})
def exchange(source: torch.Tensor, target: torch.Tensor, blocks: int) -> None:
    exchange_kernel[(blocks,)](source, target, source.numel(), BLOCK=4096, num_warps=16)


def random(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def computing(kind):
    """A kernel of the kind, to be called again and again."""
    if kind == "product":
        a, b = random(8192, 4096), random(4096, 4096)
        return lambda: a @ b
    if kind == "attention":
        q, k, v = (random(4, 32, 2048, 128) for _ in range(3))
        return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = random(32768, 4096)
    weight = random(4096)
    return (lambda: F.layer_norm(x, (4096,), weight)) if kind == "norm" else (lambda: F.gelu(x))


def record(path, compute, beside):
    side = torch.cuda.Stream()

    def step():
        if beside:
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                exchange(*beside)
            time.sleep(0.001)  # the exchange has its units before the first kernel
        for _ in range(CALLS):
            compute()
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 schedule=schedule(wait=2, warmup=2, active=4)) as profiler:
        for _ in range(8):
            step()
            profiler.step()
    profiler.export_chrome_trace(path + ".json")
    with open(path + ".json") as f:
        trace = json.load(f)
    os.remove(path + ".json")
    trace.pop("traceName", None)  # where it was written
    with open(path + ".kineto.json.gz", "wb") as f, gzip.GzipFile("", "wb", fileobj=f, mtime=0) as compressed:
        compressed.write(json.dumps(trace).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", choices=("product", "attention", "norm", "stream"))
    parser.add_argument("--blocks", type=int, default=32, help="of the exchange")
    parser.add_argument("--mb", type=int, default=2500, help="that it copies")
    a = parser.parse_args()
    os.makedirs(a.out, exist_ok=True)
    source = random(a.mb * 1024 * 1024 // 2)
    target = torch.empty_like(source)
    for kind in [a.only] if a.only else ("product", "attention", "norm", "stream"):
        compute = computing(kind)
        record(os.path.join(a.out, f"{kind}_beside"), compute, (source, target, a.blocks))
        record(os.path.join(a.out, f"{kind}_alone"), compute, None)


if __name__ == "__main__":
    main()
