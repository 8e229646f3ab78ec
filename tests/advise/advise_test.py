#!/usr/bin/env python3
"""Every rule of docs/reference/advice-rules.md against three programs: one with the flaw, one that just does not have it, one with
another rule's.

Usage: advise_test.py DUET [unittest options]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402
from whole import WHOLE, some  # noqa: E402

DUET = ""
SOURCE = pathlib.Path(__file__).with_name("rules.cu")
FLAWS = ["uncoalesced", "bank_conflicts", "atomics", "shared_atomics", "divergence", "partial_warps", "occupancy", "small_grid", "tail",
         "dram_bandwidth", "l2_thrash", "barriers", "issue_bound", "launch_bound", "synchronization", "pageable_copies", "small_copies", "overlap",
         "overlap_both_ways", "atomics_before_stores", "occupancy_by_blocks", "local_memory", "constant_reads", "host_memory", "allocations",
         "issue_order", "serial_kernels", "double_precision", "long_block", "one_block_an_sm", "beside_global_atomics", "one_thread_works",
         "host_memory_of_each_launch", "host_memory_in_each_launch"]
# Half a second and more each: at night alone (whole.py), and then the others too; half of these by day.
LONG = {"uncoalesced", "tail", "dram_bandwidth", "barriers", "issue_bound", "synchronization", "overlap", "overlap_both_ways", "local_memory",
        "constant_reads"}
# Programs whose name is not their rule's.
RULE_OF = {"overlap_both_ways": "overlap", "atomics_before_stores": "atomics", "occupancy_by_blocks": "occupancy", "long_block": "tail",
           "one_block_an_sm": "small_grid", "beside_global_atomics": "shared_atomics", "one_thread_works": "barriers",
           "host_memory_of_each_launch": "host_memory",
           "host_memory_in_each_launch": "host_memory"}
# A rule that a program looks like, and must not be accused of.
INNOCENT = {"flag_loop": "small_copies", "equal_blocks": "tail", "host_memory_read_once": "host_memory", "textures": "uncoalesced"}

# A rule, and a program whose flaw is another one that looks like it.
OTHERS = {"uncoalesced": "local_memory", "local_memory": "uncoalesced", "bank_conflicts": "shared_atomics", "shared_atomics": "atomics",
          "atomics": "shared_atomics", "divergence": "partial_warps", "partial_warps": "divergence", "occupancy": "small_grid",
          "small_grid": "serial_kernels", "tail": "small_grid", "dram_bandwidth": "uncoalesced", "l2_thrash": "dram_bandwidth",
          "barriers": "tail", "issue_bound": "tail", "launch_bound": "synchronization", "synchronization": "launch_bound",
          "pageable_copies": "overlap", "small_copies": "pageable_copies", "overlap": "all_of_the_copy", "constant_reads": "bank_conflicts",
          "host_memory": "pageable_copies", "allocations": "launch_bound", "issue_order": "serial_kernels", "serial_kernels": "issue_order",
          "double_precision": "issue_bound"}

SOME_FLAWS = FLAWS if WHOLE else some((flaw for flaw in FLAWS if flaw not in LONG), 2)

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
            compile_well(DUET, [SOURCE], cls.program)

    def run_of(self, flaw, which):
        out = pathlib.Path(self.folder.name) / f"{flaw}-{which}"
        if not out.exists():
            duet("run", "-q", "--no-html", "--out", out, self.program, flaw, which)
        return out, json.loads((out / "stats.json").read_text())


class Rules(Program):
    def test_a_flaw_is_named_first(self):
        for flaw in SOME_FLAWS:
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
        for flaw in SOME_FLAWS:
            with self.subTest(flaw):
                _, stats = self.run_of(flaw, "not")
                self.assertNotIn(RULE_OF.get(flaw, flaw), [one["rule"] for one in stats["advice"]])

    def test_what_has_another_flaw_is_not_accused(self):
        self.assertEqual(set(OTHERS), {RULE_OF.get(flaw, flaw) for flaw in FLAWS})
        for rule, program in some((pair for pair in OTHERS.items() if WHOLE or pair[1] not in LONG), 3):
            with self.subTest(rule):
                _, stats = self.run_of(program, "trigger")
                self.assertNotIn(rule, [one["rule"] for one in stats["advice"]], stats["advice"])

    def test_the_innocent_are_not_accused(self):
        for program, rule in INNOCENT.items():
            with self.subTest(program):
                _, stats = self.run_of(program, "trigger")
                self.assertNotIn(rule, [one["rule"] for one in stats["advice"]], stats["advice"])

    def test_one_thread_works(self):
        _, stats = self.run_of("one_thread_works", "trigger")
        self.assertIn("let all threads share", next(one for one in stats["advice"] if one["rule"] == "barriers")["try"])

    def test_items_save_no_more_than_the_run(self):
        for flaw in SOME_FLAWS:
            _, stats = self.run_of(flaw, "trigger")
            self.assertLessEqual(sum(one["saves_ps"] for one in stats["advice"]), stats["account"]["time_ps"])

    # What the program without the flaw really saves, for rules that no changed machine can answer.
    def test_an_estimate_is_near_the_gain(self):
        for flaw in some(["issue_order", "synchronization", "long_block", "overlap_both_ways", "one_block_an_sm"], 2):
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
        for flaw in SOME_FLAWS:
            _, stats = self.run_of(flaw, "trigger")
            for one in stats["advice"]:
                self.assertLess(one["saves_ps"], stats["account"]["time_ps"])


class Headline(Program):
    """The time in which nothing but calls goes on has a name."""

    def test_a_run_over_pageable_copies_says_what_its_calls_wait_for(self):
        out, stats = self.run_of("pageable_copies", "trigger")
        account = stats["account"]
        idle = account["idle_calls_ps"]
        self.assertEqual(next(iter(idle)), "cudaMemcpy, staging pageable memory")
        self.assertAlmostEqual(sum(idle.values()) / account["moments_ps"]["calls"], 1, delta=0.01)
        share = 100 * idle["cudaMemcpy, staging pageable memory"] / account["time_ps"]
        done = subprocess.run([DUET, "run", "--no-html", "--out", out, self.program, "pageable_copies", "trigger"], capture_output=True, text=True)
        self.assertRegex(done.stderr, rf"API calls, driver and GPU idle .* in cudaMemcpy, staging pageable memory {share:.1f} %")

    def test_pinned_copies_wait_for_no_processor(self):
        _, stats = self.run_of("pageable_copies", "not")
        self.assertNotIn("cudaMemcpy, staging pageable memory", stats["account"]["idle_calls_ps"])


class Measured(Program):
    def measured(self, flaw):
        out, stats = self.run_of(flaw, "trigger")
        text = duet("advise", out)
        advice = json.loads((out / "advice.json").read_text())
        one = next(one for one in advice["advice"] if one["rule"] == RULE_OF.get(flaw, flaw))
        return out, stats, text, one

    # On a machine without the flaw's cost the run with the flaw takes about as long as the run without it.
    def test_a_changed_machine_answers(self):
        for flaw in some(["bank_conflicts", "pageable_copies", "occupancy_by_blocks"], 2):
            with self.subTest(flaw):
                _, stats, text, one = self.measured(flaw)
                _, without = self.run_of(flaw, "not")
                mended = stats["account"]["time_ps"] - without["account"]["time_ps"]
                self.assertAlmostEqual(one["measured_ps"] / mended, 1, delta=0.15)
                self.assertIn("measured with " + one["what_if"][0], text)

    def test_twice_the_warps_are_a_machine_that_runs(self):
        _, _, text, one = self.measured("occupancy")
        self.assertIn("measured_ps", one, text)

    # A key of the machine is nothing for the program, and nothing without a gain.
    def test_a_change_of_the_machine_stands_apart(self):
        for flaw in some(("allocations", "launch_bound"), 2):
            of = {}
            for ahead in ("false", "true"):
                out = pathlib.Path(self.folder.name) / f"{flaw}-ahead-{ahead}"
                duet("run", "-q", "--no-html", "--set", f"driver.read_ahead={ahead}", "--out", out, self.program, flaw, "not")
                of[ahead] = out, json.loads((out / "stats.json").read_text())
            text = duet("advise", of["false"][0])
            advice = json.loads((of["false"][0] / "advice.json").read_text())
            gain = of["false"][1]["account"]["time_ps"] - of["true"][1]["account"]["time_ps"]
            with self.subTest(flaw):
                self.assertNotIn("read_ahead", [one["rule"] for one in of["false"][1]["advice"] + advice["advice"]])
                self.assertEqual(of["true"][1]["hardware_advice"], [])
                self.assertEqual([one["measured_ps"] for one in advice["hardware_advice"]], [gain] if gain > 0 else [])
                self.assertEqual("of the machine, not of the program" in text, gain > 0)

    # Both directions of a copy are one item: one machine answers for both.
    def test_items_of_a_changed_machine_do_not_claim_it_twice(self):
        for flaw in some(("pageable_copies", "small_copies", "bank_conflicts", "occupancy"), 2):
            out, stats, _, _ = self.measured(flaw)
            advice = json.loads((out / "advice.json").read_text())["advice"]
            asked = [(tuple(one["what_if"]), one.get("kernel")) for one in advice if one["what_if"]]
            self.assertEqual(len(asked), len(set(asked)), advice)
            self.assertLessEqual(sum(one.get("measured_ps", one["saves_ps"]) for one in advice), stats["account"]["time_ps"])

    def test_a_program_may_end_with_any_status(self):
        out = pathlib.Path(self.folder.name) / "status"
        words = ["run", "-q", "--no-html", "--out", out, "sh", "-c", f"{self.program} bank_conflicts trigger; exit 3"]
        self.assertEqual(subprocess.run([DUET, *map(str, words)], capture_output=True).returncode, 3)
        self.assertIn("measured with gpu.sm.shared_banks=0", duet("advise", out))

    def test_the_measured_runs_are_there(self):
        out, stats, _, one = self.measured("pageable_copies")
        again = json.loads((out / one["folder"] / "stats.json").read_text())
        # Pinned memory's allocation and release take 10 us each.
        self.assertEqual(one["costs_ps"], 20_000_000)
        self.assertEqual(one["measured_ps"] + one["costs_ps"], stats["account"]["time_ps"] - again["account"]["time_ps"])

    def test_a_second_time_says_the_same(self):
        out, _, text, _ = self.measured("bank_conflicts")
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
