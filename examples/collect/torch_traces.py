"""Records a small GPT in training on one GPU: a Kineto trace and a host execution trace of each variant.

Each variant is also timed without the profiler, so that a what-if prediction made from the trace of one variant can be held
against the measured step of another.

    python3 torch_traces.py --out traces                      # all variants
    python3 torch_traces.py --out traces --only gpt_small     # one of them
"""
import argparse
import gzip
import json
import os
import shutil
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, record_function, schedule

BASE = dict(vocab=8192, h=512, heads=8, layers=4, seq=256, batch=8, amp=True, tf32=False, opt="foreach", sync="item")
WIDE = dict(h=2048, heads=16, layers=4, seq=1024, batch=8)
VARIANTS = {
    "gpt_small": {},
    "gpt_small_streamsync": dict(sync="stream"),
    "gpt_small_forloop_opt": dict(opt="forloop"),
    "gpt_small_fused_opt": dict(opt="fused"),
    "gpt_small_fp32": dict(amp=False),
    "gpt_small_tf32": dict(amp=False, tf32=True),
    "gpt_wide_bf16": WIDE,
    "gpt_wide_fp32": {**WIDE, "amp": False},
    "gpt_wide_tf32": {**WIDE, "amp": False, "tf32": True},
    "gpt_wide_batch4": {**WIDE, "batch": 4},
    "gpt_wide_layers8": {**WIDE, "layers": 8},
    "gpt_wide_fused_opt": {**WIDE, "opt": "fused"},
    "gpt_wide_batch16": {**WIDE, "batch": 16},
}


class Block(nn.Module):
    def __init__(self, h, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(h), nn.LayerNorm(h)
        self.qkv, self.proj = nn.Linear(h, 3 * h), nn.Linear(h, h)
        self.fc1, self.fc2 = nn.Linear(h, 4 * h), nn.Linear(4 * h, h)

    def forward(self, x):
        b, t, h = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, h)
        x = x + self.proj(a)
        return x + self.fc2(F.gelu(self.fc1(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self, vocab, h, heads, layers, seq):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, h), nn.Embedding(seq, h)
        self.blocks = nn.ModuleList(Block(h, heads) for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(h), nn.Linear(h, vocab, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))


def build(cfg):
    torch.manual_seed(0)
    model = GPT(cfg["vocab"], cfg["h"], cfg["heads"], cfg["layers"], cfg["seq"]).cuda()
    how = {"fused": dict(fused=True), "foreach": dict(foreach=True), "forloop": dict(foreach=False)}[cfg["opt"]]
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4, **how)


def make_step(model, opt, cfg):
    """One training step that copies the next batch to the device on a side stream, ordered by CUDA events."""
    side = torch.cuda.Stream()
    host = [torch.randint(cfg["vocab"], (cfg["batch"], cfg["seq"] + 1)).pin_memory() for _ in range(4)]
    state = {"i": 0, "next": None}

    def prefetch():
        with torch.cuda.stream(side):
            batch = host[state["i"] % 4].to("cuda", non_blocking=True)
            copied = torch.cuda.Event()
            copied.record(side)
        state["i"] += 1
        state["next"] = (batch, copied)

    prefetch()

    def step():
        batch, copied = state["next"]
        torch.cuda.current_stream().wait_event(copied)
        batch.record_stream(torch.cuda.current_stream())
        prefetch()
        x, y = batch[:, :-1], batch[:, 1:]
        with record_function("## forward ##"):
            with torch.autocast("cuda", torch.bfloat16, enabled=cfg["amp"]):
                logits = model(x)
                loss = F.cross_entropy(logits.float().view(-1, cfg["vocab"]), y.reshape(-1))
        with record_function("## backward ##"):
            loss.backward()
        with record_function("## optimizer ##"):
            opt.step()
            opt.zero_grad(set_to_none=True)
        if cfg["sync"] == "item":
            return loss.item()
        if cfg["sync"] == "stream":
            torch.cuda.current_stream().synchronize()
        if cfg["sync"] == "device":
            torch.cuda.synchronize()
        return loss

    return step


def step_times_ms(step, count=30):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def compress(path):
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", 6) as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(path)


def record(name, cfg, out, steps=2, light=False):
    """light: Kineto alone, without shapes and without the execution trace, so that the recorded step stays close to the unrecorded one."""
    torch.backends.cuda.matmul.allow_tf32 = cfg["tf32"]
    model, opt = build(cfg)
    step = make_step(model, opt, cfg)
    for _ in range(6):
        step()
    torch.cuda.synchronize()
    times = step_times_ms(step)

    execution_trace = os.path.join(out, name + ".et.json")
    observer = None
    if not light:
        observer = ExecutionTraceObserver()
        observer.register_callback(execution_trace)
    kineto = os.path.join(out, name + ".kineto.json")
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        record_shapes=not light,
        schedule=schedule(wait=0, warmup=2, active=steps),
        experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True),
        execution_trace_observer=observer,
        on_trace_ready=lambda p: p.export_chrome_trace(kineto),
    ) as prof:
        for _ in range(2 + steps):
            step()
            prof.step()

    run = dict(name=name, cfg=cfg, step_ms_median=statistics.median(times), step_ms_min=min(times), kineto_bytes=os.path.getsize(kineto))
    if observer:
        observer.unregister_callback()
        compress(execution_trace)
    compress(kineto)
    print(json.dumps(run), flush=True)
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the traces")
    parser.add_argument("--only", nargs="*", choices=VARIANTS, metavar="VARIANT", help="record these variants: " + ", ".join(VARIANTS))
    parser.add_argument("--light", action="store_true", help="four steps of Kineto alone: no shapes, no execution trace")
    parser.add_argument("--big", action="store_true", help="also record 20 steps of a model with 24 layers (a large file)")
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    print(torch.__version__, torch.cuda.get_device_name(0), flush=True)
    runs = []
    for name, changes in VARIANTS.items():
        if args.only and name not in args.only:
            continue
        runs.append(record(name, {**BASE, **changes}, args.out, steps=4 if args.light else 2, light=args.light))
    if args.big:
        runs.append(record("gpt_deep_24x20steps", {**BASE, "layers": 24, "opt": "forloop"}, args.out, steps=20))
    with open(os.path.join(args.out, "torch_runs.json"), "w") as f:
        json.dump(runs, f, indent=1)


if __name__ == "__main__":
    main()
