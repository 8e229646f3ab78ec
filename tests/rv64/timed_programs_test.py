#!/usr/bin/env python3
"""Programs do on timed cores what they do without time and under qemu-riscv64: same output, same exit status.

Usage: timed_programs_test.py --duet build/bin/duet [--all-shapes]

The programs are those of tests/rv64/programs, speed and timed. Each runs on the Xeon's cores and on machines of odd shapes
(core_shapes.py): all of them with --all-shapes, otherwise one or two, which differ from program to program. Exit status: 1 on a difference,
77 without the cross compiler.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import core_shapes  # noqa: E402
from whole import WHOLE, some  # noqa: E402

QEMU = shutil.which("qemu-riscv64")
BARE = ("-nostdlib", "-ffreestanding", "-ffp-contract=off", "-fno-builtin", "-Wl,--no-relax")
# Source, flags of the compiler, arguments, standard input.
PROGRAMS = (
    ("timed/sorting.cpp", (), (), ""),
    ("timed/tables.cpp", (), (), ""),
    ("timed/matrix.c", ("-lm",), (), ""),
    ("timed/text.cpp", (), (), ""),
    ("timed/parallel.c", ("-fopenmp",), (), ""),
    ("timed/synchronization.cpp", ("-pthread",), (), ""),
    ("programs/program.cpp", (), ("one", "two three", "--out"), "some words\nto read"),
    ("programs/threads.cpp", ("-fopenmp",), (), ""),
    ("programs/signals.c", (), (), ""),
    ("programs/files.c", (), (), ""),
    ("programs/position_independent.c", ("-nostdlib", "-fPIE", "-Wl,-pie,--no-dynamic-linker"), (), ""),
    ("speed/integer.c", (*BARE, "-DROUNDS=3"), (), ""),
    ("speed/floating_point.c", (*BARE, "-DROUNDS=10"), (), ""),
    ("speed/pointer_chasing.c", (*BARE, "-DROUNDS=4000"), (), ""),
)
# Programs that take long, on one odd shape at most, that does not make them take longer still.
LARGE = {"programs/program.cpp": ["one load, one store"], "programs/threads.cpp": ["large"], "programs/signals.c": []}
TIMEOUT_SECONDS = 120


def build(source, flags, folder):
    compiler = "riscv64-linux-gnu-g++" if source.endswith(".cpp") else "riscv64-linux-gnu-gcc"
    program = folder / pathlib.Path(source).stem
    done = subprocess.run([compiler, "-O2", "-static", str(HERE / source), "-o", str(program), *flags], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return program


def run(command, folder, text):
    """Standard output and exit status, in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment = {"DUET_TEST_VARIABLE": "a value", "PATH": "/bin", "OMP_NUM_THREADS": "4"}
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, cwd=folder, input=text.encode(), env=environment,
                              timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return b"", f"no end within {TIMEOUT_SECONDS} s"
    return done.stdout, 128 - done.returncode if done.returncode < 0 else done.returncode


def ways(duet, shapes):
    simulated = [duet, "run", "--host", "simulated"]
    if QEMU:
        yield "qemu-riscv64", [QEMU]
    yield "functional", [*simulated, "--functional"]
    for shape in shapes:
        yield shape, [*simulated, "--machine", core_shapes.MACHINE, *core_shapes.sets(shape)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--all-shapes", action="store_true")
    options = parser.parse_args()
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("timed_programs_test.py: skipped, needs riscv64-linux-gnu-g++")
        return 77
    first, *odd = core_shapes.SHAPES
    runs = failures = 0
    with tempfile.TemporaryDirectory(prefix="duet-timed-programs-") as name:
        folder = pathlib.Path(name)
        for number, (source, flags, arguments, text) in some(enumerate(PROGRAMS), 5):
            program = build(source, flags, folder)
            chosen = [odd[2 * number % len(odd)], odd[(2 * number + 1) % len(odd)]][:2 if WHOLE else 1]
            shapes = odd if options.all_shapes else LARGE.get(source, chosen)
            start, expected = time.monotonic(), None
            for way, command in ways(os.path.abspath(options.duet), [first, *shapes]):
                found = run([*command, program, *arguments], folder / "run", text)
                expected = expected or found
                runs += 1
                if found != expected:
                    print(f"{source}, {way}: status {found[1]} instead of {expected[1]}, {len(found[0])} bytes instead of "
                          f"{len(expected[0])}: {found[0][-300:]!r}", flush=True)
                    failures += 1
            print(f"{source}: {time.monotonic() - start:.1f} s", flush=True)
    print(f"{runs} runs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
