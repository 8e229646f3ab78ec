#!/usr/bin/env python3
"""Programs of others with a flaw that somebody named before: does Duet's advice name it, and does the fix save what it says?

Usage: programs.py --corpus DIR [--duet PATH] [--work DIR] [--only WORD ..] [--machine NAME] [--json FILE]

DIR holds the checkouts cuda-samples, rodinia, PolyBench-GPU, HeCBench and shoc, as for tests/judges/other_programs.py. programs.toml
has the rows: the flaw, whose word that is, the rules that should name it (those made since are marked *), and the fix. Each row is
compiled with `duet cc` before and after the fix, run, and advised (`duet advise`) before it. A table on the terminal:

  rank       of the rule in the list of the run, and in that of `duet advise`
  predicted  what `duet advise` says that the rule's change saves
  saved      the run before the fix less the run after it

Without DIR one line says so and the exit status is 77. Exit status 1: a program is wrong, or does not build or run.
Nothing of the suites is kept in the repository; they are compiled in copies below --work.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "judges"))
from other_programs import commands_of_duet_cc  # noqa: E402

CHECKOUTS = ["cuda-samples", "rodinia", "PolyBench-GPU", "HeCBench", "shoc"]


class Wrong(Exception):
    pass


def edit(folder, edits):
    for one in edits:
        path = folder / one["file"]
        text = path.read_text(errors="surrogateescape")
        if text.count(one["old"]) != one.get("times", 1):
            raise Wrong(f"{one['file']} has {one['old']!r} {text.count(one['old'])} times: another version of the suite?")
        path.write_text(text.replace(one["old"], one["new"]), errors="surrogateescape")


def build(row, side, folder, arguments):
    """A copy of the program's folder with its edits, compiled."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(arguments.corpus / row["folder"], folder)
    edit(folder, [*row.get("edits", []), *side.get("edits", [])])
    for name in row.get("empty", []):
        (folder / name).touch()
    fill = [word.replace("{corpus}", str(arguments.corpus)) for word in [*row["sources"], *row.get("flags", []), *side.get("flags", [])]]
    sources, flags = fill[: len(row["sources"])], fill[len(row["sources"]) :]
    binary = folder / "program.bin"
    for command in commands_of_duet_cc(arguments.duet, "native", sources, ["-O2", *flags], binary):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"does not build: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return binary


def run(row, side, binary, arguments):
    out = binary.parent / "duet"
    command = [arguments.duet, "run", "--quiet", "--no-html", "--machine", arguments.machine, "--timeout", "600", "--out", str(out), str(binary)]
    done = subprocess.run([*command, *side.get("arguments", [])], cwd=binary.parent, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Wrong(f"exit status {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    if "passes" in row and not re.search(row["passes"], done.stdout, re.M):
        raise Wrong(f"no line matches {row['passes']}")
    return out, json.loads((out / "stats.json").read_text()), done.stdout


def rank(row, advice):
    for rules in (row["rules"], row.get("since", [])):
        for place, one in enumerate(advice, 1):
            if one["rule"] in rules:
                return place, one
    return None, None


def measure(row, arguments):
    work = arguments.work / re.sub(r"\W+", "-", row["name"])
    before, stats, output = run(row, row["before"], build(row, row["before"], work / "before", arguments), arguments)
    subprocess.run([arguments.duet, "advise", str(before)], check=True, capture_output=True)
    after, stats_after, output_after = run(row, row["after"], build(row, row["after"], work / "after", arguments), arguments)
    if "equal" in row:
        results = [[line for line in text.splitlines() if re.search(row["equal"], line)] for text in (output, output_after)]
        if not results[0] or results[0] != results[1]:
            raise Wrong("other results after the fix")
    advice = json.loads((before / "advice.json").read_text())["advice"]
    place, one = rank(row, advice)
    return {
        "name": row["name"],
        "rank_of_run": rank(row, stats["advice"])[0],
        "rank": place,
        "rule": one and one["rule"],
        "predicted_ps": one and one.get("measured_ps", one["saves_ps"]),
        "measured_on_a_machine": bool(one and "measured_ps" in one),
        "before_ps": stats["account"]["time_ps"],
        "after_ps": stats_after["account"]["time_ps"],
        "advice": [[a["rule"], a.get("kernel", ""), a.get("measured_ps", a["saves_ps"])] for a in advice],
    }


def microseconds(ps):
    return f"{ps / 1e6:,.1f}"


def lines(row, result):
    ranks = [f"{number}." if number else "no" for number in (result["rank_of_run"], result["rank"])]
    predicted = "-"
    if result["rule"]:
        how = "measured" if result["measured_on_a_machine"] else "estimated"
        predicted = f"{microseconds(result['predicted_ps'])} {how}"
    rule = result["rule"] and result["rule"] + ("" if result["rule"] in row["rules"] else " *")
    saved = microseconds(result["before_ps"] - result["after_ps"])
    first = result["advice"][0][0] if result["advice"] else "nothing"
    return (f"| {row['name']} | {row['flaw']} ({row['word']}) | {rule or 'none; first is ' + first} | {ranks[0]} / {ranks[1]} "
            f"| {microseconds(result['before_ps'])} | {predicted} | {saved} ({row['fix']}) |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("advised-programs"))
    parser.add_argument("--only", nargs="*", default=[], help="rows whose name has one of these words")
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    missing = [name for name in CHECKOUTS if not (arguments.corpus / name).is_dir()]
    if missing:
        print(f"skipped: {arguments.corpus} lacks the checkouts {', '.join(missing)}")
        return 77
    arguments.corpus, arguments.work = arguments.corpus.resolve(), arguments.work.resolve()
    if os.sep in arguments.duet:
        arguments.duet = str(pathlib.Path(arguments.duet).resolve())
    rows = tomllib.loads((HERE / "programs.toml").read_text())["row"]
    results, wrong = [], 0
    print("| program | flaw, and whose word | rule | rank: run / advise | run, us | predicted, us | saved by the fix, us |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for row in rows:
        if arguments.only and not any(word in row["name"] for word in arguments.only):
            continue
        try:
            results.append(measure(row, arguments))
            print(lines(row, results[-1]), flush=True)
        except Wrong as problem:
            wrong += 1
            print(f"| {row['name']} | {problem} |", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
