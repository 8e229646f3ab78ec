#!/usr/bin/env python3
"""Each unit of a GPU as a program sees it (units.cu), beside what is published.

    units.py --duet build/bin/duet --machine h100 --check      # fails where an error leaves its band
    units.py --duet build/bin/duet --large --write FILE        # the table of docs/results/machines.md

--large: moves of more bytes than L2 holds, a minute on h100.

A row: what, unit of measure, the published figure, the band of our error in %, the source. A band holds our error, and says so where it is
large. Nothing is known of a row without a figure. A rate counts results a cycle and SM; gtx580's cycle is two of its shader clock."""

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "experiments"))
import data_file  # noqa: E402
from machine_run import Runner  # noqa: E402

GUIDE2 = "guide 4.2"  # CUDA C programming guide, throughput of 2.x, of two shader clocks
GUIDE9 = "guide 13"   # CUDA C++ programming guide, throughput of 9.0
REAL = "a real H100"  # tests/golden/h100.json
VOLTA = "Jia 2018"    # Dissecting the Volta architecture via microbenchmarking, recalled
SYNC = "Zhang 2020"   # A study of synchronization methods in NVIDIA GPUs, V100, recalled
# The guide's rates are peaks: a loop and its beginning cost up to a sixth of them here.
PEAK = (-17, 0)
UNKNOWN = (None, None, "")
MOVED = 16 << 20
LARGE = {"h100": 128 << 20}
# Of moves of LARGE bytes; those of MOVED stay in L2.
LARGE_BANDS = {("h100", "device_to_device"): (5, 25), ("h100", "memset"): (45, 60)}

ROWS = {
    "gtx580": {
        "fma.f32": ((11, (0, 2), "guide 4.2"), (64, PEAK, GUIDE2)),
        "fma.f64": (UNKNOWN, (8, PEAK, GUIDE2)),
        "add.s32": ((11, (0, 2), "guide 4.2"), (64, PEAK, GUIDE2)),
        "mad.lo.s32": ((11, (0, 2), "guide 4.2"), (32, PEAK, GUIDE2)),
        "shf.b32": (UNKNOWN, (32, PEAK, GUIDE2)),
        "rsqrt.approx.f32": (UNKNOWN, (8, PEAK, GUIDE2)),
        "popc.b32": (UNKNOWN, (32, PEAK, GUIDE2)),
        "clz.b32": (UNKNOWN, (32, PEAK, GUIDE2)),
        "brev.b32": (UNKNOWN, (32, PEAK, GUIDE2)),
        "cvt.s32.f32": (UNKNOWN, (32, PEAK, GUIDE2)),
        "ld.shared": ((25, (10, 14), "Mei and Chu, GTX 560 Ti"), (32, PEAK, GUIDE2)),
        "bar.sync": ((10, (0, 5), "Wong 2010, GT200"), UNKNOWN),
        "device_to_device": (93, (-12, -4), "bandwidthTest, recalled"),
        "memset": UNKNOWN,
        "to_device_pinned": (6.8, (-1, 1), "lustig2013 6.1 (set)"),
        "to_device_pageable": (4.69, (-1, 1), "bandwidthTest (set)"),
    },
    "h100": {
        "fma.f32": ((4.16, (-4, 1), REAL), (128, (-20, 0), GUIDE9)),
        "fma.f64": ((8.06, (-1, 2), REAL), (64, PEAK, GUIDE9)),
        "fma.f16x2": (UNKNOWN, (256, PEAK, GUIDE9)),
        "add.s32": ((4, (0, 5), VOLTA), (64, PEAK, GUIDE9)),
        "mad.lo.s32": ((4.15, (-4, 1), REAL), (64, PEAK, GUIDE9)),
        "shf.b32": ((4, (0, 5), VOLTA), (64, PEAK, GUIDE9)),
        "min.s32": ((4, (0, 5), VOLTA), (64, PEAK, GUIDE9)),
        "rsqrt.approx.f32": (UNKNOWN, (16, PEAK, GUIDE9)),
        "popc.b32": ((10, (38, 42), VOLTA), (16, PEAK, GUIDE9)),
        "clz.b32": (UNKNOWN, (16, PEAK, GUIDE9)),
        "brev.b32": ((14, (-1, 2), VOLTA), (16, PEAK, GUIDE9)),
        "cvt.s32.f32": ((23.01, (2, 6), REAL), (64, (-20, 0), GUIDE9)),
        "shfl.sync": ((23, (-2, 2), VOLTA), (32, PEAK, GUIDE9)),
        "ld.shared": ((23, (-2, 2), REAL), (32, PEAK, GUIDE9)),
        "bar.sync": ((22, (-1, 3), SYNC), (15.2, (-25, -15), SYNC)),
        "launch": (2.5, (-12, 8), "2.3 to 2.7, P100 to A100"),
        "launch_and_synchronize": (8.5, (-18, 18), "7 to 10, P100 to A100"),
        "device_to_device": (1146, (85, 105), REAL + ", a kernel"),  # L2 holds MOVED
        "memset": (1661, (45, 60), REAL + ", a kernel"),
        "to_device_pinned": (57.1, (-1, 1), "(set)"),
        "to_device_pageable": (8, (-2, 2), "rapidsai/kvikio 456 (set)"),
    },
    "gtx480": {
        "fma.f32": ((11, (0, 2), "GPGPU-Sim, measured"), UNKNOWN),
        "add.s32": ((10, (0, 2), "GPGPU-Sim, measured"), UNKNOWN),
        "mad.lo.s32": ((11, (0, 2), "GPGPU-Sim, measured"), UNKNOWN),
        "fma.f64": ((14, (0, 30), "GPGPU-Sim, measured"), UNKNOWN),
        "ld.shared": ((32, (-1, 1), "GPGPU-Sim, measured"), UNKNOWN),
    },
    "llano": {},
    "fused": {},
    "gh200-shared": {},
    "mi300a": {},
}


