#!/usr/bin/env python3
"""Timed cores give the same statistics in every run of a program, and whatever the order of events of one time (--shuffle).

Usage: determinism_test.py --duet build/bin/duet
At night (tests/whole.py) each program on every shape, in four orders; otherwise on one shape, in turns, in two.

The programs have threads that share lines: litmus tests, locks, a queue with conditions, OpenMP. Exit status: 1 on a difference, 77
without the cross compiler.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE / "litmus")]
import core_shapes  # noqa: E402
import tests  # noqa: E402
from whole import WHOLE  # noqa: E402

COMPILER = "riscv64-linux-gnu-g++"
# Sources, flags, arguments.
PROGRAMS = {
    "litmus tests": (("litmus/runner.c", "kernels.S"), (), ("2", "5", "256", "128")),
    "a spin lock": (("litmus/locks.c",), (), ("spin-lock", "4", "300")),
    "a seqlock": (("litmus/locks.c",), (), ("seqlock", "4", "60")),
    "stores over two lines": (("litmus/locks.c",), (), ("misaligned-stores", "4", "300")),
    "queues": (("timed/synchronization.cpp",), (), ()),
    "OpenMP": (("timed/parallel.c",), ("-fopenmp",), ()),
}
SHAPES = ("as it is", "small caches, no L3", "no L2, small caches")
SEEDS = (0, 0, 1, 2) if WHOLE else (0, 1)
TIMEOUT_SECONDS = 60


def build(name, folder):
    sources, flags, _ = PROGRAMS[name]
    (folder / "kernels.S").write_text(tests.assembly())
    paths = [folder / source if source.endswith(".S") else HERE / source for source in sources]
    program = folder / name.replace(" ", "-")
    compiler = COMPILER if sources[0].endswith(".cpp") else COMPILER.replace("g++", "gcc")
    done = subprocess.run([compiler, "-O2", "-static", "-pthread", *flags, *map(str, paths), "-o", str(program)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return program


def run(duet, program, shape, arguments, seed, out):
    """What the program says, and what was counted, without wall time: text and counters by their place."""
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([duet, "run", "--quiet", "--host", "simulated", "--machine", str(core_shapes.MACHINE), "--timeout",
                           str(TIMEOUT_SECONDS), "--shuffle", str(seed), "--out", str(out), *core_shapes.sets(shape), str(program), *arguments],
                          capture_output=True, text=True)
    found = {"status": done.returncode, "output": done.stdout, "error": done.stderr}
    statistics = out / "stats.json"
    if statistics.exists():
        counted = json.loads(statistics.read_text())
        found.update({key: json.dumps(counted[key]) for key in ("simulated_ps", "counters", "components")})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    options = parser.parse_args()
    if shutil.which(COMPILER) is None:
        print(f"determinism_test.py: skipped, needs {COMPILER}")
        return 77
    failures = count = 0
    with tempfile.TemporaryDirectory(prefix="duet-determinism-") as folder:
        for number, name in enumerate(PROGRAMS):
            program = build(name, pathlib.Path(folder))
            for shape in SHAPES if WHOLE else (SHAPES[number % len(SHAPES)],):
                runs = [run(options.duet, program, shape, PROGRAMS[name][2], seed, pathlib.Path(folder) / "out") for seed in SEEDS]
                count += len(runs)
                if "counters" not in runs[0]:
                    print(f"{name}, {shape}: no statistics: status {runs[0]['status']}, {runs[0]['error'][:200]}")
                    failures += 1
                for seed, found in zip(SEEDS[1:], runs[1:]):
                    if found == runs[0]:
                        continue
                    failures += 1
                    pairs = [key for key in runs[0] if found.get(key) != runs[0][key]]
                    print(f"{name}, {shape}, seeds 0 and {seed}: {', '.join(pairs)} differ", flush=True)
    print(f"{count} runs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
