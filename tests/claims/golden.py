#!/usr/bin/env python3
"""The scorecard of lustig2013, controls included, against what is recorded: every runtime of Figure 11 to the picosecond, what each gain
consists of, every row's verdict, and that every control fails. Usage: golden.py DUET [--update]

At the paper's sizes, but for the rows that set an offload against a processor's programs (REDUCED): those run with `--quick`, because the
instructions of a timed core take long. Of Figure 1 it leaves four sizes of five, of Figure 12 three of six: those between which a break-even
lies, or beyond which the claim's band ends, so that the verdicts are those of all sizes. Of section 7.1 it makes BlackScholes smaller (8K
options for 64K). Nothing else is reduced.

Minutes, so it runs at night; reproduce_test.py compares the quick sizes with a record of their own.

tests/golden/lustig2013.json holds the record; --update takes it anew (a change of it is a change of results: its commit says why)."""
import json
import pathlib
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden/lustig2013.json"
REDUCED = ["L-F1", "L-F12", "L-7.1"]


def scorecard(duet, folder, ids, options):
    """The results, and whether the command says that all controls fail. Runs that another scorecard has made are taken from `folder`."""
    file = pathlib.Path(folder) / "out.json"
    file.unlink(missing_ok=True)
    done = subprocess.run([duet, "reproduce", "lustig2013", "--quiet", "--controls", "--work", folder + "/runs", *options, "--only", ",".join(ids),
                           "--json", str(file)], capture_output=True, text=True)
    if not file.exists():
        sys.exit("duet reproduce: status %d, %s" % (done.returncode, done.stderr))
    return json.loads(file.read_text()), done.returncode == 0


def measured(duet):
    ids = subprocess.run([duet, "reproduce", "lustig2013", "--list"], capture_output=True, text=True, check=True).stdout.split()
    assert set(REDUCED) < set(ids), ids
    with tempfile.TemporaryDirectory() as folder:
        result, all_fail = scorecard(duet, folder, [name for name in ids if name not in REDUCED], [])
        reduced, reduced_fail = scorecard(duet, folder, REDUCED, ["--quick"])
    all_fail = all_fail and reduced_fail
    result["rows"] += reduced["rows"]
    controls = [row for row in result["rows"] if "control" in row]
    for row in controls:
        if not row["control"]["fails"]:
            print("the control does not fail: %s, %s; %s: %s" % (row["id"], row["claim"], row["control"]["what"], row["control"]["measured"]))
    assert all(("control" in row) == (row["verdict"] != "not run") for row in result["rows"])
    assert all_fail == all(row["control"]["fails"] for row in controls)
    return all_fail, {"taken": "duet reproduce lustig2013 --controls, machine gtx580; %s with --quick" % ", ".join(REDUCED), **recorded_parts(result)}


def recorded_parts(result):
    """What is recorded of a scorecard."""
    figure = result["figures"]["11"]
    return {
        "figure_11_ps": {name: {variant: round(cell["runtime_us"] * 1e6) for variant, cell in variants.items()}
                         for name, variants in figure["benchmarks"].items()},
        "overlap_ps": {name: {variant: round(cell["overlap_us"] * 1e6) for variant, cell in variants.items()}
                       for name, variants in figure["split"].items()},
        "verdicts": ["%s %s: %s" % (row["id"], row["verdict"], row["claim"]) for row in result["rows"]],
    }


def compare(found, file, update, ids=None):
    """The number of differences from the record, each of them printed; with `update` it is the record. `ids`: of the rows that were run."""
    if update:
        file.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    recorded = json.loads(file.read_text())
    differences = 0
    for part in ("figure_11_ps", "overlap_ps"):
        for name, variants in recorded[part].items():
            for variant, value in variants.items():
                if found[part][name][variant] != value:
                    differences += 1
                    print("%s of %s, %s: %d, recorded %d" % (part, name, variant, found[part][name][variant], value))
    verdicts = {line for line in recorded["verdicts"] if ids is None or line.split()[0] in ids}
    for line in verdicts ^ set(found["verdicts"]):
        differences += 1
        print("%s: %s" % ("recorded" if line in verdicts else "found", line))
    assert found.keys() == recorded.keys()
    return differences


def main():
    controls_fail, found = measured(sys.argv[1])
    sys.exit(0 if compare(found, GOLDEN, "--update" in sys.argv[2:]) == 0 and controls_fail else 1)


if __name__ == "__main__":
    main()
