#!/bin/sh
# run_workload.sh DUET WORKLOADS NAME [arguments]: compiles a workload and runs it; it checks its own result.
set -eu
duet=$1 workloads=$2 name=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${DUET_TEST_PYTHON:-python3}" "$(dirname "$0")/compile_once.py" "$duet" "$work/program" "$workloads/$name.cu"
cd "$work"
"$duet" run --machine "${DUET_TEST_MACHINE:-gtx580}" "$work/program" "$@"
test -s duet-out/stats.json
