#!/usr/bin/env python3
"""Tables of docs/results/lustig2013.md: runtimes of lustig2013's benchmarks with full/empty bits on machines that differ in one key, and of the
programs in workloads/lustig2013/extensions with and without what they show.

Usage: tables.py [--duet PATH] [--table NAME]... [--jobs N] [--write FOLDER]

NAME: machines, sizes, granularity, packets, queues, bits, region, reuse, override, hand_over (default: all). A cell is
t_finish - t_data_ready as a share of the baseline's on the same machine at the same size (the last three tables: microseconds), every element
of the result checked; "still": the machine can make no progress (exit status 124); "wrong": the check fails; "refused": the benchmark does not
run so, or finds no tracked memory. Tables are in Markdown; --write leaves each as
FOLDER/lustig2013-NAME.json, say in docs/results/data.
Exit status: 0 when no result is wrong."""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))
import data_file  # noqa: E402

BENCHMARKS = ("vectorAdd", "matrixMul", "histogram64", "BlackScholes", "BFS", "HotSpot", "FIBLookup")
VARIANTS = ("overlap-start", "overlap-finish", "full-overlap")
SIZES = {"vectorAdd": (8192, 32768, 262144), "matrixMul": (32, 128, 256), "histogram64": (65536, 131072, 1048576),
         "BlackScholes": (8192, 16384, 262144), "BFS": (1024, 16384, 65536), "HotSpot": (32, 128, 256), "FIBLookup": (256, 2048, 8192)}


def keys(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]


class Runner:
    def __init__(self, duet, folder):
        self.duet, self.folder, self.programs, self.kept, self.lock = duet, pathlib.Path(folder), {}, {}, threading.Lock()

    def compiled(self, name):
        with self.lock:
            if name not in self.programs:
                self.programs[name] = str(self.folder / name.replace("/", "-"))
                source = str(ROOT / "workloads/lustig2013" / (name + ".cu"))
                subprocess.run([self.duet, "cc", source, "-o", self.programs[name]], check=True)
            return self.programs[name]

    def run(self, name, machine, options, arguments):
        """Picoseconds, or a word when there are none; stats.json; standard output."""
        key = (name, machine, tuple(options), tuple(arguments))
        if key in self.kept:
            return self.kept[key]
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            done = subprocess.run([self.duet, "run", "--quiet", "--machine", machine, "--out", out + "/out", *options,
                                   self.compiled(name), *arguments], capture_output=True, text=True)
            stats = None
            if done.returncode == 0:
                stats = json.loads(pathlib.Path(out, "out/stats.json").read_text())
                marks = {m["name"]: m["time_ps"] for m in stats["marks"]}
                result = marks["finish"] - marks["data ready"]
            elif "cudaErrorMemoryAllocation" in done.stderr:
                result = "refused"
            else:
                result = {124: "still", 2: "refused", 125: "refused"}.get(done.returncode, "wrong")
        self.kept[key] = result, stats, done.stdout
        return self.kept[key]

    def runtime(self, name, variant, machine, options, arguments):
        return self.run(name, machine, options, ["--variant", variant, *arguments])[0]

    def microseconds(self, name, way, options=(), arguments=()):
        time = self.run("extensions/" + name, "gtx580", list(options), ["--way", way, *arguments])[0]
        return time if isinstance(time, str) else time / 1e6

    def share(self, name, variant, machine="gtx580", options=(), arguments=()):
        base = self.runtime(name, "baseline", machine, list(options), list(arguments))
        own = self.runtime(name, variant, machine, list(options), list(arguments))
        return own if isinstance(own, str) else base if isinstance(base, str) else own / base


def print_table(title, head, rows):
    print(f"\n### {title}\n")
    table = data_file.Table(head)
    for row in rows:
        table.row(*row)
    return table


def mean(values):
    numbers = [v for v in values if isinstance(v, float)]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else "-"


def settings_table(runner, pool, title, first, settings, variant="full-overlap"):
    """One row a setting: (name, further cells, options, arguments of the program)."""
    rows = []
    for name, cells, options, arguments in settings:
        shares = list(pool.map(lambda b: runner.share(b, variant, "gtx580", options, arguments), BENCHMARKS))
        rows.append([name, *cells, *shares, mean(shares)])
    return print_table(title, [*first, *BENCHMARKS, "mean"], rows)


