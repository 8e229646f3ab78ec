#!/usr/bin/env python3
"""What pre-execution programs fetch, against what their kernels touch.

tests/preexec/addresses_test.py --duet build/bin/duet

Each kernel of kernels.h becomes PTX (`duet cc -ptx`), C (`duet preexec`) and code for this host, in which every fetch is recorded; judge.cpp
runs the kernel itself thread by thread. Bytes that only the kernel touches are missed, bytes that only the program fetches are extra. EXPECTED says
what is allowed. The control is a program in which one address is wrong: it has to be noticed. Every program is also compiled for RV64 (--elf).
By day every fourth kernel; at night (tests/whole.py) all.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from whole import some  # noqa: E402

# Grid and block of each kernel in judge.cpp, for the program of this launch.
LAUNCHES = {"vecadd": ("7", "64"), "tmv": ("3", "32"), "mv": ("4", "32"), "mm": ("5,5", "4,4"), "convolution": ("5,3", "8,8")}
KERNELS = ["vecadd", "tmv", "mv", "mm", "convolution", "strided", "falling", "strided64", "bitonic", "doubling", "gather", "search"]
# More is fetched where a guard by data is taken as true: `search` goes on for nodes that are not in the frontier.
MAY_HAVE_EXTRA = {"search"}


def call(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build_judge(folder):
    """What is the same for all programs."""
    call("clang++-19", "-std=c++20", "-O1", "-w", f"-I{SOURCE / 'src'}", f"-I{HERE}", "-c", HERE / "judge.cpp", "-o", folder / "judge.o")


def build(folder, name, c):
    """The judge with that program."""
    hosted = ("extern const void *fetched(unsigned long long, unsigned);\n"
              "#define FETCH(type, address) (*(const type *)fetched((unsigned long long)(address), sizeof(type)))\n"
              "#define L3_HITS() 0ull\n#define DUET_PREEXEC_HOSTED\n")
    source = folder / f"{name}.c"
    source.write_text(hosted + c)
    call("clang-19", "-O1", "-w", "-fwrapv", "-fno-strict-aliasing", "-c", source, "-o", folder / f"{name}.o")
    call("clang++-19", "-fuse-ld=lld", folder / "judge.o", folder / f"{name}.o", "-o", folder / name)
    return folder / name


def judge(program, kernel, clamped=True):
    """The numbers that judge.cpp prints; not clamped: whole batches of threads are fetched for."""
    numbers = call(program, kernel, int(clamped)).split()
    print("  " + " ".join(numbers), flush=True)
    return {name: int(value) for name, value in (part.split("=") for part in numbers[1:])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True, type=pathlib.Path)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "kernels.cu").write_text(f'#include "{HERE / "kernels.h"}"\n')
        call(options.duet, "cc", "-ptx", folder / "kernels.cu", "-o", folder / "kernels.ptx")
        build_judge(folder)
        for kernel in some(KERNELS, 4):
            preexec = [options.duet, "preexec", folder / "kernels.ptx", "--kernel", kernel]
            c = call(*preexec)
            program = build(folder, "program", c)
            seen = judge(program, kernel)
            if seen["touched"] == 0 or seen["missed"] != 0:
                failures.append(f"{kernel}: {seen['missed']} bytes of {seen['touched']} are not fetched")
            # The program that knows the launch's shape; control: one for another block.
            if kernel in LAUNCHES:
                grid, block = LAUNCHES[kernel]
                if judge(build(folder, "launch", call(*preexec, "--grid", grid, "--block", block)), kernel) != seen:
                    failures.append(f"{kernel}: for this launch it fetches other bytes")
                other = "16,2" if "," in block else "16"
                if kernel != "tmv" and judge(build(folder, "other", call(*preexec, "--grid", grid, "--block", other)), kernel)["missed"] == 0:
                    failures.append(f"{kernel}: a program for blocks of {other} is not noticed")
            # The same where it is told which blocks there are, and in what order; control: a program that takes each id for its neighbour's.
            told = call(*preexec, "--forwarded-blocks")
            if judge(build(folder, "told", told), kernel) != seen:
                failures.append(f"{kernel}: with the ids of blocks it fetches other bytes")
            shifted = told.replace("(u32)(ring[n & context->ring_mask] %", "(u32)((ring[n & context->ring_mask] + 1) / 2 %")
            if shifted == told or judge(build(folder, "shifted", shifted), kernel)["missed"] == 0:
                failures.append(f"{kernel}: wrong ids are not noticed")
            if kernel not in MAY_HAVE_EXTRA and (seen["extra"] != 0 or seen["outside"] != 0):
                failures.append(f"{kernel}: {seen['extra']} bytes more than the kernel touches, {seen['outside']} fetches outside")
            whole = judge(program, kernel, clamped=False)
            if whole["missed"] != 0 or whole["extra"] < seen["extra"]:
                failures.append(f"{kernel}: whole batches fetch less: {whole}")
            call(*preexec, "--elf", folder / "program.elf")
            header = (folder / "program.elf").read_bytes()[:20]
            if header[:5] != b"\x7fELF\x02" or header[18:20] != b"\xf3\x00":
                failures.append(f"{kernel}: --elf made no RV64 file")
            # The control.
            wrong = re.sub(r"FETCH\((\w+), ", r"FETCH(\1, 8 + ", c, count=0)
            if wrong == c or judge(build(folder, "wrong", wrong), kernel)["missed"] == 0:
                failures.append(f"{kernel}: wrong addresses are not noticed")
        # Bad input: one line, and 125.
        for arguments in (["missing.ptx"], [folder / "kernels.ptx", "--kernel", "nobody"], [HERE / "kernels.h"]):
            done = subprocess.run([str(options.duet), "preexec", *map(str, arguments)], capture_output=True, text=True, timeout=60)
            if done.returncode != 125 or len(done.stderr.splitlines()) != 1:
                failures.append(f"preexec {arguments}: status {done.returncode}, {done.stderr!r}")
        # The benchmarks of the paper: every access is prefetched.
        for source in some(sorted((SOURCE / "workloads/yang2012").glob("*.cu")), 3):
            call(options.duet, "cc", "-ptx", source, "-o", folder / "benchmark.ptx")
            for line in call(options.duet, "preexec", folder / "benchmark.ptx", "--report").splitlines():
                found = re.match(r"(\w+): (\d+) of (\d+) global", line)
                if found and (found[2] != found[3] or found[2] == "0"):
                    failures.append(f"{source.name}: {line}")
    for failure in failures:
        print("FAILED " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
