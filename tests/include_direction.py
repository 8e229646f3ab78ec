#!/usr/bin/env python3
"""Checks that includes point down: cli -> reproduce, sweep -> machine, runtime -> machine -> host -> driver -> predict, sample -> gpu, cpu, link -> check -> memory, ptx, rv64 -> sim, config -> base.

A room may include itself and rooms of a lower rank; rooms of one rank never see each other. report/ stands beside sim and config, advise/, explain/ and model/ see both.
Usage: include_direction.py SOURCE_DIRECTORY. Prints one line per violation; exit status 1 when there is any.
"""
import pathlib
import re
import sys

RANK = {"base": 0, "sim": 1, "config": 1, "report": 1, "advise": 2, "explain": 2, "model": 2, "memory": 2, "ptx": 2, "rv64": 2, "check": 2.5, "gpu": 3, "predict": 3.5, "sample": 3.5, "cpu": 3, "link": 3, "preexec": 3,
        "driver": 4, "host": 5, "machine": 6, "reproduce": 7, "sweep": 7, "cli": 8}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    violations = 0
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        room = path.relative_to(root / "src").parts[0]
        if room not in RANK:
            print(f"{path}: room '{room}' is not in the house")
            violations += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#include "([a-z0-9_]+)/', line)
            if not match or match.group(1) == room:
                continue
            other = match.group(1)
            if other not in RANK or RANK[other] >= RANK[room]:
                print(f"{path.relative_to(root)}:{number}: {room}/ must not include {other}/")
                violations += 1
    print(f"{violations} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
