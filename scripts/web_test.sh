#!/usr/bin/env bash
# Checks the types of the page's script and runs its unit tests in node. Usage: web_test.sh FOLDER_FOR_BUNDLES
# Exit code 77, for "skipped", where esbuild or node is missing; without tsc the types go unchecked, and that is said.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?usage: web_test.sh FOLDER_FOR_BUNDLES}

for program in esbuild node; do
  if ! command -v "$program" >/dev/null; then
    echo "web-test: skipped, there is no $program (scripts/setup.sh web installs it)"
    exit 77
  fi
done

if command -v tsc >/dev/null; then
  tsc -p "$source_dir/web"
  tsc -p "$source_dir/tests/web"
else
  echo "web-test: types are not checked, there is no tsc (scripts/setup.sh web installs it)"
fi

rm -rf "$out"
mkdir -p "$out"
esbuild "$source_dir"/tests/web/*.test.ts --bundle --platform=node --target=node18 --format=cjs --out-extension:.js=.cjs --outdir="$out" --log-level=warning
ORRERY_SOURCE_DIR=$source_dir node --test "$out"
