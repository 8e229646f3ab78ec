#!/usr/bin/env python3
"""Every rule of docs/reference/advice-rules.md against a pair of programs: one with the flaw, one that just does not have it.

Usage: advise_test.py DUET [unittest options]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DUET = ""
SOURCE = pathlib.Path(__file__).with_name("rules.cu")
FLAWS = ["uncoalesced", "bank_conflicts", "atomics", "shared_atomics", "divergence", "partial_warps", "occupancy", "small_grid", "tail",
         "dram_bandwidth", "l2_thrash", "barriers", "issue_bound", "launch_bound", "synchronization", "pageable_copies", "small_copies", "overlap",
         "overlap_both_ways", "atomics_before_stores", "occupancy_by_blocks"]
# Programs whose name is not their rule's.
RULE_OF = {"overlap_both_ways": "overlap", "atomics_before_stores": "atomics", "occupancy_by_blocks": "occupancy"}

# What misses L2 is bound by DRAM as well: that rule comes before it.
SECOND = {"l2_thrash"}


def duet(*words):
    done = subprocess.run([DUET, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Program(unittest.TestCase):
    """The runs are those of all classes."""
    folder = tempfile.TemporaryDirectory()
    program = pathlib.Path(folder.name) / "rules"

    @classmethod
    def setUpClass(cls):
        if not cls.program.exists():
            duet("cc", SOURCE, "-o", cls.program)

    def run_of(self, flaw, which):
        out = pathlib.Path(self.folder.name) / f"{flaw}-{which}"
        if not out.exists():
            duet("run", "-q", "--no-html", "--out", out, self.program, flaw, which)
        return out, json.loads((out / "stats.json").read_text())


class Rules(Program):
    def test_a_flaw_is_named_first(self):
        for flaw in FLAWS:
            with self.subTest(flaw):
                _, stats = self.run_of(flaw, "trigger")
                rules = [one["rule"] for one in stats["advice"]]
                self.assertIn(RULE_OF.get(flaw, flaw), rules[:2] if flaw in SECOND else rules[:1], stats["advice"])
                self.assertLessEqual(len(stats["advice"]), 5)

    def test_the_line_is_named(self):
        text = SOURCE.read_text().splitlines()
        for flaw, words in {"uncoalesced": "", "bank_conflicts": "", "atomics": "atomicAdd", "shared_atomics": "atomicAdd", "barriers": "__syncthreads"}.items():
            with self.subTest(flaw):
                out = pathlib.Path(self.folder.name) / f"{flaw}-lines"
                duet("run", "-q", "--no-html", "--lines", "--out", out, self.program, flaw, "trigger")
                advice = next(one for one in json.loads((out / "stats.json").read_text())["advice"] if one["rule"] == flaw)
                _, which = self.run_of(flaw, "trigger")
                without = next(one for one in which["advice"] if one["rule"] == flaw)
                self.assertTrue(advice["because"].startswith(without["because"] + "; "), advice)
                found = re.search(r"rules\.cu:(\d+) has (\d+) % of ", advice["because"])
                self.assertIsNotNone(found, advice)
                self.assertGreater(int(found[2]), 50)
                self.assertIn(words, text[int(found[1]) - 1])

    def test_what_just_has_it_not_is_not_accused(self):
        for flaw in FLAWS:
            with self.subTest(flaw):
                _, stats = self.run_of(flaw, "not")
                self.assertNotIn(RULE_OF.get(flaw, flaw), [one["rule"] for one in stats["advice"]])

    # What the program without the flaw really saves, for rules that no changed machine can answer.
    def test_an_estimate_is_near_the_gain(self):
        for flaw in ["synchronization", "overlap_both_ways"]:
            with self.subTest(flaw):
                stats, without = self.run_of(flaw, "trigger")[1], self.run_of(flaw, "not")[1]
                one = next(one for one in stats["advice"] if one["rule"] == RULE_OF.get(flaw, flaw))
                gain = stats["account"]["time_ps"] - without["account"]["time_ps"]
                self.assertAlmostEqual(one["saves_ps"] / gain, 1, delta=0.25)

    # What waits behind atomics is theirs.
    def test_atomics_and_stores_do_not_both_claim_the_time(self):
        _, stats = self.run_of("atomics_before_stores", "trigger")
        saves = {one["rule"]: one["saves_ps"] for one in stats["advice"]}
        self.assertLess(saves["atomics"] + saves.get("uncoalesced", 0), stats["account"]["time_ps"])

    def test_an_estimate_is_no_more_than_the_run(self):
        for flaw in FLAWS:
            _, stats = self.run_of(flaw, "trigger")
            for one in stats["advice"]:
                self.assertLess(one["saves_ps"], stats["account"]["time_ps"])


class Measured(Program):
    def measured(self, flaw):
        out, stats = self.run_of(flaw, "trigger")
        text = duet("advise", out)
        advice = json.loads((out / "advice.json").read_text())
        one = next(one for one in advice["advice"] if one["rule"] == RULE_OF.get(flaw, flaw))
        return out, stats, text, one

    # On a machine without the flaw's cost the run with the flaw takes about as long as the run without it.
    def test_a_changed_machine_answers(self):
        for flaw in ["bank_conflicts", "pageable_copies", "occupancy_by_blocks"]:
            with self.subTest(flaw):
                _, stats, text, one = self.measured(flaw)
                _, without = self.run_of(flaw, "not")
                mended = stats["account"]["time_ps"] - without["account"]["time_ps"]
                self.assertAlmostEqual(one["measured_ps"] / mended, 1, delta=0.15)
                self.assertIn("measured with " + one["what_if"][0], text)

    def test_twice_the_warps_are_a_machine_that_runs(self):
        _, _, text, one = self.measured("occupancy")
        self.assertIn("measured_ps", one, text)

    def test_a_driver_that_prepares_ahead_is_not_accused(self):
        of = {}
        for ahead in ("false", "true"):
            out = pathlib.Path(self.folder.name) / f"ahead-{ahead}"
            duet("run", "-q", "--no-html", "--set", f"driver.read_ahead={ahead}", "--out", out, self.program, "launch_bound", "trigger")
            of[ahead] = out, json.loads((out / "stats.json").read_text())
        self.assertIn("read_ahead", [one["rule"] for one in of["false"][1]["advice"]])
        self.assertNotIn("read_ahead", [one["rule"] for one in of["true"][1]["advice"]])
        duet("advise", of["false"][0])
        one = next(one for one in json.loads((of["false"][0] / "advice.json").read_text())["advice"] if one["rule"] == "read_ahead")
        self.assertEqual(one["measured_ps"], of["false"][1]["account"]["time_ps"] - of["true"][1]["account"]["time_ps"])

    def test_a_program_may_end_with_any_status(self):
        out = pathlib.Path(self.folder.name) / "status"
        words = ["run", "-q", "--no-html", "--out", out, "sh", "-c", f"{self.program} bank_conflicts trigger; exit 3"]
        self.assertEqual(subprocess.run([DUET, *map(str, words)], capture_output=True).returncode, 3)
        self.assertIn("measured with gpu.sm.shared_banks=0", duet("advise", out))

    def test_the_measured_runs_are_there(self):
        out, stats, _, one = self.measured("atomics")
        again = json.loads((out / one["folder"] / "stats.json").read_text())
        self.assertEqual(one["measured_ps"], stats["account"]["time_ps"] - again["account"]["time_ps"])

    def test_a_second_time_says_the_same(self):
        out, _, text, _ = self.measured("atomics")
        self.assertEqual(duet("advise", out), text)

    def refused(self, *words):
        done = subprocess.run([DUET, "advise", *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_folder_without_a_run_is_one_line(self):
        self.assertIn("is no folder", self.refused(pathlib.Path(self.folder.name) / "none"))
        self.assertIn("no run has ended there", self.refused(self.folder.name))


if __name__ == "__main__":
    DUET = sys.argv.pop(1)
    unittest.main()
