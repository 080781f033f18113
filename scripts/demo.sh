#!/usr/bin/env bash
# The whole way from recorded traces to answers, question by question: each command, then the lines of its answer that say
# most. The whole answers are left in demo/answers/, the files that commands write in demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/build:$PATH
rm -rf demo/answers
mkdir -p demo/answers

# A command as one would type it.
spell() {
  local word line='$'
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./:=,+@%-]* | '') line+=" '${word//\'/\'\\\'\'}'" ;;
      *) line+=" $word" ;;
    esac
  done
  printf '%s\n' "$line"
}

# answer NAME LINES COMMAND...: runs the command into demo/answers/NAME.txt, and shows it with those LINES of the answer that
# sed would print. Exit status 1 is an answer too (a check failed); anything above ends the demo.
answer() {
  local file=demo/answers/$1.txt lines=$2 status=0
  shift 2
  printf '%s   # %s\n' "$(spell "$@")" "$file"
  { "$@" 2>"$file.notes" || status=$?; } >"$file"
  sed -n "$lines" "$file"
  cat "$file.notes" >>"$file"
  rm "$file.notes"
  if [[ $status -gt 1 ]]; then
    cat "$file" >&2
    exit "$status"
  fi
}

question() { printf '\n# %s\n' "$*"; }

one=data/gpt_small.kineto.json.gz
host=data/gpt_small.et.json.gz
four='data/ddp4.rank*.kineto.json.gz'
step=(--workload data/workloads/training --comm-group data/workloads/training.groups.json)
skewed='data/jax_skewed4/*.xplane.pb.gz'

echo "# Data: one GPU that trains a small GPT, and four ranks of a data-parallel job, recorded with the PyTorch profiler."
answer info '5,6p' orrery info "$one"
answer check 1p orrery check "$four"

question "Where does the step go? Recorded with profiler and host trace it is several times as long as without (measured: 8.7 ms)."
answer path '1p;3p' orrery path "$one" "$host"
answer path_unprofiled 2p orrery path "$one" "$host" --without-profiler
answer path_overlay '' orrery path "$one" --overlay demo/overlay.json.gz --json -o demo/path.json

question "Why is the GPU idle?"
answer breakdown 1p orrery breakdown "$one"

echo "# Which operators run below captured graphs? A recording of the capture tells."
answer kernels_captured '/ aten::mm .*capture$/p' orrery kernels data/graphs/decode.replay.kineto.json.gz --capture data/graphs/decode.capture.kineto.json.gz

question "What would change it: a GPU twice as fast, or a host a fifth faster?"
answer whatif_gpu 1p orrery whatif "$one" 'gpu * 0.5'
answer whatif_cpu 1p orrery whatif "$one" 'cpu * 0.8' --overlay demo/whatif.json.gz

question "Four ranks, one of which sleeps 4 ms in every step: who waits for whom, what would it save, what is worth fixing first?"
answer blame '1,2p;6p;8,11p' orrery blame "$four" --clock one
answer whatif_job 1p orrery whatif "$four" 'rank:3 untraced:ProfilerStep#* remove' --clock one --annotation ProfilerStep --instance 0:1
answer top 1p orrery top "$four" --clock one
answer path_job 1p orrery path "$four" --clock one --overlay demo/ddp4_path

echo "# Eight ranks that hang: whom does everybody wait for in the end? From the dumps of PyTorch's Flight Recorder."
answer hang 1p orrery hang data/dumps/groups

question "Everything about a run on one page, which needs nothing but a browser."
answer report 2p orrery report "$one" -o demo/report.html
answer report_job '' orrery report "$four" --clock one -o demo/ddp4.html

question "A question that no verb has: SQL over the same columns. And all of it for Perfetto, in its own format."
answer query '1p;3p' orrery query "$four" "SELECT rank, name, count(*) AS calls, sum(dur_ps) / 1000000 AS us FROM events WHERE name LIKE 'gloo:%' GROUP BY rank, name"
answer convert '' orrery convert "$four" -o demo/ddp4.pftrace.gz

