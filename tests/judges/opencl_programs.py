#!/usr/bin/env python3
"""Published OpenCL programs, compiled from their sources, run by pocl and by Duet: whether Duet gives what they give there.

Usage: opencl_programs.py --source DIR [--duet PATH] [--timed] [--only WORD] [--limit SECONDS] [--json FILE]

DIR holds checkouts of PolyBench-ACC, Rodinia (yuhc/gpu-rodinia) and CHAI, at any depth; it stays as it is. A line a program: "passed"; "wrong" and
the first line that differs; "refused" and what Duet says; "slow" (more than --limit seconds); "no judge": it fails under pocl, too, or does not
compile. Programs run on the functional GPU, or, --timed, on the simulated one. DIR is $OPENCL_PROGRAMS if not said; without it, or without pocl
(apt-get install pocl-opencl-icd), one line says so and the exit status is 77; 1: a program is wrong or refused.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

from limited import call

LINE_OF_TIMES = re.compile(r"(?i)time|second|took|init|alloc|htod|dtoh|exec|close|total|platform|device|vendor|speed|GB/s|context|pocl|computation|\bms\b|MB\]|Duet|Genuine|pthread|cpu")
# What a program says of its own check.
OWN_CHECK = re.compile(r"(?i)non-matching.*: (\d+)|test (passed|failed)|(passed)|(mismatch|wrong)")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")

RODINIA = {
    "backprop": "./backprop.out -n 1024",
    "bfs": "./bfs.out {inputs}/graph.txt",
    "gaussian": "./gaussian.out -s 32",
    "hotspot": "./hotspot.out 64 2 4 {inputs}/temp_64 {inputs}/power_64 out.txt",
    "hotspot3D": "./hotspot3D.out -n 64 -l 4 -i 4 -f {inputs}/power_64x4 {inputs}/temp_64x4 out.txt",
    "hybridsort": "./hybridsort.out r",
    "lavaMD": "./lavaMD.out -boxes1d 2",
    "lud": "./lud.out -s 64 -v",
    "nw": "./nw.out 64 10 ./nw.cl",
    "particlefilter": "./OCL_particlefilter_naive.out -x 32 -y 32 -z 4 -np 500",
    "particlefilter single": "./OCL_particlefilter_single.out -x 32 -y 32 -z 4 -np 500",
    "particlefilter double": "./OCL_particlefilter_double.out -x 32 -y 32 -z 4 -np 500",
    "pathfinder": "./pathfinder.out -c 1000 -r 20 -h 5",
    "srad": "./srad.out -n 4 -l 0.5 -s 64 64",
    "streamcluster": "./streamcluster.out 3 5 16 512 512 100 none output.txt 1",
    "myocyte": "./myocyte.out -time 4",
}
CHAI = {
    "BS": "-n 32 -g 8 -a 0.5",
    "CEDD": "-a 0.5",
    "HSTO": "-n 20000 -g 8 -b 64",
    "PAD": "-n 100 -m 100 -e 4 -g 8 -a 0.5",
    "SC": "-n 20000 -g 8 -a 0.5",
    "TQH": "-g 8",
    "TRNS": "-m 64 -n 64 -g 8",
}


def write_inputs(folder):
    """What Rodinia's programs read, small and always the same."""
    chance = random.Random(1)
    nodes = [chance.randint(1, 6) for _ in range(1024)]
    with open(folder / "graph.txt", "w") as graph:
        graph.write("1024\n")
        first = 0
        for edges in nodes:
            graph.write(f"{first} {edges}\n")
            first += edges
        graph.write(f"\n0\n\n{first}\n")
        graph.writelines(f"{chance.randrange(1024)} {chance.randint(1, 10)}\n" for _ in range(first))
    for name, layers in (("64", 1), ("64x4", 4)):
        (folder / f"temp_{name}").write_text("".join(f"{320 + 10 * chance.random():.6f}\n" for _ in range(64 * 64 * layers)))
        (folder / f"power_{name}").write_text("".join(f"{1e-3 * chance.random():.6f}\n" for _ in range(64 * 64 * layers)))


def shell(line, folder):
    return call(["sh", "-c", line], folder, 300)[0] == 0


