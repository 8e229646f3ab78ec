#!/usr/bin/env python3
"""What the programs of record.py's MEASURED find on a simulated GPU, beside what record.py recorded of a real one.

Usage: beside.py [--duet PATH] [--machine NAME|FILE] [--golden FILE] [--only NAME ...] [--set KEY=VALUE ...]

A line for each thing that they measure: real, simulated, and by how much they differ. Needs nvcc; without it one line says so and the exit status is 77.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import record

GOLDEN = record.HERE.parent / "golden/h100.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--machine", default="h100")
    parser.add_argument("--golden", type=pathlib.Path, default=GOLDEN)
    parser.add_argument("--only", nargs="*", default=list(record.MEASURED), choices=list(record.MEASURED))
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    if shutil.which("nvcc") is None:
        print("beside.py: skipped, needs nvcc")
        return 77
    duet = str(pathlib.Path(arguments.duet).resolve()) if os.sep in arguments.duet else arguments.duet
    golden = json.loads(arguments.golden.read_text())
    sets = [word for key in arguments.set for word in ("--set", key)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in arguments.only:
            program = record.build_measured(name, folder)
            ran = subprocess.run([duet, "run", "-q", "--no-html", "--trace-detail", "none", "--machine", arguments.machine, *sets, "--out", str(folder / "out"), str(program)],
                                 capture_output=True, text=True)
            if ran.returncode != 0:
                sys.exit(f"{name}: status {ran.returncode}: {ran.stderr}")
            here = record.values_of(ran.stdout)
            print(f"{name}: {golden['gpu']}, {arguments.machine}")
            for what, real in golden["measured"][name].items():
                value = here.get(what)
                print(f"  {what:66} {real:11.1f} {'-' if value is None else f'{value:11.1f}'} {'' if not value or real <= 0 else f'{100 * (value / real - 1):+8.1f} %'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
