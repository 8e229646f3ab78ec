#!/usr/bin/env python3
"""Five kernels, statement by statement the same in CUDA and in OpenCL C (workloads/micro): their cycles, instructions and registers on gtx580.

Usage: kernels.py [--duet PATH] [--write FILE]

Exit status: 0 when all results are right. The host programs check every element.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import data_file  # noqa: E402

MICRO = data_file.ROOT / "workloads/micro"
SIZES = {"vecadd": 65536, "matmul": 128, "hist": 65536, "copyk": 65536, "reduce": 65536}


def kernel(duet, folder, *program):
    out = folder / "out"
    subprocess.run([duet, "run", "-q", "--no-html", "--out", out, *program], check=True, stdout=subprocess.DEVNULL)
    return json.loads((out / "stats.json").read_text())["kernels"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(data_file.ROOT / "build/bin/duet"))
    parser.add_argument("--write", type=data_file.target)
    options = parser.parse_args()
    table = data_file.Table(["kernel", "elements", "warp instructions, CUDA", "OpenCL", "registers, CUDA", "OpenCL", "cycles, CUDA", "OpenCL", "cycles, ratio"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([options.duet, "cc", MICRO / "micro.cu", "-o", folder / "micro"], check=True)
        subprocess.run(["cc", "-O1", MICRO / "micro_cl.c", "-o", folder / "micro_cl", "-lOpenCL"], check=True)
        for kernel_name, size in SIZES.items():
            both = [kernel(options.duet, folder, *program, kernel_name, str(size))
                    for program in ([folder / "micro"], [folder / "micro_cl", MICRO / "kernels.cl"])]
            cells = [each[key] for key in ("warp_instructions", "registers", "cycles") for each in both]
            table.row(kernel_name, size, *cells, both[1]["cycles"] / both[0]["cycles"])
    if options.write:
        table.write(options.write)


if __name__ == "__main__":
    main()