def machines(runner, pool):
    """Both machines side by side: a row is a benchmark, then the mean and the best of its column."""
    head, rows = ["benchmark"], [[b] for b in (*BENCHMARKS, "mean", "best")]
    for machine in ("gtx580", "llano"):
        head += [f"{machine} us", *VARIANTS]
        jobs = [(b, v) for b in BENCHMARKS for v in VARIANTS]
        shares = dict(zip(jobs, pool.map(lambda j: runner.share(j[0], j[1], machine), jobs)))
        for row, b in zip(rows, BENCHMARKS):
            row += [f"{runner.runtime(b, 'baseline', machine, [], []) / 1e6:.1f}", *(shares[b, v] for v in VARIANTS)]
        columns = [[shares[b, v] for b in BENCHMARKS] for v in VARIANTS]
        rows[-2] += ["", *(mean(column) for column in columns)]
        rows[-1] += ["", *(min(column) for column in columns)]
    return print_table("Benchmarks and variants", head, rows)


def sizes(runner, pool):
    jobs = [(b, size, v) for b in BENCHMARKS for size in SIZES[b] for v in VARIANTS]
    shares = dict(zip(jobs, pool.map(lambda j: runner.share(j[0], j[2], "gtx580", [], ["--size", str(j[1])]), jobs)))
    rows = [[b, size, f"{runner.runtime(b, 'baseline', 'gtx580', [], ['--size', str(size)]) / 1e6:.1f}",
             *(shares[b, size, v] for v in VARIANTS)] for b in BENCHMARKS for size in SIZES[b]]
    return print_table("Other sizes, gtx580", ["benchmark", "size", "baseline us", *VARIANTS], rows)


def granularity(runner, pool):
    rows = [(f"{g} B", [f"{100 / (8 * g):.3g} %"], keys(gpu__full_empty__granule_bytes=g), ["--granule", str(g)])
            for g in (4, 16, 64, 128, 256, 1024, 4096)]
    return settings_table(runner, pool, "Granularity of tracking, full-overlap", ["granule", "bits / DRAM"], rows)


def packets(runner, pool):
    rows = [(f"{p} B", [], keys(link__packet_payload_bytes=p), []) for p in (4, 16, 64, 128, 256, 1024, 4096)]
    return settings_table(runner, pool, "Granularity of transmission, full-overlap", ["packet"], rows)


def queues(runner, pool):
    rows = [(f"{q}", ["head"], keys(gpu__full_empty__queues=q), []) for q in (1, 2, 3, 4)]
    rows += [("3", [f"{a} entries"], keys(gpu__full_empty__look_ahead=a), []) for a in (4, 64)]
    rows += [("3, of 4 entries", ["head"], keys(gpu__full_empty__queue_entries=4), [])]
    rows += [("3", [f"head; refused after {n} tCK"], keys(gpu__full_empty__nack_cycles=n), []) for n in (500, 5000)]
    return settings_table(runner, pool, "Queues of a controller, full-overlap", ["queues", "observed"], rows)


def bits(runner, pool):
    rows = [("beside the data (default)", [], [], []), ("in bursts of their own", [], keys(gpu__full_empty__bits="inline"), []),
            ("loads past L1", [], keys(gpu__full_empty__loads_in_l1="false"), [])]
    return settings_table(runner, pool, "Where bits lie and who keeps words, full-overlap", ["bits"], rows)


