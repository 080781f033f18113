#!/usr/bin/env bash
# package.sh BUILD_DIR: makes BUILD_DIR/orrery_VERSION_ARCH.deb of what was built there: the program with its manual page, completions and data, the library with
# its headers, the two MPI objects and the Python module where they were built. What the program needs are dependencies; what only MPI or
# Python need are suggestions, so that it installs without them.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: package.sh BUILD_DIR}
command -v dpkg-shlibdeps >/dev/null || { echo "package: dpkg-shlibdeps is missing (dpkg-dev)" >&2; exit 1; }

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
architecture=$(dpkg --print-architecture)
# The same sources give the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/orrery
chmod 755 "$work"

DESTDIR=$root cmake --install "$build" --prefix /usr --strip >/dev/null
share=$root/usr/share
# Debian keeps modules of all versions in one folder; which version this one is for is in the name of its extension.
for folder in "$root"/usr/lib/python3.*; do
  [[ ! -d $folder ]] || mv "$folder" "$root/usr/lib/python3"
done
gzip -9n "$share"/man/man1/*.1
install -Dm644 LICENSE "$share/doc/orrery/copyright"
gzip -9nc CHANGELOG.md >"$share/doc/orrery/changelog.gz"
# Not with the documents: bare systems leave those out.
install -d "$share/orrery/examples"
cp -r examples/slurm data/gpt_small.kineto.json.gz data/ddp4.rank?.kineto.json.gz "$share/orrery/examples/"

is_elf() { cmp -s -n 4 "$1" <(printf '\x7fELF'); }
needs=() suggests=()
while IFS= read -r file; do
  is_elf "$file" || continue
  case $file in
    */liborrery_mpi.so | */liborrery_processes.so | */liborrery_replay.so | */python3/*) suggests+=(-e "${file#"$work/"}") ;;
    *) needs+=(-e "${file#"$work/"}") ;;
  esac
done < <(find "$root" -type f | LC_ALL=C sort)
mkdir "$work/debian"
printf 'Source: orrery\n\nPackage: orrery\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O --warnings=0 -lorrery/usr/lib -l"orrery/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
  -dDepends "${needs[@]}" ${suggests[0]:+-dSuggests "${suggests[@]}"} 2>/dev/null)
list() { sed -n "s/^shlibs:$1=//p" <<<"$libraries"; }
depends=$(list Depends)
suggested=$(list Suggests)
[[ -n $depends ]] || { echo "package: dpkg-shlibdeps found no dependencies" >&2; exit 1; }
if compgen -G "$root/usr/lib/python3/dist-packages/orrery" >/dev/null; then
  suggested="${suggested:+$suggested, }python3 (>= $(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')), python3-numpy, python3-pandas"
fi
[[ -e $root/usr/lib/liborrery_mpi.so || -n $(find "$root" -name liborrery_processes.so) ]] && suggested="${suggested:+$suggested, }openmpi-bin"

mkdir "$root/DEBIAN"
{
  echo "Package: orrery"
  echo "Version: $version"
  echo "Architecture: $architecture"
  echo "Maintainer: $(git config user.name 2>/dev/null || echo orrery) <$(git config user.email 2>/dev/null || echo orrery@localhost)>"
  echo "Installed-Size: $(du -sk "$root/usr" | cut -f1)"
  echo "Depends: $depends"
  [[ -z $suggested ]] || echo "Suggests: $suggested"
  echo "Section: science"
  echo "Priority: optional"
  echo "Description: what bounds a distributed AI or HPC job, and what would change it"
  echo " Reads traces of PyTorch, XLA and MPI programs, makes one causal model of them,"
  echo " says what bounds a step, and solves it again with changes. Simulates workloads"
  echo " on described machines."
} >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"  # for the library
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 -r touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
package=$build/orrery_${version}_${architecture}.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "package: $package ($(du -h "$package" | cut -f1)); needs $depends${suggested:+; better with $suggested}"
