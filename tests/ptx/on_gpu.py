#!/usr/bin/env python3
"""Runs the PTX instruction tests of forms/ with `duet run`, on a whole machine instead of ptx_runner's lone SM: caches,
interconnect and DRAM carry what the instructions load, store and update.

Tests whose parameters `duet run --arg` cannot name (8 and 16-bit scalars) are left out and counted.
Usage: on_gpu.py --duet DUET [--machine NAME] [--functional] [--every N] [FILE...]"""

import argparse
import concurrent.futures
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BYTES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8}
TIMEOUT_S = 120


def number(text):
    return int(text[2:], 16) if text[:2] in ("0f", "0d", "0x") else int(text)


def pack(t, values):
    return b"".join((number(v) & ((1 << 8 * BYTES[t]) - 1)).to_bytes(BYTES[t], "little") for v in values)


class Case:
    def __init__(self, path):
        self.path, self.arguments, self.expected, self.refusal, self.left_out = path, [], [], None, False
        self.launch = {}
        for line in path.read_text().splitlines():
            if line.startswith("// duet-test:"):
                self.launch = dict(word.split("=") for word in line.split()[2:])
            elif line.startswith("// duet-unsupported: "):
                self.refusal = line.split(": ", 1)[1]
            elif line.startswith("// arg: buffer "):
                t, *values = line.split()[3:]
                self.arguments.append(("buffer", pack(t, values)))
            elif line.startswith("// arg: out "):
                t, count = line.split()[3:]
                self.arguments.append(("buffer", bytes(BYTES[t] * int(count))))
            elif line.startswith("// arg: "):
                t, value = line.split()[2:]
                self.arguments.append(("scalar", t, value))
                self.left_out |= t in ("u8", "u16")
            elif line.startswith("// expect"):
                head, values = line.split(": ", 1)
                words = head.split()
                self.expected.append((int(words[2]), words[3], values.split(), int(words[4]) if words[1] == "expect-ulp" else None))


def distance(t, expected, got):
    """Units in the last place between two patterns; None when one is a NaN and the other is not, or an infinity is off."""
    sign = 1 << 8 * BYTES[t] - 1
    infinity = 0x7F800000 if t == "f32" else 0x7FF0000000000000
    magnitudes = [x & (sign - 1) for x in (expected, got)]
    nans = [m > infinity for m in magnitudes]
    if any(nans):
        return 0 if all(nans) else None
    if expected != got and infinity in magnitudes:
        return None
    ordered = [-m if x & sign else m for x, m in zip((expected, got), magnitudes)]
    return abs(ordered[0] - ordered[1])


def differences(case, buffers):
    for index, t, values, ulps in case.expected:
        size = BYTES[t]
        for i, text in enumerate(values):
            expected, got = number(text) & ((1 << 8 * size) - 1), int.from_bytes(buffers[index][i * size:(i + 1) * size], "little")
            if expected == got:
                continue
            apart = distance(t, expected, got) if ulps is not None else None
            if apart is None or apart > ulps:
                yield "argument %d element %d: expected 0x%x, got 0x%x" % (index, i, expected, got)


def run(case, options, folder):
    """None, or what is wrong."""
    folder.mkdir()
    command = [options.duet, "run", "--quiet", "--no-html", "--trace-detail", "none", "--machine", options.machine, "--out", str(folder / "out")]
    command += ["--functional"] if options.functional else []
    command += [str(case.path), "--kernel", case.launch["kernel"], "--grid", case.launch["grid"], "--block", case.launch["block"]]
    command += ["--shared", case.launch["shared"]] if "shared" in case.launch else []
    for i, argument in enumerate(case.arguments):
        if argument[0] == "buffer":
            (folder / ("in%d" % i)).write_bytes(argument[1])
            command += ["--arg", "buffer:%d=@%s" % (len(argument[1]), folder / ("in%d" % i)), "--dump", "%d=%s" % (i, folder / ("out%d" % i))]
        elif argument[1][0] == "f":
            size = BYTES[argument[1]]
            bits = number(argument[2]).to_bytes(size, "little")
            command += ["--arg", "%s:%r" % (argument[1], struct.unpack("<f" if size == 4 else "<d", bits)[0])]
        else:
            command += ["--arg", "%s:%d" % (argument[1], number(argument[2]))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if case.refusal:
        return None if done.returncode != 0 and case.refusal in done.stderr else "was not refused with '%s'" % case.refusal
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["ended with status %d" % done.returncode])[-1]
    buffers = {i: (folder / ("out%d" % i)).read_bytes() for i, a in enumerate(case.arguments) if a[0] == "buffer"}
    return next(differences(case, buffers), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--functional", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="only every Nth file")
    parser.add_argument("--match", default="", help="only files whose name matches this regular expression")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    paths = options.files or sorted(HERE.glob("forms/*/*.ptx"), key=lambda path: path.name)
    cases = [Case(path) for path in paths if re.search(options.match, path.name)][::options.every]
    chosen = [case for case in cases if not case.left_out]
    failed = 0
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folders = [pathlib.Path(work) / str(i) for i in range(len(chosen))]
        for case, wrong in zip(chosen, pool.map(lambda pair: run(pair[0], options, pair[1]), zip(chosen, folders))):
            if wrong:
                failed += 1
                print("%s: %s" % (case.path.name, wrong), flush=True)
    print("%d passed, %d failed, %d left out" % (len(chosen) - failed, failed, len(cases) - len(chosen)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
