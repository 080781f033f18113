#!/usr/bin/env bash
# Checks layout (clang-format), habits (clang-tidy; needs build/compile_commands.json) and the scripts (shellcheck, where there is one).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/format.sh --check
too_wide=$(find include src tests bench fuzz examples \( -name '*.h' -o -name '*.cc' \) -exec awk 'length > 200 {print FILENAME ":" FNR ": " length " columns"}' {} +)
[[ -z $too_wide ]] || { echo "$too_wide" >&2; exit 1; }
echo "lint: the layout is fine"

if command -v shellcheck >/dev/null; then
  shellcheck scripts/*.sh .ci/run
  echo "lint: the scripts are fine"
fi

find src -name '*.cc' | sort | xargs -P "$(nproc)" -n 4 clang-tidy -p build --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option
echo "lint: clang-tidy is content"
