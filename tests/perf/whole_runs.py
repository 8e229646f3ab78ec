#!/usr/bin/env python3
"""Host instructions of whole `duet run --quiet` processes on gtx480 by warp instruction, counted by callgrind: the start of a run, its results
and everything else that happens once are in them, which instructions.py leaves out. Usage: whole_runs.py [--duet PATH] [--record]

One run of each kernel of workloads/micro/kernels.cu, of the sizes of beside_peer.py. Fails (1) where a run needs over 3 % more than
whole_runs.json says; --record writes that file anew, and the commit says why. Skipped (77) where valgrind is missing.
By day the two shortest runs; at night (tests/whole.py) all."""

import pathlib
import tempfile

import beside_peer
import callgrind
import kernels
from whole import WHOLE

RECORD = pathlib.Path(__file__).resolve().parent / "whole_runs.json"
TOLERANCE = 0.03


def main():
    options = callgrind.parser(__doc__).parse_args()
    callgrind.skip_without("valgrind")
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        for name in kernels.NAMES if WHOLE or options.record else ("vecadd", "hist"):
            n = beside_peer.SIZES[name]
            run = kernels.command(options.duet, ptx, folder, name, n, n, beside_peer.BLOCKS, "--machine", "gtx480")
            host = callgrind.count([*callgrind.COMMAND, *run])[0]
            measured[name] = round(host / kernels.statistics(folder)["totals"]["warp_instructions"], 2)
    callgrind.judge(RECORD, "host_instructions_per_warp_instruction", measured, TOLERANCE, options.record)


if __name__ == "__main__":
    main()
