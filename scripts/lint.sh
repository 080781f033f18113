#!/usr/bin/env bash
# Checks layout (clang-format), habits (clang-tidy) and the scripts (shellcheck, where there is one).
#
#   lint.sh              clang-tidy over the sources that differ from main, those that include a header that does, and what is not committed
#   lint.sh --all [OPTION...]   over every source, with further options of clang-tidy: an hour on two cores, most of it path analysis;
#                        ten minutes without: --all '--checks=-clang-analyzer-*'
#   lint.sh FILE...      over these
#
# Another commit to compare with: ORRERY_LINT_BASE.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/format.sh --check
too_wide=$(find include src tests bench fuzz examples \( -name '*.h' -o -name '*.cc' \) -exec awk 'length > 200 && !/R"|"=/ {print FILENAME ":" FNR ": " length " columns"}' {} +)
[[ -z $too_wide ]] || { echo "$too_wide" >&2; exit 1; }
echo "lint: the layout is fine"

if command -v shellcheck >/dev/null; then
  shellcheck scripts/*.sh .ci/run
  echo "lint: the scripts are fine"
fi

# What to compare with: the branch that others have; on that branch itself, where nothing would differ, the commit before the last.
base_commit() {
  local base=${ORRERY_LINT_BASE:-}
  [[ -n $base ]] || base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
  [[ -n ${ORRERY_LINT_BASE:-} || $base != $(git rev-parse HEAD) ]] || base=$(git rev-parse --verify --quiet HEAD~1 || echo "$base")
  echo "$base"
}

# Files under src/ that differ from the base or are new. Headers are checked through the sources that include them.
changed_sources() {
  local file
  { git diff --name-only --diff-filter=d "$(base_commit)" -- src; git ls-files --others --exclude-standard -- src; } | sort -u |
    while read -r file; do
      case $file in
        *.cc) echo "$file" ;;
        *.h) grep -rlF --include='*.cc' "#include \"${file#src/}\"" src || true ;;
      esac
    done | sort -u
}

tidy=(clang-tidy --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument)
if [[ ${1:-} == --all ]]; then
  cmake -S . -B build-lint-all -G Ninja -DCMAKE_BUILD_TYPE=Release -DORRERY_TESTS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
  exec python3 scripts/lint_all.py build-lint-all "${tidy[@]}" "${@:2}"
fi
case ${1:-} in
  "") mapfile -t sources < <(changed_sources) ;;
  *) sources=("$@") ;;
esac
if [[ ${#sources[@]} -eq 0 ]]; then
  echo "lint: no source differs from $(base_commit); lint.sh --all checks every one"
  exit 0
fi
# clang-tidy wants each source by itself, and cannot read the headers that GCC compiles in advance: a configuration of its own, never built.
cmake -S . -B build-lint -G Ninja -DCMAKE_BUILD_TYPE=Release -DORRERY_UNITY=0 -DORRERY_TESTS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 1 "${tidy[@]}" -p build-lint
echo "lint: clang-tidy is content with ${#sources[@]} sources"