def region(runner, pool):
    """Each benchmark in the fastest variant for whose arrays there is tracked memory."""
    def cell(job):
        benchmark, options = job
        shares = {v: runner.share(benchmark, v, "gtx580", options) for v in VARIANTS}
        numbers = {v: share for v, share in shares.items() if isinstance(share, float)}
        if len(numbers) + list(shares.values()).count("refused") != len(shares):
            return "wrong"
        if "full-overlap" in numbers:
            return numbers["full-overlap"]
        best = min(numbers, key=numbers.get, default=None)
        return 1.0 if best is None else f"{numbers[best]:.3f} {best.split('-')[1][0]}"

    rows = []
    for size, name in ((16384, "16 KiB"), (65536, "64 KiB"), (262144, "256 KiB"), (1048576, "1 MiB"), (0, "all memory")):
        cells = list(pool.map(cell, [(b, keys(gpu__full_empty__region_bytes=size) if size else []) for b in BENCHMARKS]))
        average = mean([float(str(c).split()[0]) for c in cells]) if "wrong" not in cells else "-"
        rows.append([name, f"{size // 32} B" if size else "3.12 %", *cells, average])
    tracked = []
    for benchmark in BENCHMARKS:
        stats = runner.run(benchmark, "gtx580", [], ["--variant", "full-overlap"])[1]
        begin = max(m["time_ps"] for m in stats["marks"] if m["name"] == "offload")  # warm-ups empty the same words
        emptied = [c["bytes"] for c in stats["copies"] if c["kind"] == "full_empty_set" and c["queued_ps"] >= begin]
        tracked.append(f"{sum(emptied) / 1024:.1f} KiB")
    rows.append(["tracked by full-overlap", "", *tracked, ""])
    return print_table("A bounded region of bits, the fastest variant that fits", ["region", "bits", *BENCHMARKS, "mean"], rows)


def ways_table(runner, pool, title, first, program, ways, settings, per=lambda arguments: 1):
    """One row a setting: (cells, arguments of the program, options by way)."""
    rows = []
    for cells, arguments, options in settings:
        times = pool.map(lambda w: runner.microseconds(program, w, options(w), arguments), ways)
        rows.append([*cells, *(t if isinstance(t, str) else f"{t / per(arguments):.1f}" for t in times)])
    return print_table(title, [*first, *ways], rows)


def reuse(runner, pool):
    settings = []
    for words, work, frames in ((8192, 16, 16), (65536, 100, 8)):
        for consumers in (1, 2, 4):
            settings.append(([f"{words // 256} KiB", work, consumers],
                             ["--size", str(words), "--work", str(work), "--frames", str(frames), "--consumers", str(consumers)],
                             lambda way, n=consumers: keys(gpu__front_end__hardware_channels=4,
                                                           gpu__full_empty__reads_per_fill=n if way == "counter" else 1)))
    return ways_table(runner, pool, "A buffer that is read more than once and refilled, us a frame", ["frame", "work", "readers"], "reuse",
               ("counter", "kernel-end", "set", "host", "none", "double"), settings, lambda arguments: int(arguments[5]))


def override(runner, pool):
    sizes = (4096, 16384, 65536, 262144, 1048576)
    table = ways_table(runner, pool, "A kernel that waits is let go, us from there to its end", ["data", "lines"], "override",
               ("set", "copy", "launch", "release"), [([f"{n // 1024} KiB", n // 128], ["--size", str(n)], lambda way: []) for n in sizes])
    print("commands of release:", *(runner.run("extensions/override", "gtx580", [], ["--way", "release", "--size", str(n)])[2].split()[1]
                                    for n in sizes))
    return table


def hand_over(runner, pool):
    settings = [([blocks * 128, values, work], ["--blocks", str(blocks), "--values", str(values), "--work", str(work)],
                 lambda way: keys(gpu__full_empty__look_ahead=64) if way == "ring" else [])
                for blocks, values, work in ((16, 64, 0), (16, 64, 16), (16, 64, 64), (64, 64, 16), (16, 512, 16))]
    return ways_table(runner, pool, "From kernel to kernel, us", ["channels", "values of each", "work"], "hand_over",
               ("array", "fixed", "ring", "flags", "kernels"), settings)


TABLES = {"machines": machines, "sizes": sizes, "granularity": granularity, "packets": packets, "queues": queues, "bits": bits,
          "region": region, "reuse": reuse, "override": override, "hand_over": hand_over}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(ROOT / "build/bin/duet"))
    parser.add_argument("--table", action="append", choices=TABLES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=data_file.target)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="duet-tables-") as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options.duet, folder)
        for name in options.table or TABLES:
            table = TABLES[name](runner, pool)
            if options.write:
                table.write(options.write / f"lustig2013-{name.replace('_', '-')}.json")
    return 1 if any(result == "wrong" for result, _, _ in runner.kept.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
