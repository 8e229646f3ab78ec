"""The five kernels of workloads/micro/kernels.cu as `duet run` commands, for the measurements beside this file."""

import json
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("vecadd", "matmul", "hist", "copyk", "reduce")


def compile_kernels(duet, folder):
    """kernels.cu as PTX."""
    ptx = pathlib.Path(folder) / "kernels.ptx"
    compile_well(duet, ["-ptx", "-arch=sm_20", ROOT / "workloads/micro/kernels.cu"], ptx)
    return ptx


def command(duet, ptx, folder, name, n, room, blocks, *options):
    """A run of kernel `name` on n elements (matmul: n x n) with buffers for `room`: runs with the same room differ
    only in what the kernel does. `blocks` is the grid of hist, copyk and reduce; the other two have one thread an element.
    `options` are options of duet run."""
    count = room * room if name == "matmul" else room
    full = "buffer:%d" % (4 * count)
    floats, words = full + "=random_f32", full + "=random_u32"
    buffers = {"vecadd": (floats, floats, full), "matmul": (floats, floats, full), "hist": (words, "buffer:1024"),
               "copyk": (floats, full), "reduce": (floats, "buffer:%d" % (4 * blocks))}[name]
    grid = {"vecadd": str(max(1, (n + 255) // 256)), "matmul": "%d,%d" % ((max(1, n // 16),) * 2)}.get(name, str(blocks))
    lines = () if "--lines" in options else ("--no-lines",)
    line = [duet, "run", "--quiet", "--out", str(pathlib.Path(folder) / "run"), *lines, *options, str(ptx), "--kernel", name, "--grid", grid,
            "--block", "16,16" if name == "matmul" else "256"]
    for argument in buffers + ("i32:%d" % n,):
        line += ["--arg", argument]
    return line


def statistics(folder):
    with open(pathlib.Path(folder) / "run" / "stats.json") as file:
        return json.load(file)
