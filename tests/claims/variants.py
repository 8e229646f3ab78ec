#!/usr/bin/env python3
"""One benchmark of lustig2013 in its four variants at a small size, with inputs that come early, late and in odd pieces; the
program checks every element of every result. Usage: variants.py DUET NAME"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/trust"))
from trust import smallest_machine

VARIANTS = ("baseline", "overlap-start", "overlap-finish", "full-overlap")
SIZES = {"vectorAdd": 3001, "matrixMul": 32, "histogram64": 20004, "BlackScholes": 1500, "BFS": 777, "HotSpot": 32, "FIBLookup": 200}
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
]
COARSE = (["--granule", "128", "--chunk", "512"], ["--set", "gpu.full_empty.granule_bytes=128"])
# So that a level's copy back can be there before the flag of the level before has been emptied.
QUICK_CALLS = [word for key in ("gpu.front_end.hardware_channels=16", "driver.memcpy_async.driver_ns=0", "driver.memcpy_async.call_ns=0",
                                "driver.launch.call_ns=0") for word in ("--set", key)]
EXTRA = {
    "matrixMul": [COARSE],
    "histogram64": [COARSE],
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
        subprocess.run([duet, "cc", str(ROOT / "workloads/lustig2013" / (name + ".cu")), "-o", program], check=True)

        def run(variant, program_options, duet_options):
            command = [duet, "run", "--quiet", "--timeout", "100", "--out", out, *duet_options, program, "--size", str(SIZES[name]),
                       "--variant", variant, *program_options]
            done = subprocess.run(command, capture_output=True, text=True)
            return done, "%s %s %s" % (variant, " ".join(program_options), " ".join(duet_options))

        smallest = smallest_machine(duet, "gtx580")
        smallest = [setting.replace("=1", "=3") if setting.split("=")[0] in THREE else setting for setting in smallest]
        for options, duet_options in CASES + EXTRA.get(name, []) + [([], smallest)]:
            for variant in VARIANTS:
                done, what = run(variant, options, duet_options)
                if done.returncode != 0 or "PASS %s %d" % (name, SIZES[name]) not in done.stdout:
                    wrong.append("%s: status %d, %s" % (what, done.returncode, (done.stderr or done.stdout).strip()[-400:]))

        # Without the bits the same commands compute with what is there.
        for variant in VARIANTS[1:]:
            done, what = run(variant, ["--bits", "off"], [])
            if done.returncode != 1:
                wrong.append("%s: status %d instead of a wrong result" % (what, done.returncode))

        # A kernel launched early and copies issued early are over sooner.
        times = {}
        faster = FASTER.get(name, "full-overlap")
        for variant in ("baseline", faster):
            run(variant, [], [])
            marks = {mark["name"]: mark["time_ps"] for mark in json.loads(pathlib.Path(out + "/stats.json").read_text())["marks"]}
            times[variant] = marks["finish"] - marks["data ready"]
        if not times[faster] < times["baseline"]:
            wrong.append("%s takes %d ps, the baseline %d ps" % (faster, times[faster], times["baseline"]))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
