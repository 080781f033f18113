#!/usr/bin/env bash
# Measures speed and memory in one run and writes docs/PERFORMANCE.md and the tables of docs/NETWORK_EVIDENCE.md. Usage: bench.sh   (after building with ORRERY_BENCH=ON; see `make bench`)
# ORRERY_BENCH_TRACE: the trace to repeat (default: the H200 trace in data/); ORRERY_BENCH_BYTES: how large to make it.
# ORRERY_BENCH_PAIR: the host trace PAIR.et.json.gz and its Kineto trace PAIR.kineto.json.gz to repeat together; ORRERY_BENCH_PAIR_BYTES: how large
# to make the Kineto trace. ORRERY_BENCH_XSPACE: the XSpace (.gz) to repeat.
set -euo pipefail
cd "$(dirname "$0")/.."

work=${ORRERY_BENCH_DIR:-build/bench-data}
mkdir -p "$work"
source=${ORRERY_BENCH_TRACE:-data/gpt_small.kineto.json.gz}
bytes=${ORRERY_BENCH_BYTES:-375000000}
pair=${ORRERY_BENCH_PAIR:-data/gpt_small_forloop_opt}
pair_bytes=${ORRERY_BENCH_PAIR_BYTES:-219000000}

export ORRERY_BENCH_PLAIN=$work/trace.json ORRERY_BENCH_GZIP=$work/trace.json.gz
one=$(build/bench/repeat_trace "$source" 1 "$work/one.json" && stat -c %s "$work/one.json")
copies=$(((bytes + one - 1) / one))
echo "bench: repeating $source $copies times"
build/bench/repeat_trace "$source" "$copies" "$ORRERY_BENCH_PLAIN"
gzip -6 -k -f "$ORRERY_BENCH_PLAIN"

# Jobs recorded twice, by Kineto and by the execution trace observer. $work/pair.{kineto,host}.json: 219 + 294 MB, what 20 steps of a model of
# 24 layers give; $work/ddp_pair.{kineto,host}.json: 327 MB together.
repeat_pair() {  # SOURCE COPIES OUT
  build/bench/repeat_pair "$1.et.json.gz" "$1.kineto.json.gz" "$2" "$3.host.json" "$3.kineto.json"
}
one=$(repeat_pair "$pair" 1 "$work/pair" && stat -c %s "$work/pair.kineto.json")
pair_copies=$(((pair_bytes + one / 2) / one))
echo "bench: repeating $pair $pair_copies times, data/ddp4.rank0 201 times"
repeat_pair "$pair" "$pair_copies" "$work/pair"
repeat_pair data/ddp4.rank0 201 "$work/ddp_pair"
export ORRERY_BENCH_HOST=$work/pair.host.json

flags=(--benchmark_repetitions="${ORRERY_BENCH_REPETITIONS:-15}" --benchmark_enable_random_interleaving=true --benchmark_min_time=0.01 --benchmark_out_format=json)
echo "bench: reading"
build/bench/kineto_bench "${flags[@]}" --benchmark_out="$work/kineto.json" >/dev/null
echo "bench: reading host traces"
build/bench/host_trace_bench "${flags[@]}" --benchmark_out="$work/host.json" >/dev/null
echo "bench: graph"
build/bench/graph_bench --benchmark_repetitions=3 --benchmark_out_format=json --benchmark_out="$work/graph.json" >/dev/null
echo "bench: questions in SQL"
build/bench/query_bench --benchmark_repetitions=3 --benchmark_out_format=json --benchmark_out="$work/query.json" >/dev/null
echo "bench: fluid networks"
build/bench/fluid_bench --benchmark_filter="torus512|fat_tree1024_random" --benchmark_repetitions=3 --benchmark_out_format=json --benchmark_out="$work/fluid.json" >/dev/null
echo "bench: LogGOPS"
build/bench/loggops_bench --benchmark_filter="dissemination/16384|all_to_all/1024" --benchmark_repetitions=5 --benchmark_out_format=json --benchmark_out="$work/loggops.json" >/dev/null
echo "bench: predicted steps"
build/bench/llm_bench --benchmark_repetitions=5 --benchmark_out_format=json --benchmark_out="$work/llm.json" >/dev/null
echo "bench: ways to price communication"
build/bench/pricing_modes | python3 scripts/pricing_tables.py docs/NETWORK_EVIDENCE.md
echo "bench: motifs"
build/bench/motif_bench --benchmark_repetitions=3 --benchmark_out_format=json --benchmark_out="$work/motif.json" >/dev/null
echo "bench: whole jobs (a job of 70 million edges is made in memory: some 12 GB)"
build/bench/job_bench --benchmark_filter=reduce_rank --benchmark_out_format=json --benchmark_out="$work/reduced.json" >/dev/null
ORRERY_BENCH_RANKS=1000 ORRERY_BENCH_COLLECTIVES=10000 build/bench/blame_bench --benchmark_min_time=0.01 --benchmark_out_format=json --benchmark_out="$work/made_job.json" >/dev/null
build/bench/job_machine_bench --benchmark_filter=/200 --benchmark_out_format=json --benchmark_out="$work/job_machine.json" >/dev/null
echo "bench: feeding"
build/orrery link --compat chakra --host "$work/ddp_pair.host.json" --device "$work/ddp_pair.kineto.json" -q -o "$work/pair.0.et" >/dev/null
export ORRERY_BENCH_ET=$work/pair.0.et
build/bench/feeder_bench --benchmark_repetitions=5 --benchmark_out_format=json --benchmark_out="$work/feeder.json" >/dev/null
echo "bench: alignment"
export ORRERY_BENCH_XSPACE=${ORRERY_BENCH_XSPACE:-data/jax_cpu4/node0.xplane.pb.gz}
build/bench/xspace_bench --benchmark_repetitions=5 --benchmark_out_format=json --benchmark_out="$work/xspace.json" >/dev/null
build/bench/align_bench --benchmark_out_format=json --benchmark_out="$work/align.json" >/dev/null
echo "bench: orrery path, link, simulate, llm and align"
python3 scripts/performance.py --binary build/orrery --data "$work" --source "$source" --copies "$copies" --xspace "$ORRERY_BENCH_XSPACE" --output docs/PERFORMANCE.md
