#!/usr/bin/env python3
"""Cycles of the five kernels on gtx480 beside those of GPGPU-Sim 4.2 (SM2_GTX480, PTX mode, the same PTX source compiled for sm_20 by
clang), which were taken once and are recorded here. `gpgpusim.py --duet DUET [--write FILE] [options of duet run]` prints the table of
docs/results/gtx480.md, and leaves it as a data file; options, say --set gpu.dram.read_bytes=0, show what a key does to it.

GPGPU-Sim's copies to the device leave their lines in its L2, at no cost; a kernel of `duet run` finds L2 empty. So each kernel was run there
with -gpgpu_perf_sim_memcpy 0 too, and that is what Duet is compared with. Without ptxas it has to be told the registers of a kernel: 33 for
matmul, as Duet counts them (3 blocks on an SM), and 20 for comparison (6 blocks, here by a larger register file)."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "perf"))
import kernels

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
import data_file  # noqa: E402

BLOCKS = 60     # of hist, copyk and reduce
ROOM = ("--set", "gpu.sm.registers=65536")
# kernel, n, Duet's options: cycles with an empty L2, cycles after copies, warp instructions
GPGPUSIM = {("vecadd", 65536, ()): (5673, 4807, 45056), ("vecadd", 1048576, ()): (85737, 85737, 720896),
            ("matmul", 128, ()): (24418, 23451, 282624), ("matmul", 128, ROOM): (21292, 20905, 282624),
            ("matmul", 256, ()): (138482, 137919, 2179072),
            ("hist", 262144, ()): (10227, 10227, 86208), ("copyk", 1048576, ()): (51659, 51659, 268864),
            ("reduce", 1048576, ()): (35766, 35766, 253976)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--write", type=data_file.target)
    own, options = parser.parse_known_args()
    table = data_file.Table(["kernel, n", "Duet", "GPGPU-Sim, empty L2", "difference", "GPGPU-Sim after copies", "warp instructions, Duet", "GPGPU-Sim"])
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(own.duet, folder)
        for (name, n, more), (cycles, after_copies, instructions) in GPGPUSIM.items():
            subprocess.run(kernels.command(own.duet, ptx, folder, name, n, n, BLOCKS, "--machine", "gtx480", *more, *options), check=True)
            kernel = kernels.statistics(folder)["kernels"][0]
            table.row(f"{name} {n}{', 6 blocks an SM' if more else ''}", f"{kernel['cycles']:,}", f"{cycles:,}",
                      f"{100 * (kernel['cycles'] / cycles - 1):+.0f} %", f"{after_copies:,}", f"{kernel['warp_instructions']:,}", f"{instructions:,}")
    if own.write:
        table.write(own.write)


if __name__ == "__main__":
    main()
