#!/usr/bin/env python3
"""CHAI's OpenCL-U: programs whose threads and kernels work on the same memory at the same time, on simulated cores, judged by their own checks.

Usage: opencl_shared.py --source DIR [--duet PATH] [--machine NAME] [--only WORD] [--limit SECONDS] [--json FILE]

DIR holds a checkout of CHAI, at any depth; it stays as it is. Each program is compiled by `duet cc --host riscv64` and run with small arguments.
A line a program: "passed"; "wrong" and what the program or Duet says; "refused" and Duet's line (or the compiler's, of a kernel or the program);
"slow" (more than --limit seconds). NAME is a machine with cores and a GPU that is coherent, lustig2013 if not said: threads that spin want more
than one core. DIR is $OPENCL_PROGRAMS if not said; without it one line says so and the exit status is 77; 1: a program is wrong.
"""
import argparse
import heapq
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

from limited import call

SIDE = 16  # of a grid of places with roads between neighbours, as the maps that BFS and SSSP are made for
PROGRAMS = {
    "BFS": "-t 2 -g 2 -i 64 -l 16 -f {graph} -c {levels}",
    "BS": "-t 2 -n 32 -g 8 -a 0.5",
    "CEDD": "-t 2 -a 0.5",
    "CEDT": "-t 2",
    "HSTI": "-t 2 -n 20480 -g 8 -a 0.5 -b 64",
    "HSTO": "-t 2 -n 20480 -g 8 -b 64",
    "PAD": "-t 2 -n 100 -m 100 -e 4 -g 8 -a 0.5",
    "RSCD": "-t 2 -g 8 -m 40 -a 0.5",
    "RSCT": "-t 1 -g 8 -m 40",
    "SC": "-t 2 -n 20000 -g 8 -a 0.5",
    "SSSP": "-t 2 -g 2 -i 64 -l 16 -f {graph} -c {distances}",
    "TQ": "-t 1 -g 8 -s 512 -q 64 -n 4",
    "TQH": "-t 1 -g 8 -s 8 -q 4 -b 64",
    "TRNS": "-t 2 -m 64 -n 64 -g 8",
}


def distances(roads):
    """Of each place from the first one, by Dijkstra."""
    found, queue = {}, [(0, 0)]
    while queue:
        length, place = heapq.heappop(queue)
        if place not in found:
            found[place] = length
            for other, road in roads[place]:
                heapq.heappush(queue, (length + road, other))
    return [found[place] for place in range(len(roads))]


def write_graph(folder):
    """CHAI has no maps with it: one, and the answers, each in a file of CHAI's form."""
    chance = random.Random(1)
    roads = []
    for place in range(SIDE * SIDE):
        x, y = place % SIDE, place // SIDE
        beside = [(x > 0, place - 1), (x < SIDE - 1, place + 1), (y > 0, place - SIDE), (y < SIDE - 1, place + SIDE)]
        roads.append([(other, chance.randint(1, 10)) for there, other in beside if there])
    with open(folder / "graph", "w") as graph:
        graph.write(f"{len(roads)}\n{sum(map(len, roads))}\n0\n")
        first = 0
        for some in roads:
            graph.write(f"{first} {len(some)}\n")
            first += len(some)
        graph.writelines(f"{other} {length}\n" for some in roads for other, length in some)
    steps = [[(other, 1) for other, _ in some] for some in roads]
    for name, answer in (("levels", distances(steps)), ("distances", distances(roads))):
        (folder / name).write_text(f"{len(answer)}\n" + "".join(f"{place} {length}\n" for place, length in enumerate(answer)))
    return {name: folder / name for name in ("graph", "levels", "distances")}


def judge(folder, options, arguments):
    duet = arguments.duet.resolve()
    # TQ's source counts on another header to include <vector>.
    compile_it = [duet, "cc", "--host", "riscv64", "-w", "-std=c++11", "-O2", "-include", "vector", "main.cpp", "kernel.cpp", "-o", "app", "-lOpenCL", "-lpthread", "-lm"]
    status, output, errors = call(compile_it, folder, 300)
    if status != 0:
        return "refused", next((line for line in errors.splitlines() if "error" in line), f"status {status}")
    run = [duet, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", arguments.machine, "--out", folder / "duet-out", "./app", "-w", "0", "-r", "1"]
    status, output, errors = call([*run, *options.split()], folder, arguments.limit)
    if status is None:
        return "slow", ""
    said = next((line for line in (errors + output).splitlines() if "error:" in line or line.startswith("duet:")), "")
    if status == 0 and "test passed" in output.lower():
        return "passed", ""
    return ("refused" if status == 125 or "error:" in said else "wrong"), said or f"status {status}: {output.splitlines()[-1:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("OPENCL_PROGRAMS"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--machine", default="lustig2013")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    suite = next(pathlib.Path(arguments.source).rglob("OpenCL-U"), None) if arguments.source else None
    if suite is None:
        print("skipped: needs a folder with CHAI's OpenCL-U (--source DIR)")
        return 77
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("skipped: riscv64-linux-gnu-g++ is not installed")
        return 77
    rows = []
    with tempfile.TemporaryDirectory(prefix="duet-opencl-shared-") as work:
        files = write_graph(pathlib.Path(work))
        for name, options in PROGRAMS.items():
            if arguments.only not in name:
                continue
            folder = pathlib.Path(work) / name
            shutil.copytree(suite / name, folder)
            verdict, words = judge(folder, options.format(**files), arguments)
            rows.append({"program": name, "verdict": verdict, "words": words})
            print(f"{name:8} {verdict:9} {words}".rstrip(), flush=True)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("passed", "wrong", "refused", "slow")}
    print(f"{len(rows)} programs: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return int(counts["wrong"] > 0 or not rows)


if __name__ == "__main__":
    sys.exit(main())
