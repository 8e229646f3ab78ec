#!/usr/bin/env python3
"""Compares what builds of Duet measure: results and statistics, which do not depend on compiler or optimisation.
Usage: compare_builds.py DUET OTHER_DUET..."""
import sys

import trust

KERNELS = ("vecadd", "matmul", "hist", "copyk", "reduce")
PROGRAMS = ("BlackScholes", "BFS")
MACHINES = (("--machine", "gtx580"), ("--machine", "gtx480"), ("--functional",))


def main():
    runners = [trust.Runner(duet) for duet in sys.argv[1:]]
    compared = differing = 0
    for options in MACHINES:
        for name in KERNELS + PROGRAMS:
            results = [r.bare_kernel(name, *options) if name in KERNELS else r.program(name, *options) for r in runners]
            for runner, result in zip(runners, results):
                compared += 1
                if result[0] == 0 and result == results[0]:
                    continue
                differing += 1
                print(f"{name} {' '.join(options)}: {runner.duet} differs (status {result[0]}) {result[2]}")
                ours, theirs = results[0][3] or {}, result[3] or {}
                for key in ours:
                    if ours[key] != theirs.get(key):
                        print(f"  {key}: {ours[key]} against {theirs.get(key)}")
    print(f"compare_builds: {compared} results of {len(runners)} builds, {differing} differ")
    return 1 if differing or len(runners) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
