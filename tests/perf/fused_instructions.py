#!/usr/bin/env python3
"""Host instructions of the fused machine, counted by callgrind in the program's process: for each warp instruction of the GPU, and where
the core has a part too (pre-execution, thread blocks), for each instruction of either. Usage: fused_instructions.py [--duet PATH] [--record]

Two benchmarks of workloads/yang2012, each at two sizes; the difference leaves out all that happens once, but not the copies of what their
kernels work on: of VecAdd these are most. Fails (1) where one needs over 3 %
more than fused_instructions.json says; --record writes that file anew, and the commit says why. Skipped (77) where valgrind is missing.
By day TMV with pre-execution; at night (tests/whole.py) all."""

import json
import pathlib
import subprocess
import sys
import tempfile

import callgrind
from whole import WHOLE

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "fused_instructions.json"
WORKLOADS = callgrind.ROOT / "workloads/yang2012"
TOLERANCE = 0.03
# Smaller, larger.
PROGRAMS = {"VecAdd": ("--size 32768", "--size 98304"), "TMV": ("--size 8192 --rows 16", "--size 8192 --rows 48")}
MODES = {"off": (), "adaptive": ("--preexec", "adaptive"), "blocks on the core": ("--cpu-blocks",)}


def count(duet, folder, mode, program, arguments):
    """Host instructions of the program's process, and instructions of GPU and core."""
    line = [duet, "run", "-q", "--no-lines", "--machine", "fused", "--out", f"{folder}/run", *mode, "--", *callgrind.COMMAND, f"{folder}/{program}",
            *arguments.split()]
    host = callgrind.count(line)[0]
    kernels = json.loads(pathlib.Path(f"{folder}/run/stats.json").read_text())["kernels"]
    core = sum(kernel.get(part, {}).get("instructions", 0) for kernel in kernels for part in ("preexecution", "cpu_blocks"))
    return host, sum(kernel["warp_instructions"] for kernel in kernels) + core


def main():
    options = callgrind.parser(__doc__).parse_args()
    callgrind.skip_without("valgrind")
    whole = WHOLE or options.record
    modes = MODES if whole else {mode: MODES[mode] for mode in ("adaptive",)}
    measured = {mode: {} for mode in modes}
    with tempfile.TemporaryDirectory() as folder:
        for program, sizes in (PROGRAMS if whole else {"TMV": PROGRAMS["TMV"]}).items():
            compile_well(options.duet, [WORKLOADS / f"{program}.cu"], f"{folder}/{program}")
            for mode, extra in modes.items():
                for size in sizes:  # compiled programs are kept, and are not to be counted
                    subprocess.run([options.duet, "run", "-q", "--no-lines", "--machine", "fused", "--out", f"{folder}/run", *extra, f"{folder}/{program}",
                                    *size.split()], check=True, stdout=subprocess.DEVNULL)
                counts = [count(options.duet, folder, extra, program, size) for size in sizes]
                measured[mode][program] = round(callgrind.per_unit(counts), 2)
    callgrind.judge(RECORD, "host_instructions_per_instruction", measured, TOLERANCE, options.record)


if __name__ == "__main__":
    main()
