#!/bin/sh
# Builds and runs the judge of the device math functions; arguments go to it. One sample in eight; with DUET_TEST_WHOLE=1
# (make test-night) all. Exit status 77: the processor lacks FMA.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
every=8
[ "${DUET_TEST_WHOLE:-}" != 1 ] || every=1
# ccache keeps what it compiled; it does not link.
$(command -v ccache) ${CXX:-g++} -std=c++17 -O2 -Wall -Wextra -Werror -ffp-contract=off -I "$here/../../runtime/cuda/include" \
  -c "$here/device_math_test.cpp" -o "$work/judge.o" && ${CXX:-g++} "$work/judge.o" -o "$work/judge" -lquadmath && "$work/judge" --every $every "$@"
