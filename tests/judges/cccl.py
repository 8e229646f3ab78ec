#!/usr/bin/env python3
"""Tests and examples of CCCL (libcu++, CUB, Thrust), as nvcc's default builds, under `duet run`: their own checks judge.

Usage: cccl.py --source FOLDER [--duet PATH] [--machine NAME] [--only WORD] [--timeout SECONDS] [--work DIR] [--json FILE]
               [--catch2 FOLDER]

FOLDER is a checkout of https://github.com/NVIDIA/cccl, by default $CCCL. Drawn by rule, before any was run: all of
libcudacxx/test/libcudacxx/heterogeneous, and of the folders in LIBCUDACXX as many at equal distances as make 42; every second
example of CUB; every 14th file of thrust/testing from the 8th on. Some include headers of Catch2 3 (--catch2: the folder with
catch2/). A line a test: passed, refused (and what Duet named), failed, not ended, or not compiled; seconds of nvcc and of the run.
Without FOLDER or nvcc one line says so and the exit status is 77; 1: one failed.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LIBCUDACXX = ["cuda/atomics", "cuda/barrier", "cuda/annotated_ptr", "cuda/memcpy_async", "cuda/pipeline", "cuda/warp", "cuda/memory", "cuda/bit",
              "cuda/numeric", "cuda/random", "cuda/work_stealing", "cuda/ccclrt", "cuda/tma", "std/atomics", "std/thread", "cuda/cmath"]
OF_LIBCUDACXX = 42
INCLUDE = ["libcudacxx/include", "cub", "cub/test", "thrust", "libcudacxx/test/support", "cub/examples", "thrust/testing", "c2h/include"]
FLAGS = ["-std=c++17", "--expt-relaxed-constexpr", "--extended-lambda", "-O1", "-w"]


def drawn(source):
    """(suite, file) of each test, in the order in which they run."""
    tests = source / "libcudacxx/test/libcudacxx"

    def passing(folder):
        names = sorted(str(path) for path in folder.rglob("*.pass.cpp"))
        return [pathlib.Path(name) for name in names if not any(word in name for word in ("verify", "compile.pass", ".compile."))]
    heterogeneous = [path for path in sorted((tests / "heterogeneous").glob("*.pass.cpp")) + sorted((tests / "heterogeneous/atomic").glob("*.pass.cpp"))
                     if "nothing" not in path.name]
    pool = [path for folder in LIBCUDACXX for path in passing(tests / folder)]
    count = max(OF_LIBCUDACXX - len(heterogeneous), 0)
    others = [pool[i * len(pool) // count] for i in range(count)]
    cub = sorted([*source.glob("cub/examples/block/*.cu"), *source.glob("cub/examples/device/*.cu")])[::2]
    thrust = sorted(source.glob("thrust/testing/*.cu"))[7::14]
    return [*(("libcu++", path) for path in heterogeneous + others), *(("CUB", path) for path in cub), *(("Thrust", path) for path in thrust)]


ARCHITECTURE = {"libcu++": "sm_90", "CUB": "sm_90", "Thrust": "sm_75"}  # Thrust's kernels for sm_90 copy in bulk, which Duet refuses by name


def command_of(source, catch2, suite, path, binary):
    folders = [*(source / folder for folder in INCLUDE), *([catch2] if catch2 else [])]
    command = ["nvcc", *FLAGS, f"-arch={ARCHITECTURE[suite]}", *(f"-I{folder}" for folder in folders), "-o", binary]
    if suite == "libcu++":
        return [*command, "-include", source / "libcudacxx/test/libcudacxx/force_include.h", "-x", "cu", path, "-lpthread"]
    if suite == "Thrust":
        return [*command, path, source / "thrust/testing/unittest/testframework.cu", source / "thrust/testing/unittest/cuda/testframework.cu"]
    return [*command, path]


def judge(arguments, suite, path, work):
    """The row of a test: result, what was said, seconds of nvcc and of the run."""
    binary = work / path.relative_to(arguments.source).as_posix().replace("/", "_")
    start = time.monotonic()
    if not binary.exists():
        built = subprocess.run([str(word) for word in command_of(arguments.source, arguments.catch2, suite, path, binary)], capture_output=True, text=True)
        if built.returncode != 0:
            errors = [line for line in (built.stdout + built.stderr).splitlines() if "error" in line]
            return "not compiled", errors[0][-200:] if errors else "", time.monotonic() - start, 0.0
    compiled = time.monotonic()
    try:
        done = subprocess.run([arguments.duet, "run", "-q", "--no-html", "--trace-detail", "none", "--machine", arguments.machine, "--out", work / "out", binary],
                              capture_output=True, text=True, errors="replace", timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return "not ended", f"{arguments.timeout} s", compiled - start, time.monotonic() - compiled
    finally:
        shutil.rmtree(work / "out", ignore_errors=True)
    told = [line for line in done.stderr.splitlines() if line.startswith("duet:")]
    refused = done.returncode == 125 or any("is not supported" in line for line in told)
    result = "passed" if done.returncode == 0 else "refused" if refused else "failed"
    return result, told[0][:200] if told and result != "passed" else "", compiled - start, time.monotonic() - compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("CCCL"))
    parser.add_argument("--duet", default="build/bin/duet")
    parser.add_argument("--machine", default="h100")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--catch2", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.source is None or not pathlib.Path(arguments.source).exists() or shutil.which("nvcc") is None:
        print("skipped: needs nvcc, and a checkout of NVIDIA/cccl (--source FOLDER or CCCL)")
        return 77
    arguments.source = pathlib.Path(arguments.source).resolve()
    work = (arguments.work or pathlib.Path(tempfile.mkdtemp(prefix="duet-cccl-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    rows = []
    for suite, path in drawn(arguments.source):
        if arguments.only not in str(path):
            continue
        result, said, compiling, running = judge(arguments, suite, path, work)
        name = str(path.relative_to(arguments.source))
        rows.append({"suite": suite, "test": name, "result": result, "said": said, "nvcc_s": round(compiling, 1), "run_s": round(running, 1)})
        print(f"{result:12} {name}  {compiling:.1f} s, {running:.1f} s  {said}", flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    counts = collections.Counter((row["suite"], row["result"]) for row in rows)
    for (suite, result), count in counts.items():
        print(f"{suite}: {count} {result}")
    return 1 if any(row["result"] == "failed" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
