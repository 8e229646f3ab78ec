#!/usr/bin/env python3
"""Litmus tests between CPU and GPU: which outcomes are seen over mapped pinned memory, and whether the models allow them.

Usage: litmus_gpu_test.py --duet build/bin/duet [--machine lustig2013|tk1|kaveri] [--passes N] [--seeds A:B] [--table] [--only litmus|locks]
Four passes on all shapes at night (tests/whole.py); otherwise one pass, on each shape but the first with one distance and one type of memory, on
the first with all of what there is one of; and each lock on one shape.

tests/guest/litmus_gpu/gpu_tests.py has the tests and the models: RVWMO and PTX, which programs may count on, and total store order with
PCI Express, which the machine keeps. Each test runs with no fence, with the CPU's, with the GPU's and with both, on several shapes of the
machine lustig2013, with x and y in lines of their own and in one line, in write-back and in write-combined memory. An outcome that the machine's model does not allow is a failure.
So is one that has to be seen and is not (MUST_BE_SEEN). locks.cu: flags in both directions, rings, and Peterson's lock, which is right
with its fences and has to be caught wrong without. On tk1, whose cores and GPU have one DRAM and cache no pinned memory, and on kaveri, whose cores cache it and are asked, RVWMO and PTX judge. --table prints a line a test. Exit status: 1 on a failure, 77 without the cross
compiler.
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "litmus_gpu"), str(HERE.parent)]
import gpu_tests as tests  # noqa: E402
from whole import WHOLE  # noqa: E402

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "machines"
# Bytes from x to y.
DISTANCES = {"lines of their own": 2048, "one line": 8}
SHAPES = {"lustig2013": {
    "as it is": {},
    "a short link": {"link.latency_ns": 1},
    "small caches, no L3": {"cpu.l1.sets": 1, "cpu.l1.ways": 2, "cpu.l2.sets": 1, "cpu.l2.ways": 8, "cpu.l3.sets": 0},
    "far from the directory": {"cpu.to_directory_cycles": 40, "cpu.from_directory_cycles": 60},
}, "tk1": {
    "as it is": {},
    "far from the DRAM": {"memory_fabric.latency_cycles": 60},
    "a slow controller": {"gpu.dram.controller_cycles": 90},
}, "kaveri": {  # of this width, since each warp has a thread of the test
    "as it is": {"gpu.sm.warp_width": 32},
    "far from cores and DRAM": {"gpu.sm.warp_width": 32, "link.latency_ns": 200, "gpu.dram.controller_cycles": 196},
    "small TLBs": {"gpu.sm.warp_width": 32, "translation.tlb_entries": 1, "translation.l2_tlb_entries": 2, "translation.l2_tlb_ways": 2},
}}
# What a store buffer of the CPU shows: it must be seen, or the tests see nothing.
MUST_BE_SEEN = {"lustig2013": (("SB", "none"), ("SB", "gpu"), ("R, CPU reads", "none"), ("R, CPU reads", "gpu")),
                "tk1": (("SB", "none"), ("R, CPU reads", "none")),
                "kaveri": (("SB", "none"), ("R, CPU reads", "none"))}
MODELS = {"lustig2013": {"w": tests.machine_model, "u": tests.machine_model_combined}, "tk1": {"u": tests.programs_model},
          "kaveri": {"w": tests.programs_model}}  # by memory type
# Divisions that the CPU waits for the GPU, at least: on kaveri it asks past its caches and through the IOMMU.
LEAST = {"lustig2013": 20, "tk1": 20, "kaveri": 200}
# Name, rounds.
LOCKS = (("peterson", 60), ("flag-to-cpu", 60), ("flag-to-gpu", 60), ("ring-to-cpu", 100), ("ring-to-gpu", 100))
WRONG = ("peterson-without-fence", 400)
TIMEOUT_SECONDS = 100


def build_locks(duet, folder):
    """Compiled here, of a copy: on tk1 and kaveri it depends on where a program's data lie whether the lock without its fence is caught."""
    shutil.copy(HERE / "litmus_gpu/locks.cu", folder)
    done = subprocess.run([duet, "cc", "--host", "riscv64", "-O2", "locks.cu", "-o", "locks"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return folder / "locks"


def run(options, program, shape, *arguments):
    sets = [word for key, value in SHAPES[options.machine][shape].items() for word in ("--set", f"{key}={value}")]
    return subprocess.run([options.duet, "run", "--quiet", "--host", "simulated", "--machine", str(MACHINES / f"{options.machine}.toml"), "--timeout", str(TIMEOUT_SECONDS),
                           "--out", str(program.parent / "out"), *sets, str(program), *map(str, arguments)], capture_output=True, text=True)


def outcomes_of(options, program, shape, distance, memory, seed):
    """Counts of outcomes by test and variant, or a complaint."""
    done = run(options, program, shape, options.passes, seed, DISTANCES[distance], memory, LEAST[options.machine])
    if done.returncode != 0:
        return None, f"status {done.returncode}: {done.stderr.splitlines()[:1]}"
    counts = collections.defaultdict(collections.Counter)
    for line in done.stdout.splitlines():
        name, values = line.split(": ")
        *outcome, count = (int(word) for word in values.split())
        test, variant = name.rsplit("/", 1)
        counts[test, variant][tuple(outcome)] += count
    expected = {(test, variant) for test in tests.TESTS for variant in tests.VARIANTS}
    return counts, None if set(counts) == expected else f"no outcomes of {sorted(expected - set(counts))[:3]}"


def check(counts, model):
    complaints = []
    for (test, variant), seen in counts.items():
        for outcome in sorted(set(seen) - tests.allowed(test, variant, model)):
            by_programs = outcome in tests.allowed(test, variant, tests.programs_model)
            complaints.append(f"{test} with fences of {variant}: {outcome} was seen {seen[outcome]} times: "
                              f"{'allowed by RVWMO and PTX only' if by_programs else 'forbidden'} ({tests.TESTS[test]})")
    return complaints


def relaxed(test, variant, seen):
    return sum(count for outcome, count in seen.items() if outcome not in tests.allowed(test, variant, tests.sequential))


def litmus(options, program):
    failures = rounds = 0
    first, last = (int(n) for n in options.seeds.split(":"))
    models = MODELS[options.machine]
    for turn, memory in enumerate(options.memory or models):
        total = collections.defaultdict(collections.Counter)
        for number, shape in enumerate(SHAPES[options.machine]):
            if not WHOLE and number > 0 and number % len(models) != turn:
                continue
            for distance in DISTANCES if WHOLE or number == 0 and len(models) == 1 else [list(DISTANCES)[(number + turn) % 2]]:
                for seed in range(first, last):
                    counts, complaint = outcomes_of(options, program, shape, distance, memory, seed)
                    for complaint in [complaint] if complaint else check(counts, models[memory]):
                        print(f"{shape}, {distance}, memory {memory}, seed {seed}: {complaint}", flush=True)
                        failures += 1
                    for key, seen in (counts or {}).items():
                        total[key] += seen
        for test, variant in MUST_BE_SEEN[options.machine]:
            if relaxed(test, variant, total[test, variant]) == 0:
                print(f"memory {memory}: {test} with fences of {variant}: no relaxed outcome was seen")
                failures += 1
        if options.table:
            print_table(total, memory, models[memory])
        rounds += sum(sum(seen.values()) for seen in total.values())
    print(f"{rounds} rounds, {failures} failures")
    return failures


def print_table(total, memory, kept_model):
    print(f"memory type {memory}")
    print("| test | accesses | " + " | ".join(f"{name}: seen of kept of allowed | relaxed" for name in
                                             ("without fence", "CPU's fence", "GPU's fence", "both")) + " |")
    print("|---" * (2 + 2 * len(tests.VARIANTS)) + "|")
    for test, accesses in tests.TESTS.items():
        cells = []
        for variant in tests.VARIANTS:
            seen = total[test, variant]
            kept, allowed = (len(tests.allowed(test, variant, model)) for model in (kept_model, tests.programs_model))
            cells.append(f"{len(seen)} of {kept} of {allowed} | {relaxed(test, variant, seen)}")
        accesses = accesses.replace("|", "\\|")
        print(f"| {test} | {accesses} | " + " | ".join(cells) + " |")


def locks(options, program):
    """Of each the words that were wrong and the increments that were lost; none but without Peterson's fence."""
    failures = lost = 0
    for number, shape in enumerate(SHAPES[options.machine]):
        for name, rounds in (*(LOCKS if WHOLE else LOCKS[number::len(SHAPES[options.machine])]), WRONG):
            done = run(options, program, shape, name, rounds)
            told = re.fullmatch(r"(-?\d+) lost, (\d+) wrong\n", done.stdout)
            if told is None:
                print(f"{name}, {shape}: status {done.returncode}: {done.stderr.strip()[:300]}", flush=True)
                failures += 1
            elif (name, rounds) == WRONG:
                lost += int(told[1])
            elif done.returncode != 0:
                print(f"{name}, {shape}: {told[0].strip()}", flush=True)
                failures += 1
    print(f"{WRONG[0]}: {lost} increments lost")
    return failures + (lost <= 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", choices=SHAPES, default="lustig2013")
    parser.add_argument("--passes", type=int, default=4 if WHOLE else 1)
    parser.add_argument("--seeds", default="1:2", help="A:B, B excluded")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--memory", choices=MODELS["lustig2013"], help="w: write-back alone, u: write-combined alone")
    parser.add_argument("--only", choices=("litmus", "locks"))
    options = parser.parse_args()
    options.duet = str(pathlib.Path(options.duet).resolve())
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("litmus_gpu_test.py: skipped, needs riscv64-linux-gnu-g++")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory(prefix="duet-litmus-gpu-") as folder:
        (runner,), lock_program = tests.build(options.duet, pathlib.Path(folder), "runner"), build_locks(options.duet, pathlib.Path(folder))
        if options.only != "locks":
            failures += litmus(options, runner)
        if options.only != "litmus":
            failures += locks(options, lock_program)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
