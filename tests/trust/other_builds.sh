#!/usr/bin/env bash
# Builds Duet without optimisation and with clang, and compares their statistics with those of the release build: other compilers,
# same machine. Usage: other_builds.sh RELEASE_BUILD [FOLDER]; FOLDER keeps the other builds (default: a temporary one).
# Environment: JOBS, compile jobs (default 1). Takes minutes, so no part of the test suite.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
release=$(cd "$1" && pwd)
if [ $# -gt 1 ]; then
  mkdir -p "$2"
  folder=$(cd "$2" && pwd)
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
for preset in debug clang; do
  cmake --preset "$preset" -S "$source" -B "$folder/$preset" -DDUET_TESTS=OFF >/dev/null
  cmake --build "$folder/$preset" -j "${JOBS:-1}" --target duet
done
exec python3 "$source/tests/trust/compare_builds.py" "$release/bin/duet" "$folder/debug/bin/duet" "$folder/clang/bin/duet" --quick
