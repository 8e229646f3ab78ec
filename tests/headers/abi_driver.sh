#!/bin/sh
# Compares Duet's driver interface with that of a CUDA 13 SDK: enumerators, sizes of structures, offsets of their
# fields, and the types of all functions. Without such an SDK it prints "skipped" and exits with 77.
#   abi_driver.sh [Duet's include directory] [CUDA's include directory]
here=$(cd "$(dirname "$0")" && pwd)
ours=${1:-$here/../../runtime/cuda/include}
theirs=${2:-/usr/local/cuda/include}
grep -qs 'define CUDA_VERSION *13' "$theirs/cuda.h" || { echo "skipped: no CUDA 13 headers"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for side in ours theirs; do
  eval directory=\$$side
  {
    printf '#include <cuda.h>\n#include <cstddef>\n#include <cstdio>\n#include <typeinfo>\nint main() {\n'
    grep -ohE '^ *CUD?A?_[A-Z0-9a-z_]+ = ' "$ours"/duet_cu_results.h "$ours"/duet_cu_enums.h | tr -d ' =' |
      sed 's/.*/  std::printf("& %lld\\n", (long long)&);/'
    # Fields of the structures, without nested ones.
    awk '/^typedef (struct|union) .* \{$/ { n = 0; inside = 1; next }
      /^\} / { sub(/^\} /, ""); sub(/;.*/, ""); name = $0; inside = 0
        print "  std::printf(\"" name " %zu\\n\", sizeof(" name "));"
        for (i = 1; i <= n; i++) print "  std::printf(\"" name " " field[i] " %zu\\n\", offsetof(" name ", " field[i] "));" }
      inside && /\{$/ { depth++; next } depth > 0 { if ($0 ~ /^ *\}/) depth--; next }
      inside { sub(/\/\*.*/, ""); sub(/;.*/, ""); k = split($0, part, ",")
        for (i = 1; i <= k; i++) { d = part[i]; sub(/\[.*/, "", d); m = split(d, word, /[ *]+/)
          if (word[m] != "") field[++n] = word[m] } }' "$ours/duet_cu_types.h"
    grep -ohE '\bcu[A-Z][A-Za-z0-9_]*\(' "$ours/duet_cu_api.h" | tr -d '(' | sort -u |
      sed 's/.*/  std::printf("%s %s\\n", "&", typeid(\&&).name());/'
    echo '}'
  } >"$work/$side.cpp"
  "${CXX:-g++}" -std=c++17 -w -I "$directory" "$work/$side.cpp" -o "$work/$side" || { echo "FAIL with $directory"; exit 1; }
  "$work/$side" >"$work/$side.txt"
done
if diff "$work/theirs.txt" "$work/ours.txt" >"$work/diff"; then
  echo "ok   $(wc -l <"$work/ours.txt") facts of the driver interface agree"
else
  echo "FAIL the driver interface differs (< CUDA, > Duet):"
  head -40 "$work/diff"
  exit 1
fi
