#!/usr/bin/env bash
# package_test.sh PACKAGE.deb [MIRROR]: installs the package into a bare Debian 12 of its own (debootstrap, which needs root and a mirror) and runs it there.
set -euo pipefail
package=$(realpath "${1:?usage: package_test.sh PACKAGE.deb [MIRROR]}")
# shellcheck disable=SC2016  # $(SITE) is apt's word
mirror=${2:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | head -1)}  # the one that this machine uses
command -v debootstrap >/dev/null || { echo "package_test: debootstrap is missing" >&2; exit 1; }
[[ $(id -u) -eq 0 ]] || { echo "package_test: a Debian of its own needs root" >&2; exit 1; }

root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc" 2>/dev/null || true
cp "$package" "$root/orrery.deb"
run() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
fail() { echo "package_test: $1" >&2; exit 1; }
run apt-get -q -o Dpkg::Use-Pty=0 update >/dev/null
run apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends /orrery.deb >/dev/null || fail "it does not install"

examples=/usr/share/orrery/examples
run orrery --version
run orrery info "$examples/gpt_small.kineto.json.gz" | grep 'rank 0' >/dev/null || fail "info does not read the shipped trace"
run orrery path "$examples/gpt_small.kineto.json.gz" --json | grep '"verdict"' >/dev/null || fail "path does not answer"
run sh -c "orrery blame $examples/ddp4.rank*.kineto.json.gz" >/dev/null || fail "blame does not answer"
run orrery llm /usr/share/orrery/llm/gpt_3_175b_64xa100.yml >/dev/null || fail "the shipped data is not found"
for file in /usr/share/man/man1/orrery.1.gz /usr/share/bash-completion/completions/orrery /usr/include/orrery; do
  [[ -e $root$file ]] || fail "$file is missing"
done
run ldconfig -p | grep liborrery.so >/dev/null || fail "the library is not found by the linker"
if run orrery report --help >/dev/null 2>&1; then
  run orrery report "$examples/gpt_small.kineto.json.gz" -o /tmp/report.html >/dev/null || fail "report fails"
  [[ -s $root/tmp/report.html ]] || fail "report writes no page"
fi
if [[ -n $(find "$root/usr/lib" -name liborrery_processes.so) ]]; then
  run apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends openmpi-bin >/dev/null || fail "openmpi-bin does not install"
  one=$(run sh -c "orrery info $examples/ddp4.rank*.kineto.json.gz")
  two=$(run sh -c "mpirun --allow-run-as-root --oversubscribe -q -n 2 orrery info $examples/ddp4.rank*.kineto.json.gz")
  [[ $one == "$two" ]] || fail "two processes do not give what one gives"
  run mpirun --allow-run-as-root --oversubscribe -q -n 2 orrery replay halo2d --on mpi >/dev/null || fail "two processes do not replay a motif"
fi
if [[ -d $root/usr/lib/python3/dist-packages/orrery ]]; then
  run apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends python3 python3-numpy >/dev/null || fail "python3-numpy does not install"
  run python3 -c "import orrery; assert len(orrery.open('$examples/gpt_small.kineto.json.gz').ranks) == 1" || fail "the Python module does not work"
fi
echo "package_test: installs on a bare Debian 12 and works"
