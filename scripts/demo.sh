#!/usr/bin/env bash
# The whole way from recorded traces to answers, as a shell session: each command, then what it prints. Files are left in demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/build:$PATH
mkdir -p demo

# Prints a command as one would type it, then runs it. Exit status 1 is an answer too (a check failed); anything above ends the demo.
show() {
  local word line='$'
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./:=,+@%-]* | '') line+=" '${word//\'/\'\\\'\'}'" ;;
      *) line+=" $word" ;;
    esac
  done
  printf '\n%s\n' "$line"
  "$@" || { local status=$?; [[ $status -eq 1 ]] || exit "$status"; }
}

one=data/gpt_small.kineto.json.gz
ranks=(data/ddp4.rank{0..3}.kineto.json.gz)

echo "# One GPU, one training run of a small GPT; and four ranks of a data-parallel one. Recorded with the PyTorch profiler."
show orrery info "$one"
show orrery check "${ranks[@]}"
echo
echo "# Where does the step go?"
show orrery path "$one"
show orrery path "$one" --overlay demo/overlay.json.gz -q -o demo/path.txt
echo
echo "# Everything about this run on one page, which needs nothing but a browser."
show orrery report "$one" -o demo/report.html
echo
echo "# Why is the GPU idle?"
show orrery breakdown "$one"
echo
echo "# What would change it? A GPU twice as fast; a host a fifth faster."
show orrery whatif "$one" 'gpu * 0.5'
show orrery whatif "$one" 'cpu * 0.8' --overlay demo/whatif.json.gz
echo
echo "# Four ranks, one of which sleeps 4 ms in every step: who made whom wait, by what, and what would leaving it out save?"
show orrery blame "${ranks[@]}" --clock one
show orrery whatif 'data/ddp4.rank*.kineto.json.gz' 'rank:3 untraced:ProfilerStep#* remove' --clock one --annotation ProfilerStep --instance 0:1
show orrery top "${ranks[@]}" --clock one
show orrery path "${ranks[@]}" --clock one --overlay demo/ddp4_path
show orrery report "${ranks[@]}" --clock one -o demo/ddp4.html
echo
echo "# A question that no verb has: SQL over the same columns. And all of it for Perfetto, in its own format."
show orrery query "${ranks[@]}" "SELECT rank, name, count(*) AS calls, sum(dur_ps) / 1000000 AS us FROM events WHERE name LIKE 'gloo:%' GROUP BY rank, name ORDER BY us DESC LIMIT 5"
show orrery convert "${ranks[@]}" -o demo/ddp4.pftrace.gz
echo
echo "# What happens elsewhere? One training step of 16 ranks on four nodes with NVLink and a NIC per GPU, and on an oversubscribed leaf-spine."
step=(--workload data/workloads/training --comm-group data/workloads/training.groups.json)
show orrery simulate "${step[@]}" --machine data/machines/dgx_h100_pod.yaml -o demo/simulated/ --report demo/simulated.html
show orrery simulate "${step[@]}" --machine data/machines/example_leaf_spine.yaml -o demo/simulated.json.gz
echo
echo "# Where does the simulated step go? The same question, the same command."
show orrery path demo/simulated/rank_0.json.gz
echo
echo "# The host recorded its operators and tensors too: one causal graph out of both traces, as a Chakra execution trace that replays."
show orrery link --host data/gpt_small.et.json.gz --device "$one" -o demo/gpt_small.et
show orrery link data/ddp4.rank{0..3}.et.json.gz "${ranks[@]}" -o demo/ddp4
echo
echo "# The same two traces as something that runs again on real hardware, without the model: operators, tensors, streams and their order."
show orrery replay data/gpt_small.et.json.gz "$one" --emit torch -o demo/gpt_small_again
if python3 -c 'import torch' 2>/dev/null; then
  show python3 demo/gpt_small_again/replay.py --device cpu --no-trace --warmup 1 --repeat 2
else
  echo "(There is no PyTorch here; with one: torchrun --nproc-per-node 1 demo/gpt_small_again/replay.py)"
fi
echo
echo "# The same job with NVLink instead of gloo over one host: what is left of its 258 ms, and where does it go?"
show orrery simulate --workload demo/ddp4 --machine data/machines/dgx_h100.yaml -o demo/ddp4_dgx/
show orrery path demo/ddp4_dgx/rank_0.json.gz
echo
echo "# Four processes whose clocks were set apart by up to 8 ms, drift, and one of which was set by 350 µs on the way: on one clock, from their"
echo "# collectives alone. What the clocks really were (data/jax_skewed4/truth.json) only the comparison knows."
skewed=(data/jax_skewed4/node{0..3}.xplane.pb.gz)
show orrery check --causality "${skewed[@]}"
show orrery align "${skewed[@]}" -o demo/aligned
show orrery check --causality demo/aligned/node{0..3}.xplane.pb.gz
show scripts/alignment_error.py data/jax_skewed4/truth.json data/jax_skewed4 demo/aligned
echo
echo "# A job that has not run yet: a training step of GPT-3 175B on 64 A100, and other ways to cut it up."
show orrery llm data/llm/gpt_3_175b_64xa100.yml -o demo/gpt3_step.json.gz
show orrery llm data/llm/gpt_3_175b_64xa100.yml --sweep
echo
echo "# A workload learnt from MPI traces of small runs, predicted at a scale that nobody ran, and simulated on two machines."
show orrery motif fit --manifest data/mpi/bfs/runs.csv -o demo/bfs.motif
show orrery motif predict demo/bfs.motif --nodes 36 --size 22
show orrery motif fit --manifest data/mpi/halo/runs.csv -o demo/halo.motif
show orrery motif run demo/halo.motif --nodes 64 --size 512 --machine cori_dragonfly
show orrery motif run demo/halo.motif --nodes 64 --size 512 --machine hpc_torus
echo
echo "# The same for programs: one JSON object"
show orrery path "$one" --json -o demo/path.json

printf '\n%s\n' "Open demo/report.html in a browser (from disk: xdg-open demo/report.html): what bounds the step, what would change it, and its timeline. demo/ddp4.html is the job of four ranks, demo/simulated.html the simulated step with the links of its machine."
printf '%s\n' "demo/overlay.json.gz and demo/ddp4.pftrace.gz open at https://ui.perfetto.dev (\"Open trace file\"): the critical path is marked and drawn with arrows. demo/path.json is an answer as data; demo/simulated.json.gz is the simulated step of all ranks, demo/gpt3_step.json.gz the predicted one."
