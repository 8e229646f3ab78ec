#!/usr/bin/env python3
"""Components ticked on two threads, as seeds deal them, leave the statistics and the results of one thread. In a build with
ThreadSanitizer (`make tsan`) a race between two components ends the run. Usage: threads_test.py DUET MACHINE NAME
NAME is a workload of tests/trust; `kernel-NAME` is a bare kernel, which needs no runtime library."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "trust"))
import trust  # noqa: E402

SEEDS = ("1", "2")


class Threads(unittest.TestCase):
    machine = name = ""

    def test_two_threads(self):
        self.compare()

    def test_tracked_memory(self):
        self.compare("--set", "gpu.full_empty.tracked=all")

    def test_race_detector(self):
        self.compare("--check-races")

    def compare(self, *options):
        runner = trust.Runner(sys.argv[1])
        bare = self.name.removeprefix("kernel-")
        run = (lambda *options: runner.bare_kernel(bare, *options)) if bare != self.name else (lambda *options: runner.program(bare, *options))
        one = run("--machine", self.machine, *options)
        self.assertEqual((one[0], one[2]), (0, ""))
        self.assertGreater(len(one[3]["counters"]), 10)
        for seed in SEEDS:
            two = run("--machine", self.machine, *options, "--two-threads", "--shuffle", seed)
            self.assertEqual((two[0], two[2][:10000]), (0, ""))
            self.assertEqual(one, two)


if __name__ == "__main__":
    Threads.machine, Threads.name = sys.argv[2:4]
    unittest.main(argv=sys.argv[:1])
