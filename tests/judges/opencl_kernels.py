#!/usr/bin/env python3
"""OpenCL C of published suites, compiled as clBuildProgram does, and its PTX as Duet's GPU takes it.

Usage: opencl_kernels.py --source DIR [--compiler PATH] [--only WORD] [--json FILE]

DIR holds checkouts of suites (Rodinia, SHOC, PolyBench-ACC, PolyBench-GPU, CHAI, ..), at any depth. Each .cl below it is compiled with the options of
its host program (OPTIONS: by the first pattern that fits), the file's own folder as the current one. A line a file: "accepted" and the number of its
kernels, "refused" and what Duet does not support, or "fails" and the compiler's first error; the last line counts. DIR is $OPENCL_KERNELS if not
said; without it one line says so and the exit status is 77; 1: a file was refused or fails, other than KNOWN_TO_FAIL.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import subprocess
import sys

# What host programs give, with the sizes of their defaults.
OPTIONS = [
    ("*/level2/s3d/*", "-DSINGLE_PRECISION -DN_GP=24576 -cl-mad-enable"),
    ("*/level1/stencil2d/*", "-DSINGLE_PRECISION -DLROWS=16 -DLCOLS=16"),
    ("*/src/opencl/level1/*", "-DSINGLE_PRECISION"),
    ("*/opencl/b+tree/*", "-DDEFAULT_ORDER=256 -DDEFAULT_ORDER_2=256"),
    ("*/opencl/hotspot/*", "-DBLOCK_SIZE=16"),
    ("*/opencl/lud/*", "-DBLOCK_SIZE=16"),
    ("*/opencl/nw/*", "-DBLOCK_SIZE=16"),
    ("*/OpenCL-[DU]/*", "-cl-std=CL2.0"),
]

# clang 19 has no atomic variables in local memory.
KNOWN_TO_FAIL = "*/OpenCL-U/TQH/kernel.cl"


def options_of(path):
    own = next((options for pattern, options in OPTIONS if fnmatch.fnmatch(str(path), pattern)), "")
    return f"-w -I . -I .. {own}".strip()


def judge(compiler, path):
    """What became of a file, and the kernels and words of that."""
    done = subprocess.run([compiler, path.name, options_of(path)], cwd=path.parent, capture_output=True, text=True, errors="replace")
    lines = done.stdout.splitlines()
    if done.returncode != 0:
        return "fails", 0, next((line for line in lines if "error" in line), (done.stdout + done.stderr).strip()[:200])
    refused = [line for line in lines if line.startswith("refused")]
    return ("refused", len(lines) - len(refused), "; ".join(refused)) if refused else ("accepted", len(lines), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("OPENCL_KERNELS"))
    parser.add_argument("--compiler", type=pathlib.Path, default="build/tests/opencl_compile")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.source is None or not arguments.source.is_dir():
        print("skipped: needs a folder with OpenCL programs (--source DIR)")
        return 77
    compiler = arguments.compiler.resolve()
    rows = []
    for path in sorted(arguments.source.resolve().rglob("*.cl")):
        name = str(path.relative_to(arguments.source.resolve()))
        if arguments.only not in name:
            continue
        verdict, kernels, why = judge(compiler, path)
        rows.append({"file": name, "verdict": verdict, "kernels": kernels, "why": why})
        print(f"{verdict} {name}: {kernels} kernels{': ' + why if why else ''}", flush=True)
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("accepted", "refused", "fails")}
    print(f"{len(rows)} files: {count['accepted']} accepted, {count['refused']} refused, {count['fails']} fail; "
          f"{sum(row['kernels'] for row in rows)} kernels accepted")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["verdict"] != "accepted" and not fnmatch.fnmatch(f"/{row['file']}", KNOWN_TO_FAIL) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
