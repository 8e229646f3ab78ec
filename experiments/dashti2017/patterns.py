#!/usr/bin/env python3
"""Which memory method for which use of it: workloads/dashti2017/kaveri/patterns.c on simulated cores of machines whose cores and GPU share
memory, by each of their methods, as docs/results/data/methods-by-pattern.json.

    experiments/dashti2017/patterns.py --duet build/bin/duet --commit 4d142d1b && docs/results/render.py
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))
import scorecard  # noqa: E402
from kaveri_programs import Programs  # noqa: E402

PATTERNS = ("exchange", "stays", "again", "word")
# Machine, the program's method, `duet run --method` or nothing, and the row of the table.
WAYS = (
    ("kaveri", "cl-1.2", "", "clCreateBuffer, copies"),
    ("kaveri", "svm-fine", "", "clSVMAlloc"),
    ("kaveri", "hsa-fine", "", "malloc (HSA)"),
    ("kaveri", "hsa-coarse", "", "coarse-grained (HSA)"),
    ("tk1", "cl-1.2", "", "clCreateBuffer, copies"),
    ("tk1", "svm-fine", "hostalloc", "pinned, uncached"),
    ("tk1", "svm-fine", "managed", "managed"),
    ("gh200-shared", "cl-1.2", "", "clCreateBuffer, copies"),
    ("gh200-shared", "svm-fine", "", "clSVMAlloc"),
    ("mi300a", "cl-1.2", "", "clCreateBuffer, copies"),
    ("mi300a", "svm-fine", "", "clSVMAlloc"),
    ("mi300a", "hsa-fine", "", "malloc (HSA)"),
)
# Start-up is before the rounds.
SETS = ("--set", "driver.start_up.opencl_us=0", "--set", "driver.start_up.hsa_us=0")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    rows = []
    with Programs(options.duet, "patterns") as programs:
        for machine, method, moved, text in WAYS:
            sets = (*(SETS if machine == "kaveri" else ()), *(("--method", moved) if moved else ()))
            cells = [scorecard.number(next(iter(programs.run(machine, method, "--pattern", pattern, "--bytes", 1 << 20, "--rounds", 8,
                                                             sets=sets).values())) / 1e6) for pattern in PATTERNS]
            rows.append([f"`{machine}`", text, *cells])
            print(*rows[-1], flush=True)
    scorecard.write("methods-by-pattern", "experiments/dashti2017/patterns.py", options.commit, ["machine", "memory", *(f"{name}, ms" for name in PATTERNS)],
                    rows)


if __name__ == "__main__":
    main()
