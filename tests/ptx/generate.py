#!/usr/bin/env python3
"""Generates the PTX instruction tests in forms/, a folder an opcode. Every expected value comes from exact integer or rational
arithmetic in Python (generator/), never from another PTX implementation. Usage: generate.py [--check]
--check writes nothing and fails if a committed file differs from what would be generated."""

import pathlib
import sys

from generator import (control, conversion_forms, conversions, emit, exchange, float_modes, floats, half, integer_forms, integers,
                       memory, memory_forms, newer_formats, video, widths)

PARTS = [integers, integer_forms, floats, float_modes, half, conversions, conversion_forms, memory, memory_forms, widths, control, exchange,
         video, newer_formats]


def main():
    suite = emit.Suite()
    for part in PARTS:
        part.generate(suite)
    folder = pathlib.Path(__file__).resolve().parent / "forms"
    present = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.glob("*/*.ptx")}
    if sys.argv[1:] == ["--check"]:
        changed = sorted(n for n in present.keys() | suite.files.keys() if present.get(n) != suite.files.get(n))
        if changed:
            sys.exit("generate.py: %d files are out of date, first %s" % (len(changed), changed[0]))
    elif sys.argv[1:]:
        sys.exit("usage: generate.py [--check]")
    else:
        for name in present.keys() - suite.files.keys():
            (folder / name).unlink()
        for name, content in suite.files.items():
            if present.get(name) != content:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(content)
    print("%d tests" % len(suite.files))


if __name__ == "__main__":
    main()
