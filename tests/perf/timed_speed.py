#!/usr/bin/env python3
"""Speed and memory of timed execution on gtx480, on the five kernels of workloads/micro/kernels.cu, beside GPGPU-Sim's rates.
Usage: timed_speed.py [--duet PATH] [--runs N] [--json FILE]

The rate is that of the peer's work: warp instructions as GPGPU-Sim counts them (PTX instructions) over the wall time of the whole
`duet run` process, start-up included; medians. `x peer` is that rate over the peer's own on the same kind of machine, one core.
ns/SM-cycle: the wall time over cycles times SMs. MiB: the peak of the process less its buffers. Wants an idle machine; only prints."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import kernels

# n: cycles, warp instructions and K warp instructions/s of GPGPU-Sim 4.2 (SM2_GTX480, PTX mode) for the same PTX; None: not run.
# Where the peer was not run, the instructions are the machine instructions that were executed here.
PEER = {("vecadd", 65536): (4807, 45056, 23.9), ("vecadd", 1048576): (85737, 720896, 19.8),
        ("matmul", 128): (23451, 282624, 32.8), ("matmul", 256): (137919, 2179072, 23.7),
        ("hist", 262144): (10236, 86208, 29.7), ("hist", 4194304): (None, None, None),
        ("copyk", 1048576): (51659, 268864, 22.8), ("reduce", 1048576): (35766, 253976, 32.1)}
GOAL = {"vecadd": 40, "matmul": 60, "hist": 60, "copyk": 40, "reduce": 40}
BLOCKS, SMS = 60, 15
BYTES_PER_ELEMENT = {"vecadd": 12, "matmul": 12, "hist": 4, "copyk": 8, "reduce": 4}


def measure(duet, ptx, folder, name, n):
    """Wall seconds, peak KiB and statistics of one run."""
    command = kernels.command(duet, ptx, folder, name, n, n, BLOCKS, "--machine", "gtx480")
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status != 0:
        raise SystemExit("timed_speed.py: %s %d failed: %s" % (name, n, process.stderr.read().decode()))
    process.stderr.close()
    return wall, usage.ru_maxrss, kernels.statistics(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(kernels.ROOT / "build/bin/duet"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    print("%-8s %8s %8s %8s %8s %9s %8s %6s %5s %9s %5s" %
          ("kernel", "n", "cycles", "peer's", "ms", "K insn/s", "peer's", "x peer", "goal", "ns/SM-cyc", "MiB"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        for (name, n), (peer_cycles, peer_instructions, peer_rate) in PEER.items():
            walls, peaks = [], []
            for _ in range(options.runs):
                wall, peak, result = measure(options.duet, ptx, folder, name, n)
                walls.append(wall)
                peaks.append(peak)
            wall = statistics.median(walls)
            cycles = result["kernels"][0]["cycles"]
            instructions = peer_instructions or result["totals"]["warp_instructions"]
            rate = instructions / wall / 1e3
            elements = n * n if name == "matmul" else n
            mib = max(peaks) / 1024 - elements * BYTES_PER_ELEMENT[name] / 2**20
            row = {"kernel": name, "n": n, "cycles": cycles, "peer_cycles": peer_cycles, "wall_ms": wall * 1e3,
                   "kilo_warp_instructions_per_second": rate, "peer_kilo_warp_instructions_per_second": peer_rate,
                   "ratio": rate / peer_rate if peer_rate else None, "goal": GOAL[name] if peer_rate else None,
                   "ns_per_sm_cycle": wall * 1e9 / cycles / SMS, "peak_mib_without_buffers": mib}
            rows.append(row)
            dash = lambda form, value: "-" if value is None else form % value
            print("%-8s %8d %8d %8s %8.0f %9.0f %8s %6s %5s %9.1f %5.0f" %
                  (name, n, cycles, dash("%d", peer_cycles), wall * 1e3, rate, dash("%.1f", peer_rate), dash("%.1f", row["ratio"]),
                   dash("%d", row["goal"]), row["ns_per_sm_cycle"], mib), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=2)


if __name__ == "__main__":
    main()
