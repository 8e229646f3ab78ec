#!/usr/bin/env python3
"""Host instructions per RV64 instruction, counted by callgrind: a figure of functional speed that other load on the machine does not
change. Usage: rv64_instructions.py [--runner PATH] [--record] [--seconds]

For each program of tests/rv64/speed two runs of different lengths are counted; the difference leaves out all that happens once. Fails
(1) where a program needs over 3 % more than rv64_instructions.json says; --record writes that file anew, and the commit says why.
--seconds runs them without valgrind instead, for longer, and prints M instructions per second of processor time. Skipped (77) where
valgrind or riscv64-linux-gnu-gcc is missing."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = pathlib.Path(__file__).resolve().parent / "rv64_instructions.json"
COMPILER = "riscv64-linux-gnu-gcc"
TOLERANCE = 0.03
# Rounds of the two runs that are counted, and of the one that is timed.
ROUNDS = {"integer": (10, 30, 15000), "floating_point": (100, 300, 60000), "pointer_chasing": (100000, 300000, 100000000)}


def build(name, rounds, folder):
    program = pathlib.Path(folder) / f"{name}{rounds}"
    subprocess.run([COMPILER, "-O2", "-static", "-nostdlib", "-ffreestanding", "-ffp-contract=off", "-fno-builtin", "-Wl,--no-relax",
                    f"-DROUNDS={rounds}", str(ROOT / f"tests/rv64/speed/{name}.c"), "-o", str(program)], check=True)
    return str(program)


def execute(command):
    """What it writes to stderr."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode >= 124 and done.returncode <= 126:  # otherwise it is the program's own
        sys.exit(f"rv64_instructions.py: {' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stderr


def count(runner, program):
    """Host instructions and RV64 instructions."""
    errors = execute(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", runner, "--speed", program])
    return int(re.search(r"Collected : (\d+)", errors).group(1)), int(re.search(r"^(\d+) instructions", errors, re.M).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", default=str(ROOT / "build/tests/rv64_bare_runner"))
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seconds", action="store_true")
    options = parser.parse_args()
    if shutil.which(COMPILER) is None or (not options.seconds and shutil.which("valgrind") is None):
        print(f"rv64_instructions.py: skipped, needs {COMPILER} and valgrind")
        sys.exit(77)
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (short, long, timed) in ROUNDS.items():
            if options.seconds:
                print(f"{name:16} {execute([options.runner, '--speed', build(name, timed, folder)]).strip()}")
                continue
            host, guest = zip(*(count(options.runner, build(name, rounds, folder)) for rounds in (short, long)))
            measured[name] = round((host[1] - host[0]) / (guest[1] - guest[0]), 2)
    if options.seconds:
        return
    if options.record:
        RECORD.write_text(json.dumps({"host_instructions_per_rv64_instruction": measured}, indent=2) + "\n")
    recorded = json.loads(RECORD.read_text())["host_instructions_per_rv64_instruction"]
    slower = False
    for name, value in measured.items():
        change = value / recorded[name] - 1
        slower |= change > TOLERANCE
        print("%-16s %6.2f host instructions per RV64 instruction, recorded %6.2f (%+.1f %%)%s" %
              (name, value, recorded[name], change * 100, "  SLOWER" if change > TOLERANCE else ""))
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
