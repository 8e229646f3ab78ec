#!/usr/bin/env python3
"""Published OpenCL programs, compiled from their sources, run by Duet and by a judge: whether Duet gives what the judge gives.

Usage: opencl_programs.py --source DIR [--duet PATH] [--timed] [--only WORD] [--limit SECONDS] [--write FILE]

DIR holds checkouts of the suites of opencl_suites.py, at any depth. A line a program: "passed": its own check says so, or it prints and leaves in
files what it does under pocl, or, where pocl fails or differs, under oclgrind ("by oclgrind" and what pocl did); "ran": it ended as it should, and has
nothing to compare; "wrong" and the first line that differs; "refused" and what Duet says; "slow" (more than --limit seconds); "no judge": it fails
under every judge, or does not compile. Programs run on the functional GPU, or, --timed, on the simulated one. DIR is $OPENCL_PROGRAMS if not said;
without it, or without pocl and oclgrind (apt-get install pocl-opencl-icd oclgrind), one line says so and the exit status is 77; 1: a program is wrong
or refused. --write leaves a row a suite as a data file.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
import data_file  # noqa: E402
from limited import call  # noqa: E402
from opencl_suites import SUITES, programs  # noqa: E402

LINE_OF_TIMES = re.compile(r"(?i)time|second|took|init|alloc|htod|dtoh|dtod|\bsend\b|exec|close|total|platform|device|vendor|speed|GB/s|context|pocl|oclgrind|computation|\bms\b|MB\]|\d s\b|Duet|GenuineIntel|AuthenticAMD|pthread|cpu|work-groups of size")
FILES_OF_TIMES = ("PD_OCL.txt",)
# What a program says of its own check.
OWN_CHECK = re.compile(r"(?i)(?:non-matching.*|number of misses): (\d+)|\b(\d+) validation errors|test (passed|failed)|(no errors detected)|(passed)|(mismatch|wrong|failed)")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
# All that its programs print are times, and what their own checks say.
MEASURES = ("shoc ",)
# Each is asked where the one before it fails, or gives something else. pocl's groups are as large as those of a GPU.
REFERENCES = {"pocl": ["env", "POCL_MAX_WORK_GROUP_SIZE=1024"], "oclgrind": ["oclgrind"]}


def lines(text):
    """But for those of times."""
    return [line for line in text.splitlines() if not LINE_OF_TIMES.search(line)]


def difference(expected, got):
    """The first line that differs, beyond times and the last digits of numbers; None: there is none."""
    ours, theirs = lines(got), lines(expected)
    if len(ours) != len(theirs):
        return f"{len(ours)} lines, not {len(theirs)}"
    for one, other in zip(ours, theirs):
        if NUMBER.sub("#", one) != NUMBER.sub("#", other):
            return one
        for mine, given in zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other))):
            if abs(mine - given) > 1e-3 * max(1, abs(given)):
                return one
    return None


def run(command, folder, limit):
    """How it ends, what it prints, what it says as errors, and the files that it leaves in its folder."""
    def files():
        return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file() and file.name not in FILES_OF_TIMES}

    before = files()
    status, output, errors = call(command, folder, limit)
    left = {str(file.relative_to(folder)): file.read_bytes() for file, time in files().items() if time != before.get(file)}
    return status, output, errors, left


def unlike(expected, got):
    """Where two runs differ, in what they print or in a file; None: nowhere."""
    if found := difference(expected[1], got[1]):
        return found
    if expected[3].keys() != got[3].keys():
        return f"leaves {', '.join(sorted(got[3])) or 'no file'}, not {', '.join(sorted(expected[3])) or 'none'}"
    for name, bytes_ in expected[3].items():
        try:
            found = difference(bytes_.decode(), got[3][name].decode())
        except UnicodeDecodeError:
            found = None if bytes_ == got[3][name] else "other bytes"
        if found:
            return f"{name}: {found}"
    return None


def judge(name, command, folder, arguments):
    out = pathlib.Path(tempfile.gettempdir()) / f"duet-opencl-programs-out.{os.getpid()}"
    prefix = [arguments.duet.resolve(), "run", "--quiet", "--no-html", "--out", out, *([] if arguments.timed else ["--functional"])]
    got = run([*prefix, *command], folder, arguments.limit)
    shutil.rmtree(out, ignore_errors=True)
    status, output, errors, _ = got
    if status is None:
        return "slow", ""
    said = next((line for line in errors.splitlines() if line.startswith("duet:")), "")
    if status == 125:
        return "refused", said
    words = output + "\n" + "\n".join(line for line in errors.splitlines() if not line.startswith("duet:"))
    own = [next(group.lower() for group in check.groups() if group) for check in OWN_CHECK.finditer(words)]
    if status == 0 and own and all(one in ("0", "passed", "no errors detected") for one in own):
        return "passed", ""
    if status == 0 and not own and name.startswith(MEASURES):
        return "ran", ""
    ends, found = [], None
    for reference, prefix in REFERENCES.items():
        expected = run([*prefix, *command], folder, arguments.limit)
        complaint = next((line.strip() for line in lines(expected[1]) if re.search("(?i)fail|error", line)), None)
        if expected[0] != 0 or complaint:
            ends.append(f"{reference} {'takes too long' if expected[0] is None else f'gives {expected[0]}'}" + (f" ({complaint})" if complaint else ""))
            continue
        found = (said or f"status {status}") if status != 0 else unlike(expected, got)
        if found is None and not lines(expected[1]) and not expected[3]:
            return "ran", "it leaves nothing to compare"
        if found is None:
            return "passed", "" if reference == "pocl" else f"by {reference} ({', '.join(ends)})"
        ends.append(f"{reference} differs: {found[:100]}")
    return ("wrong" if found else "no judge"), f"{', '.join(ends)}; Duet gives {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("OPENCL_PROGRAMS"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--write", type=data_file.target)
    arguments = parser.parse_args()
    if arguments.source is None or not pathlib.Path(arguments.source).is_dir():
        print("skipped: needs a folder with OpenCL programs (--source DIR)")
        return 77
    if not list(pathlib.Path("/etc/OpenCL/vendors").glob("pocl*")) or shutil.which("oclgrind") is None:
        print("skipped: needs pocl and oclgrind to judge by (apt-get install pocl-opencl-icd oclgrind)")
        return 77
    rows = []
    with tempfile.TemporaryDirectory(prefix="duet-opencl-programs-") as work:
        for name, folder, command in programs(pathlib.Path(arguments.source).resolve(), pathlib.Path(work), arguments.only):
            if arguments.only not in name:
                continue
            verdict, words = ("no judge", "does not compile") if command is None else judge(name, command, folder, arguments)
            rows.append({"program": name, "verdict": verdict, "words": words})
            print(f"{name:32} {verdict:9} {words}".rstrip(), flush=True)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("passed", "ran", "wrong", "refused", "slow", "no judge")}
    print(f"{len(rows)} programs: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if arguments.write:
        table = data_file.Table(["suite", "programs", "passed", "of these by oclgrind", "only measure", "not passed"])
        for suite in SUITES:
            own = [row for row in rows if row["program"].startswith(suite)]
            others = (f"{row['program'].removeprefix(suite).strip()}: {row['verdict']}" for row in own if row["verdict"] not in ("passed", "ran"))
            second = (row["program"].removeprefix(suite).strip() for row in own if row["words"].startswith("by oclgrind"))
            passed, measure = (sum(row["verdict"] == verdict for row in own) for verdict in ("passed", "ran"))
            table.row(suite, len(own), passed, ", ".join(second) or "none", measure, ", ".join(others) or "none")
        table.write(arguments.write, simulated=False)
    return int(counts["wrong"] + counts["refused"] > 0 or not rows)


if __name__ == "__main__":
    sys.exit(main())
