#!/usr/bin/env python3
"""Host instructions per machine warp instruction: functional, timed (on gtx480), timed with --lines, and on tk1; counted by callgrind, which
other load on the machine does not change. Usage: instructions.py [--duet PATH] [--record]

For each kernel of workloads/micro/kernels.cu two runs with the same buffers and different numbers of elements are counted; the
difference leaves out all that happens once (in both, every SM has been full). Fails (1) where a kernel needs over 3 % more than
instructions.json says; --record writes that file anew, and the commit says why. Skipped (77) where valgrind is missing.
By day two kernels on the functional GPU, because whole_runs.py has the timed one; at night (tests/whole.py) all."""

import pathlib
import tempfile

import callgrind
import kernels
from whole import WHOLE

RECORD = pathlib.Path(__file__).resolve().parent / "instructions.json"
TOLERANCE = 0.03
SIZES = {"vecadd": (65536, 262144), "matmul": (160, 192), "hist": (16384, 131072), "copyk": (16384, 131072),
         "reduce": (16384, 131072)}
TIMED_SIZES = {"vecadd": (16384, 49152), "matmul": (64, 96), "hist": (16384, 65536), "copyk": (16384, 65536),
               "reduce": (16384, 65536)}
# Name in the record, options of duet run, sizes, blocks of the kernels that have a fixed number of them.
MODES = (("functional", ("--functional",), SIZES, 8), ("timed", ("--machine", "gtx480"), TIMED_SIZES, 60),
         ("lines", ("--machine", "gtx480", "--lines"), TIMED_SIZES, 60),
         ("tk1", ("--machine", "tk1"), {name: TIMED_SIZES[name] for name in ("vecadd", "matmul")}, 4))
BY_DAY = (("functional", ("--functional",), {name: SIZES[name] for name in ("vecadd", "hist")}, 8),)


def count(duet, ptx, folder, name, n, room, blocks, options):
    """Host instructions and machine warp instructions of one run."""
    line = [*callgrind.COMMAND, *kernels.command(duet, ptx, folder, name, n, room, blocks, *options)]
    return callgrind.count(line)[0], kernels.statistics(folder)["totals"]["warp_instructions"]


def main():
    options = callgrind.parser(__doc__).parse_args()
    callgrind.skip_without("valgrind")
    modes = MODES if WHOLE or options.record else BY_DAY
    measured = {mode: {} for mode, *_ in modes}
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        for mode, extra, sizes, blocks in modes:
            for name in sizes:
                small, large = sizes[name]
                counts = [count(options.duet, ptx, folder, name, n, large, blocks, extra) for n in (small, large)]
                measured[mode][name] = round(callgrind.per_unit(counts), 2)
    callgrind.judge(RECORD, "host_instructions_per_warp_instruction", measured, TOLERANCE, options.record)


if __name__ == "__main__":
    main()
