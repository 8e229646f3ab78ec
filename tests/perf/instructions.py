#!/usr/bin/env python3
"""Host instructions per machine warp instruction, functional and timed (on gtx480), counted by callgrind: a figure of speed that
other load on the machine does not change. Usage: instructions.py [--duet PATH] [--record]

For each kernel of workloads/micro/kernels.cu two runs with the same buffers and different numbers of elements are counted; the
difference leaves out all that happens once (in both, every SM has been full). Fails (1) where a kernel needs over 3 % more than
instructions.json says; --record writes that file anew, and the commit says why. Skipped (77) where valgrind is missing."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kernels

RECORD = pathlib.Path(__file__).resolve().parent / "instructions.json"
TOLERANCE = 0.03
SIZES = {"vecadd": (65536, 262144), "matmul": (160, 192), "hist": (16384, 131072), "copyk": (16384, 131072),
         "reduce": (16384, 131072)}
TIMED_SIZES = {"vecadd": (16384, 49152), "matmul": (64, 96), "hist": (16384, 65536), "copyk": (16384, 65536),
               "reduce": (16384, 65536)}
# Name in the record, options of duet run, sizes, blocks of the kernels that have a fixed number of them.
MODES = (("functional", ("--functional",), SIZES, 8), ("timed", ("--machine", "gtx480"), TIMED_SIZES, 60))


def count(duet, ptx, folder, name, n, room, blocks, options):
    """Host instructions and machine warp instructions of one run."""
    line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    line += kernels.command(duet, ptx, folder, name, n, room, blocks, *options)
    result = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or collected is None:
        sys.exit("instructions.py: %s %d failed:\n%s" % (name, n, result.stderr))
    return int(collected.group(1)), kernels.statistics(folder)["totals"]["warp_instructions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(kernels.ROOT / "build/bin/duet"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions.py: skipped, valgrind is missing")
        sys.exit(77)
    measured = {mode: {} for mode, *_ in MODES}
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        for mode, extra, sizes, blocks in MODES:
            for name in kernels.NAMES:
                small, large = sizes[name]
                host, warp = zip(*(count(options.duet, ptx, folder, name, n, large, blocks, extra) for n in (small, large)))
                measured[mode][name] = round((host[1] - host[0]) / (warp[1] - warp[0]), 2)
    if options.record:
        RECORD.write_text(json.dumps({"host_instructions_per_warp_instruction": measured}, indent=2) + "\n")
    recorded = json.loads(RECORD.read_text())["host_instructions_per_warp_instruction"]
    slower = False
    for mode, values in measured.items():
        for name, value in values.items():
            change = value / recorded[mode][name] - 1
            slower |= change > TOLERANCE
            print("%-10s %-8s %8.2f host instructions per warp instruction, recorded %8.2f (%+.1f %%)%s" %
                  (mode, name, value, recorded[mode][name], change * 100, "  SLOWER" if change > TOLERANCE else ""))
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
