#!/usr/bin/env python3
"""`duet reproduce lustig2013 --quick`: rows, verdicts and data of the claims about full/empty bits, and every runtime of Figure
11 at the quick sizes against golden/lustig2013-quick.json. Usage: reproduce_test.py DUET [--update]
At night (tests/whole.py) all. By day the rows of two runs, with their controls, and the runtimes of three benchmarks, run from here."""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import golden

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from compile_once import compile_well  # noqa: E402
from whole import WHOLE  # noqa: E402

ALL = WHOLE or "--update" in sys.argv  # the record has all
IDS = ["L-F8", "L-dram", "L-val"]
if ALL:
    IDS += ["L-F9", "L-F11a", "L-F11b", "L-F11f", "L-tab3", "L-safe", "L-hol", "L-mshr", "L-ext"]
RECORD = golden.GOLDEN.with_name("lustig2013-quick.json")
# Benchmarks of Figure 11 that the day's test runs itself, and what --quick gives them.
FIGURE_11 = {"vectorAdd": ["--size", "8192"], "matrixMul": ["--size", "32"], "HotSpot": ["--size", "32"]}
# What a small input changes no more than a large one.
HOLD = {"L-F9", "L-tab3", "L-safe", "L-hol", "L-mshr", "L-dram"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        check(sys.argv[1], folder)


def check_extensions(result):
    extensions = [row for row in result["rows"] if row["id"] == "L-ext"]
    right = [row for row in extensions if row["claim"].endswith("runs with a wrong element or a failure")]
    assert len(right) == 10 and len(extensions) == 22, extensions
    assert all(row["verdict"] == "holds" for row in right), extensions
    assert all(row["measured"] is not None for row in extensions), extensions
    shown = result["figures"]["extensions"]
    assert len(shown) == 6 and all(len(points) >= 1 for points in shown.values()), shown
    times = shown["reuse, counter"][0]["runtime_us"]
    gain = 100 * (1 - times["counter"] / min(us for way, us in times.items() if way != "counter"))
    assert any(abs(row["measured"] - gain) < 1e-9 for row in extensions), (gain, extensions)


def check_figure_11(duet, folder):
    """The runtimes of some benchmarks, with the values of the choices, are the recorded ones to the picosecond."""
    recorded = json.loads(RECORD.read_text())["figure_11_ps"]
    choices = tomllib.loads((ROOT / "experiments/lustig2013/choices.toml").read_text())["choice"]
    for name, quick in FIGURE_11.items():
        of = [choice.get("on_value", {}) for choice in choices if name in choice.get("benchmarks", [name])]
        program, out = folder + "/" + name, folder + "/out"
        compile_well(duet, [ROOT / "workloads/lustig2013" / (name + ".cu")], program)
        sets = [word for value in of for one in value.get("sets", []) for word in ("--set", one)]
        for variant, wanted in recorded[name].items():
            options = [*quick, *(word for value in of for word in value.get("options", []))]
            subprocess.run([duet, "run", "--quiet", "--no-html", "--out", out, "--machine", "gtx580", *sets, program, "--variant", variant, *options],
                           check=True, stdout=subprocess.DEVNULL)
            marks = {mark["name"]: mark["time_ps"] for mark in json.loads(pathlib.Path(out + "/stats.json").read_text())["marks"]}
            assert marks["finish"] - marks["data ready"] == wanted, (name, variant, marks, wanted)


def check_figures(result):
    shares = result["figures"]["11"]["benchmarks"]
    assert len(shares) == 7 and all(len(variants) == 4 for variants in shares.values())
    mean = sum(variants["full-overlap"]["normalized"] for variants in shares.values()) / 7
    assert abs(mean - result["figures"]["11"]["mean"]["full-overlap"]) < 1e-9
    gain = next(row["measured"] for row in result["rows"] if row["id"] == "L-F11a")
    assert abs(gain - 100 * (1 - mean)) < 1e-9 and gain > 0
    assert len(result["figures"]["12"]["elements"]) == len(result["figures"]["12"]["runtime_us"]["full-overlap"]) == 6
    # Two copies in, a kernel, a copy out; before them what empties words, of two inputs and one output.
    counts = {figure: len(result["figures"][figure]["commands"]) for figure in ("3a", "3b", "6a", "6b")}
    assert counts == {"3a": 4, "3b": 7, "6a": 6, "6b": 5}, counts  # none of a warm-up

    # What a gain consists of adds up to it.
    for name, variants in result["figures"]["11"]["split"].items():
        for variant, parts in variants.items():
            saved = shares[name]["baseline"]["runtime_us"] - shares[name][variant]["runtime_us"]
            assert abs(parts["calls_and_driver_us"] + parts["overlap_us"] - saved) < 1e-6, (name, variant, parts)

    found = {"taken": "duet reproduce lustig2013 --quick --only " + ",".join(IDS), **golden.recorded_parts(result)}
    assert golden.compare(found, RECORD, "--update" in sys.argv[2:], IDS) == 0


def check(duet, folder):
    file = pathlib.Path(folder) / "out.json"
    runs = folder + "/runs"  # those with controls take what has been run before
    done = subprocess.run([duet, "reproduce", "lustig2013", "--quick", "--quiet", *([] if ALL else ["--controls"]), "--work", runs,
                           "--only", ",".join(IDS), "--json", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("quick:"), done.stdout
    assert done.stderr == "", done.stderr
    result = json.loads(file.read_text())
    assert result["quick"] is True and result["machine"] == "gtx580" and result["choices"] == []
    assert {row["id"] for row in result["rows"]} == set(IDS)
    for row in result["rows"]:
        assert row["verdict"] in ("holds", "falls short", "not run"), row
        assert (row["measured"] is None) == (row["verdict"] == "not run"), row
        assert row["verdict"] != "not run" or row["note"], row
        assert row["id"] not in HOLD or row["verdict"] == "holds", row
    if WHOLE:
        check_extensions(result)
    assert [row["verdict"] for row in result["rows"] if row["id"] == "L-val"] == ["not run"]
    if ALL:
        check_figures(result)
    else:
        check_figure_11(duet, folder)
        verdicts = [line for line in json.loads(RECORD.read_text())["verdicts"] if line.split()[0] in IDS]
        assert sorted("%s %s: %s" % (row["id"], row["verdict"], row["claim"]) for row in result["rows"]) == sorted(verdicts), result["rows"]

    # Controls: each row fails where it must; a machine on which one does not makes the command fail.
    def controls(*arguments):
        return subprocess.run([duet, "reproduce", "lustig2013", "--quick", "--quiet", "--controls", "--work", runs, *arguments],
                              capture_output=True, text=True)

    fail = 6 if ALL else 4
    if ALL:
        done = controls("--only", "L-F9,L-F8,L-dram")
    assert done.returncode == 0 and done.stdout.count("fails as must") == fail and "STILL HOLDS" not in done.stdout, done.stdout + done.stderr
    elsewhere = ["--only", "L-dram", "--set", "gpu.full_empty.granule_bytes=4", "--machine", "llano"]
    if ALL:
        done = controls(*elsewhere)
        assert done.returncode == 0, done.stderr
    listed = subprocess.run([duet, "reproduce", "lustig2013", "--list"], capture_output=True, text=True)
    assert listed.returncode == 0 and set(IDS) < set(listed.stdout.split()), listed

    # What a user sets is checked as `duet run` checks it.
    idle = "--set: gpu.functional.quantum_warp_instructions = 7 does nothing: only the functional GPU (--functional) reads it"
    done = controls(*(["--only", "L-dram"] if ALL else elsewhere), "--set", "gpu.functional.quantum_warp_instructions=7")
    assert done.returncode == 0 and done.stderr == f"duet: {idle}\n", done.stderr
    for arguments, part in ((["--only", "L-F99"], "L-F99"), (["--set", "gpu.nothing=1"], "gpu.nothing"),
                            (["--set", "gpu.l1.sets=48"], "--set: gpu.l1.sets = 48 is not a power of two"),
                            (["--set", "gpu.sm.scheduler=foo"], "--set: gpu.sm.scheduler is \"foo\"")):
        done = subprocess.run([duet, "reproduce", "lustig2013", *arguments], capture_output=True, text=True)
        assert done.returncode == 125 and part in done.stderr and done.stderr.count("\n") == 1, done.stderr


if __name__ == "__main__":
    main()
