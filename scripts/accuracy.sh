#!/usr/bin/env bash
# Replays every trace and every pair of traces it finds, aligns clocks of known truth, and writes docs/ACCURACY.md. Usage: accuracy.sh [FOLDER...]
# Where published measurements of language models are present, their part is written, too (some minutes).
# Without folders: data/, and the larger collection in ../shared/data where it is present.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ $# -eq 0 ]]; then
  set -- data
  for folder in ../shared/data/kineto/traces ../shared/data/h200 ../shared/data/whatif ../shared/data/chakra/pairs; do
    [[ -d $folder ]] && set -- "$@" "$folder"
  done
fi
python3 scripts/accuracy.py --binary build/orrery --alignment build/tests/alignment_accuracy --output docs/ACCURACY.md "$@"
tables=../shared/data/llm
if [[ -f $tables/validation.csv ]]; then
  predictor=../shared/data/predictor
  all=("$tables/validation.csv" "$tables/h200_steps.csv")
  for table in $predictor/steps.csv $predictor/collectives.csv $predictor/kernels.csv.gz ../shared/data/serving/silicon.csv; do [[ -f $table ]] && all+=("$table"); done
  build/orrery llm backtest "${all[@]}" --write-accuracy docs/ACCURACY.md -q > /dev/null
fi
# Motifs are judged by runs that are too many to ship.
if [[ -d ../shared/data/mpi ]]; then python3 scripts/motif_accuracy.py build/orrery ../shared/data/mpi docs/ACCURACY.md; fi
# Jobs of known truth are executed by the program that judges them.
if [[ -f ../shared/check/job_world.py ]]; then python3 scripts/job_accuracy.py build/orrery ../shared/check/job_world.py ../shared/data/jobs docs/ACCURACY.md; fi
# What steps take without a profiler was measured; what is predicted of it, from one recording each, is asked here.
if [[ -f ../shared/data/unprofiled/truth.json ]]; then python3 scripts/unprofiled_accuracy.py build/orrery ../shared/data/unprofiled ../shared/data/jax ../shared/data/jobs docs/ACCURACY.md; fi
# What GPUs did was measured on them (scripts/replay_accuracy.py measure); the table is written from that.
python3 scripts/replay_accuracy.py document data/replay/h200.json docs/ACCURACY.md
# Replays are run on this machine, by whatever MPI it has.
if command -v mpirun >/dev/null && [[ -e build/liborrery_replay.so ]]; then python3 scripts/mpi_replay_accuracy.py build/orrery docs/ACCURACY.md; fi
