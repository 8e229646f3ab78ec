#!/usr/bin/env python3
"""What adaptive pre-execution gains on machines that differ in one thing: yang2012's nine benchmarks, without and with it, at Table 1's sizes.

    yang2012_sweep.py --duet build/bin/duet mechanisms --out docs/results/data/yang2012-mechanisms.json
    yang2012_sweep.py --duet build/bin/duet interleave --only VD BSc TMV            some benchmarks, to the terminal
    yang2012_sweep.py --duet build/bin/duet --list                                   sweeps and their points

A point is a machine and keys. A row has its mean gain in %, each benchmark's, and without pre-execution the mean share of time in which DRAM moves
data, the mean rate of the GPU's reads that hit L3, and BitonicSort's IPC; with it, how many lines the GPU asks L3 for while the core asks for one in
VecAdd (Figure 4). With --starts N gains and this ratio are medians over N starts (--offset of the programs, later launches). By hand: a quarter of an
hour a sweep and start on two cores.
"""
import argparse
import concurrent.futures
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "tests/judges"))
import preexec_rows  # noqa: E402

PROGRAMS = {
    "BSc": "BlackScholes",
    "VD": "VecAdd",
    "FFT": "FFT",
    "MM": "MM",
    "Con": "Convolution",
    "TMV": "TMV",
    "BS": "BitonicSort",
    "MC": "MonteCarlo",
    "MV": "MV",
}

LATENCIES = {"integer_multiply": (25, 4), "integer_division": (145, 32), "special_function": (30, 5)}


def latencies(of_2012: bool) -> list[str]:
    return [f"gpu.sm.{name}.{key}={1 if of_2012 else value}" for name, values in LATENCIES.items()
            for key, value in zip(("latency_cycles", "interval_cycles"), values)]


# What fused-2012 has and fused has not: the keys that bring it to fused, and those that take it from fused-2012.
MECHANISMS = {
    "channels of 8 KB, 4 banks": (["gpu.dram.interleave_bytes=8192", "gpu.dram.banks=4"], ["gpu.dram.interleave_bytes=256", "gpu.dram.banks=8"]),
    "one pool of pending requests": (["level[0].pending_requests=124"], ["level[0].pending_requests=0"]),
    "warps that wait for their last instruction": (["gpu.sm.blocking_issue=true", "gpu.sm.commit_cycles=5", "gpu.sm.load_store_queue=1"],
                                                   ["gpu.sm.blocking_issue=false", "gpu.sm.load_store_queue=8"]),
    "half-warps, 64 requests an SM": (["gpu.sm.coalesced_threads=16", "gpu.sm.memory_requests=64"], ["gpu.sm.coalesced_threads=0", "gpu.sm.memory_requests=0"]),
    "no latencies of opcodes": (latencies(True), latencies(False)),
    "48 loads and 124 misses of the core": (["cpu.l1.misses=48", "cpu.l2.misses=124"], ["cpu.l1.misses=16", "cpu.l2.misses=32"]),
    "64 bytes a cycle from L2": (["gpu.interconnect.flit_bytes=64"], ["gpu.interconnect.flit_bytes=32"]),
    "an L1 of one way": (["gpu.l1.sets=256", "gpu.l1.ways=1"], ["gpu.l1.sets=64", "gpu.l1.ways=4"]),
}
DOUBLE = ["gpu.dram.burst_cycles=4", "gpu.dram.timing.ccd=4", "gpu.dram.timing.ccd_l=4"]
# Sweeps: point, machine, keys of the machine, parameters of the program.
SWEEPS = {
    "mechanisms": [("`fused`", "fused", [], [])] + [(f"with {name}", "fused", keys[0], []) for name, keys in MECHANISMS.items()] +
                  [("`fused-2012`", "fused-2012", [], [])] + [(f"without {name}", "fused-2012", keys[1], []) for name, keys in MECHANISMS.items()],
    "interleave": [(name, "fused-2012", keys, []) for name, keys in {
        "256 bytes": ["gpu.dram.interleave_bytes=256"],
        "1 KB": ["gpu.dram.interleave_bytes=1024"],
        "1 KB, banks below the channel": ["gpu.dram.interleave_bytes=1024", "gpu.dram.address_fields=row column:3 bank:2 column:8"],
        "2 KB": ["gpu.dram.interleave_bytes=2048"],
        "4 KB": ["gpu.dram.interleave_bytes=4096"],
        "8 KB": [],
        "8 KB, channels hashed": ["gpu.dram.hash_channels=true"],
    }.items()],
    "pending": [(f"{entries} pending requests", "fused-2012", [f"level[0].pending_requests={entries}"], []) for entries in (48, 80, 124, 256, 512)],
    "misses": [(f"{4 * mshrs} misses of L2", "fused-2012", [f"gpu.l2.mshrs={mshrs}"], []) for mshrs in (2, 4, 8, 12, 16, 32, 64)],
    "lead": [(name, "fused-2012", [], keys) for name, keys in {
        "as far ahead as it comes": [],
        "one wave ahead": ["waves_ahead=1"],
        "two waves ahead": ["waves_ahead=2"],
        "from the second wave on": ["first_wave=1"],
        "skip_factor up to 200": ["skip_factor_most=200"],
    }.items()],
    # Section 5.3 has BitonicSort's IPC close to 90, without pre-execution.
    "ninety": [(name, "fused-2012", keys, []) for name, keys in {
        "8 KB": [],
        "8 KB, 38.4 GB/s": DOUBLE,
        "4 KB, 38.4 GB/s": ["gpu.dram.interleave_bytes=4096", *DOUBLE],
        "2 KB, 38.4 GB/s": ["gpu.dram.interleave_bytes=2048", *DOUBLE],
        "1 KB, 38.4 GB/s": ["gpu.dram.interleave_bytes=1024", *DOUBLE],
        "256 bytes, 38.4 GB/s": ["gpu.dram.interleave_bytes=256", *DOUBLE],
        "256 bytes, 38.4 GB/s, 64 misses of L2": ["gpu.dram.interleave_bytes=256", "gpu.l2.mshrs=16", *DOUBLE],
        "256 bytes, 38.4 GB/s, 256 misses of L2, 512 pending requests":
            ["gpu.dram.interleave_bytes=256", "gpu.l2.mshrs=64", "level[0].pending_requests=512", *DOUBLE],
    }.items()],
}


