#!/usr/bin/env python3
"""Runs the PTX tests of ZLUDA's `spirv_run` folder with `duet run`, one bare kernel a test, and compares the output buffer.

The folder (ptx/src/test/spirv_run of a ZLUDA checkout) holds one .ptx file a test and mod.rs, whose macro calls carry input
and expected output as Rust array literals; both are read from there, nothing of them is kept here. A kernel has the
parameters (input pointer, output pointer), one block of 1 thread (test_ptx) or of 64 (test_ptx_warp: no input, every
parameter is the output pointer), and 1024 bytes of dynamic shared memory. Floating-point outputs are compared by value, NaN
equals NaN; everything else byte by byte. Files of the subfolder 32 are the same tests with 32-bit addresses.

Left out: macro calls without values (they only compare a compiler's text); they are counted as "no values".
Exit status: 0, 1 if any result is wrong, 77 (skipped) without the folder."""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

FORMATS = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q",
           "f16": "e", "f32": "f", "f64": "d"}
SHARED_BYTES = 1024
WARP_TEST_THREADS = 64
TIMEOUT_S = 300
# A refusal names a line of the file, or what is not supported; a fault while the kernel runs does neither.
REFUSAL = re.compile(r"duet: [^ :]+\.ptx:\d+: |duet: .* (is|are) not supported")


class NotUnderstood(Exception):
    pass


