#!/usr/bin/env python3
"""Litmus tests on timed cores: which outcomes are seen, and whether the models allow them.

Usage: litmus_test.py --duet build/bin/duet [--passes N] [--seeds A:B] [--table]

tests/rv64/litmus/tests.py has the tests and the models: RVWMO, which programs may count on, and total store order, which cores keep.
Four cores run each of them with every fence, on lines of their own, in one line, and in lines that rounds share; on the Xeon's caches
and on ones of a few lines, with other ways to the directory. An outcome that total store order does not allow is a failure. So is one
that has to be seen and is not: store buffering without fences. --table prints a line a test and fence instead of failures only.
Exit status: 1 on a failure, 77 without the cross compiler.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "litmus")]
import core_shapes  # noqa: E402
import tests  # noqa: E402

COMPILER = "riscv64-linux-gnu-gcc"
# Bytes from a round's x to the next one's, and from x to y.
LAYOUTS = {"lines of their own": (256, 128), "one line": (128, 8), "lines of eight rounds": (8, 512)}
SHAPES = ("as it is", "two instructions", "small caches, no L3", "no L2, small caches", "no L2", "large")
# What only a store buffer shows: it must be seen, or the tests see nothing.
MUST_BE_SEEN = (("SB", "none"), ("SB", "w,w r,r"), ("R", "none"), ("SB+rfi", "none"))
TIMEOUT_SECONDS = 100


def build(folder):
    text = folder / "kernels.S"
    text.write_text(tests.assembly())
    program = folder / "runner"
    done = subprocess.run([COMPILER, "-O2", "-static", "-pthread", str(HERE / "litmus/runner.c"), str(text), "-o", str(program)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return program


def run(duet, program, shape, layout, passes, seed):
    """Counts of outcomes by test and variant, or a complaint."""
    stride, distance = LAYOUTS[layout]
    done = subprocess.run([duet, "run", "--host", "simulated", "--machine", str(core_shapes.MACHINE), "--timeout", str(TIMEOUT_SECONDS),
                           *core_shapes.sets(shape), str(program), str(passes), str(seed), str(stride), str(distance)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return None, f"status {done.returncode}: {done.stderr.splitlines()[:1]}"
    counts = collections.defaultdict(collections.Counter)
    for line in done.stdout.splitlines():
        name, values = line.split(": ")
        *outcome, count = (int(word) for word in values.split())
        test, variant = name.split("/", 1)
        counts[test, variant][tuple(outcome)] += count
    expected = {(test, variant) for test in tests.TESTS for variant in tests.VARIANTS}
    return counts, None if set(counts) == expected else f"no outcomes of {sorted(expected - set(counts))[:3]}"



def check(counts):
    complaints = []
    for (test, variant), seen in counts.items():
        allowed = tests.allowed(test, variant, tests.total_store_order)
        for outcome in sorted(set(seen) - allowed):
            by_rvwmo = "allowed by RVWMO only" if outcome in tests.allowed(test, variant, tests.rvwmo) else "forbidden"
            complaints.append(f"{test} with {variant}: {outcome} was seen {seen[outcome]} times: {by_rvwmo} ({tests.TESTS[test]})")
    return complaints


def print_table(total):
    print(f"{'test':12} {'between':8} {'rounds':>8} {'seen':>5} {'cores':>6} {'RVWMO':>6}  relaxed outcomes seen")
    for (test, variant), seen in total.items():
        sequential, cores, rvwmo = (tests.allowed(test, variant, model)
                                    for model in (tests.sequential, tests.total_store_order, tests.rvwmo))
        relaxed = sum(count for outcome, count in seen.items() if outcome not in sequential)
        of = f" (cores allow {len(cores - sequential)}, RVWMO {len(rvwmo - sequential)})" if rvwmo != sequential else ""
        print(f"{test:12} {variant:8} {sum(seen.values()):8} {len(seen):5} {len(cores):6} {len(rvwmo):6}  {relaxed}{of}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--seeds", default="1:2", help="A:B, B excluded")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if shutil.which(COMPILER) is None:
        print(f"litmus_test.py: skipped, needs {COMPILER}")
        return 77
    total, failures = collections.defaultdict(collections.Counter), 0
    first, last = (int(n) for n in options.seeds.split(":"))
    with tempfile.TemporaryDirectory(prefix="duet-litmus-") as folder:
        program = build(pathlib.Path(folder))
        for shape in SHAPES:
            for layout in LAYOUTS:
                for seed in range(first, last):
                    counts, complaint = run(options.duet, program, shape, layout, options.passes, seed)
                    complaints = [complaint] if complaint else check(counts)
                    for complaint in complaints:
                        print(f"{shape}, {layout}, seed {seed}: {complaint}", flush=True)
                    failures += len(complaints)
                    for key, seen in (counts or {}).items():
                        total[key] += seen
    for test, variant in MUST_BE_SEEN:
        relaxed = tests.allowed(test, variant, tests.total_store_order) - tests.allowed(test, variant, tests.sequential)
        if not relaxed & set(total[test, variant]):
            print(f"{test} with {variant}: no relaxed outcome was seen")
            failures += 1
    if options.table:
        print_table(total)
    print(f"{sum(sum(seen.values()) for seen in total.values())} rounds, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
