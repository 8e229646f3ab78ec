#!/usr/bin/env python3
"""Kernels that wait for a clock: skipped over, with the results and statistics of every cycle simulated.

Usage: clock_loops_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import time

from fixture import DUET, WORK, Fixture, call, main, places_in_ptx, stats
from whole import some

BOTH = ("gtx580", "h100")


class ClockLoops(Fixture):
    def run_kernel(self, mode, machine, *arguments):
        program = self.compiled("tests/front_door/clock_loops.cu", "-arch=sm_70" if machine == "h100" else "-arch=sm_60")
        out = WORK / f"out-{self.id()}-{mode}"
        result = call(DUET, "run", "-q", "-m", machine, "--clock-loops", mode, "--out", out, program, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = stats(out)
        del found["totals"]["warp_instructions_per_second"], found["wall_seconds"]  # of the host
        found["faults"] = [places_in_ptx(fault) for fault in found["faults"]]  # the PTX lies in the run's folder
        # Cycles in which an SM slept are counted when it wakes, so that a kernel beside a longer one finds more or fewer of
        # them, as the SM is looked at.
        for kernel in found["kernels"]:
            kernel["counters"] = {name: value for name, value in kernel["counters"].items() if not name.startswith("sm.slots")}
        return result.stdout, found

    def same(self, kernel, wait, blocks, threads, machines=some(BOTH, 2)):
        for machine in machines:
            with self.subTest(machine=machine):
                each, skipped = (self.run_kernel(mode, machine, kernel, wait, blocks, threads)
                                 for mode in ("simulate", "skip"))
                self.assertEqual(each[0], skipped[0])
                for name in each[1]:
                    self.assertEqual(each[1][name], skipped[1][name], name)

    def test_one_warp(self):
        self.same("clock64_rises", 130011, 1, 32, machines=BOTH)

    def test_every_warp_of_many_blocks(self):
        self.same("clock64_rises", 80000, 20, 416)

    def test_warps_that_end_one_after_the_other(self):
        self.same("clock64_falls", 69000, 18, 160)

    def test_32_bits(self):
        self.same("clock32", 90000, 3, 96)

    def test_nanoseconds(self):
        self.same("timer", 60000, 17, 64, machines=BOTH)

    def test_naps(self):
        self.same("naps", 60000, 2, 96, machines=("h100",))

    def test_beside_other_work(self):
        self.same("some", 950000, 20, 192)

    def test_other_uses_of_the_clock(self):
        self.same("bits", 1234, 2, 64, machines=BOTH)

    def test_kernel_that_fails_elsewhere(self):
        self.same("fails_later", 50000, 20, 64)

    def test_tenth_of_a_second_is_quick(self):
        begin = time.monotonic()
        output, found = self.run_kernel("skip", "gtx580", "timer", 100_000_000, 32, 512)
        self.assertLess(time.monotonic() - begin, 20)  # cycle by cycle some minutes
        [kernel] = [kernel for kernel in found["kernels"] if "timer" in kernel["name"]]
        self.assertGreaterEqual(kernel["end_ps"] - kernel["start_ps"], 10**11)
        self.assertGreater(kernel["warp_instructions"], 10**8)
        self.assertEqual(output.split()[0], "0")

    def test_nap_takes_its_time(self):
        for wait, expected in ((0, 0), (10_000, 10_000), (2_000_000, 1_000_000)):  # at most a millisecond
            output, _ = self.run_kernel("skip", "h100", "one_nap", wait, 1, 32)
            cycles = int(output.split()[1])
            self.assertGreaterEqual(cycles, expected * 1.9)
            self.assertLess(cycles, expected * 2.1 + 300)


if __name__ == "__main__":
    main()
