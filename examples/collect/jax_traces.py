"""Records XSpace traces with JAX: four CPU processes with collectives over gloo, and a training loop on one GPU.

The four processes run on one host and share its clock, so their true skew is zero. The last one sleeps 3 ms in every step.

    python3 jax_traces.py --out traces               # both
    python3 jax_traces.py --out traces --only cpu    # no GPU needed

JAX writes each process's trace to OUT/<run>/plugins/profile/<date>/<host>.xplane.pb.
"""
import argparse
import glob
import os
import subprocess
import sys
import time

WORLD, STEPS = 4, 5
COORDINATOR = "127.0.0.1:29533"


def cpu_process(rank, out):
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=1"
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    try:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
    except Exception as error:  # older JAX: gloo is chosen by other means
        print("gloo option:", error)
    jax.distributed.initialize(COORDINATOR, WORLD, rank)
    sharded = NamedSharding(Mesh(np.array(jax.devices()), ("d",)), PartitionSpec("d"))
    x = jax.make_array_from_process_local_data(sharded, np.random.randn(256, 512).astype(np.float32))
    w = jnp.ones((512, 512), jnp.float32)

    @jax.jit
    def f(x, w):
        y = jnp.tanh(x @ w)
        return y.sum(), (x.T @ y)

    for _ in range(3):
        jax.block_until_ready(f(x, w))
    with jax.profiler.trace(f"{out}/cpu4/proc{rank}"):
        for i in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=i):
                if rank == WORLD - 1:
                    time.sleep(0.003)  # a known straggler
                _, g = f(x, w)
                jax.block_until_ready(g)
                w = w - 1e-4 * g
    print("rank", rank, "ok", flush=True)


def gpu(out):
    import jax
    import jax.numpy as jnp

    print(jax.__version__, jax.devices(), flush=True)
    key = jax.random.PRNGKey(0)
    ws = [jax.random.normal(key, (2048, 2048), jnp.bfloat16) * 0.02 for _ in range(6)]

    @jax.jit
    def step(ws, x):
        def loss(ws):
            y = x
            for w in ws:
                y = jax.nn.gelu(y @ w)
            return (y.astype(jnp.float32) ** 2).mean()

        value, gradients = jax.value_and_grad(loss)(ws)
        return [w - 1e-3 * g for w, g in zip(ws, gradients)], value

    x = jax.random.normal(key, (4096, 2048), jnp.bfloat16)
    for _ in range(3):
        ws, value = step(ws, x)
    jax.block_until_ready(value)
    with jax.profiler.trace(f"{out}/gpu1"):
        for i in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=i):
                ws, value = step(ws, x)
                jax.block_until_ready(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the traces")
    parser.add_argument("--only", choices=["cpu", "gpu"], help="record one of the two")
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)  # set for the processes that this program starts
    args = parser.parse_args()

    if args.rank is not None:
        cpu_process(args.rank, args.out)
        return
    os.makedirs(args.out, exist_ok=True)
    if args.only != "gpu":
        processes = [subprocess.Popen([sys.executable, __file__, "--out", args.out, "--rank", str(r)]) for r in range(WORLD)]
        print([p.wait(timeout=240) for p in processes], flush=True)
    if args.only != "cpu":
        gpu(args.out)
    for path in sorted(glob.glob(args.out + "/**/*.xplane.pb", recursive=True)):
        print(path, os.path.getsize(path), flush=True)


if __name__ == "__main__":
    main()