class Test:
    def __init__(self, name, path, threads, inputs, outputs):
        self.name, self.path, self.threads, self.inputs, self.outputs = name, path, threads, inputs, outputs


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def split_commas(text):
    """The parts of `text` between commas outside brackets; a trailing comma adds none."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return parts if parts[-1] else parts[:-1]


def macro_calls(text):
    """(macro, arguments) of every call of a test macro at the start of a line."""
    for match in re.finditer(r"^(test_ptx(?:_with_32|_warp)?)!\(", text, flags=re.M):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield match.group(1), split_commas(text[match.end():end - 1])


def to_half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


# Names that stand for a value: (type, value), value None where it is a function of one argument.
def constant(path):
    kind, name = path.split("::")[-2:] if "::" in path else (None, path)
    if kind == "consts":
        kind = path.split("::")[-3]
        value = {"PI": math.pi, "E": math.e}.get(name)
    elif kind in ("f16", "f32", "f64"):
        value = {"NAN": math.nan, "INFINITY": math.inf, "NEG_INFINITY": -math.inf}.get(name)
    elif kind in FORMATS:
        bits = int(kind[1:])
        low, high = (0, 2**bits - 1) if kind[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
        value = {"MAX": high, "MIN": low, "max_value()": high, "min_value()": low}.get(name)
    else:
        value = None
    if value is None:
        raise NotUnderstood(path)
    return kind, value


def literal(text):
    """(type or None, value, is float) of one element."""
    text = text.strip()
    if text.startswith("-") and not re.match(r"-[\d]", text):
        kind, value, real = literal(text[1:])
        return kind, -value, real
    if text.endswith(".to_bits()"):
        kind, value, real = literal(text[:-len(".to_bits()")])
        if not real or kind is None:
            raise NotUnderstood(text)
        bits = int.from_bytes(struct.pack("<" + FORMATS[kind], value), "little")
        return "u" + kind[1:], bits, False
    quotient = re.fullmatch(r"(.+) / (.+)", text)
    if quotient:
        kind, dividend, real = literal(quotient.group(1))
        _, divisor, _ = literal(quotient.group(2))
        if not real:
            raise NotUnderstood(text)
        return kind, dividend / divisor, True
    call = re.fullmatch(r"(?:half::|std::)?(f16|f32|f64)::from_(bits|f32|f64)\((.*)\)", text)
    if call:
        kind, how = call.group(1), call.group(2)
        _, value, _ = literal(call.group(3))
        if how == "bits":
            size = int(kind[1:]) // 8
            return kind, struct.unpack("<" + FORMATS[kind], value.to_bytes(size, "little"))[0], True
        return kind, to_half(value) if kind == "f16" else value, True
    match = re.fullmatch(r"(-?)(0x[0-9a-fA-F_]+?|0b[01_]+?|\d[\d_]*?)_*([ui](?:8|16|32|64))?", text)
    if match:
        value = int(match.group(2).replace("_", ""), 0 if match.group(2)[:2] in ("0x", "0b") else 10)
        return match.group(3), -value if match.group(1) else value, False
    match = re.fullmatch(r"(-?\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?)(f32|f64)?", text)
    if match:
        return match.group(2), float(match.group(1).replace("_", "")), True
    kind, value = constant(text)
    return kind, value, kind[0] == "f"


def array(text):
    """(element type, values) of a Rust array literal; an element without a suffix takes the type of the others."""
    if not (text.startswith("[") and text.endswith("]")):
        raise NotUnderstood(text)
    elements = [literal(part) for part in split_commas(text[1:-1])]
    kinds = {kind for kind, _, _ in elements if kind}
    if len(kinds) > 1:
        raise NotUnderstood("elements of types " + ", ".join(sorted(kinds)))
    kind = kinds.pop() if kinds else ("f64" if any(real for _, _, real in elements) else "i32")
    values = [value for _, value, _ in elements]
    try:
        pack(kind, values)
    except (struct.error, OverflowError) as error:
        raise NotUnderstood("%s: %s" % (kind, error)) from error
    return kind, values


def pack(kind, values):
    return struct.pack("<%d%s" % (len(values), FORMATS[kind]), *values)


def equal(kind, expected, got):
    return expected == got or (kind[0] == "f" and expected != expected and got != got)


def read_tests(source):
    """(tests, names without values, [(name, why)] not understood)."""
    tests, without_values, not_understood = [], [], []
    for macro, arguments in macro_calls(without_comments((source / "mod.rs").read_text())):
        name = arguments[0]
        if len(arguments) == 1:
            without_values.append(name)
            continue
        warp = macro == "test_ptx_warp"
        try:
            if len(arguments) != (2 if warp else 3):
                raise NotUnderstood("%d arguments" % len(arguments))
            inputs = None if warp else array(arguments[1])
            outputs = array(arguments[-1])
        except NotUnderstood as error:
            not_understood.append((name, str(error)))
            continue
        for folder in [""] + (["32/"] if macro == "test_ptx_with_32" else []):
            tests.append(Test(folder + name, source / (folder + name + ".ptx"), WARP_TEST_THREADS if warp else 1,
                              inputs, outputs))
    return tests, without_values, not_understood


def warp_arguments(test, buffer):
    """The arguments of a kernel without input, and the position of the output: that of the one parameter it reads."""
    text = test.path.read_text()
    head = re.search(r"\.entry\s+%s\s*\(([^)]*)\)" % re.escape(test.path.stem), text)
    names = [declaration.split()[-1] for declaration in split_commas(without_comments(head.group(1)))]
    read = [i for i, name in enumerate(names) if re.search(r"ld\.param[\w.]*\s+[^;]*\[\s*%s\b" % re.escape(name), text)]
    if len(read) != 1:
        raise NotUnderstood("reads %d of %d parameters" % (len(read), len(names)))
    return [buffer if i == read[0] else "u64:0" for i in range(len(names))], read[0]


def run(test, options, work):
    """(verdict, detail) of one test."""
    folder = work / test.name.replace("/", "_")
    folder.mkdir()
    kind, expected = test.outputs
    output_bytes = len(pack(kind, expected))
    output_buffer = "buffer:%d" % output_bytes
    if test.inputs:
        data = pack(*test.inputs)
        (folder / "in.bin").write_bytes(data)
        arguments, output = ["buffer:%d=@%s" % (len(data), folder / "in.bin"), output_buffer], 1
    else:
        try:
            arguments, output = warp_arguments(test, output_buffer)
        except NotUnderstood as error:
            return "not understood", str(error)
    command = [str(options.duet), "run", "--quiet", "--machine", options.machine, "--out", str(folder / "out"), *options.option]
    if options.functional:
        command.append("--functional")
    command += [str(test.path), "--kernel", test.path.stem, "--grid", "1", "--block", str(test.threads),
                "--shared", str(SHARED_BYTES)]
    for argument in arguments:
        command += ["--arg", argument]
    command += ["--dump", "%d=%s" % (output, folder / "got.bin")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return "wrong", "no end after %d s" % TIMEOUT_S
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        last = lines[-1] if lines else "ended with status %d and no word" % done.returncode
        return "refused" if done.returncode > 0 and REFUSAL.match(last) else "wrong", last
    got_bytes = (folder / "got.bin").read_bytes()
    got = struct.unpack("<%d%s" % (len(expected), FORMATS[kind]), got_bytes)
    expected = struct.unpack("<%d%s" % (len(expected), FORMATS[kind]), pack(kind, expected))  # rounded to the type
    differing = [i for i in range(len(expected)) if not equal(kind, expected[i], got[i])]
    if not differing:
        return "passed", ""
    show = (lambda v: repr(v)) if kind[0] == "f" else (lambda v: "%d (0x%x)" % (v, v & (2**int(kind[1:]) - 1)))
    i = differing[0]
    return "wrong", "%d of %d elements differ, element %d (%s): expected %s, got %s" % (
        len(differing), len(expected), i, kind, show(expected[i]), show(got[i]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("ZLUDA_SPIRV_RUN"),
                        help="the folder ptx/src/test/spirv_run of a ZLUDA checkout (default: $ZLUDA_SPIRV_RUN)")
    parser.add_argument("--duet", type=pathlib.Path, required=True)
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--functional", action="store_true")
    parser.add_argument("--option", action="append", default=[], help="one more word for `duet run`")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="run the tests whose name matches this regular expression")
    options = parser.parse_args()
    if options.source is None or not (pathlib.Path(options.source) / "mod.rs").exists():
        print("skipped: no folder ptx/src/test/spirv_run of ZLUDA (--source)")
        return 77
    tests, without_values, not_understood = read_tests(pathlib.Path(options.source))
    if options.only:
        tests = [test for test in tests if re.search(options.only, test.name)]
    counts = {"passed": 0, "refused": 0, "wrong": 0, "not understood": 0}
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, (verdict, detail) in zip(tests, pool.map(lambda t: run(t, options, pathlib.Path(work)), tests)):
            counts[verdict] += 1
            print("%s: %s%s" % (test.name, verdict, ": " + detail if detail else ""), flush=True)
    for name, why in not_understood:
        print("%s: not understood: %s" % (name, why))
    print("%d tests: %d passed, %d refused, %d wrong; %d not understood; %d without values (%s)" % (
        len(tests), counts["passed"], counts["refused"], counts["wrong"], counts["not understood"] + len(not_understood), len(without_values),
        ", ".join(without_values)))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
