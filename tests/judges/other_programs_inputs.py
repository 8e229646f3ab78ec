#!/usr/bin/env python3
"""Writes inputs for programs whose data is not in their repositories, into the working directory.

Usage: other_programs_inputs.py mesh CELLS FILE | grid N LOW HIGH FILE | hurricanes RECORDS FILE LIST | words COUNT FILE
       other_programs_inputs.py define FILE NAME ...
The same arguments always give the same bytes. Formats were read off the programs that read them.
"""
import pathlib
import random
import sys


def mesh(cells: int, path: str) -> None:
    """Rodinia cfd: cells in a ring of unit cubes, of which two of four faces touch a neighbour; a face without one is
    far field (-2) or wall (-1)."""
    lines = [str(cells)]
    for cell in range(cells):
        left, right = cell, cell + 2  # numbered from 1
        area = 1.0 + 0.1 * ((cell * 7) % 5)
        faces = [(left if cell else -2, (-1.0, 0.1, 0.0)), (right if cell < cells - 1 else -2, (1.0, -0.1, 0.0)),
                 (-1, (0.0, 0.5, 0.5)), (-2, (0.0, -0.5, -0.5))]
        lines.append(" ".join([f"{area}", *(f"{neighbour} {x} {y} {z}" for neighbour, (x, y, z) in faces)]))
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def grid(n: int, low: float, high: float, path: str) -> None:
    """Rodinia hotspot: n * n numbers, one a line."""
    numbers = random.Random(n)
    pathlib.Path(path).write_text("".join(f"{numbers.uniform(low, high):.4f}\n" for _ in range(n * n)))


def hurricanes(records: int, path: str, list_path: str) -> None:
    """Rodinia nn: records of 48 characters, latitude at 28, longitude at 33, five characters each, and a list of one file."""
    numbers = random.Random(records)
    lines = []
    for record in range(records):
        latitude, longitude = numbers.uniform(7, 70), numbers.uniform(0, 358)
        lines.append((f"{record:<28}" + f"{latitude:5.1f}{longitude:5.1f}").ljust(48))
    pathlib.Path(path).write_text("\n".join(lines) + "\n")
    pathlib.Path(list_path).write_text(path + "\n")


def words(count: int, path: str) -> None:
    """A text of count words of a small vocabulary, the frequent ones first."""
    numbers = random.Random(count)
    names = ["".join(numbers.choice("abcdefghijklmnop") for _ in range(2 + i % 6)) + str(i) for i in range(60)]
    chosen = [names[min(int(numbers.expovariate(0.08)), len(names) - 1)] for _ in range(count)]
    pathlib.Path(path).write_text(" ".join(chosen) + "\n")


def define(path: str, *names: str) -> None:
    """A header that defines names (NAME or NAME=VALUE), what a configure script would have written;
    <cuda.h> is included before what follows."""
    lines = [f"#include {name}\n" if name.startswith("<") else "#define {} {}\n".format(*(name.split("=") + ["1"])[:2]) for name in names]
    pathlib.Path(path).write_text("".join(lines))


def main() -> int:
    what, *rest = sys.argv[1:]
    if what == "mesh":
        mesh(int(rest[0]), rest[1])
    elif what == "grid":
        grid(int(rest[0]), float(rest[1]), float(rest[2]), rest[3])
    elif what == "hurricanes":
        hurricanes(int(rest[0]), rest[1], rest[2])
    elif what == "words":
        words(int(rest[0]), rest[1])
    elif what == "define":
        define(*rest)
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
