#!/usr/bin/env python3
"""Runs random kernels (generate.py) in several ways and compares every byte that they write.

Usage: run.py --duet build/bin/duet --seeds A:B [--jobs N] [--options="..."] [--against="..." ...] [--keep FOLDER]
       [--seconds S]

Each seed's kernel runs once with --options of `duet run` (default: none, the timed GPU) and once with each --against (default:
--functional, and --functional --peepholes off). A difference, or a run that fails, keeps the .ptx and prints the seed, the option
sets and the first byte that differs. --seconds stops starting new seeds after that time.
Exit status: 0 when all agree, 1 otherwise.
"""

import argparse
import concurrent.futures
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import generate

TIMEOUT_SECONDS = 120


def run(duet, options, ptx, arguments, buffers, folder):
    """The bytes of the buffers; a string when the run fails."""
    folder.mkdir()
    command = [duet, "run", "--quiet", "--out", str(folder / "out"), *options, str(ptx), *arguments]
    for buffer in buffers:
        command += ["--dump", f"{buffer}={folder / str(buffer)}"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS, text=True)
    except subprocess.TimeoutExpired:
        return f"no end within {TIMEOUT_SECONDS} s"
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stdout.strip()[-300:]}"
    return [(folder / str(buffer)).read_bytes() for buffer in buffers]


def difference(buffers, first, second):
    """Text about the first difference, None when there is none."""
    if isinstance(first, str) or isinstance(second, str):
        return None if first == second and not isinstance(first, str) else f"{first if isinstance(first, str) else second}"
    for buffer, a, b in zip(buffers, first, second):
        if a != b:
            at = next(i for i in range(len(a)) if a[i] != b[i])
            return f"argument {buffer}, byte {at}: {a[at]:#04x} and {b[at]:#04x}"
    return None


def check(seed, options):
    """Lines of complaint about one seed."""
    text, arguments, buffers = generate.kernel(seed)
    complaints = []
    with tempfile.TemporaryDirectory(prefix="duet-fuzz-") as name:
        folder = pathlib.Path(name)
        ptx = folder / f"seed{seed}.ptx"
        ptx.write_text(text)
        reference = run(options.duet, shlex.split(options.options), ptx, arguments, buffers, folder / "reference")
        for number, against in enumerate(options.against):
            other = run(options.duet, shlex.split(against), ptx, arguments, buffers, folder / str(number))
            found = difference(buffers, reference, other)
            if found is not None:
                complaints.append(f"seed {seed}: '{options.options}' and '{against}': {found}")
        if complaints:
            pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
            shutil.copy(ptx, options.keep)
            complaints.append(f"  kept {pathlib.Path(options.keep) / ptx.name}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--seeds", required=True, help="A:B, B excluded")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--options", default="")
    parser.add_argument("--against", action="append", default=[])
    parser.add_argument("--keep", default="fuzz-failures")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    options.duet = str(pathlib.Path(options.duet).resolve())
    if not options.against:
        options.against = ["--functional", "--functional --peepholes off"]
    first, last = map(int, options.seeds.split(":"))
    started, ran, failed = time.monotonic(), 0, 0

    def bounded(seed):
        return None if time.monotonic() - started > options.seconds else check(seed, options)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for complaints in pool.map(bounded, range(first, last)):
            if complaints is None:
                continue
            ran += 1
            failed += bool(complaints)
            for line in complaints:
                print(line, flush=True)
    print(f"{ran} kernels, {failed} differ, {time.monotonic() - started:.1f} s")
    return 1 if failed or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
