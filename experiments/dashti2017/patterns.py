#!/usr/bin/env python3
"""Which memory method for which use of it: workloads/dashti2017/kaveri/patterns.c on simulated cores of machines whose cores and GPU share
memory, by each of their methods, as docs/results/data/methods-by-pattern.json.

    experiments/dashti2017/patterns.py --duet build/bin/duet --commit 4d142d1b && docs/results/render.py
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))
import scorecard  # noqa: E402

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


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    duet, source = pathlib.Path(options.duet).resolve(), ROOT / "workloads/dashti2017/kaveri"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run([duet, "cc", "--host", "riscv64", "-O2", source / "patterns.c", "-o", folder / "cl", "-lOpenCL"])
        run([duet, "cc", "--host", "riscv64", "-O2", "-DFRAMEWORK_HSA", source / "patterns.c", "-o", folder / "hsa", "-lhsa-runtime64"])
        run([duet, "hsacc", source / "patterns.cl", "-o", folder / "patterns.hsaco"])
        for machine, method, moved, text in WAYS:
            cells = []
            for pattern in PATTERNS:
                hsa = method.startswith("hsa")
                sets = SETS if machine == "kaveri" else ()
                out = run([duet, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", machine, *sets, *(("--method", moved) if moved else ()),
                           "--out", folder / "out", folder / ("hsa" if hsa else "cl"), "--method", method, "--pattern", pattern, "--bytes", 1 << 20,
                           "--rounds", 8, "--code", folder if hsa else source])
                cells.append(scorecard.number(float(out.split()[1]) / 1e6))
            rows.append([f"`{machine}`", text, *cells])
            print(*rows[-1], flush=True)
    scorecard.write("methods-by-pattern", "experiments/dashti2017/patterns.py", options.commit, ["machine", "memory", *(f"{name}, ms" for name in PATTERNS)],
                    rows)


if __name__ == "__main__":
    main()
