#!/usr/bin/env python3
"""What `duet run --sample` says of programs that others wrote, beside whole runs: the error of the program's time, the bound that was
stated, and the processor time saved.

Usage: programs.py --corpus DIR --work DIR --results DIR [--duet PATH] [--machine NAME] [--only NAME ...] [--longest N] [--timeout SECONDS]
                   [--sample-error PERCENT] [--whole] [--write FILE]

DIR of --corpus and --work are those of ../predict/programs.py, which says which programs there are and builds them. Whole runs are kept in
the folder --results; --whole makes only them. The table has the N programs of the longest whole runs that end within SECONDS, and counts
those that do not; --write leaves it as a data file of docs/results. `warming` is how much longer samples took, the second launches in time behind fast-forwarded ones, than the same
launches of the whole run. Without DIR or nvcc one line says so and the exit status is 77.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "predict"))
import programs as predicted  # noqa: E402

sys.path.insert(0, str(HERE.parents[1] / "experiments"))
import data_file  # noqa: E402


def processor_seconds() -> float:
    """Of all children that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def run(arguments: argparse.Namespace, program: dict, options: list[str], label: str) -> dict:
    out = arguments.results / f"{program['name'].replace('/', '-')}-{label}"
    shutil.rmtree(out, ignore_errors=True)
    words = [arguments.duet, "run", "--quiet", "--no-html", "--trace-detail", "none", "--records", "50000", "--machine", arguments.machine,
             "--timeout", str(arguments.timeout), "--out", str(out), *options, *program["command"]]
    began = processor_seconds()
    ran = subprocess.run(words, cwd=program["folder"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    result = {"status": ran.returncode, "seconds": processor_seconds() - began, "simulated_us": 0.0, "kernels": [], "sampling": [],
              "said": [line for line in ran.stderr.decode(errors="replace").splitlines() if line.startswith("duet:")][:2]}
    for path in sorted(out.rglob("stats.json")):
        stats = json.loads(path.read_text())
        result["simulated_us"] += stats["simulated_seconds"] * 1e6
        result["kernels"] += [[k["command"], k["name"], (k["end_ps"] - k["start_ps"]) / 1e6, "fast_forwarded" not in k]
                              for k in sorted(stats["kernels"], key=lambda k: k["command"]) if k["complete"]]
        if "sampling" in stats:
            result["sampling"].append(stats["sampling"])
    shutil.rmtree(out, ignore_errors=True)
    return result


def whole_run(arguments: argparse.Namespace, program: dict) -> dict:
    kept = arguments.results / f"{arguments.machine}-{program['name'].replace('/', '-')}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    result = run(arguments, program, [], "whole")
    kept.write_text(json.dumps(result))
    return result


def row_of(name: str, whole: dict, sampled: dict) -> list[str]:
    if sampled["status"] != whole["status"] or not sampled["sampling"]:
        return [name, str(len(whole["kernels"])), f"status {sampled['status']}: {' '.join(sampled['said'])[:90]}", *[""] * 8]
    found = sampled["sampling"][0]
    launches, timed = found["total"]["launches"], found["total"]["timed"] + found["total"]["warming"]
    estimate = found["run_ps"] / 1e6
    error = estimate / whole["simulated_us"] - 1
    stated = found["total"]["bound_ps"] / 1e6 / estimate
    # Samples behind their warming launch, beside the same launches of the whole run.
    kernels = sampled["kernels"]
    pairs = [(a[2], b[2]) for i, (a, b) in enumerate(zip(whole["kernels"], kernels))
             if a[1] == b[1] and i > 1 and b[3] and kernels[i - 1][3] and not kernels[i - 2][3]]
    warming = f"{100 * (sum(b for _, b in pairs) / sum(a for a, _ in pairs) - 1):+.2f} %" if pairs else "-"
    return [name, str(launches), str(timed), f"{whole['simulated_us']:.1f}", f"{100 * error:+.2f} %", f"{100 * stated:.2f} %",
            "yes" if abs(error) <= stated + 1e-9 else "NO", f"{whole['seconds']:.1f}", f"{sampled['seconds']:.1f}",
            f"{whole['seconds'] / max(sampled['seconds'], 1e-3):.1f}", warming]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--machine", default="h100")
    parser.add_argument("--group", nargs="*", default=["looked_at", "held_out", "workloads"])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--longest", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--sample-error", type=float, default=5)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--write", type=data_file.target)
    arguments = parser.parse_args()
    if not arguments.corpus.is_dir() or shutil.which("nvcc") is None:
        print(f"skipped: there is no {arguments.corpus}, or no nvcc")
        return 77
    arguments.corpus, arguments.work, arguments.results = (p.resolve() for p in (arguments.corpus, arguments.work, arguments.results))
    arguments.results.mkdir(parents=True, exist_ok=True)
    if os.sep in arguments.duet:
        arguments.duet = str(pathlib.Path(arguments.duet).resolve())
    runs, cut = [], 0
    for program in predicted.programs(arguments):
        whole = whole_run(arguments, program)
        print(f"{program['name']:34} status {whole['status']:3} {len(whole['kernels']):6} kernels {whole['seconds']:7.1f} s {whole['said']}", file=sys.stderr, flush=True)
        cut += whole["status"] == 124
        if whole["status"] == 0 and whole["kernels"]:
            runs.append((program, whole))
    if arguments.whole:
        return 0
    runs.sort(key=lambda pair: -pair[1]["seconds"])
    print(f"{arguments.machine}, --sample-error {arguments.sample_error:g}; {cut} programs take more than {arguments.timeout:g} s and are left out")
    table = data_file.Table(["program", "launches", "in time", "us", "error", "stated", "within", "s whole", "s sampled", "times", "warming"])
    for program, whole in runs[:arguments.longest]:
        sampled = run(arguments, program, ["--sample", "--sample-error", str(arguments.sample_error)], "sampled")
        table.row(*row_of(program["name"], whole, sampled))
    if arguments.write:
        table.write(arguments.write, simulated=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
