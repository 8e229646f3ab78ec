#!/usr/bin/env python3
"""How much the rows of dashti2017 depend on what is inferred in machines/tk1.toml: each number marked "I" halved and doubled, one at a time.

    experiments/dashti2017/sensitivity.py --duet build/bin/duet --work FOLDER --commit 4d142d1b && docs/results/render.py

Smaller inputs than the paper's (--quick). A row of the table: the number, and for both sides which claims then have another verdict, and which
measured values move by more than a tenth. Numbers that cannot be halved or doubled (the machine refuses them) have no entry."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "experiments"))
import scorecard  # noqa: E402

MOVED = 0.1


def inferred():
    """Keys and values of the machine file that are marked as inferred, numbers alone."""
    section = ""
    for line in (SOURCE / "machines/tk1.toml").read_text().splitlines():
        if header := re.match(r"\[([a-z_.0-9]+)\]", line):
            section = header[1] + "."
        if line.startswith("[["):
            section = None
        number = re.match(r"(\w+) = (\d+)\s+# I:", line)
        if number and section is not None and int(number[2]) != 0:
            yield section + number[1], int(number[2])


def measured(duet, work, sets):
    """Verdict and value of each claim by what it says; None where the machine is refused."""
    name = "-".join(sets).replace("=", "-") or "as-it-is"
    score = work / f"{name}.json"
    words = [word for one in sets for word in ("--set", one)]
    subprocess.run([duet, "reproduce", "dashti2017", "--quick", "--quiet", "--only", "D-T1,D-F3,D-F5,D-F6,D-F7,D-F9,D-copy", *words, "--work",
                    str(work / "runs"), "--json", str(score)], capture_output=True, text=True)
    if not score.exists():
        return None
    rows = {(row["id"], row["claim"]): (row["verdict"], row["measured"]) for row in json.loads(score.read_text())["rows"]}
    return None if all(value is None for _, value in rows.values()) else rows


def short(claim):
    return f"{claim[0]} ({claim[1].split(':')[0].split(',')[0]})"


def changes(base, other):
    """Claims with another verdict, and other values that move."""
    if other is None:
        return "refused"
    turned = [short(claim) + f" {other[claim][0]}" for claim in base if other[claim][0] != base[claim][0]]
    moved = [claim for claim in base if base[claim][1] and other[claim][1] is not None and abs(other[claim][1] / base[claim][1] - 1) > MOVED]
    ids = sorted({claim[0] for claim in moved})
    return "; ".join([*turned, *([f"moves {len(moved)} of {', '.join(ids)}"] if moved else [])]) or "–"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="keeps runs")
    parser.add_argument("--commit", required=True, help="whose Duet measures")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    duet = str(pathlib.Path(options.duet).resolve())
    base = measured(duet, options.work, [])
    keys = dict(inferred())
    rows = []
    for key, value in keys.items():
        cells = [changes(base, measured(duet, options.work, [f"{key}={max(1, round(value * factor))}"])) for factor in (0.5, 2)]
        print(f"{key} = {value}: halved: {cells[0]}; doubled: {cells[1]}", flush=True)
        rows.append([f"`{key}`", str(value), *cells])
    scorecard.write("dashti2017-sensitivity", "experiments/dashti2017/sensitivity.py --duet build/bin/duet", options.commit,
                    ["inferred", "value", "halved", "doubled"], rows)


if __name__ == "__main__":
    main()
