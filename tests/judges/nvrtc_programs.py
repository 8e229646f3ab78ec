#!/usr/bin/env python3
"""Programs of cuda-samples that compile their kernels with NVRTC, under `duet run`, with NVIDIA's NVRTC and with Duet's: their own checks judge.

Usage: nvrtc_programs.py --corpus DIR [--duet PATH] [--only NAME] [--timeout SECONDS] [--work DIR] [--json FILE]

DIR holds a checkout of NVIDIA/cuda-samples. All of its programs that call nvrtcCompileProgram and need no other library are built, with nvcc, and run
on h100 where their options name the GPU's own architecture; long ones with --functional. Headers that they look for beside
themselves are copied from the toolkit. A line a program and library: passed or failed, and seconds. Without DIR or nvcc one line says so
and the exit status is 77; 1: one failed.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LONG = {"BlackScholes_nvrtc", "matrixMul_nvrtc"}  # 512 and 300 launches of their kernel
NEEDS_OTHERS = {"jitLto"}  # nvJitLink, and code for it


def programs(samples):
    found = {path.parent for path in (samples / "Samples").rglob("*.cpp") if "nvrtc_helper.h" in path.read_text(errors="replace")}
    return sorted(folder for folder in found if folder.name not in NEEDS_OTHERS)


def build(samples, toolkit, folder, work):
    own = work / folder.name
    if not own.exists():
        shutil.copytree(folder, own)
        for name in ("cooperative_groups.h", "cooperative_groups", "cccl/nv", "cccl/cuda"):
            path = toolkit / "include" / name
            if path.is_dir():
                shutil.copytree(path, own / path.name, dirs_exist_ok=True)
            elif path.exists():
                shutil.copy(path, own)
    command = ["nvcc", "-std=c++17", "-w", f"-I{samples / 'Common'}", *sorted(p.name for p in own.glob("*.cpp")), "-o", "program", "-lnvrtc", "-lcuda"]
    return own, subprocess.run(command, cwd=own, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    nvcc = shutil.which("nvcc")
    samples = arguments.corpus / "cuda-samples" if arguments.corpus else None
    if samples is None or not samples.exists() or nvcc is None:
        print("skipped: needs nvcc, and a folder with a checkout of NVIDIA/cuda-samples (--corpus DIR)")
        return 77
    duet = arguments.duet.resolve()
    work = (arguments.work or pathlib.Path(tempfile.mkdtemp(prefix="duet-nvrtc-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    rows = []
    for folder in programs(samples.resolve()):
        if arguments.only not in folder.name:
            continue
        own, built = build(samples.resolve(), pathlib.Path(nvcc).resolve().parent.parent, folder, work)
        for library in ("installed", "own"):
            row = {"program": folder.name, "nvrtc": library, "result": "not built", "seconds": 0.0, "said": ""}
            if built.returncode == 0:
                start = time.monotonic()
                options = ["--functional"] if folder.name in LONG else []
                try:
                    done = subprocess.run([duet, "run", "-q", "--no-html", *options, "--machine", "h100", "--out", f"out-{library}", "./program"], cwd=own,
                                          capture_output=True, text=True, timeout=arguments.timeout, env={**os.environ, "DUET_NVRTC": library})
                    # assert's program ends well after its kernel's assertion has failed, as it wants.
                    row["result"] = "passed" if done.returncode == 0 else "failed"
                    row["said"] = "" if done.returncode == 0 else next((line for line in (done.stdout + done.stderr).splitlines() if "error" in line), "")[:200]
                except subprocess.TimeoutExpired:
                    row["result"] = "not ended"
                row["seconds"] = round(time.monotonic() - start, 1)
            rows.append(row)
            print(f"{row['result']:10} {row['program']} with {'NVIDIA' if library == 'installed' else 'Duet'}'s NVRTC  {row['seconds']} s  {row['said']}", flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["result"] == "failed" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
