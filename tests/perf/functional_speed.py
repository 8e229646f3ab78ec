#!/usr/bin/env python3
"""Machine warp instructions per second of functional execution, on the five kernels of workloads/micro/kernels.cu.
Usage: functional_speed.py [--duet PATH] [--runs N]

"kernel": the wall time of a run (stats.json) less that of a run with the same buffers and no elements, so without loading the
module and filling buffers. "process": all the time of the `duet run` process. Medians. Each kernel runs at its usual size, where
starting takes most of the process's time, and at a size where the kernel does. Wants an idle machine; only prints."""

import argparse
import statistics
import subprocess
import tempfile
import time

import kernels

SIZES = (("vecadd", 65536), ("vecadd", 1048576), ("vecadd", 4194304), ("matmul", 128), ("matmul", 256), ("matmul", 512),
         ("hist", 262144), ("hist", 4194304), ("copyk", 1048576), ("copyk", 4194304), ("reduce", 1048576), ("reduce", 4194304))
BLOCKS = 60


def measure(duet, ptx, folder, name, n, room, runs):
    """Median wall seconds of the simulation and of the process, and the instructions executed."""
    walls, processes = [], []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(kernels.command(duet, ptx, folder, name, n, room, BLOCKS, "--functional"), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        processes.append(time.perf_counter() - start)
        result = kernels.statistics(folder)
        walls.append(result["wall_seconds"])
    return statistics.median(walls), statistics.median(processes), result["totals"]["warp_instructions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(kernels.ROOT / "build/bin/duet"))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print("%-8s %9s %12s %12s %14s %14s" % ("kernel", "n", "warp insn", "kernel ms", "kernel M/s", "process M/s"))
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        for name, n in SIZES:
            wall, process, instructions = measure(options.duet, ptx, folder, name, n, n, options.runs)
            idle, _, few = measure(options.duet, ptx, folder, name, 0, n, options.runs)
            seconds = max(wall - idle, 1e-9)
            print("%-8s %9d %12d %12.2f %14.1f %14.1f" %
                  (name, n, instructions, seconds * 1e3, (instructions - few) / seconds / 1e6, instructions / process / 1e6))


if __name__ == "__main__":
    main()