def measured(runner, program, moved):
    """name: (cycles, rate) of a unit, or a figure."""
    result = {}
    for words in (("sm",), ("launches",), ("moves", moved)):
        for line in runner.program(program, *words)[1]:
            name, *figures = line.split()
            result[name] = tuple(map(float, figures)) if len(figures) == 2 else float(figures[0])
    return result


def failures_of(machine, what, value, published):
    figure, band, _ = published
    error = 0 if figure is None else 100 * (value / figure - 1)
    if figure is None or band[0] <= error <= band[1]:
        return []
    return [f"{machine}: {what}: {value} beside {figure}, {error:+.1f} % is not in {band}"]


def text(figure):
    return "–" if figure is None else f"{figure:g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", choices=ROWS, action="append")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--write", type=data_file.target)
    own = parser.parse_args()
    table = data_file.Table(["machine", "", "cycles", "published", "a cycle and SM", "published", "source"])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for machine in own.machine or ROWS:
            runner = Runner(own.duet, folder, machine)
            program = runner.compile(HERE / "units.cu", "-arch=sm_75", "-O2")
            for name, ours in measured(runner, program, LARGE.get(machine, MOVED) if own.large else MOVED).items():
                published = ROWS[machine].get(name)
                if isinstance(ours, tuple):
                    latency, rate = published or (UNKNOWN, UNKNOWN)
                    failures += failures_of(machine, name + ", cycles", ours[0], latency) + failures_of(machine, name + ", rate", ours[1], rate)
                    sources = "; ".join(dict.fromkeys(source for source in (latency[2], rate[2]) if source))
                    table.row(machine, f"`{name}`", f"{ours[0]:g}", text(latency[0]), f"{ours[1]:g}", text(rate[0]), sources)
                else:
                    if own.large and (machine, name) in LARGE_BANDS:
                        published = (published[0], LARGE_BANDS[machine, name], published[2])
                    failures += failures_of(machine, name, ours, published or UNKNOWN)
                    unit = "us" if name.startswith("launch") else "GB/s"
                    table.row(machine, f"{name.replace('_', ' ')}, {unit}", f"{ours:g}", text((published or UNKNOWN)[0]), "", "", (published or UNKNOWN)[2])
    if own.write:
        table.write(own.write)
    if own.check and failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