def arguments_of(benchmark: str) -> list[str]:
    """What the choices of experiments/yang2012 give the program."""
    choices = tomllib.loads((ROOT / "experiments/yang2012/choices.toml").read_text())["choice"]
    return [word for choice in choices if benchmark in choice.get("benchmarks", PROGRAMS) for word in choice.get("on_value", {}).get("options", [])]


def requests_ratio(kernel: dict) -> float:
    """Figure 4: the GPU's requests at L3 in a time, as a multiple of the core's while its program ran."""
    program = kernel["preexecution"]
    gpu = sum(kernel["counters"].get(f"l3.gpu_read_{how}", 0) for how in ("hits", "merges", "misses"))
    ran = (program["ended_ps"] or kernel["end_ps"]) - program["started_ps"]
    return gpu / (kernel["end_ps"] - kernel["start_ps"]) / (program["requests"] / ran)


def run(duet: str, program: pathlib.Path, arguments: list[str], machine: str, keys: list[str], preexec: list[str] | None, start: int) -> dict:
    """Of the kernels but the one that makes the start cold."""
    keys = [*([f"driver.launch.call_ns={100 + 13 * start}"] if start else []), *keys]
    words = [f"--set={key}" for key in keys] + ([] if preexec is None else ["--preexec", "adaptive", *(f"--preexec-set={key}" for key in preexec)])
    with tempfile.TemporaryDirectory() as folder:
        command = [duet, "run", "--quiet", "--no-html", "--trace-detail", "none", "--machine", machine, *words, "--out", folder + "/out", str(program), *arguments,
                   *(["--offset", str(2304 * start)] if start else [])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()[-300:]}")
        stats = json.loads(pathlib.Path(folder, "out/stats.json").read_text())
        described = tomllib.loads(pathlib.Path(folder, "out/machine.toml").read_text())
    kernels = [kernel for kernel in stats["kernels"] if kernel["name"] != "cold_stream"]
    cycles = sum(kernel["cycles"] for kernel in kernels)
    return {"cycles": cycles, "ipc": sum(kernel["thread_instructions"] for kernel in kernels) / cycles,
            "ratio": requests_ratio(kernels[0]) if preexec is not None else 0, "kernels": kernels, "machine": described}


def row_of(point: tuple, programs: dict[str, pathlib.Path], options: argparse.Namespace, pool: concurrent.futures.Executor) -> list:
    name, machine, keys, preexec = point
    runs = {(benchmark, way, start): pool.submit(run, options.duet, path, arguments_of(benchmark), machine, keys, way, start)
            for benchmark, path in programs.items() for start in range(options.starts) for way in (None, tuple(preexec))}
    gains, busy, rates, bs, ratio = [], [], [], "-", "-"
    for benchmark in programs:
        pairs = [(runs[benchmark, None, start].result(), runs[benchmark, tuple(preexec), start].result()) for start in range(options.starts)]
        gains.append(statistics.median(100 * (off["cycles"] / on["cycles"] - 1) for off, on in pairs))
        off = pairs[0][0]
        busy.append(100 * preexec_rows.dram_busy(off["kernels"], off["machine"]))
        rates.append(100 * preexec_rows.hit_share(off["kernels"]))
        if benchmark == "BS":
            bs = f"{pairs[0][0]['ipc']:.1f}"
        if benchmark == "VD":
            ratio = f"{statistics.median(on['ratio'] for _, on in pairs):.2f}"
    row = [name, f"{statistics.mean(gains):.1f}", *(f"{gain:.1f}" for gain in gains), f"{statistics.mean(busy):.0f} %", f"{statistics.mean(rates):.0f} %", bs, ratio]
    print("  ".join(row), flush=True)
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("sweep", nargs="?", choices=SWEEPS)
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    if options.list or options.sweep is None:
        for name, points in SWEEPS.items():
            print(f"{name}: {', '.join(point[0] for point in points)}")
        return 0
    options.duet = str(pathlib.Path(options.duet).resolve())
    columns = ["", "mean", *options.only, "DRAM busy, off", "hits, off", "IPC of BS, off", "requests, VD"]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        programs = {}
        for benchmark in options.only:
            programs[benchmark] = pathlib.Path(folder, PROGRAMS[benchmark])
            subprocess.run([options.duet, "cc", ROOT / f"workloads/yang2012/{PROGRAMS[benchmark]}.cu", "-o", programs[benchmark]], check=True)
        print("  ".join(columns), flush=True)
        rows = [row_of(point, programs, options, pool) for point in SWEEPS[options.sweep]]
    if options.out:
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        command = f"tests/claims/yang2012_sweep.py {options.sweep} --starts {options.starts}"
        options.out.write_text(json.dumps({"command": command, "commit": commit, "host": "any: simulated time does not depend on it",
                                           "date": datetime.date.today().isoformat(), "columns": columns, "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
