#!/usr/bin/env python3
"""Cycles of the five kernels on gtx480 beside those of GPGPU-Sim 4.2 (SM2_GTX480, PTX mode, the same PTX source compiled for sm_20 by
clang), which were taken once and are recorded here. `gpgpusim.py --duet DUET [options of duet run]` prints the table of
docs/machines.md; options, say --set gpu.dram.read_bytes=0, show what a key does to it."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "perf"))
import kernels

BLOCKS = 60     # of hist, copyk and reduce
GPGPUSIM = {("vecadd", 65536): (4807, 45056), ("vecadd", 1048576): (85737, 720896), ("matmul", 128): (23451, 282624),
            ("matmul", 256): (137919, 2179072), ("hist", 262144): (10236, 86208), ("copyk", 1048576): (51659, 268864),
            ("reduce", 1048576): (35766, 253976)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    own, options = parser.parse_known_args()
    print("| kernel, n | cycles | GPGPU-Sim's | difference | warp instructions | GPGPU-Sim's |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(own.duet, folder)
        for (name, n), (cycles, instructions) in GPGPUSIM.items():
            subprocess.run(kernels.command(own.duet, ptx, folder, name, n, n, BLOCKS, "--machine", "gtx480", *options), check=True)
            kernel = kernels.statistics(folder)["kernels"][0]
            print("| %s %d | %d | %d | %+.0f %% | %d | %d |" % (name, n, kernel["cycles"], cycles, 100 * (kernel["cycles"] / cycles - 1),
                                                             kernel["warp_instructions"], instructions))


if __name__ == "__main__":
    main()
