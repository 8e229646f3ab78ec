#!/usr/bin/env python3
"""Host instructions per CUDA call, counted by callgrind in the program's process: a launch, a launch that is waited for, an attribute.
Usage: calls.py [--duet PATH] [--record]

Each is counted in two runs with different numbers of calls; the difference leaves out all that happens once. Fails (1) where a call needs
over 5 % more than calls.json says; --record writes that file anew, and the commit says why. Skipped (77) where valgrind is missing."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kernels

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "calls.json"
TOLERANCE = 0.05
FEW, MANY = 200, 700
# Name in the record, kind of call, options of duet run.
CASES = (("attribute", "attribute", ()), ("launch", "launch", ()), ("launch, functional", "launch", ("--functional",)),
         ("launch and wait", "launch_and_wait", ()), ("launch and wait, functional", "launch_and_wait", ("--functional",)),
         ("launch and wait, h100", "launch_and_wait", ("-m", "h100")),
         ("launch and wait, h100, functional", "launch_and_wait", ("-m", "h100", "--functional")))


def count(duet, folder, options, kind, calls):
    line = [duet, "run", "-q", "--out", f"{folder}/run", *options, "--", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
            f"{folder}/calls", kind, str(calls)]
    result = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or collected is None:
        sys.exit(f"calls.py: {kind} {calls} {options} failed:\n{result.stderr}")
    return int(collected[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(kernels.ROOT / "build/bin/duet"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("calls.py: skipped, valgrind is missing")
        sys.exit(77)
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.duet, "cc", str(HERE / "calls.cu"), "-o", f"{folder}/calls"], check=True)
        for name, kind, extra in CASES:
            few, many = (count(options.duet, folder, extra, kind, calls) for calls in (FEW, MANY))
            measured[name] = round((many - few) / (MANY - FEW))
    if options.record:
        RECORD.write_text(json.dumps({"host_instructions_per_call": measured}, indent=2) + "\n")
    recorded = json.loads(RECORD.read_text())["host_instructions_per_call"]
    slower = False
    for name, instructions in measured.items():
        more = instructions / recorded[name] - 1
        slower |= more > TOLERANCE
        print(f"{name:35} {instructions:8} ({more:+.1%}){'  too many' if more > TOLERANCE else ''}")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
