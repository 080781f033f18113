#!/usr/bin/env bash
# How long a newcomer waits: clones what is committed, builds it from nothing without ccache, and writes what `make demo` and then `make test` took to
# bench/build_times.json and into docs/PERFORMANCE.md. Usage: build_times.sh   (see `make buildtimes`; a quarter
# of an hour of an otherwise idle machine; packages must be installed)
set -euo pipefail
cd "$(dirname "$0")/.."

clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet --local . "$clone/orrery"
export CCACHE_DISABLE=1 ORRERY_SKIP_SETUP=1

# Seconds that `make TARGET` takes in the clone; what it prints is shown only if it fails.
seconds_of() {  # TARGET
  local begin=$EPOCHREALTIME
  make -C "$clone/orrery" "$1" >"$clone/log" 2>&1 || { tail -n 40 "$clone/log" >&2; exit 1; }
  awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.0f", end - begin }'
}

echo "buildtimes: make demo"
demo=$(seconds_of demo)
echo "buildtimes: make test"
tests=$(seconds_of test)
printf '{"commit": "%s", "cores": %d, "demo_seconds": %d, "test_seconds": %d}\n' "$(git rev-parse --short HEAD)" "$(nproc)" "$demo" "$tests" \
  >bench/build_times.json
cat bench/build_times.json
scripts/build_rows.py docs/PERFORMANCE.md
