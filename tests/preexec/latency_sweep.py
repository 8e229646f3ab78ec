#!/usr/bin/env python3
"""From which latency on pre-execution pays: kernels of workloads/yang2012, cold, without and with it, on machines whose memory is further away.

    latency_sweep.py --duet build/bin/duet --machine fused --add 0 100 200 400 800            DRAM's controllers take so many ns more
    latency_sweep.py --duet build/bin/duet --machine mi300a --where level --add 0 100 200     the ways to the shared level do, both together

Only the latency changes: registers and bandwidth stay. For each point and program: how much faster the kernels are with --preexec
adaptive (their time without over their time with, less 1), DRAM's rate without, the GPU's reads that hit the level with. `bound` is the same
with a level that always hits (level[0].perfect=true). By hand: minutes.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import tomllib

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads/yang2012"
COLD = ["--start", "cold", "--scratch", "8388608"]
PROGRAMS = {  # smaller than Table 1 where that changes no more than the length
    "VecAdd": ["--size", "262144"],
    "TMV": [],
    "FFT": ["--size", "262144", "--passes", "1"],
    "MV": [],
    "MonteCarlo": [],
}
VARIANTS = {"off": ["--preexec", "off"], "adaptive": ["--preexec", "adaptive"], "bound": ["--set", "level[0].perfect=true"]}


def key_of(where: str, machine: dict, added_ns: int) -> str:
    """The key and value that make the machine's memory so much further away."""
    if where == "dram":
        dram = machine["gpu"]["dram"]
        return f"gpu.dram.controller_cycles={dram['controller_cycles'] + round(added_ns * dram['command_clock_khz'] / 1e6)}"
    level = machine["level"][0]
    return f"level[0].wire_cycles={level['wire_cycles'] + round(added_ns * level['interconnect']['clock_khz'] / 2e6)}"


def run(duet: str, machine: str, program: pathlib.Path, options: list[str], folder: pathlib.Path) -> list[dict]:
    """The kernels of the program, but for the one that makes its start cold."""
    command = [duet, "run", "--quiet", "--machine", machine, "--out", str(folder), *options, str(program), *PROGRAMS[program.name], *COLD]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [k for k in json.loads((folder / "stats.json").read_text())["kernels"] if k["name"] != "cold_stream"]


def time_of(kernels: list[dict]) -> int:
    return sum(k["end_ps"] - k["start_ps"] for k in kernels)


def count(kernels: list[dict], name: str) -> int:
    return sum(k["counters"].get(name, 0) for k in kernels)


def point(arguments: argparse.Namespace, key: str, program: pathlib.Path, folder: pathlib.Path) -> dict:
    runs = {name: run(arguments.duet, arguments.machine, program, [*options, "--set", key], folder) for name, options in VARIANTS.items()}
    off, adaptive = runs["off"], runs["adaptive"]
    reads = [count(adaptive, f"l3.gpu_read_{what}") for what in ("hits", "merges", "misses")]
    moved = count(off, "dram.data_bus_busy_cycles") * arguments.bytes_a_cycle
    fills = count(adaptive, "l3.processor_fills")
    return {"program": program.name, "us": time_of(off) / 1e6, "gain": time_of(off) / time_of(adaptive) - 1, "bound": time_of(off) / time_of(runs["bound"]) - 1,
            "gb_per_s": moved * 1e3 / time_of(off), "hits": reads[0] / max(1, sum(reads)), "fills": fills,
            "used": count(adaptive, "l3.processor_fills_used") / max(1, fills)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--machine", default="fused")
    parser.add_argument("--where", choices=["dram", "level"], default="dram")
    parser.add_argument("--add", type=int, nargs="+", default=[0, 100, 200, 400, 800], metavar="NS")
    parser.add_argument("--only", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    shown = subprocess.run([arguments.duet, "machines", "show", arguments.machine], check=True, capture_output=True, text=True).stdout
    machine = tomllib.loads(shown)
    arguments.bytes_a_cycle = machine["gpu"]["dram"]["burst_bytes"] / machine["gpu"]["dram"]["burst_cycles"]
    points = []
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for name in arguments.only:
            subprocess.run([arguments.duet, "cc", str(WORKLOADS / f"{name}.cu"), "-o", str(place / name)], check=True)
        print("| ns more | key | program | us without | gain | bound | DRAM, GB/s | reads that hit | lines brought, used |\n|---|---|---|---|---|---|---|---|---|")
        for added in arguments.add:
            key = key_of(arguments.where, machine, added)
            for name in arguments.only:
                p = {"added_ns": added, "key": key, **point(arguments, key, place / name, place / "out")}
                points.append(p)
                print(f"| {added} | `{key}` | {name} | {p['us']:.1f} | {100 * p['gain']:+.1f} % | {100 * p['bound']:+.1f} % | {p['gb_per_s']:.1f} |"
                      f" {100 * p['hits']:.0f} % | {p['fills']:,}, {100 * p['used']:.0f} % |", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(points, indent=1) + "\n")


if __name__ == "__main__":
    main()