def programs(source, work):
    """Name, folder where it runs, command; each is compiled in a copy."""
    inputs = work / "inputs"
    inputs.mkdir()
    write_inputs(inputs)
    for utilities in source.rglob("OpenCL/utilities"):
        for kernel in sorted(utilities.parent.rglob("*.cl")):
            folder = work / "polybench" / kernel.parent.name
            shutil.copytree(kernel.parent, folder, dirs_exist_ok=True)
            built = shell(f"cc -O1 -w -DMINI_DATASET -DRUN_ON_CPU -include string.h -I{utilities} *.c -o app -lOpenCL -lm", folder)
            yield f"polybench {kernel.parent.name}", folder, ["./app"] if built else None
    for opencl in source.rglob("opencl/particlefilter"):
        root = work / "rodinia"
        shutil.copytree(opencl.parent, root / "opencl", dirs_exist_ok=True)
        (root / "none.mk").write_text("")
        wrapped = root / "bin"
        wrapped.mkdir(exist_ok=True)
        for compiler, options in (("g++", "-std=gnu++11 -w"), ("gcc", "-fcommon -w")):
            (wrapped / compiler).write_text(f'#!/bin/sh\nexec /usr/bin/{compiler} {options} "$@"\n')
            (wrapped / compiler).chmod(0o755)
        for name, command in RODINIA.items():
            folder = root / "opencl" / name.split()[0]
            program = command.split()[0]
            shell(f"find . -iname makefile | xargs sed -i 's#^include .*make.config#include {root}/none.mk#'; PATH={wrapped}:$PATH make -k OPENCL_DIR=/usr "
                  "OPENCL_INC=/usr/include OPENCL_LIB=/usr/lib/x86_64-linux-gnu", folder)
            yield f"rodinia {name}", folder, command.format(inputs=inputs).split() if (folder / program).exists() else None
    for suite in source.rglob("OpenCL-D"):
        for name, options in CHAI.items():
            folder = work / "chai" / name
            shutil.copytree(suite / name, folder, dirs_exist_ok=True)
            built = shell("g++ -w -std=c++11 -O2 -DOCL_1_2 -DCL_USE_DEPRECATED_OPENCL_1_2_APIS *.cpp -o app -lOpenCL -lpthread", folder)
            yield f"chai {name}", folder, ["./app", "-w", "0", "-r", "1", "-t", "2", *options.split()] if built else None


def difference(expected, got):
    """The first line that differs, beyond times and the last digits of numbers; None: there is none."""
    ours, theirs = ([line for line in text.splitlines() if not LINE_OF_TIMES.search(line)] for text in (got, expected))
    if len(ours) != len(theirs):
        return f"{len(ours)} lines, not {len(theirs)}"
    for one, other in zip(ours, theirs):
        if NUMBER.sub("#", one) != NUMBER.sub("#", other):
            return one
        for mine, given in zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other))):
            if abs(mine - given) > 1e-3 * max(1, abs(given)):
                return one
    return None


def judge(command, folder, arguments):
    expected = call(command, folder, arguments.limit)
    run = [arguments.duet.resolve(), "run", "--quiet", "--no-html", "--out", folder / "duet-out", *([] if arguments.timed else ["--functional"])]
    status, output, errors = call([*run, *command], folder, arguments.limit)
    if status is None:
        return "slow", ""
    said = next((line for line in errors.splitlines() if line.startswith("duet:")), "")
    if status == 125:
        return "refused", said
    own = OWN_CHECK.search(output)
    if status == 0 and own and own[0].lower().endswith((": 0", "passed")):
        return "passed", ""
    if expected[0] != 0 or re.search("(?i)fail|error", expected[1]):
        return "no judge", f"pocl gives {expected[0]}, Duet {status}"
    if status != 0:
        return "wrong", said or f"status {status}"
    unlike = difference(expected[1], output)
    return ("passed", "") if unlike is None else ("wrong", unlike)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("OPENCL_PROGRAMS"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.source is None or not pathlib.Path(arguments.source).is_dir():
        print("skipped: needs a folder with OpenCL programs (--source DIR)")
        return 77
    if not list(pathlib.Path("/etc/OpenCL/vendors").glob("pocl*")):
        print("skipped: needs pocl to judge by (apt-get install pocl-opencl-icd)")
        return 77
    rows = []
    with tempfile.TemporaryDirectory(prefix="duet-opencl-programs-") as work:
        for name, folder, command in programs(pathlib.Path(arguments.source).resolve(), pathlib.Path(work)):
            if arguments.only not in name:
                continue
            verdict, words = ("no judge", "does not compile") if command is None else judge(command, folder, arguments)
            rows.append({"program": name, "verdict": verdict, "words": words})
            print(f"{name:32} {verdict:9} {words}".rstrip(), flush=True)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("passed", "wrong", "refused", "slow", "no judge")}
    print(f"{len(rows)} programs: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return int(counts["wrong"] + counts["refused"] > 0 or not rows)


if __name__ == "__main__":
    sys.exit(main())
