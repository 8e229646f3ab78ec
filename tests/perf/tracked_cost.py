#!/usr/bin/env python3
"""What full/empty bits cost the simulator: the five kernels with all memory tracked and full, against the same runs without, in
turns. Usage: tracked_cost.py [--duet PATH] [--runs N]

Prints the median, least and greatest ratio of the whole process's wall time, and the kernel's cycles without and with."""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import kernels

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = (("vecadd", 1048576), ("matmul", 128), ("hist", 262144), ("copyk", 1048576), ("reduce", 1048576))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(ROOT / "build/bin/duet"))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        print("kernel          n   wall ratio (least - greatest)   cycles without   with")
        for name, size in SIZES:
            seconds, cycles = {"asked": [], "all": []}, {}
            for _ in range(options.runs):
                for tracked in seconds:
                    command = kernels.command(options.duet, ptx, folder, name, size, size, 60, "--machine", "gtx580", "--set",
                                              f"gpu.full_empty.tracked={tracked}")
                    begin = time.perf_counter()
                    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
                    seconds[tracked].append(time.perf_counter() - begin)
                    cycles[tracked] = kernels.statistics(folder)["kernels"][0]["cycles"]
            ratios = [b / a for a, b in zip(seconds["asked"], seconds["all"])]
            print(f"{name:8} {size:8}   {statistics.median(ratios):10.2f} ({min(ratios):.2f} - {max(ratios):.2f}) "
                  f"{cycles['asked']:20} {cycles['all']:6}")


if __name__ == "__main__":
    main()
