#!/usr/bin/env python3
"""The tables of docs/results/hu2016.md on what hu2016 leaves open: the width of a warp (section 3.4) and one dispatcher for all levels (section 4).

Usage: tables.py [--duet PATH] [--table width|dispatch ...] [--write FOLDER]

Time of all kernels on gtx580, in us, of programs that check every result. Tables are in Markdown; --write leaves them as
FOLDER/hu2016-NAME.json, say in docs/results/data. Exit status: 0 when no result is wrong.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import data_file  # noqa: E402

WORKLOADS = pathlib.Path(__file__).resolve().parent.parent.parent / "workloads"
WIDTHS = (1, 2, 4, 8, 16, 32, 64)
LANES, MOST_COUNTERS, THREADS, MOST_UNITS = 64, 64, 1536, 16


class Programs:
    def __init__(self, duet, folder):
        self.duet, self.folder = duet, pathlib.Path(folder)

    def compiled(self, source):
        program = self.folder / source.stem
        if not program.exists():
            subprocess.run([self.duet, "cc", "-O2", source, "-o", program], check=True)
        return program

    def run(self, source, words, sets):
        """Time of the kernels in us, and the share of lanes that is active; nothing where a block does not fit."""
        out = self.folder / "out"
        ran = subprocess.run([self.duet, "run", "-q", "--no-html", "--trace-detail", "none", "--out", out, *(w for s in sets for w in ("--set", s)), self.compiled(source), *words],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            if "does not fit on an SM" in ran.stdout + ran.stderr or "too many resources" in ran.stdout + ran.stderr:
                return None
            sys.exit(f"{source.stem} {' '.join(words)} {' '.join(sets)}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
        stats = json.loads((out / "stats.json").read_text())
        kernels = stats["kernels"]
        warps, threads = (sum(k[name] for k in kernels) for name in ("warp_instructions", "thread_instructions"))
        return sum(k["end_ps"] - k["start_ps"] for k in kernels) / 1e6, threads / warps


MANDELBROT, LUSTIG = WORKLOADS / "hu2016/mandelbrot.cu", WORKLOADS / "lustig2013"
PROGRAMS = {"mandelbrot 2": (MANDELBROT, ["2"]), "mandelbrot 8": (MANDELBROT, ["8"]), "BFS": (LUSTIG / "BFS.cu", []), "vectorAdd": (LUSTIG / "vectorAdd.cu", []),
            "histogram64": (LUSTIG / "histogram64.cu", [])}


def sets_of_width(width):
    """As many lanes at every width, in units of one warp's width; a scheduler for each unit; a program counter for each warp, 64 at most."""
    units = min(max(LANES // width, 1), MOST_UNITS)
    return [f"gpu.sm.warp_width={width}", f"gpu.sm.max_warps={min(THREADS // width, MOST_COUNTERS)}", "gpu.sm.warp_allocation_unit=1", f"gpu.sm.register_allocation_unit={2 * width}",
            f"gpu.sm.sp_units={units}", f"gpu.sm.schedulers={units}",
            *(f"gpu.sm.{kind}.interval_cycles={max(cycles * width // 32, 1)}" for kind, cycles in (("integer_multiply", 2), ("double_precision", 8), ("special_function", 4), ("conversion", 2)))]


def width(programs):
    table = data_file.Table(["warp", "program counters", "threads at once", "units", *PROGRAMS])
    for w in WIDTHS:
        sets = sets_of_width(w)
        cells = []
        for source, words in PROGRAMS.values():
            found = programs.run(source, words, sets)
            cells.append("does not fit" if found is None else f"{found[0]:.1f} ({100 * found[1] / w:.0f} %)")
        counters = min(THREADS // w, MOST_COUNTERS)
        table.row(w, counters, counters * w, f"{min(max(LANES // w, 1), MOST_UNITS)} of {w}", *cells)
    return table


def dispatch(programs):
    table = data_file.Table(["program", "threads of a block", "a dispatcher for each level", "one for all", ""])
    cases = [(f"mandelbrot {rows}", MANDELBROT, [str(rows)], 32 * rows) for rows in (1, 2, 4, 8, 16, 32)]
    cases += [(name, LUSTIG / f"{name}.cu", [], threads) for name, threads in (("BFS", 512), ("FIBLookup", 256), ("matrixMul", 1024), ("HotSpot", 256))]
    for name, source, words, threads in cases:
        apart, together = (programs.run(source, words, [f"gpu.front_end.dispatch={how}"])[0] for how in ("per_level", "cross_level"))
        table.row(name, threads, f"{apart:.1f}", f"{together:.1f}", f"{100 * (together / apart - 1):+.1f} %")
    return table


TABLES = {"width": width, "dispatch": dispatch}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--table", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--write", type=data_file.target)
    arguments = parser.parse_args()
    duet = str(pathlib.Path(arguments.duet).resolve()) if os.sep in arguments.duet else arguments.duet
    with tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(arguments.table):
            if i:
                print()
            table = TABLES[name](Programs(duet, folder))
            if arguments.write:
                table.write(arguments.write / f"hu2016-{name}.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
