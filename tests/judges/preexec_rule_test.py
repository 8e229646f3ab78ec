#!/usr/bin/env python3
"""preexec_rule.py and the causes of preexec_rows.py, on rows made up for it: a planted rule is found on one half and holds on the other."""
import random
import unittest

import preexec_rows
import preexec_rule

PLAIN = {"accesses": 3, "covered": 3, "gain": 0.0, "bound": 0.5, "fills": 1000, "used": 900, "gone": 20, "accuracy": 0.9, "l3_reads_missed": 2000,
         "requests": 4000, "off_us": 100.0, "launches": 1, "dram_busy_before": 0.3, "dram_transfers": 1.0, "row_conflicts": 1.0, "occupancy": 0.5, "waves": 4.0, "blocks": 64,
         "channels_in_use": 1.0, "chance": 0.0, "memory_instructions_per_instruction": 0.2, "requests_per_memory_instruction": 1.0}


def row(number: int, **values) -> dict:
    return {**PLAIN, "program": "p", "kernel": f"k{number}", **values}


def planted(count: int) -> list[dict]:
    """Kernels of low occupancy gain 10 %, the others lose 5 %; nothing else matters."""
    source = random.Random(1)
    made = []
    for number in range(count):
        occupancy = source.choice([0.2, 0.4, 0.8, 1.0])
        made += [row(number, occupancy=occupancy, waves=source.uniform(1, 9), gain=0.1 if occupancy < 0.5 else -0.05, start=start) for start in ("cold", "warm")]
    return made


class Rule(unittest.TestCase):
    def test_halves_share_no_kernel(self):
        teach, test = preexec_rule.split(planted(21))
        self.assertEqual((len(teach), len(test)), (22, 20))
        self.assertFalse({r["kernel"] for r in teach} & {r["kernel"] for r in test})

    def test_a_planted_rule_is_found_and_holds(self):
        for when in (("before",), ("before", "early")):
            teach, test = preexec_rule.split(planted(60))
            rule = preexec_rule.learn(teach, when)
            self.assertEqual([(c["feature"], c["at_least"]) for c in rule], [("occupancy", False)])
            result = preexec_rule.judge(test, rule)
            self.assertEqual(result["confusion"]["yes"]["hurt"] + result["confusion"]["no"]["gains"], 0)
            self.assertAlmostEqual(result["with rule"], result["oracle"])
            self.assertGreater(result["with rule"], result["always"])

    def test_without_anything_to_learn_it_says_always(self):
        rule = preexec_rule.learn([row(n, occupancy=0.1 * n, gain=0.05) for n in range(10)])
        self.assertEqual(rule, [])
        self.assertEqual(preexec_rule.judge([row(1, gain=0.05), row(2, covered=0, gain=0.05)], rule)["confusion"]["yes"]["gains"], 1)


class Machines(unittest.TestCase):
    def test_a_sign_is_right_where_yes_gains_and_no_does_not(self):
        rows = [row(1, channels_in_use=0.33, gain=0.021), row(2, channels_in_use=0.34, gain=0.021), row(3, channels_in_use=0.33, gain=0.02),
                row(4, channels_in_use=0.34, gain=-0.5, chance=0.03), row(5, channels_in_use=0.1, gain=0.5, covered=0)]
        self.assertEqual(preexec_rule.of_machine("m", rows, [preexec_rule.PAYS])[1:3], ["5", "3, 1, 1"])
        self.assertEqual(preexec_rule.of_machine("m", rows, [preexec_rule.PAYS])[5:8], ["1", "2", "2"])


class Causes(unittest.TestCase):
    def test_the_first_that_holds(self):
        for expected, values in (
                ("no global access", {"accesses": 0, "covered": 0}), ("not covered", {"covered": 0}), ("lines found", {"gain": 0.05}),
                ("another order", {"gain": 0.05, "used": 50}), ("data are near", {"l3_reads_missed": 10}), ("misses cost little", {"bound": 0.01}),
                ("over too soon", {"fills": 20, "off_us": 5.0}), ("program too slow", {"fills": 20}), ("gone before use", {"accuracy": 0.3, "gone": 600}),
                ("wrong lines", {"accuracy": 0.3}), ("rows closed", {"gain": -0.05, "row_conflicts": 1.5}), ("DRAM is full", {"dram_busy_before": 0.9}), ("more transfers", {"gain": -0.05, "dram_transfers": 1.2}),
                ("in the way", {"gain": -0.05}), ("few lines", {"used": 200}), ("small effect", {})):
            self.assertEqual(preexec_rows.cause(row(1, **values)), expected)


if __name__ == "__main__":
    unittest.main()
