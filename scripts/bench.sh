#!/usr/bin/env bash
# Measures speed and memory in one run and writes docs/PERFORMANCE.md. Usage: bench.sh   (after building with ORRERY_BENCH=ON; see `make bench`)
# ORRERY_BENCH_TRACE: the trace to repeat (default: the H200 trace in data/); ORRERY_BENCH_BYTES: how large to make it.
set -euo pipefail
cd "$(dirname "$0")/.."

work=${ORRERY_BENCH_DIR:-build/bench-data}
mkdir -p "$work"
source=${ORRERY_BENCH_TRACE:-data/gpt_small.kineto.json.gz}
bytes=${ORRERY_BENCH_BYTES:-375000000}

export ORRERY_BENCH_PLAIN=$work/trace.json ORRERY_BENCH_GZIP=$work/trace.json.gz
one=$(build/bench/repeat_trace "$source" 1 "$work/one.json" && stat -c %s "$work/one.json")
copies=$(((bytes + one - 1) / one))
echo "bench: repeating $source $copies times"
build/bench/repeat_trace "$source" "$copies" "$ORRERY_BENCH_PLAIN"
gzip -6 -k -f "$ORRERY_BENCH_PLAIN"

flags=(--benchmark_repetitions="${ORRERY_BENCH_REPETITIONS:-15}" --benchmark_enable_random_interleaving=true --benchmark_min_time=0.01 --benchmark_out_format=json)
echo "bench: reading"
build/bench/kineto_bench "${flags[@]}" --benchmark_out="$work/kineto.json" >/dev/null
echo "bench: graph"
build/bench/graph_bench --benchmark_repetitions=3 --benchmark_out_format=json --benchmark_out="$work/graph.json" >/dev/null
echo "bench: fluid networks"
build/bench/fluid_bench --benchmark_filter="torus512|fat_tree1024_random" --benchmark_out_format=json --benchmark_out="$work/fluid.json" >/dev/null
echo "bench: orrery path, link and simulate"
python3 scripts/performance.py --binary build/orrery --data "$work" --source "$source" --copies "$copies" --output docs/PERFORMANCE.md
