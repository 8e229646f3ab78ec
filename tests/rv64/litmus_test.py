#!/usr/bin/env python3
"""Litmus tests on timed cores: which outcomes are seen, and whether the models allow them.

Usage: litmus_test.py --duet build/bin/duet [--machine tk1] [--passes N] [--seeds A:B] [--types uu] [--table]
At night (tests/whole.py) three passes on all shapes with every layout; otherwise one pass on every second shape, with one layout, in turns.

tests/rv64/litmus/tests.py has the tests and the models: RVWMO, which programs may count on, and total store order, which cores keep.
Four cores run each of them with every fence, on lines of their own, in one line, and in lines that rounds share; on the Xeon's caches
and on ones of a few lines, with other ways to the directory. The same with x and y in pages that no cache holds (TYPES): there tests.py says by
type what cores keep. An outcome that total store order does not allow is a failure. So is one
that has to be seen and is not: store buffering without fences, and message passing whose data lie in a write-combining buffer. --table prints a line a test and fence instead of failures only.
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
sys.path[:0] = [str(HERE), str(HERE / "litmus"), str(HERE.parent)]
import core_shapes  # noqa: E402
import tests  # noqa: E402
from whole import WHOLE, some  # noqa: E402

COMPILER = "riscv64-linux-gnu-gcc"
# Bytes from a round's x to the next one's, and from x to y.
LAYOUTS = {"lines of their own": (256, 128), "one line": (128, 8), "lines of eight rounds": (8, 512)}
# x and y in halves of the memory, and the first of these where both are of one type.
HALVES = {"pages of their own": (256, 65536)}
LAYOUTS_OF_TYPES = {"uu": {**LAYOUTS, **HALVES}, "uw": HALVES, "wu": HALVES, "dd": {**HALVES, "one line": (128, 8)}}
SHAPES_OF_TYPES = {
    "as it is": (),
    "one buffer, kept for long": ("--set", "cpu.write_combining.buffers=1", "--set", "cpu.write_combining.idle_cycles=3000"),
    "two instructions": None, "small caches, no L3": None,
}
# Of another machine than the Xeon: its cores and their GPU have one DRAM.
SHAPES_OF_TK1 = {"as it is": (), "far from the DRAM": ("--set", "memory_fabric.latency_cycles=60"), "a narrow fabric": ("--set", "memory_fabric.flit_bytes=8")}
SHAPES = ("as it is", "two instructions", "small caches, no L3", "no L2, small caches", "no L2", "large")
# What only a store buffer shows: it must be seen, or the tests see nothing.
MUST_BE_SEEN = (("SB", "none"), ("SB", "w,w r,r"), ("R", "none"), ("SB+rfi", "none"))
# By memory types: what loads that pass combined stores show, and combined stores that are passed.
MUST_BE_SEEN_OF_TYPES = {
    "uu": (("SB", "none"), ("SB", "w,w r,r"), ("R", "none")),
    "uw": (("SB", "none"), ("MP", "none")),
    "wu": (("SB", "none"),),
    "dd": (),
}
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


def variants_of(types):
    return tests.VARIANTS if types == "ww" else tuple(v for v in tests.VARIANTS if v not in ("amo", "lr/sc"))


def model_of(types):
    return tests.total_store_order if types == "ww" else tests.order_of_types(types)


def run(options, program, sets, layout, types, seed):
    """Counts of outcomes by test and variant, or a complaint."""
    stride, distance = {**LAYOUTS, **HALVES}[layout]
    done = subprocess.run([options.duet, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", options.machine,
                           "--timeout", str(TIMEOUT_SECONDS), "--out", str(program.parent / "out"), *sets, str(program), str(options.passes), str(seed),
                           str(stride), str(distance), types], capture_output=True, text=True)
    if done.returncode != 0:
        return None, f"status {done.returncode}: {done.stderr.splitlines()[:1]}"
    counts = collections.defaultdict(collections.Counter)
    for line in done.stdout.splitlines():
        name, values = line.split(": ")
        *outcome, count = (int(word) for word in values.split())
        test, variant = name.split("/", 1)
        counts[test, variant][tuple(outcome)] += count
    expected = {(test, variant) for test in tests.TESTS for variant in variants_of(types)}
    return counts, None if set(counts) == expected else f"no outcomes of {sorted(expected - set(counts))[:3]}"



def check(counts, types):
    complaints = []
    for (test, variant), seen in counts.items():
        allowed = tests.allowed(test, variant, model_of(types))
        for outcome in sorted(set(seen) - allowed):
            by_rvwmo = "allowed by RVWMO only" if outcome in tests.allowed(test, variant, tests.rvwmo) else "forbidden"
            complaints.append(f"{types}: {test} with {variant}: {outcome} was seen {seen[outcome]} times: {by_rvwmo} ({tests.TESTS[test]})")
    return complaints


def print_table(total, types):
    print(f"memory types {types}")
    print(f"{'test':12} {'between':8} {'rounds':>8} {'seen':>5} {'cores':>6} {'RVWMO':>6}  relaxed outcomes seen")
    for (test, variant), seen in total.items():
        sequential, cores, rvwmo = (tests.allowed(test, variant, model)
                                    for model in (tests.sequential, model_of(types), tests.rvwmo))
        relaxed = sum(count for outcome, count in seen.items() if outcome not in sequential)
        of = f" (cores allow {len(cores - sequential)}, RVWMO {len(rvwmo - sequential)})" if rvwmo != sequential else ""
        print(f"{test:12} {variant:8} {sum(seen.values()):8} {len(seen):5} {len(cores):6} {len(rvwmo):6}  {relaxed}{of}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", choices=(str(core_shapes.MACHINE), "tk1"), default=str(core_shapes.MACHINE))
    parser.add_argument("--passes", type=int, default=3 if WHOLE else 1)
    parser.add_argument("--seeds", default="1:2", help="A:B, B excluded")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--types", help="only these memory types: " + ", ".join(("ww", *LAYOUTS_OF_TYPES)))
    options = parser.parse_args()
    if shutil.which(COMPILER) is None:
        print(f"litmus_test.py: skipped, needs {COMPILER}")
        return 77
    total, failures = collections.defaultdict(lambda: collections.defaultdict(collections.Counter)), 0
    first, last = (int(n) for n in options.seeds.split(":"))
    shapes_of_types = SHAPES_OF_TK1 if options.machine == "tk1" else SHAPES_OF_TYPES
    shapes_of_ww = {shape: core_shapes.sets(shape) for shape in SHAPES} if options.machine != "tk1" else SHAPES_OF_TK1
    cases = [("ww", shape, sets, layout) for shape, sets in shapes_of_ww.items() for layout in LAYOUTS]
    cases += [(types, shape, core_shapes.sets(shape) if sets is None else sets, layout) for types, layouts in LAYOUTS_OF_TYPES.items()
              for shape, sets in shapes_of_types.items() for layout in layouts]
    if not WHOLE:
        chosen = set()
        for types, layouts in {"ww": LAYOUTS, **LAYOUTS_OF_TYPES}.items():
            shapes = list(dict.fromkeys(shape for other, shape, *_ in cases if other == types))
            chosen |= {(types, shape, list(layouts)[turn % len(layouts)]) for turn, shape in enumerate(some(shapes, 2))}
        cases = [case for case in cases if (case[0], case[1], case[3]) in chosen]
    with tempfile.TemporaryDirectory(prefix="duet-litmus-") as folder:
        program = build(pathlib.Path(folder))
        for types, shape, sets, layout in cases:
            for seed in range(first, last) if options.types in (None, types) else ():
                counts, complaint = run(options, program, sets, layout, types, seed)
                complaints = [complaint] if complaint else check(counts, types)
                for complaint in complaints:
                    print(f"{shape}, {layout}, {types}, seed {seed}: {complaint}", flush=True)
                failures += len(complaints)
                for key, seen in (counts or {}).items():
                    total[types][key] += seen
    for types, seen_of_types in total.items():
        for test, variant in MUST_BE_SEEN if types == "ww" else MUST_BE_SEEN_OF_TYPES[types]:
            relaxed = tests.allowed(test, variant, model_of(types)) - tests.allowed(test, variant, tests.sequential)
            if not relaxed & set(seen_of_types[test, variant]):
                print(f"{types}: {test} with {variant}: no relaxed outcome was seen")
                failures += 1
        if options.table:
            print_table(seen_of_types, types)
    rounds = sum(sum(seen.values()) for of_types in total.values() for seen in of_types.values())
    print(f"{rounds} rounds, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
