#!/usr/bin/env python3
"""What a load takes on the machines whose core and GPU share a last level, beside what is published of them (machines/mi300a.toml,
gh200-shared.toml): in each cache, in the shared level, in DRAM; by the GPU, and by the core where a compiler for it is there.

    shared_level_test.py --duet build/bin/duet

By day without the rings of DRAM, which take most of the time; at night (tests/whole.py) with them.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402
from whole import WHOLE  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MACHINES = HERE.parents[1] / "machines"
# Machine: bytes of the ring, cycles from load to use, and by how much of them it may differ. Rings of DRAM open rows or find them open.
GPU = {
    "mi300a": [("L1", 8192, 120, 0.01), ("L2", 262144, 213, 0.01), ("the shared level", 1048576, 450, 0.01), ("DRAM", 16777216, 810, 0.02)],
    "gh200-shared": [("L1", 8192, 32, 0.07), ("L2", 262144, 280, 0.01), ("the shared level", 2621440, 490, 0.01), ("DRAM", 16777216, 682, 0.02)],
}
CORE = {
    "mi300a": [("L1", 16384, 4, 0), ("L2", 262144, 14, 0), ("the shared level", 1310720, 252, 0.02), ("DRAM", 8388608, 888, 0.1)],
    "gh200-shared": [("L1", 16384, 4, 0), ("L2", 262144, 11, 0), ("the shared level", 1310720, 1618, 0.02)],
}
QUIET = ["--set", "cpu.l2.prefetcher=none", "--set", "cpu.tlb.data_entries=0"]


def measure(duet: str, machine: str, program: pathlib.Path, size: int, options: list[str]) -> float:
    out = subprocess.run([duet, "run", "--quiet", "--machine", str(MACHINES / f"{machine}.toml"), "--out", str(program.parent / "out"), *options, str(program), str(size)],
                         check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([0-9.]+) cycles a load", out).group(1))


def compare(duet: str, who: str, rows: dict, program: pathlib.Path, options: list[str]) -> int:
    wrong = 0
    for machine, levels in rows.items():
        for level, size, expected, tolerance in levels:
            if level == "DRAM" and not WHOLE:
                continue
            found = measure(duet, machine, program, size, options)
            good = abs(found - expected) <= tolerance * expected + 0.05
            wrong += not good
            print(f"{machine}, {who}, {level}: {found} cycles, {expected} expected{'' if good else ' WRONG'}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="duet")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gpu, core = pathlib.Path(folder) / "chase", pathlib.Path(folder) / "chase-core"
        compile_well(arguments.duet, [HERE / "chase.cu"], gpu)
        wrong = compare(arguments.duet, "GPU", GPU, gpu, [])
        if shutil.which("riscv64-linux-gnu-gcc"):
            subprocess.run(["riscv64-linux-gnu-gcc", "-O2", "-static", str(HERE / "chase.c"), "-o", str(core)], check=True)
            wrong += compare(arguments.duet, "core", CORE, core, ["--host", "simulated", *QUIET])
        else:
            print("core: skipped, there is no riscv64-linux-gnu-gcc")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
