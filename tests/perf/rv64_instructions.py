#!/usr/bin/env python3
"""Host instructions per RV64 instruction, counted by callgrind: a figure of functional speed that other load on the machine does not
change. Usage: rv64_instructions.py [--runner PATH] [--record] [--seconds]

For each program of tests/rv64/speed two runs of different lengths are counted; the difference leaves out all that happens once. timed_* are
the same programs on a timed core of xeon-e3-1245. By day the integer programs; at night (tests/whole.py), and with --record, all. Fails (1)
where a program needs over 3 % more than rv64_instructions.json says; --record writes that file anew, and the commit says why.
--seconds runs them without valgrind instead, for longer, and prints M instructions per second of processor time. Skipped (77) where
valgrind or riscv64-linux-gnu-gcc is missing."""

import pathlib
import re
import subprocess
import sys
import tempfile

import callgrind
from whole import some

RECORD = pathlib.Path(__file__).resolve().parent / "rv64_instructions.json"
COMPILER = "riscv64-linux-gnu-gcc"
TOLERANCE = 0.03
# Rounds of the two runs that are counted, and of the one that is timed.
ROUNDS = {"integer": (10, 30, 15000), "floating_point": (100, 300, 60000), "pointer_chasing": (100000, 300000, 100000000),
          "timed_integer": (1, 3, 1500), "timed_floating_point": (10, 30, 6000)}
TIMED = "timed_"


def build(name, rounds, folder):
    name = name.removeprefix(TIMED)
    program = pathlib.Path(folder) / f"{name}{rounds}"
    subprocess.run([COMPILER, "-O2", "-static", "-nostdlib", "-ffreestanding", "-ffp-contract=off", "-fno-builtin", "-Wl,--no-relax",
                    f"-DROUNDS={rounds}", str(callgrind.ROOT / f"tests/rv64/speed/{name}.c"), "-o", str(program)], check=True)
    return str(program)


def command(runner, name, program):
    timed = ["--timed", str(callgrind.ROOT / "machines/xeon-e3-1245.toml")] if name.startswith(TIMED) else []
    return [runner, *timed, "--speed", program]


def started(status):
    """Whether the runner ran the program, so that the status is the program's own."""
    return not 124 <= status <= 126


def count(run):
    """Host instructions and RV64 instructions."""
    host, errors = callgrind.count([*callgrind.COMMAND, *run], started)
    return host, int(re.search(r"^(\d+) instructions", errors, re.M)[1])


def seconds(run):
    done = subprocess.run(run, capture_output=True, text=True)
    if not started(done.returncode):
        sys.exit(f"rv64_instructions.py: {' '.join(run)}: status {done.returncode}\n{done.stderr}")
    return done.stderr.strip()


def main():
    parser = callgrind.parser(__doc__, "runner")
    parser.add_argument("--seconds", action="store_true")
    options = parser.parse_args()
    callgrind.skip_without(COMPILER, *(() if options.seconds else ("valgrind",)))
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (short, long, timed) in ROUNDS.items() if options.record or options.seconds else some(ROUNDS.items(), 3):
            if options.seconds:
                print(f"{name:20} {seconds(command(options.runner, name, build(name, timed, folder)))}")
            else:
                counts = [count(command(options.runner, name, build(name, rounds, folder))) for rounds in (short, long)]
                measured[name] = round(callgrind.per_unit(counts), 2)
    if not options.seconds:
        callgrind.judge(RECORD, "host_instructions_per_rv64_instruction", measured, TOLERANCE, options.record)


if __name__ == "__main__":
    main()
