#!/usr/bin/env python3
"""The tables of docs/full-empty.md: runtimes of lustig2013's benchmarks with full/empty bits on machines that differ in one key.

Usage: tables.py [--duet PATH] [--table NAME]... [--jobs N]

NAME: machines, sizes, granularity, packets, queues, bits (default: all). A cell is t_finish - t_data_ready as a share of the baseline's on the
same machine at the same size, every element of the result checked; "still": the machine can make no progress (exit status 124);
"wrong": the check fails; "refused": the benchmark does not run so. Tables are in Markdown.
Exit status: 0 when no result is wrong."""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = ("vectorAdd", "matrixMul", "histogram64", "BlackScholes", "BFS", "HotSpot", "FIBLookup")
VARIANTS = ("overlap-start", "overlap-finish", "full-overlap")
SIZES = {"vectorAdd": (8192, 32768, 262144), "matrixMul": (32, 128, 256), "histogram64": (65536, 131072, 1048576),
         "BlackScholes": (8192, 16384, 262144), "BFS": (1024, 16384, 65536), "HotSpot": (32, 128, 256), "FIBLookup": (256, 2048, 8192)}


def keys(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]


class Runner:
    def __init__(self, duet, folder):
        self.duet, self.folder, self.programs, self.kept = duet, pathlib.Path(folder), {}, {}
        for name in BENCHMARKS:
            self.programs[name] = str(self.folder / name)
            subprocess.run([duet, "cc", str(ROOT / "workloads/lustig2013" / (name + ".cu")), "-o", self.programs[name]], check=True)

    def runtime(self, name, variant, machine, options, arguments):
        """Picoseconds; a word when there are none."""
        key = (name, variant, machine, tuple(options), tuple(arguments))
        if key in self.kept:
            return self.kept[key]
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            done = subprocess.run([self.duet, "run", "--quiet", "--machine", machine, "--out", out + "/out", *options,
                                   self.programs[name], "--variant", variant, *arguments], capture_output=True, text=True)
            if done.returncode == 0:
                marks = {m["name"]: m["time_ps"] for m in json.loads(pathlib.Path(out, "out/stats.json").read_text())["marks"]}
                result = marks["finish"] - marks["data ready"]
            else:
                result = {124: "still", 2: "refused", 125: "refused"}.get(done.returncode, "wrong")
        self.kept[key] = result
        return result

    def share(self, name, variant, machine="gtx580", options=(), arguments=()):
        base = self.runtime(name, "baseline", machine, list(options), list(arguments))
        own = self.runtime(name, variant, machine, list(options), list(arguments))
        return own if isinstance(own, str) else base if isinstance(base, str) else own / base


def print_table(title, head, rows):
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    sys.stdout.flush()


def mean(values):
    numbers = [v for v in values if isinstance(v, float)]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else "-"


def settings_table(runner, pool, title, first, settings, variant="full-overlap"):
    """One row a setting: (name, further cells, options, arguments of the program)."""
    rows = []
    for name, cells, options, arguments in settings:
        shares = list(pool.map(lambda b: runner.share(b, variant, "gtx580", options, arguments), BENCHMARKS))
        rows.append([name, *cells, *shares, mean(shares)])
    print_table(title, [*first, *BENCHMARKS, "mean"], rows)


def machines(runner, pool):
    for machine in ("gtx580", "llano"):
        jobs = [(b, v) for b in BENCHMARKS for v in VARIANTS]
        shares = dict(zip(jobs, pool.map(lambda j: runner.share(j[0], j[1], machine), jobs)))
        rows = [[b, f"{runner.runtime(b, 'baseline', machine, [], []) / 1e6:.1f}", *(shares[b, v] for v in VARIANTS)] for b in BENCHMARKS]
        columns = [[shares[b, v] for b in BENCHMARKS] for v in VARIANTS]
        rows.append(["mean", "", *(mean(column) for column in columns)])
        rows.append(["best", "", *(min(column) for column in columns)])
        print_table(f"Benchmarks and variants on {machine}", ["benchmark", "baseline us", *VARIANTS], rows)


def sizes(runner, pool):
    jobs = [(b, size, v) for b in BENCHMARKS for size in SIZES[b] for v in VARIANTS]
    shares = dict(zip(jobs, pool.map(lambda j: runner.share(j[0], j[2], "gtx580", [], ["--size", str(j[1])]), jobs)))
    rows = [[b, size, f"{runner.runtime(b, 'baseline', 'gtx580', [], ['--size', str(size)]) / 1e6:.1f}",
             *(shares[b, size, v] for v in VARIANTS)] for b in BENCHMARKS for size in SIZES[b]]
    print_table("Other sizes, gtx580", ["benchmark", "size", "baseline us", *VARIANTS], rows)


def granularity(runner, pool):
    rows = [(f"{g} B", [f"{100 / (8 * g):.3g} %"], keys(gpu__full_empty__granule_bytes=g), ["--granule", str(g)])
            for g in (4, 16, 64, 128, 256, 1024, 4096)]
    settings_table(runner, pool, "Granularity of tracking, full-overlap", ["granule", "bits / DRAM"], rows)


def packets(runner, pool):
    rows = [(f"{p} B", [], keys(link__packet_payload_bytes=p), []) for p in (4, 16, 64, 128, 256, 1024, 4096)]
    settings_table(runner, pool, "Granularity of transmission, full-overlap", ["packet"], rows)


def queues(runner, pool):
    rows = [(f"{q}", ["head"], keys(gpu__full_empty__queues=q), []) for q in (1, 2, 3, 4)]
    rows += [("3", [f"{a} entries"], keys(gpu__full_empty__look_ahead=a), []) for a in (4, 64)]
    rows += [("3, of 4 entries", ["head"], keys(gpu__full_empty__queue_entries=4), [])]
    rows += [("3", [f"head; refused after {n} tCK"], keys(gpu__full_empty__nack_cycles=n), []) for n in (500, 5000)]
    settings_table(runner, pool, "Queues of a controller, full-overlap", ["queues", "observed"], rows)


def bits(runner, pool):
    rows = [("beside the data (default)", [], [], []), ("in bursts of their own", [], keys(gpu__full_empty__bits="inline"), []),
            ("L1 keeps tracked words", [], keys(gpu__full_empty__loads_in_l1="true"), [])]
    settings_table(runner, pool, "Where bits lie and who keeps words, full-overlap", ["bits"], rows)


TABLES = {"machines": machines, "sizes": sizes, "granularity": granularity, "packets": packets, "queues": queues, "bits": bits}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(ROOT / "build/bin/duet"))
    parser.add_argument("--table", action="append", choices=TABLES)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="duet-tables-") as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options.duet, folder)
        for name in options.table or TABLES:
            TABLES[name](runner, pool)
    return 1 if "wrong" in runner.kept.values() else 0


if __name__ == "__main__":
    sys.exit(main())
