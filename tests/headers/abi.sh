#!/bin/sh
# Compares Duet's runtime interface with that of a CUDA 13 SDK: sizes, alignments, offsets, enumerators, flags, and
# the types of all functions (a program that declares each function by both headers does not compile if they differ).
# Without such an SDK it prints "skipped" and exits with 77.
#   abi.sh [Duet's include directory] [CUDA's include directory]
here=$(cd "$(dirname "$0")" && pwd)
ours=${1:-$here/../../runtime/cuda/include}
theirs=${2:-/usr/local/cuda/include}
grep -qs 'define CUDART_VERSION *13' "$theirs/cuda_runtime_api.h" || { echo "skipped: no CUDA 13 headers"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-g++}

grep -ohE '^ *cuda[A-Za-z0-9_]+( = [^,]*)?,?$' "$ours/duet_driver_enums.h" "$ours/duet_driver_graphs.h" "$ours/driver_types.h" \
  "$ours/texture_types.h" "$ours/surface_types.h" |
  sed -E 's/^ *(cuda[A-Za-z0-9_]+).*/VALUE(\1)/' | sort -u >"$work/enumerators.inc"
# Fields of the plain structures: each declarator between "struct name {" and "};", without nested ones.
awk '/^struct cuda[A-Za-z0-9_]+ \{$/ { name = $2; next } /^\}/ { name = "" }
  name != "" && /\{$/ { depth++; next } depth > 0 { if ($0 ~ /^ *\}/) depth--; next }
  name != "" { sub(/\/\*.*/, ""); sub(/;.*/, ""); n = split($0, part, ",")
    for (i = 1; i <= n; i++) { d = part[i]; sub(/\[.*/, "", d); m = split(d, word, /[ *]+/)
      if (word[m] != "") print "FIELD(" name ", " word[m] ")" } }' "$ours/driver_types.h" "$ours/duet_driver_graphs.h" \
  "$ours/texture_types.h" >"$work/fields.inc"

for side in ours theirs; do
  eval directory=\$$side
  "$cxx" -std=c++17 -w -I "$work" -I "$directory" "$here/abi.cpp" -o "$work/$side" || { echo "FAIL abi.cpp with $directory"; exit 1; }
  "$work/$side" >"$work/$side.txt"
  # Names and types of the functions: what the compiler says of their addresses.
  printf '#include <cuda_runtime_api.h>\n#include <cstdio>\n#include <typeinfo>\nint main() {\n' >"$work/$side.cpp"
  grep -ohE '\bcuda[A-Z][A-Za-z0-9]*\(' "$ours/cuda_runtime_api.h" "$ours/duet_cuda_graphs.h" "$ours/duet_images_api.h" | tr -d '(' |
    sort -u | grep -v Profiler |
    sed 's/.*/  std::printf("%s %s\\n", "&", typeid(\&&).name());/' >>"$work/$side.cpp"
  echo '}' >>"$work/$side.cpp"
  "$cxx" -std=c++17 -w -I "$directory" "$work/$side.cpp" -o "$work/$side" || { echo "FAIL functions with $directory"; exit 1; }
  "$work/$side" >>"$work/$side.txt"
done
if diff "$work/theirs.txt" "$work/ours.txt" >"$work/diff"; then
  echo "ok   $(wc -l <"$work/ours.txt") facts of the interface agree"
else
  echo "FAIL the interface differs (< CUDA, > Duet):"
  head -40 "$work/diff"
  exit 1
fi
