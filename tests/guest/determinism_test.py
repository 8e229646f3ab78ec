#!/usr/bin/env python3
"""Programs on simulated cores and a GPU give the same statistics in every run, whatever the order of events of one time (--shuffle), and
whether components are ticked on one thread or two (--two-threads).

Usage: determinism_test.py --duet build/bin/duet

At night (tests/whole.py) each program on both shapes in six ways; otherwise on one of the two shapes, in turns, in three ways.

The programs share memory between CPU threads and GPU: litmus tests, Peterson's lock, a ring, and copies and kernels of several threads
at once (tests/guest/litmus_gpu). Compared are output, status, and all of stats.json but wall time. Exit status: 1 on a difference, 77
without the cross compiler.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "litmus_gpu"), str(HERE.parent)]
import gpu_tests  # noqa: E402
from whole import WHOLE  # noqa: E402

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "machines/lustig2013.toml"
PROGRAMS = {
    "litmus tests": ("runner", ("1", "3", "2048", "w", "20", "5")),
    "Peterson's lock": ("locks", ("peterson", "40")),
    "a lock that fails": ("locks", ("peterson-without-fence", "100")),
    "a ring": ("locks", ("ring-to-gpu", "60")),
    "copies and kernels": ("traffic", ("3",)),
}
SHAPES = {"as it is": (), "small caches, no L3": ("cpu.l1.sets=1", "cpu.l1.ways=2", "cpu.l2.sets=1", "cpu.l2.ways=8", "cpu.l3.sets=0")}
WAYS = ((), (), ("--shuffle", "1"), ("--shuffle", "2"), ("--two-threads",), ("--two-threads", "--shuffle", "3"))
TIMEOUT_SECONDS = 100


def without_wall_time(value):
    if isinstance(value, dict):
        return {key: without_wall_time(one) for key, one in value.items() if "wall" not in key and not key.endswith("per_second")}
    return [without_wall_time(one) for one in value] if isinstance(value, list) else value


def differences(first, second, path=""):
    """Where two of them differ, as texts."""
    if isinstance(first, dict) and isinstance(second, dict):
        keys = sorted(set(first) | set(second))
        return [text for key in keys for text in differences(first.get(key), second.get(key), f"{path}.{key}")]
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [text for i, pair in enumerate(zip(first, second)) for text in differences(*pair, f"{path}[{i}]")]
    return [] if first == second else [f"{path}: {str(first)[:60]} and {str(second)[:60]}"]


def run(duet, folder, program, arguments, shape, way):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    sets = [word for value in SHAPES[shape] for word in ("--set", value)]
    done = subprocess.run([duet, "run", "--quiet", "--host", "simulated", "--machine", str(MACHINE), "--timeout", str(TIMEOUT_SECONDS),
                           "--out", str(out), *way, *sets, str(folder / program), *arguments], capture_output=True, text=True)
    found = {"status": done.returncode, "output": done.stdout, "error": done.stderr}
    if (out / "stats.json").exists():
        found["statistics"] = without_wall_time(json.loads((out / "stats.json").read_text()))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    options = parser.parse_args()
    duet = str(pathlib.Path(options.duet).resolve())
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("determinism_test.py: skipped, needs riscv64-linux-gnu-g++")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory(prefix="duet-guest-determinism-") as name:
        folder = pathlib.Path(name)
        gpu_tests.build(duet, folder, *{program for program, _ in PROGRAMS.values()})
        for number, (name, (program, arguments)) in enumerate(PROGRAMS.items()):
            for shape in SHAPES if WHOLE else [list(SHAPES)[number % 2]]:
                first = None
                for way in WAYS if WHOLE else WAYS[:1] + WAYS[2:3] + WAYS[5:]:
                    found = run(duet, folder, program, arguments, shape, way)
                    if first is None:
                        first = found
                        if found["status"] != 0 or "statistics" not in found:
                            print(f"{name}, {shape}: status {found['status']}, {found['error'][:200]}")
                            failures += 1
                    elif different := differences(first, found):
                        failures += 1
                        print(f"{name}, {shape}, {' '.join(way) or 'again'}: {len(different)} differ: {'; '.join(different[:3])}", flush=True)
    print(f"{len(PROGRAMS) * len(SHAPES) * len(WAYS)} runs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
