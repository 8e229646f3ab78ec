#!/bin/sh
# The main job in one go: compile a CUDA program with Duet's own headers, run it on gtx580, see that its result is right and where the
# time went.
set -eu
build=$1
program=$build/demo/smooth
mkdir -p "$build/demo"
set -x
"$build/bin/duet" cc workloads/demo/smooth.cu -o "$program"
"$build/bin/duet" run --machine gtx580 --out "$build/demo/results" "$program"
