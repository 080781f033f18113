#!/usr/bin/env bash
# Installs the Debian packages that are missing. Usage: setup.sh [build|python|mpi|bench|fuzz|lint|judge|web|browser|package|packagetest|conformance]...   (default: build)
# Does nothing when all are there, or when ORRERY_SKIP_SETUP is set.
set -euo pipefail

declare -A groups=(
  [build]="g++ cmake ninja-build pkg-config ccache mold libfmt-dev libtbb-dev zlib1g-dev libisal-dev libzstd-dev libre2-dev libxxhash-dev libsnappy-dev libopen-trace-format2-dev
           libsimdjson-dev libyaml-cpp-dev libsqlite3-dev libprotozero-dev libssl-dev libeigen3-dev doctest-dev librapidcheck-dev esbuild python3"
  [python]="pybind11-dev python3-dev python3-numpy python3-pandas"
  [mpi]="libopenmpi-dev openmpi-bin"
  [bench]="libbenchmark-dev"
  [fuzz]="clang libclang-rt-14-dev"
  [lint]="clang clang-format clang-tidy"
  [judge]="libsimgrid-dev libboost-dev"
  [web]="esbuild nodejs node-typescript"
  [browser]="chromium golang-src python3"
  [package]="dpkg-dev"
  [packagetest]="debootstrap"
  [conformance]="python3 python3-numpy python3-protobuf protobuf-compiler"
)

fail() {
  echo "setup: $1" >&2
  exit 1
}

[[ $# -gt 0 ]] || set -- build
wanted=()
for group in "$@"; do
  [[ -n ${groups[$group]:-} ]] || fail "there is no group '$group'; choose from: ${!groups[*]}"
  read -r -d '' -a names <<<"${groups[$group]}" || true
  wanted+=("${names[@]}")
done

if [[ -n ${ORRERY_SKIP_SETUP:-} ]]; then
  echo "setup: skipped, as ORRERY_SKIP_SETUP says"
  exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this is not Debian or Ubuntu. Install the equivalents of these packages and run again with ORRERY_SKIP_SETUP=1: ${wanted[*]}"
fi

missing=()
for name in "${wanted[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all packages for $* are there"
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  { command -v sudo >/dev/null && sudo true; } || fail "these packages are missing and need root to install: ${missing[*]}"
  as_root=(sudo)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@"
}

echo "setup: installing ${missing[*]}"
apt update || fail "apt-get update failed: is there a network? Missing packages: ${missing[*]}"
apt install -y --no-install-recommends "${missing[@]}" || fail "apt-get could not install: ${missing[*]}. Is there a network, and is this Debian 12 or newer?"
echo "setup: done"
