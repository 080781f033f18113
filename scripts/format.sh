#!/usr/bin/env bash
# Lays out the sources with clang-format; with --check only names the files that would change. Usage: format.sh [--check] [FILE]...
set -euo pipefail
cd "$(dirname "$0")/.."
check=
[[ ${1:-} == --check ]] && { check=1; shift; }
[[ $# -gt 0 ]] || mapfile -t sources < <(find include src tests bench fuzz examples \( -name '*.h' -o -name '*.cc' \) | sort)
[[ $# -eq 0 ]] || sources=("$@")

if [[ -z $check ]]; then
  clang-format -i "${sources[@]}"
elif ! clang-format --dry-run --Werror "${sources[@]}" 2>/dev/null; then
  for file in "${sources[@]}"; do
    clang-format --dry-run --Werror "$file" 2>/dev/null || echo "format: $file is not laid out as .clang-format says"
  done
  echo "format: run \`make format\`" >&2
  exit 1
fi
