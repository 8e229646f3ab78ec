#!/usr/bin/env python3
"""Registers and machine instructions of Duet's PTX compiler beside those of ptxas, kernel by kernel.

nvcc makes PTX for sm_75 of the workloads and test programs; ptxas assembles it, ptx_listing (built from
tests/unit/ptx/registers_main.cpp) compiles it. Registers of ptxas are those of its report, which on sm_70 and
later are two more than the highest register in the code names; they include R1, the stack pointer, which ptxas
sets in every kernel. Instructions of ptxas are the size of the kernel's text section without padding (cubin.py);
the bodies of its subroutines (slow paths of divisions) count once. Kernels that call functions which ptxas does
not inline are left out, as their code lies elsewhere. Single ratios far from one are mostly loops that ptxas
unrolls, atomics that it aggregates over a warp, and neighbouring accesses that it joins: Duet does none of it.
Exit status: 77 without nvcc and ptxas; with --check, 1 when a geometric mean leaves its band.
"""
import argparse
import glob
import math
import os
import re
import sys

sys.dont_write_bytecode = True
import cubin  # noqa: E402 (after the line above, so that no cache lands in the source tree)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# --quick: kernels of all kinds without the time of a full run.
QUICK = ["workloads/lustig2013/*.cu", "workloads/demo/*.cu", "workloads/micro/kernels.cu",
         "tests/programs/shared_memory.cu", "tests/programs/integers64.cu", "tests/programs/doubles.cu",
         "tests/programs/integer_division.cu", "tests/programs/atomics_global.cu", "tests/programs/grid3d.cu"]
ALL = ["workloads/*/*.cu", "tests/programs/*.cu"]
# Geometric means of ours / ptxas, with --check.
REGISTER_BAND = (0.6, 1.1)
INSTRUCTION_BAND = (0.8, 1.2)


def short(name):
    """The function's own name in a mangled one, cut to a column."""
    parts, at = [], 3 if name.startswith("_ZN") else 2
    while name.startswith("_Z") and (digits := re.match(r"\d+", name[at:])):
        at += len(digits.group())
        parts.append(name[at:at + int(digits.group())])
        at += int(digits.group())
    return (parts or [name])[-1][:28]


def assembled(ptxas, ptx, output):
    """{kernel: (registers, Code)}, or None when ptxas refuses; kernels with calls out of line are left out."""
    result = cubin.run([ptxas, "-v", "-arch=sm_75", ptx, "-o", output])
    if not os.path.exists(output):
        return None
    registers, current = {}, None
    for line in result.stdout.splitlines():
        entry = re.search(r"Compiling entry function '([^']+)'", line)
        used = re.search(r"Used (\d+) registers", line)
        if entry:
            current = entry.group(1)
        elif used and current is not None:
            registers[current] = int(used.group(1))
    code = cubin.kernels(output)
    if any(name not in registers for name in code):
        return {}
    return {name: (registers[name], code[name]) for name in registers if name in code}


def listed(listing, ptx):
    result = cubin.run([listing, ptx])
    kernels = {}
    for line in result.stdout.splitlines():
        found = re.match(r"(\S+) registers (\d+) machine_instructions (\d+)", line)
        if found:
            kernels[found.group(1)] = (int(found.group(2)), int(found.group(3)))
    return kernels


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listing", required=True, help="the program ptx_listing")
    parser.add_argument("--work", required=True, help="folder for PTX and cubins")
    parser.add_argument("--quick", action="store_true", help="a selection of the sources")
    parser.add_argument("--check", action="store_true", help="fail when a geometric mean leaves its band")
    parser.add_argument("sources", nargs="*", help="CUDA sources instead of the project's own")
    arguments = parser.parse_args()
    nvcc, ptxas = cubin.tool("nvcc"), cubin.tool("ptxas")
    if nvcc is None or ptxas is None:
        print("skipped: nvcc and ptxas are not installed")
        return 77
    os.makedirs(arguments.work, exist_ok=True)
    patterns = arguments.sources or [os.path.join(ROOT, p) for p in (QUICK if arguments.quick else ALL)]
    sources = sorted({source for pattern in patterns for source in glob.glob(pattern)})
    print(f"{'kernel':28} {'source':22} registers ptxas ours ratio  instructions ptxas ours ratio")
    registers, instructions, refused = [], [], []
    for source in sources:
        base = os.path.join(arguments.work, os.path.splitext(os.path.basename(source))[0])
        ptx, binary = base + ".ptx", base + ".cubin"
        for old in (binary,) + (() if os.path.exists(ptx) and
                                os.path.getmtime(ptx) > os.path.getmtime(source) else (ptx,)):
            if os.path.exists(old):
                os.remove(old)
        if not os.path.exists(ptx):
            cubin.run([nvcc, "-ptx", "-arch=sm_75", source, "-o", ptx])
        machine = assembled(ptxas, ptx, binary) if os.path.exists(ptx) else None
        if machine is None:
            refused.append(os.path.basename(source))
            continue
        ours = listed(arguments.listing, ptx)
        for name, (used, code) in machine.items():
            if name not in ours:
                continue
            register_ratio, instruction_ratio = max(ours[name][0], 1) / used, ours[name][1] / code.total
            registers.append(register_ratio)
            instructions.append(instruction_ratio)
            print(f"{short(name):28} {os.path.basename(source)[:22]:22}           {used:5} {ours[name][0]:4} "
                  f"{register_ratio:5.2f}               {code.total:5} {ours[name][1]:4} {instruction_ratio:5.2f}")
    if refused:
        print("not compiled by nvcc: " + " ".join(refused))
    if len(registers) < 20:
        print(f"only {len(registers)} kernels could be compared")
        return 1
    means = geometric_mean(registers), geometric_mean(instructions)
    print(f"{len(registers)} kernels, ours / ptxas, geometric means: registers {means[0]:.3f}, "
          f"instructions {means[1]:.3f}; ptxas {cubin.version(ptxas)}")
    if not arguments.check:
        return 0
    failed = 0
    for what, mean, band in zip(("registers", "instructions"), means, (REGISTER_BAND, INSTRUCTION_BAND)):
        if not band[0] <= mean <= band[1]:
            print(f"{what}: geometric mean {mean:.3f} is outside {band[0]} to {band[1]}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
