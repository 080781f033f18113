#!/usr/bin/env bash
# Runs every fuzz target of a build folder, then the verbs on damaged inputs (mutate.py). Usage: fuzz.sh BUILD_DIR SECONDS_PER_TARGET
# Seeds are taken from fuzz/corpus/NAME (of NAME_fuzz) where that exists; what is found stays in BUILD_DIR/corpus and is used again by the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: fuzz.sh BUILD_DIR SECONDS_PER_TARGET}") # whole: a target may go to a folder of its own
seconds=${2:?usage: fuzz.sh BUILD_DIR SECONDS_PER_TARGET}

shopt -s nullglob
found=0
for target in "$build"/fuzz/*_fuzz; do
  [[ -x $target ]] || continue
  found=$((found + 1))
  name=$(basename "$target")
  corpus=$build/corpus/$name
  log=$build/$name.log
  mkdir -p "$corpus" "$build/crashes"
  folders=("$corpus")
  [[ -d fuzz/corpus/${name%_fuzz} ]] && folders+=("$PWD/fuzz/corpus/${name%_fuzz}")
  echo "fuzz: $name for $seconds s"
  if ! "$target" -max_total_time="$seconds" -print_final_stats=1 -timeout=25 -artifact_prefix="$build/crashes/$name-" "${folders[@]}" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "fuzz: $name FAILED; the input is in $build/crashes, the whole log in $log" >&2
    exit 1
  fi
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "fuzz: $name tried ${tried:-?} inputs in $seconds s and found nothing"
done
[[ $found -gt 0 ]] || { echo "fuzz: there are no targets in $build/fuzz" >&2; exit 1; }
echo "fuzz: the verbs on damaged inputs for $seconds s"
scripts/mutate.py "$build/orrery" "$seconds" --seed "${SEED:-1}" --keep "$build/crashes"
echo "fuzz: the reader of operation lists for $seconds s"
scripts/fuzz_operations.py "$seconds" --seed "${SEED:-1}"
