#!/usr/bin/env python3
"""CHAI's OpenCL-U: programs whose threads and kernels work on the same memory at the same time, on simulated cores, judged by their own checks.

Usage: opencl_shared.py --source DIR [--duet PATH] [--machine NAME] [--only WORD] [--limit SECONDS] [--json FILE]

DIR holds a checkout of CHAI, at any depth; it stays as it is. Each program is compiled by `duet cc --host riscv64` and run with small arguments.
A line a program: "passed"; "wrong" and what the program or Duet says; "refused" and Duet's line (or the compiler's, of a kernel or the program);
"slow" (more than --limit seconds). NAME is a machine with cores and a GPU that is coherent, lustig2013 if not said: threads that spin want more
than one core. DIR is $OPENCL_PROGRAMS if not said; without it one line says so and the exit status is 77; 1: a program is wrong.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

from limited import call
from opencl_inputs import write_map

PROGRAMS = {
    "BFS": "-t 2 -g 2 -i 64 -l 16 -f {work}/map -c {work}/levels",
    "BS": "-t 2 -n 32 -g 8 -a 0.5",
    "CEDD": "-t 2 -a 0.5",
    "CEDT": "-t 2",
    "HSTI": "-t 2 -n 20480 -g 8 -a 0.5 -b 64",
    "HSTO": "-t 2 -n 20480 -g 8 -b 64",
    "PAD": "-t 2 -n 100 -m 100 -e 4 -g 8 -a 0.5",
    "RSCD": "-t 2 -g 8 -m 40 -a 0.5",
    "RSCT": "-t 1 -g 8 -m 40",
    "SC": "-t 2 -n 20000 -g 8 -a 0.5",
    "SSSP": "-t 2 -g 2 -i 64 -l 16 -f {work}/map -c {work}/distances",
    "TQ": "-t 1 -g 8 -s 512 -q 64 -n 4",
    "TQH": "-t 1 -g 8 -s 8 -q 4 -b 64",
    "TRNS": "-t 2 -m 64 -n 64 -g 8",
}


def judge(folder, options, arguments):
    duet = arguments.duet.resolve()
    # TQ's source counts on another header to include <vector>.
    compile_it = [duet, "cc", "--host", "riscv64", "-w", "-std=c++11", "-O2", "-include", "vector", "main.cpp", "kernel.cpp", "-o", "app", "-lOpenCL", "-lpthread", "-lm"]
    status, output, errors = call(compile_it, folder, 300)
    if status != 0:
        return "refused", next((line for line in errors.splitlines() if "error" in line), f"status {status}")
    run = [duet, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", arguments.machine, "--out", folder / "duet-out", "./app", "-w", "0", "-r", "1"]
    status, output, errors = call([*run, *options.split()], folder, arguments.limit)
    if status is None:
        return "slow", ""
    said = next((line for line in (errors + output).splitlines() if "error:" in line or line.startswith("duet:")), "")
    if status == 0 and "test passed" in output.lower():
        return "passed", ""
    return ("refused" if status == 125 or "error:" in said else "wrong"), said or f"status {status}: {output.splitlines()[-1:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("OPENCL_PROGRAMS"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--machine", default="lustig2013")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    suite = next(pathlib.Path(arguments.source).rglob("OpenCL-U"), None) if arguments.source else None
    if suite is None:
        print("skipped: needs a folder with CHAI's OpenCL-U (--source DIR)")
        return 77
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("skipped: riscv64-linux-gnu-g++ is not installed")
        return 77
    rows = []
    with tempfile.TemporaryDirectory(prefix="duet-opencl-shared-") as work:
        write_map(pathlib.Path(work))
        for name, options in PROGRAMS.items():
            if arguments.only not in name:
                continue
            folder = pathlib.Path(work) / name
            shutil.copytree(suite / name, folder)
            verdict, words = judge(folder, options.format(work=work), arguments)
            rows.append({"program": name, "verdict": verdict, "words": words})
            print(f"{name:8} {verdict:9} {words}".rstrip(), flush=True)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("passed", "wrong", "refused", "slow")}
    print(f"{len(rows)} programs: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return int(counts["wrong"] > 0 or not rows)


if __name__ == "__main__":
    sys.exit(main())
