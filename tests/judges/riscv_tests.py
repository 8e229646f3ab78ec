#!/usr/bin/env python3
"""riscv-tests (rv64ui, um, ua, uf, ud, uc) on Duet's RV64GC, in user mode.

Usage: riscv_tests.py --runner rv64_bare_runner [--source FOLDER] [--slice N ...] [--timed] [--qemu]

FOLDER is a checkout of https://github.com/riscv-software-src/riscv-tests, by default $RISCV_TESTS; its submodule env is not needed
(tests/rv64/riscv_test has one for user mode). --slice runs each test again, N instructions at a time. --timed runs them on timed cores of
the shapes in tests/rv64/core_shapes.py too. --qemu runs them with
qemu-riscv64 instead, to check the environment. A line a suite, and a line for each test that fails. Exit status: 1 if one does, 77
without the folder or riscv64-linux-gnu-gcc.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "rv64"))
import core_shapes  # noqa: E402

ENVIRONMENT = HERE.parent / "rv64" / "riscv_test"
SUITES = ("rv64ui", "rv64um", "rv64ua", "rv64uf", "rv64ud", "rv64uc")
WRITE_TO_CODE = ("fence_i", "rvc")
COMPILER = "riscv64-linux-gnu-gcc"
TIMEOUT_SECONDS = 60


def names_of(suite):
    """The tests that the suite's Makefrag lists."""
    text = (suite / "Makefrag").read_text().replace("\\\n", " ")
    return re.search(suite.name + r"_sc_tests\s*=\s*(.*)", text).group(1).split()


def build(source, suite, name, program):
    # No relaxation: gp, by which the linker would address data, holds the number of the case.
    line = [COMPILER, "-march=rv64gc_zifencei", "-mabi=lp64d", "-static", "-nostdlib", "-nostartfiles", "-Wl,--no-relax",
            *(["-Wl,--omagic"] if name in WRITE_TO_CODE else []), "-I", str(ENVIRONMENT), "-I", str(source / "isa/macros/scalar"),
            str(suite / f"{name}.S"), "-o", str(program)]
    done = subprocess.run(line, capture_output=True, text=True)
    return None if done.returncode == 0 else f"does not compile: {done.stderr.strip()[:300]}"


def run(command):
    """Nothing, or how the test failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end within {TIMEOUT_SECONDS} s"
    if done.returncode == 0:
        return None
    return f"case {done.returncode} failed" if done.returncode < 125 else f"status {done.returncode}: {done.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--source", default=os.environ.get("RISCV_TESTS", ""))
    parser.add_argument("--slice", type=int, action="append", default=[])
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--qemu", action="store_true")
    options = parser.parse_args()
    source = pathlib.Path(options.source)
    if not options.source or not (source / "isa/rv64ui").is_dir() or shutil.which(COMPILER) is None:
        print(f"riscv_tests.py: skipped, needs a checkout of riscv-tests (--source or $RISCV_TESTS) and {COMPILER}")
        return 77
    commands = [["qemu-riscv64"]] if options.qemu else [[options.runner]] + [[options.runner, "--slice", str(n)] for n in options.slice]
    if options.timed:
        commands += [[options.runner, *core_shapes.arguments(shape)] for shape in core_shapes.SHAPES]
    failures = 0
    with tempfile.TemporaryDirectory(prefix="duet-riscv-tests-") as folder:
        program = pathlib.Path(folder) / "test"
        for suite in SUITES:
            names = names_of(source / "isa" / suite)
            bad = 0
            for name in names:
                complaint = build(source, source / "isa" / suite, name, program)
                for command in commands:
                    complaint = complaint or run([*command, str(program)])
                if complaint:
                    print(f"{suite}-{name}: {complaint}")
                    bad += 1
            print(f"{suite}: {len(names) - bad} of {len(names)} pass")
            failures += bad
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
