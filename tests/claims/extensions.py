#!/usr/bin/env python3
"""What lustig2013 leaves open (CLAIMS L-ext): each program of workloads/lustig2013/extensions in all its ways at small sizes, and on machines
that lack what a way needs. The programs check every word. Usage: extensions.py DUET NAME"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANNELS = ["--set", "gpu.front_end.hardware_channels=4"]
LOOK_AHEAD = ["--set", "gpu.full_empty.look_ahead=64"]


def counted(readers):
    return ["--set", f"gpu.full_empty.reads_per_fill={readers}"]


# Options of the program, options of `duet run`.
RIGHT = {
    "reuse": [(["--way", way, "--size", "1024", "--frames", "5", "--consumers", "3"], [*machine, *channels])
              for way, machine in (("counter", counted(3)), ("kernel-end", []), ("set", []), ("host", []), ("none", []), ("double", []))
              for channels in (CHANNELS, [])],
    "override": [(["--way", way, "--size", size, "--repeat", "3"], [])
                 for way in ("set", "copy", "release", "launch") for size in ("4096", "40960")],
    "hand_over": [(["--way", way, "--values", "9", "--blocks", "3", "--slots", "2", "--work", work], machine)
                  for way, machine in (("array", []), ("fixed", []), ("ring", LOOK_AHEAD), ("flags", []), ("kernels", []))
                  for work in ("0", "7")],
}
# Without what the way needs the program does not end right.
WRONG = {
    "reuse": [(["--way", "counter", "--size", "8192", "--frames", "4", "--consumers", "2"], [*CHANNELS, *counted(1)]),
              (["--way", "counter", "--size", "1024", "--frames", "2", "--consumers", "2"], [*CHANNELS, *counted(3)])],
    "override": [],
    "hand_over": [(["--way", "ring", "--values", "9", "--slots", "2"], [])],
}


def main():
    duet, name = sys.argv[1:]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        program, out = folder + "/program", pathlib.Path(folder, "out")
        compile_well(duet, [ROOT / "workloads/lustig2013/extensions" / (name + ".cu")], program)

        def run(arguments, options):
            command = [duet, "run", "--quiet", "--timeout", "100", "--out", out, *options, program, *arguments]
            return subprocess.run(command, capture_output=True, text=True)

        for arguments, options in RIGHT[name]:
            done = run(arguments, options)
            if done.returncode != 0 or f"PASS {name}" not in done.stdout:
                faults.append(f"{arguments} {options}: status {done.returncode}, {done.stderr}")
                continue
            marks = [mark["name"] for mark in json.loads((out / "stats.json").read_text())["marks"]]
            if marks != ["data ready", "finish"]:
                faults.append(f"{arguments}: marks {marks}")
        for arguments, options in WRONG[name]:
            done = run(arguments, options)
            if done.returncode not in (1, 124):
                faults.append(f"{arguments} {options}: status {done.returncode}, not 1 or 124")
        for arguments in (["--way", "nonsense"], ["--nonsense", "1"], ["--way"]):
            if run(arguments, []).returncode != 2:
                faults.append(f"{arguments}: accepted")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
