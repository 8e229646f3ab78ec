#!/usr/bin/env python3
"""The subtests of Khronos' OpenCL-CTS under Duet, each in a process of its own: which of them pass?

Usage: opencl_cts.py --build DIR [--duet PATH] [--machine M] [--only WORD] [--limit SECONDS] [--pocl] [--all] [--write FILE]

DIR holds test programs that were built from a checkout of OpenCL-CTS (test_basic, test_api, ..), at any depth. A line a subtest that does not pass:
"refused" and what is not supported, by the test's words or Duet's; "wrong" and the test's first error; "slow" (more than --limit seconds). --pocl asks
for each of those whether it passes under pocl, --all gives passed ones a line, too. Programs run on the functional GPU, in the tests' own short mode
(--wimpy). DIR is $OPENCL_CTS if not said; without it one line says so and the exit status is 77; 1: a subtest is wrong.
--write leaves a row a program as a data file.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
import data_file  # noqa: E402
from limited import call  # noqa: E402

VERDICTS = ("passed", "refused", "wrong", "slow")
ERROR = re.compile(r"(?i)^.*(\berror\b|fail|mismatch|invalid|!=|unable).*$", re.MULTILINE)
NOT_THERE = re.compile(r"(?i)^.*(not support|unsupported|skip|requires|not available).*$", re.MULTILINE)
LACKS = re.compile(r"^duet: \w+ is not supported.*$", re.MULTILINE)


def subtests(program):
    """Their names, in the program's order."""
    listed = call([program, "--list"], program.parent, 60, merged=True)[1]
    return re.findall(r"^\s+(\w+)$", listed, re.MULTILINE)


def judge(status, output):
    if status is None:
        return "slow", ""
    last = output[output.rfind("Supports single precision denormals"):]
    if status == 0 and "SKIPPED" not in last:
        return "passed", ""
    lacks = LACKS.search(output)
    if lacks or status == 0:
        said = lacks or NOT_THERE.search(last)
        return "refused", said[0].strip() if said else ""
    error = re.search(r"^.*duet: .*$", last, re.MULTILINE) if status == 125 else None
    error = error or ERROR.search(last)
    return "wrong", error[0].strip() if error else f"status {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=os.environ.get("OPENCL_CTS"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--machine")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--pocl", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", type=data_file.target)
    arguments = parser.parse_args()
    if arguments.build is None or not pathlib.Path(arguments.build).is_dir():
        print("skipped: needs a folder with test programs of OpenCL-CTS (--build DIR)")
        return 77
    programs = sorted(path.resolve() for path in pathlib.Path(arguments.build).rglob("test_*")
                      if path.is_file() and os.access(path, os.X_OK) and not path.suffix)
    if not programs:
        print(f"skipped: {arguments.build} has no test programs of OpenCL-CTS")
        return 77
    machine = ["--machine", arguments.machine] if arguments.machine else []
    rows = []
    with tempfile.TemporaryDirectory(prefix="duet-opencl-cts-") as out:
        run = [str(arguments.duet.resolve()), "run", "--quiet", "--no-html", "--functional", *machine]
        for program in programs:
            for name in subtests(program):
                if arguments.only not in f"{program.name} {name}":
                    continue
                test = [str(program), name, "--wimpy"]
                folder = ["--out", f"{out}/{program.name}-{name}"]
                verdict, words = judge(*call([*run, *folder, *test], program.parent, arguments.limit, merged=True)[:2])
                row = {"program": program.name, "subtest": name, "verdict": verdict, "words": words}
                if arguments.pocl and verdict != "passed":
                    row["pocl"] = judge(*call(test, program.parent, arguments.limit, merged=True)[:2])[0]
                rows.append(row)
                if arguments.all or verdict != "passed":
                    pocl = f" (pocl: {row['pocl']})" if "pocl" in row else ""
                    print(f"{program.name:18} {name:44} {verdict:8}{pocl} {words}".rstrip(), flush=True)
    table = data_file.Table(["program", *VERDICTS])
    for program in dict.fromkeys(row["program"] for row in rows):
        table.row(program, *(sum(row["program"] == program and row["verdict"] == verdict for row in rows) for verdict in VERDICTS))
    if arguments.write:
        table.write(arguments.write, simulated=False)
    return int(any(row["verdict"] == "wrong" for row in rows) or not rows)


if __name__ == "__main__":
    sys.exit(main())
