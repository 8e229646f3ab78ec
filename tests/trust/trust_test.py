#!/usr/bin/env python3
"""What has to hold for a result to be believed, on every workload at a small size. Usage: trust_test.py DUET NAME
NAME is a program or `kernel-NAME`, a bare kernel. Checked are:
  functional   the functional GPU and the timed one give the same result (programs check every element of theirs on the CPU; of
               bare kernels every byte of every buffer is compared) and execute the same instructions
  again        the same run leaves the same statistics, also when simultaneous events happen in another order (by day one, at night three)
  smallest     on a machine whose queues, buffers, credits and MSHRs all have one entry it ends, with the same result"""
import re
import sys
import unittest

import trust
from whole import WHOLE, some  # noqa: E402

MACHINES = ("gtx580", "gtx480")
SEEDS = ("1", "2", "77")


class Trust(unittest.TestCase):
    name = ""

    @classmethod
    def setUpClass(cls):
        cls.runner = trust.Runner(sys.argv[1])

    def result(self, *options):
        """What the run gives (output or bytes), and its statistics."""
        if self.name.startswith("kernel-"):
            status, output, errors, stats, dumps = self.runner.bare_kernel(self.name.removeprefix("kernel-"), *options)
            self.assertEqual((status, self.complaints(errors)), (0, []))
            self.assertTrue(any(any(dump) for dump in dumps))
            return dumps, stats
        status, output, errors, stats = self.runner.program(self.name, *options)
        self.assertEqual((status, self.complaints(errors)), (0, []))
        self.assertTrue(output.startswith("PASS "), output)
        return output, stats

    @staticmethod
    def complaints(errors):
        """Without the keys of the smallest machine that have nothing to do there."""
        return [line for line in errors.splitlines() if not re.match(r"duet: --set: \S+ = \S+ does nothing: ", line)]

    def test_functional(self):
        timed, timed_stats = self.result()
        functional, functional_stats = self.result("--functional")
        self.assertEqual(timed, functional)
        for key in ("name", "grid", "block", "warp_instructions", "thread_instructions"):
            self.assertEqual([k[key] for k in timed_stats["kernels"]], [k[key] for k in functional_stats["kernels"]])

    def test_again(self):
        for machine in MACHINES:
            first = self.result("--machine", machine)
            self.assertGreater(len(first[1]["counters"]), 10)
            for seed in some(("0", *SEEDS), 3):
                self.assertEqual(first, self.result("--machine", machine, "--shuffle", seed), f"--shuffle {seed}")

    def test_smallest(self):
        for machine in MACHINES:
            smallest = trust.smallest_machine(self.runner.duet, machine)
            self.assertGreaterEqual(len(smallest), 2 * 26)  # keys that are known to belong to it
            usual, usual_stats = self.result("--machine", machine)
            slow, slow_stats = self.result("--machine", machine, "--timeout", "60", *smallest)
            self.assertEqual(usual, slow)
            self.assertGreater(slow_stats["totals"]["gpu_cycles"], usual_stats["totals"]["gpu_cycles"])
            if WHOLE:
                self.assertEqual(slow, self.result("--machine", machine, "--shuffle", "3", *smallest)[0])


if __name__ == "__main__":
    Trust.name = sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
