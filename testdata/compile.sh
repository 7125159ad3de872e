#!/bin/sh
# Recompiles the PTX that is committed beside our .cu files, with clang 19 and no CUDA toolkit.
#
#   testdata/compile.sh [OUT [PATTERN]]
#
# OUT is where the tree of results goes (default: the repository itself); PATTERN selects sources by
# a substring of their path. The first line of a source may say `// arch: sm_90 flags: ...`.
# Kernels of corpus/, patterns/ and idioms/ are compiled at four levels into ptx/NAME.O0.ptx to
# ptx/NAME.O3.ptx, all others at -O2 beside themselves.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root}
mkdir -p "$out"
out=$(cd "$out" && pwd)
pattern=${2:-}
clang=${CLANG:-clang-19}

# `.file` then holds the plain name, and no path of the machine that compiled.
names="-fdebug-compilation-dir=. -fdebug-prefix-map=.="

compile() { # directory, source, level, result
  first=$(head -n 1 "$1/$2")
  arch=sm_80 flags=
  case $first in
  "// arch: "*)
    arch=$(printf '%s' "$first" | sed -e 's,// arch: ,,' -e 's, flags:.*,,')
    flags=$(printf '%s' "$first" | sed -n 's,.* flags: *,,p')
    ;;
  esac
  mkdir -p "$(dirname "$4")"
  (cd "$1" && $clang -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch="$arch" --cuda-feature=+ptx80 \
    -nocudainc -nocudalib -Wall -Wno-unknown-cuda-version -gline-tables-only $names "-O$3" $flags \
    -S "$2" -o "$4")
}

cd "$root"
for source in testdata/hot/*.cu testdata/corpus/*.cu testdata/patterns/*.cu testdata/idioms/*.cu \
  examples/*/kernel.cu bench/kernels/*.cu; do
  [ -e "$source" ] || continue
  case $source in *"$pattern"*) ;; *) continue ;; esac
  dir=$(dirname "$source") file=$(basename "$source") name=$(basename "$source" .cu)
  case $dir in
  testdata/corpus | testdata/patterns | testdata/idioms)
    jobs=
    for level in 0 1 2 3; do
      compile "$dir" "$file" $level "$out/$dir/ptx/$name.O$level.ptx" &
      jobs="$jobs $!"
    done
    for job in $jobs; do wait "$job"; done
    ;;
  *) compile "$dir" "$file" 2 "$out/$dir/$name.ptx" ;;
  esac
done
