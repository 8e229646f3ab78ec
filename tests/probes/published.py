#!/usr/bin/env python3
"""Figures that are published of the processors that machine files describe, beside what the same measurement gives here.

    published.py --duet build/bin/duet --machine cortex-a15
    published.py --duet build/bin/duet --coremark FOLDER        # CoreMark's source, which is not part of this repository

STREAM's triad by McCalpin's rules, pointer chases as lmbench's lat_mem_rd (published.c), and CoreMark/MHz. Nothing of this is set from the
figure in its row; docs/results/machines.md says what each error means. --check fails where an error leaves the band that stands beside it: the
measurement has changed then, for better or worse, and the page with it.

CoreMark: cycles of 14 iterations less those of 4, from stats.json. A result that EEMBC would accept takes ten seconds; this one does not."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
MACHINES = ["xeon-e3-1245", "xeon-x7560", "cortex-a15", "a10-7850k"]
COMPILER = "riscv64-linux-gnu-gcc"

ANANDTECH = "AnandTech 3648, Xeon 7500: SiSoft Sandra 2010"
SBC_BENCH = "sbc-bench, Hardkernel-ODROID-XU4: Exynos 5422 at 2 GHz, LPDDR3-1650"
ANYBENCH = "EntityFX/anybench, doc/csv/coremark.csv"
# What, the program's words (None: CoreMark with this option), the published figure, its unit, its source, the error that is expected, in %.
# A chase of 0 bytes goes through four times the last cache.
ROWS = {
    "xeon-e3-1245": [
        ("CoreMark/MHz, -O3", "-O3", 22692.89 / 3800, "", ANYBENCH + ", Core i7-2600, at its highest clock (turbo), 3.8 GHz", (-26, -22)),
    ],
    "xeon-x7560": [
        ("triad, one thread", ["triad"], 5000, "MB/s", "AnandTech 3648, Xeon 7500: STREAM, one thread", (-3, 3)),
        ("L2 in pages", ["chase", 128 << 10, "page"], 9, "cycles", ANANDTECH, (12, 18)),
        ("L3 in pages", ["chase", 8 << 20, "page"], 63, "cycles", ANANDTECH, (-42, -36)),
        ("L3 anywhere", ["chase", 8 << 20, "random"], 63, "cycles", ANANDTECH, (-5, 1)),
        ("DRAM in pages", ["chase", 0, "page"], 160, "ns", ANANDTECH, (-37, -31)),
        ("DRAM anywhere", ["chase", 0, "random"], 160, "ns", ANANDTECH, (-5, 1)),
        ("CoreMark/MHz, -O3", "-O3", 9980.95 / 2133, "", ANYBENCH + ", Core i3-330M, 2.133 GHz: Westmere, Nehalem's successor", (-8, -4)),
    ],
    "cortex-a15": [
        ("memcpy", ["copy"], 2286.5, "MB/s", SBC_BENCH, (-79, -75)),
        ("16 MB anywhere", ["chase", 16 << 20, "random"], 174.8, "ns", SBC_BENCH, (-29, -23)),
    ],
    "a10-7850k": [],  # nothing was found that is of this part and measured so
}


class Machine:
    def __init__(self, duet, folder, name, sets):
        self.duet, self.folder, self.name = duet, folder, name
        self.options = [word for one in sets for word in ("--set", one)]
        text = subprocess.run([duet, "machines", "show", name, *self.options], check=True, capture_output=True, text=True).stdout
        self.cpu = tomllib.loads(text)["cpu"]
        self.mhz = self.cpu["clock_khz"] / 1000

    def last_cache(self):
        return max(level["sets"] * level["ways"] for level in (self.cpu["l1"], self.cpu["l2"], self.cpu["l3"])) * self.cpu["line_bytes"]

    def run(self, program, words, out):
        line = [self.duet, "run", "--quiet", "--host", "simulated", "--machine", self.name, *self.options, "--out", str(out), str(program),
                *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            sys.exit("%s: exit %d\n%s" % (" ".join(line), done.returncode, done.stderr[-1000:]))
        return done.stdout

    def probe(self, words, unit):
        words = list(words)
        if len(words) == 1:
            words.append(4 * self.last_cache())
        if words[1] == 0:
            words[1] = 4 * self.last_cache()
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            figure = float(self.run(self.folder / "published", words, pathlib.Path(out) / "out"))
        return figure * self.mhz / 1000 if unit == "cycles" else figure

    def coremark(self, source, option):
        program = self.folder / ("coremark" + option)
        if not program.exists():
            files = [source / f for f in ("core_list_join.c", "core_main.c", "core_matrix.c", "core_state.c", "core_util.c", "posix/core_portme.c")]
            subprocess.run([COMPILER, option, "-static", "-DPERFORMANCE_RUN=1", '-DFLAGS_STR=""', "-I", source, "-I", source / "posix", *files,
                            "-o", program], check=True)
        cycles = []
        for iterations in (4, 14):
            with tempfile.TemporaryDirectory(dir=self.folder) as out:
                self.run(program, ["0x0", "0x0", "0x66", iterations, 7, 1, 2000], pathlib.Path(out) / "out")
                cycles.append(json.loads((pathlib.Path(out) / "out/stats.json").read_text())["cores"][0]["cycles"])
        return 1e6 * 10 / (cycles[1] - cycles[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", action="append", choices=MACHINES, help="default: all")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of the machine")
    parser.add_argument("--coremark", type=pathlib.Path, help="a folder with CoreMark's source")
    parser.add_argument("--all", action="store_true", help="triad, chase and CoreMark where nothing is published, too")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            subprocess.run([COMPILER, "-O2", "-static", "-Wall", "-Werror", HERE / "published.c", "-o", folder / "published"], check=True)
        except FileNotFoundError:
            print("skipped: %s is not here" % COMPILER)
            return 77
        for machine in options.machine or MACHINES:
            on = Machine(str(pathlib.Path(options.duet).resolve()), folder, machine, options.set)
            rows = list(ROWS[machine])
            if options.all:
                rows += [("triad, one thread", ["triad"], None, "MB/s", "", None), ("DRAM in pages", ["chase", 0, "page"], None, "ns", "", None),
                         ("DRAM anywhere", ["chase", 0, "random"], None, "ns", "", None),
                         ("CoreMark/MHz, -O2", "-O2", None, "", "", None), ("CoreMark/MHz, -O3", "-O3", None, "", "", None)]
            for what, words, published, unit, source, band in rows:
                if isinstance(words, str):
                    if options.coremark is None:
                        continue
                    found = on.coremark(options.coremark, words)
                else:
                    found = on.probe(words, unit)
                error = None if published is None else 100 * (found / published - 1)
                good = band is None or error is None or band[0] <= error <= band[1]
                failures += not good
                print("%-14s %-20s %10.2f %10s %-7s %8s  %s%s" % (machine, what, found, "-" if published is None else "%.2f" % published, unit,
                                                                 "" if error is None else "%+.0f %%" % error, source,
                                                                 "" if good else "  FAILED: expected from %+d to %+d %%" % band), flush=True)
    return 1 if failures and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
