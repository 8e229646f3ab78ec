#!/usr/bin/env python3
"""Where the runtime of the seven benchmarks of lustig2013 goes: t_finish - t_data_ready of the baseline, split into kernel, copy,
driver and call. Usage: runtime_split.py [--duet PATH] [--machine M] [--json FILE]

Every instant counts once: as kernel while one executes, else as copy while one executes, else as driver while a command is in
stage (ii) or in the front end, else as call (stage (i), finish, and what the host waits for). Each benchmark checks its result."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = ("vectorAdd", "matrixMul", "histogram64", "BlackScholes", "BFS", "HotSpot", "FIBLookup")
PARTS = ("kernel", "copy", "driver", "call")


def split(statistics):
    """Picoseconds between the marks by part; the total."""
    marks = {mark["name"]: mark["time_ps"] for mark in statistics["marks"]}
    begin, end = marks["data ready"], marks["finish"]
    spans = [(k["start_ps"], k["end_ps"], 0) for k in statistics["kernels"]]
    spans += [(c["start_ps"], c["end_ps"], 1) for c in statistics["copies"]]
    spans += [(c["driver_start_ps"], c["start_ps"], 2) for c in statistics["kernels"] + statistics["copies"]]
    times = {part: 0 for part in PARTS}
    edges = sorted({begin, end} | {min(max(t, begin), end) for span in spans for t in span[:2]})
    changes = sorted([(max(s, begin), 1, p) for s, e, p in spans if e > begin and s < end and e > s] +
                     [(min(e, end), -1, p) for s, e, p in spans if e > begin and s < end and e > s])
    active, at = [0, 0, 0], 0
    for left, right in zip(edges, edges[1:]):
        while at < len(changes) and changes[at][0] <= left:
            active[changes[at][2]] += changes[at][1]
            at += 1
        part = next((p for p in range(3) if active[p] > 0), 3)
        times[PARTS[part]] += right - left
    return times, end - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default=str(ROOT / "build/bin/duet"))
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--json")
    options = parser.parse_args()
    print("%-13s %11s  %7s %7s %7s %7s  %s" % ("benchmark", "runtime us", *("%s %%" % part for part in PARTS), "result"))
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        for name in BENCHMARKS:
            program, out = folder + "/program", folder + "/out"
            subprocess.run([options.duet, "cc", str(ROOT / "workloads/lustig2013" / (name + ".cu")), "-o", program], check=True)
            run = subprocess.run([options.duet, "run", "--quiet", "--machine", options.machine, "--out", out, program],
                                 stdout=subprocess.PIPE, text=True)
            failed |= run.returncode != 0
            with open(out + "/stats.json") as file:
                times, total = split(json.load(file))
            lines = run.stdout.strip().splitlines()
            rows.append({"benchmark": name, "runtime_ps": total, **{part + "_ps": times[part] for part in PARTS},
                         "result": lines[-1] if lines else "", "status": run.returncode})
            print("%-13s %11.1f  %7.1f %7.1f %7.1f %7.1f  %s" %
                  (name, total / 1e6, *(100 * times[part] / total for part in PARTS), rows[-1]["result"]), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=2)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
