#!/usr/bin/env python3
"""One benchmark of lustig2013 in its four variants at a small size, with inputs that come early, late and in odd pieces; the
program checks every element of every result. Usage: variants.py DUET NAME
By day a fifth of the cases; at night (tests/whole.py) all."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/trust"), str(ROOT / "tests")]
from compile_once import compile_well
from trust import smallest_machine
from whole import some

VARIANTS = ("baseline", "overlap-start", "overlap-finish", "full-overlap")
SIZES = {"vectorAdd": 3001, "matrixMul": 32, "histogram64": 20000, "BlackScholes": 1500, "BFS": 777, "HotSpot": 32, "FIBLookup": 60}
# Grid and block of each kernel at the paper's sizes, in the NVIDIA SDK 4.2, in Rodinia 2.0.1 and in NBA.
GEOMETRY = {
    "vectorAdd": (65536, [([256, 1, 1], [256, 1, 1])]),
    "matrixMul": (64, [([2, 2, 1], [32, 32, 1])]),
    "histogram64": (262144, [([18, 1, 1], [64, 1, 1]), ([64, 1, 1], [256, 1, 1])]),
    "BlackScholes": (65536, [([480, 1, 1], [128, 1, 1])]),
    "BFS": (4096, 16 * [([8, 1, 1], [512, 1, 1])]),  # two kernels for each of eight levels
    "HotSpot": (64, [([6, 6, 1], [16, 16, 1])]),
    "FIBLookup": (512, [([1, 1, 1], [512, 1, 1])]),
}
# What a machine needs so that copy in, kernel and copy out can wait for each other: a queue for each (lustig2013, 4.3).
THREE = {"gpu.full_empty.queues", "gpu.front_end.queue_width"}

# Options of the program, options of `duet run`.
CASES = [
    ([], []),
    (["--chunk", "1020", "--late", "3000"], []),  # 255 words: neither lines nor packets
    (["--chunk", "212", "--late", "100", "--gap", "0"], ["--shuffle", "7"]),
    (["--repeat", "3", "--gap", "2000", "--seed", "5"], []),  # full words of the offload before must not be taken
    (["--copies", "one", "--chunk", "500", "--late", "700"], []),
    (["--streams", "each", "--repeat", "2"], ["--set", "driver.read_ahead=true"]),
    (["--streams", "each", "--chunk", "1020"], ["--set", "gpu.full_empty.loads_in_l1=true"]),
    (["--warm-ups", "0"], []),
    (["--warm-ups", "2", "--repeat", "2"], []),
]
COARSE = (["--granule", "128", "--chunk", "512"], ["--set", "gpu.full_empty.granule_bytes=128"])
# So that a level's copy back can be there before the flag of the level before has been emptied.
QUICK_CALLS = [word for key in ("gpu.front_end.hardware_channels=16", "driver.memcpy_async.driver_ns=0", "driver.memcpy_async.call_ns=0",
                                "driver.launch.call_ns=0") for word in ("--set", key)]
EXTRA = {
    "matrixMul": [COARSE, (["--tile", "16"], []), (["--launches", "3"], []), (["--tile", "16", "--size", "80"], [])],
    "histogram64": [COARSE, (["--contiguous", "1"], []), (["--reads", "2"], []), (["--reads", "3", "--contiguous", "1"], []),
                    (["--launches", "3"], [])],
    "BlackScholes": [(["--blocks", "0"], []), (["--blocks", "3"], []), (["--launches", "3"], [])],
    "BFS": [COARSE, (["--isolated", "60", "--repeat", "2"], []), (["--kernel-flag", "1", "--repeat", "2"], []),
            (["--kernel-flag", "1", "--isolated", "60", *COARSE[0]], COARSE[1]), (["--track-all", "0", "--chunk", "212"], []),
            (["--track-all", "0", "--kernel-flag", "1", "--repeat", "2"], []), ([], QUICK_CALLS)],
    "HotSpot": [COARSE, (["--steps", "1"], []), (["--steps", "5"], []), (["--steps", "5", "--pyramid", "3"], []), (["--pyramid", "7"], [])],
    "FIBLookup": [(["--deep", "50"], []), (["--deep", "100", "--repeat", "2"], [])],
}
# What is over sooner than the baseline: BFS's later levels lose more by tracked memory than its first gains by an early launch.
FASTER = {"BFS": "overlap-finish"}


def main():
    duet, name = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program, out = folder + "/program", folder + "/out"
        compile_well(duet, [ROOT / "workloads/lustig2013" / (name + ".cu")], program)

        def run(variant, program_options, duet_options, size=SIZES[name]):
            command = [duet, "run", "--quiet", "--timeout", "100", "--out", out, *duet_options, program, "--size", str(size),
                       "--variant", variant, *program_options]
            done = subprocess.run(command, capture_output=True, text=True)
            return done, "%s %s %s" % (variant, " ".join(program_options), " ".join(duet_options))

        smallest = smallest_machine(duet, "gtx580")
        smallest = [setting.replace("=1", "=3") if setting.split("=")[0] in THREE else setting for setting in smallest]
        for options, duet_options in some(CASES + EXTRA.get(name, []), 5) + [([], smallest)]:
            for variant in VARIANTS:
                done, what = run(variant, options, duet_options)
                size = options[options.index("--size") + 1] if "--size" in options else SIZES[name]
                if done.returncode != 0 or "PASS %s %s" % (name, size) not in done.stdout:
                    wrong.append("%s: status %d, %s" % (what, done.returncode, (done.stderr or done.stdout).strip()[-400:]))

        # Without the bits the same commands compute with what is there.
        for variant in VARIANTS[1:]:
            done, what = run(variant, ["--bits", "off"], [])
            if done.returncode != 1:
                wrong.append("%s: status %d instead of a wrong result" % (what, done.returncode))

        def statistics(variant, program_options, **size):
            run(variant, program_options, [], **size)
            return json.loads(pathlib.Path(out + "/stats.json").read_text())

        def runtime(variant, program_options=(), **size):
            times = {mark["name"]: mark["time_ps"] for mark in statistics(variant, program_options, **size)["marks"]}
            return times["finish"] - times["data ready"]

        # A kernel launched early and copies issued early are over sooner.
        faster = FASTER.get(name, "full-overlap")
        if not runtime(faster) < runtime("baseline"):
            wrong.append("%s takes %d ps, the baseline %d ps" % (faster, runtime(faster), runtime("baseline")))
        # A warm-up leaves warm caches, and no marks.
        if not runtime("baseline") < runtime("baseline", ["--warm-ups", "0"]):
            wrong.append("a warm offload takes %d ps, a cold one %d ps" % (runtime("baseline"), runtime("baseline", ["--warm-ups", "0"])))
        for variant in VARIANTS:
            names = [mark["name"] for mark in statistics(variant, ["--warm-ups", "2", "--repeat", "2"])["marks"]]
            if names != 2 * ["offload", "data ready", "finish"]:
                wrong.append("%s: marks %s" % (variant, names))

        if name in GEOMETRY:
            size, geometry = GEOMETRY[name]
            kernels = [(kernel["grid"], kernel["block"]) for kernel in statistics("baseline", ["--warm-ups", "0"], size=size)["kernels"]]
            if kernels != geometry:
                wrong.append("grids and blocks are %s" % kernels)
        # Blocks that go through the data together count what has arrived; of pieces the last one waits for the last byte.
        if name == "histogram64" and not (runtime("overlap-start", size=262144) < runtime("overlap-start", ["--contiguous", "1"], size=262144)):
            wrong.append("a block with a piece of its own is not later than one that strides")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