question "Elsewhere: a training step of 16 ranks on nodes with NVLink, and on an oversubscribed leaf-spine. Where does it go?"
answer simulate 1p orrery simulate "${step[@]}" --machine data/machines/dgx_h100_pod.yaml -o demo/simulated/ --report demo/simulated.html
answer simulate_leaf_spine 1p orrery simulate "${step[@]}" --machine data/machines/example_leaf_spine.yaml -o demo/simulated.json.gz
answer simulated_path 1p orrery path demo/simulated/rank_0.json.gz

question "The four ranks with NVLink instead of gloo: host and device traces become one graph, which runs on another machine."
answer link 1p orrery link 'data/ddp4.rank*.et.json.gz' "$four" -o demo/ddp4
answer simulate_linked 1p orrery simulate --workload demo/ddp4 --machine data/machines/dgx_h100.yaml -o demo/ddp4_dgx/
answer simulated_linked_path 1p orrery path demo/ddp4_dgx/rank_0.json.gz

question "The recorded operators again on real hardware, without the model's code."
answer replay 1p orrery replay "$host" "$one" --emit torch -o demo/gpt_small_again
if python3 -c 'import torch' 2>/dev/null; then
  answer replayed 1,2p python3 demo/gpt_small_again/replay.py --device cpu --no-trace --warmup 1 --repeat 2
else
  echo "(There is no PyTorch here; with one: torchrun --nproc-per-node 1 demo/gpt_small_again/replay.py)"
fi

question "Four clocks up to 8 ms apart that drift, one of them set by 350 µs on the way: on one clock, from collectives alone."
answer causality /^Happens/p orrery check --causality "$skewed"
answer align '1p;/^Happens/p' orrery align "$skewed" -o demo/aligned
answer causality_aligned '' orrery check --causality 'demo/aligned/*.xplane.pb.gz'
answer alignment_error 1,2p scripts/alignment_error.py data/jax_skewed4/truth.json data/jax_skewed4 demo/aligned

question "A job that has not run yet: a training step of GPT-3 175B on 64 A100, and other parallelisation plans."
answer llm '4p;6p' orrery llm data/llm/gpt_3_175b_64xa100.yml -o demo/gpt3_step.json.gz
answer llm_sweep '1p;3p;5p' orrery llm data/llm/gpt_3_175b_64xa100.yml --sweep

question "Requests to a serving engine that nobody runs yet: whose prompt did the slowest first tokens wait for, and what would more at a time do?"
answer llm_serving '/^The slowest/p' orrery llm data/llm/serving_chat.yml --blame ttft:p99
answer whatif_serving 1p orrery whatif data/llm/serving_chat.yml 'budget * 2'

question "Workloads learnt from MPI traces of small runs: at a scale that nobody ran, and on two other machines."
answer motif_fit 1p orrery motif fit --manifest data/mpi/bfs/runs.csv -o demo/bfs.motif
answer motif_predict 1p orrery motif predict demo/bfs.motif --nodes 36 --size 22
answer motif_fit_halo '' orrery motif fit --manifest data/mpi/halo/runs.csv -o demo/halo.motif
answer motif_dragonfly 1p orrery motif run demo/halo.motif --nodes 64 --size 512 --machine cori_dragonfly
answer motif_torus 1p orrery motif run demo/halo.motif --nodes 64 --size 512 --machine hpc_torus

printf '\n%s\n' "Answers in full: demo/answers/; one as data: demo/path.json. Open in a browser, from disk: demo/report.html (one GPU), demo/ddp4.html (four ranks), demo/simulated.html (the simulated step).
Open at https://ui.perfetto.dev: demo/overlay.json.gz (the critical path as arrows), demo/ddp4.pftrace.gz, demo/simulated.json.gz, demo/gpt3_step.json.gz."
