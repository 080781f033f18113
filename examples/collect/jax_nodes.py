"""Records eight JAX processes with collectives, and UDP clock probes between them while they run.

All processes share one host clock: the true skew is zero, so any clock error applied to the traces afterwards has an exact
ground truth. On a real cluster the same probes measure the real skew.

    python3 jax_nodes.py --out traces --seconds 20

OUT/nodeN/ holds the trace of process N, OUT/probes.N.jsonl its probes, one exchange per row:
    {"src": 0, "dst": 1, "t1": ..., "t2": ..., "t3": ..., "t4": ...}
t1 and t4 are read on the clock of src before sending and after receiving, t2 and t3 on the clock of dst; all in Unix nanoseconds.
"""
import argparse
import glob
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time

WORLD = 8
COORDINATOR = "127.0.0.1:29534"
FIRST_PROBE_PORT = 41000
EDGES = [(i, (i + d) % WORLD) for i in range(WORLD) for d in (1, 3)]


def answer_probes(rank, stop):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", FIRST_PROBE_PORT + rank))
    sock.settimeout(0.2)
    while not stop.is_set():
        try:
            data, sender = sock.recvfrom(256)
        except socket.timeout:
            continue
        t2 = time.time_ns()
        sock.sendto(data + b" %d %d" % (t2, time.time_ns()), sender)


def send_probes(rank, stop, path):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.settimeout(0.05)
    rows, number = [], 0
    destinations = [b for a, b in EDGES if a == rank]
    while not stop.is_set():
        for dst in destinations:
            number += 1
            t1 = time.time_ns()
            sock.sendto(b"%d" % number, ("127.0.0.1", FIRST_PROBE_PORT + dst))
            answered = -1
            try:
                while answered != number:  # late answers to earlier probes are skipped
                    reply, _ = sock.recvfrom(256)
                    t4 = time.time_ns()
                    answered, t2, t3 = map(int, reply.split())
            except socket.timeout:
                continue
            rows.append(dict(src=rank, dst=dst, t1=t1, t2=t2, t3=t3, t4=t4))
        time.sleep(0.008)
    with open(path, "w") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")


def process(rank, out, seconds):
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=1"
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(COORDINATOR, WORLD, rank)
    mesh = Mesh(np.array(jax.devices()), ("d",))
    sharded, replicated = NamedSharding(mesh, PartitionSpec("d")), NamedSharding(mesh, PartitionSpec())
    x = jax.make_array_from_process_local_data(sharded, np.random.randn(64, 256).astype(np.float32))

    @jax.jit
    def step(x, w):
        y = jnp.tanh(x @ w)
        g = x.T @ y
        return jax.lax.with_sharding_constraint(w - 1e-4 * g, replicated)

    @jax.jit
    def gather(x):
        return jax.lax.with_sharding_constraint(x * 2, replicated).sum()

    w = jax.device_put(jnp.ones((256, 256), jnp.float32), replicated)
    for _ in range(3):
        w = jax.block_until_ready(step(x, w))
        jax.block_until_ready(gather(x))

    stop = threading.Event()
    threads = [
        threading.Thread(target=answer_probes, args=(rank, stop)),
        threading.Thread(target=send_probes, args=(rank, stop, f"{out}/probes.{rank}.jsonl")),
    ]
    for thread in threads:
        thread.start()
    pause = random.Random(rank)
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 2
    steps = int(seconds / 0.02)
    jax.profiler.start_trace(f"{out}/node{rank}", profiler_options=options)
    for i in range(steps):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            time.sleep(pause.uniform(0.002, 0.012) + (0.015 if pause.random() < 0.03 else 0))
            w = step(x, w)
            if i % 3 == 0:
                jax.block_until_ready(gather(x))
            jax.block_until_ready(w)
    jax.profiler.stop_trace()
    stop.set()
    for thread in threads:
        thread.join()
    print("rank", rank, "steps", steps, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the traces and probes")
    parser.add_argument("--seconds", type=float, default=20, help="how long to run, roughly (20 ms per step)")
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)  # set for the processes that this program starts
    args = parser.parse_args()

    if args.rank is not None:
        process(args.rank, args.out, args.seconds)
        return
    os.makedirs(args.out, exist_ok=True)
    command = [sys.executable, __file__, "--out", args.out, "--seconds", str(args.seconds)]
    processes = [subprocess.Popen(command + ["--rank", str(r)]) for r in range(WORLD)]
    print([p.wait(timeout=180 + args.seconds) for p in processes], flush=True)
    for path in sorted(glob.glob(args.out + "/**/*", recursive=True)):
        if os.path.isfile(path):
            print(path, os.path.getsize(path), flush=True)


if __name__ == "__main__":
    main()
