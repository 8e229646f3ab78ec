#!/usr/bin/env python3
"""`duet reproduce dashti2017 --quick`: Table 1 and its controls, and rows that are those of the runs. Usage: dashti2017_reproduce_test.py DUET

By day Table 1, with its controls at once; at night (tests/whole.py) all rows, the controls behind them, and a machine that has no such rows.
Which bandwidth a method reaches is not tested: it changes with the machine file. Who caches is."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from whole import WHOLE  # noqa: E402

METHODS = ["default", "hostalloc", "managed", "sharedalloc"]


def main():
    duet = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file, work = pathlib.Path(folder) / "out.json", folder + "/work"
        only = [] if WHOLE else ["--only", "D-T1", "--controls"]

        def reproduce(*arguments):
            done = subprocess.run([duet, "reproduce", "dashti2017", "--quick", "--quiet", "--work", work, "--json", str(file), *arguments],
                                  capture_output=True, text=True)
            assert done.returncode == 0 and done.stderr == "", done.stderr
            return done, json.loads(file.read_text())

        done, result = reproduce(*only)
        assert (result["paper"], result["machine"], result["quick"]) == ("dashti2017", "tk1", True), result
        rows = result["rows"]
        assert {row["id"] for row in rows} >= {"D-T1"} and all(row["measured"] is not None for row in rows), rows
        assert [row["verdict"] for row in rows if row["id"] == "D-T1"] == ["holds"] * 3, rows
        cells = {row["method"]: (row["cpu"], row["gpu"], row["both_at_once"]) for row in result["figures"]["Table 1"]}
        assert cells == {"default": (True, True, True), "hostalloc": (False, False, True), "managed": (True, True, False),
                         "sharedalloc": (True, True, True)}, cells
        if WHOLE:
            times = {point["method"]: point["us"] for point in result["figures"]["7"]}
            assert list(times) == METHODS, times
            over = next(row["measured"] for row in rows if row["id"] == "D-F7" and "sharedalloc over default" in row["claim"])
            assert abs(over - times["default"] / times["sharedalloc"]) < 1e-9, (over, times)
            # A choice by its name, and nothing else.
            _, result = reproduce("--only", "cpu-threads")
            assert [choice["id"] for choice in result["choices"]] == ["cpu-threads"] and result["rows"] == [], result

            # What has run before is not run again.
            done, _ = reproduce("--only", "D-T1", "--controls")
        # On a machine where it must not be so, no row holds.
        assert done.stdout.count("fails as must") == 3 and "STILL HOLDS" not in done.stdout, done.stdout

        if WHOLE:  # A machine that cannot run the programs measures nothing, and says why.
            _, result = reproduce("--only", "D-T1", "--machine", "gtx580")
            assert [(row["measured"], row["verdict"]) for row in result["rows"]] == [(None, "not run")] * 3, result
            assert all("gtx580" in row["note"] for row in result["rows"]), result


if __name__ == "__main__":
    main()
