#!/usr/bin/env python3
"""Locks and queues of threads on timed cores (tests/rv64/litmus/locks.c): none fails, but Peterson's lock without its fence does.

Usage: locks_test.py --duet build/bin/duet

Each runs on several shapes of the machine: at night (tests/whole.py) on all, otherwise on one of them, in turns. Loops
of LR and SC, and stores over the border of two lines, which several cores want at once, have to come to an end. Exit status: 1 on a failure, 77 without the cross compiler.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import core_shapes  # noqa: E402
from whole import WHOLE  # noqa: E402

COMPILER = "riscv64-linux-gnu-gcc"
SHAPES = ("as it is", "one instruction", "small caches, no L3", "no L2, small caches", "large")
# Name, threads, rounds.
PROGRAMS = (("peterson", 2, 1000), ("spin-lock", 2, 500), ("spin-lock", 4, 300), ("add-conditionally", 2, 500),
            ("add-conditionally", 4, 300), ("ticket-lock", 2, 500), ("ticket-lock", 4, 200), ("seqlock", 2, 100), ("seqlock", 4, 60),
            ("ring", 2, 500), ("ring", 4, 400), ("misaligned-stores", 2, 300), ("misaligned-stores", 4, 300))
WRONG = ("peterson-without-fence", 2, 2000)
TIMEOUT_SECONDS = 60


def run(duet, program, shape, name, threads, rounds):
    """What was lost, or a complaint."""
    done = subprocess.run([duet, "run", "--host", "simulated", "--machine", str(core_shapes.MACHINE), "--timeout", str(TIMEOUT_SECONDS),
                           *core_shapes.sets(shape), str(program), name, str(threads), str(rounds)], capture_output=True, text=True)
    told = re.fullmatch(r"(-?\d+) lost, (\d+) wrong\n", done.stdout)
    if told is None:
        return 0, f"status {done.returncode}: {done.stderr.strip()[:300]}"
    return int(told[1]), f"{told[0].strip()}" if done.returncode != 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    options = parser.parse_args()
    if shutil.which(COMPILER) is None:
        print(f"locks_test.py: skipped, needs {COMPILER}")
        return 77
    failures = lost_without_fence = 0
    with tempfile.TemporaryDirectory(prefix="duet-locks-") as folder:
        program = pathlib.Path(folder) / "locks"
        subprocess.run([COMPILER, "-O2", "-static", "-pthread", str(HERE / "litmus/locks.c"), "-o", str(program)], check=True)
        runs = 0
        for number, shape in enumerate(SHAPES):
            for name, threads, rounds in PROGRAMS if WHOLE else PROGRAMS[number::len(SHAPES)]:
                runs += 1
                _, complaint = run(options.duet, program, shape, name, threads, rounds)
                if complaint:
                    print(f"{name}, {threads} threads, {shape}: {complaint}", flush=True)
                    failures += 1
            if WHOLE or number == 0:
                lost_without_fence += run(options.duet, program, shape, *WRONG)[0]
    print(f"{WRONG[0]}: {lost_without_fence} increments lost")
    if lost_without_fence <= 0:
        print("Peterson's lock without its fence was not caught")
        failures += 1
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
