#!/usr/bin/env bash
# Lays out the sources with clang-format; with --check only names the files that would change. Usage: format.sh [--check] [FILE]...
set -euo pipefail
cd "$(dirname "$0")/.."
check=
[[ ${1:-} == --check ]] && { check=1; shift; }
[[ $# -gt 0 ]] || mapfile -t sources < <(find src tests bench fuzz \( -name '*.h' -o -name '*.cc' \) | sort)
[[ $# -eq 0 ]] || sources=("$@")

# clang-format 14 takes enums on one line apart when ColumnLimit is 0; perl puts those together again.
formatted() {
  clang-format "$1" |
    perl -0pe 's/(\benum\b[^;{}\n]*\{ )([^{}]*?)( ?\};)/my ($a, $b, $c) = ($1, $2, $3); $b =~ s{\s*\n\s*}{ }g; "$a$b$c"/ge'
}

wrong=0
for file in "${sources[@]}"; do
  text=$(formatted "$file"; echo x)
  cmp -s "$file" <(printf '%s' "${text%x}") && continue
  wrong=$((wrong + 1))
  if [[ -n $check ]]; then echo "format: $file is not laid out as .clang-format says"
  else printf '%s' "${text%x}" >"$file"
  fi
done
[[ -z $check || $wrong -eq 0 ]] || { echo "format: run \`make format\`" >&2; exit 1; }
