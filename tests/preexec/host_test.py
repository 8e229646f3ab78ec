#!/usr/bin/env python3
"""Pre-execution on the cores that a simulated program leaves idle (`duet run --host simulated --preexec`).

tests/preexec/host_test.py --duet build/bin/duet

By day programs of one kind; at night (tests/whole.py) of all.

Programs run ahead only while no thread has the core, give it back at once, and change no result.
"""
import json
import unittest

import fixture
from fixture import HERE, SOURCE, WAITS, Programs
from whole import WHOLE, some


class Host(Programs):
    sources = [SOURCE / "workloads/yang2012/VecAdd.cu", HERE / "host.cu"]
    compiler = ["--host", "riscv64"]
    options = ["--host", "simulated"]

    runs = {}  # several tests look at the same ones

    def host(self, mode, *arguments, cores=1, preexec="adaptive", count=1 << 16):
        command = ("--preexec", preexec, "--set", f"cpu.cores={cores}", *WAITS, *arguments, "./host", mode, str(count))
        if command not in self.runs:
            self.runs[command] = self.right(*command)
        output, statistics = self.runs[command]
        self.assertTrue(output.startswith(f"right {mode}"))
        return output, statistics

    def test_the_gpu_finds_what_an_idle_core_brought(self):
        program = [*WAITS, "./VecAdd", "--size", "65536", "--start", "cold"]
        output, off = self.right("--preexec", "off", *program)
        same_output, on = self.right("--preexec", "adaptive", *program)
        self.assertEqual(output, same_output)
        before, kernel = off["kernels"][-1], on["kernels"][-1]
        self.assertEqual(before["counters"].get("l3.processor_fills_used", 0), 0)
        self.assertNotIn("preexecution", off)
        self.assertGreater(kernel["counters"]["l3.processor_fills_used"], 1000)
        self.assertLess(kernel["cycles"], before["cycles"])
        self.assertGreater(kernel["preexecution"]["loads"], 1000)

    def test_results_do_not_depend_on_it(self):
        for mode in some(["naps", "waits", "computes", "threads"], 4):
            outputs = [self.host(mode, preexec="off")[0], self.host(mode)[0], self.host(mode, cores=2)[0],
                       self.host(mode, "--preexec-set", "skip_factor=64", preexec="profiled")[0]]
            self.assertEqual(outputs, [outputs[0]] * 4, mode)

    def programs(self, *arguments, **settings):
        return [kernel["preexecution"] for kernel in self.host(*arguments, **settings)[1]["kernels"]]

    def test_a_core_that_a_thread_has_is_not_taken(self):
        for run in self.programs("computes", cores=1):
            self.assertEqual((run["started_ps"], run["on_core_ps"], run["loads"], run["interruptions"]), (None, 0, 0, 0))
        # Control: the second core is idle, and the same kernels have their programs.
        for run in self.programs("computes", cores=2):
            self.assertGreater(run["loads"], 1000)
            self.assertEqual(run["interruptions"], 0)

    def test_a_thread_that_wakes_gets_its_core_back(self):
        alone = self.programs("waits", cores=1)
        _, off = self.host("naps", cores=1, preexec="off")
        _, on = self.host("naps", cores=1)
        run = on["kernels"][0]["preexecution"]
        self.assertGreaterEqual(run["interruptions"], 2)
        self.assertLess(run["on_core_ps"], run["ended_ps"] - run["started_ps"])
        # It goes on where it was: it loads what it does when nobody interrupts it.
        self.assertEqual(run["covered"], 4)
        self.assertAlmostEqual(run["instructions"], alone[0]["instructions"], delta=alone[0]["instructions"] // 100)
        # A wake costs a switch of 4000 cycles and what is in flight then: no thread waits for a program's end.
        switches = sum(kernel["preexecution"]["interruptions"] for kernel in on["kernels"])
        microseconds_a_switch = 4000 / 2400 + 1
        self.assertLess((on["simulated_seconds"] - off["simulated_seconds"]) * 1e6, switches * microseconds_a_switch)
        self.assertLess(microseconds_a_switch, alone[0]["on_core_ps"] * 1e-6)  # a program runs longer than that

    def test_another_core_than_the_threads_have(self):
        self.assertEqual([run["interruptions"] for run in self.programs("naps", cores=2)], [0, 0])
        self.assertGreater(sum(run["interruptions"] for run in self.programs("threads", cores=2)), 0)

    def test_the_order_of_ticks_does_not_matter(self):
        results = []
        for order in [[], ["--shuffle", "7"], ["--shuffle", "11", "--two-threads"]]:
            output, on = self.host("threads", *order, cores=2, count=1 << 13)  # ticking on two threads takes long
            results.append((output, on["counters"], on["simulated_seconds"], [kernel["preexecution"] for kernel in on["kernels"]]))
        self.assertGreater(sum(kernel["loads"] for kernel in results[0][3]), 0)
        self.assertGreater(sum(kernel["interruptions"] for kernel in results[0][3]), 0)
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    @unittest.skipUnless(WHOLE, "by night")
    def test_a_profile(self):
        program = [*WAITS, "./VecAdd", "--size", "16384"]
        self.right("--preexec", "profiled", "--profile", *program)
        kernel = json.loads((self.folder / "VecAdd.preexec.json").read_text())["kernels"]["vec_add"]
        self.assertEqual(kernel["cycles"][str(kernel["skip_factor"])], min(kernel["cycles"].values()))
        _, on = self.right("--preexec", "profiled", *program)
        self.assertEqual(on["kernels"][0]["preexecution"]["initial_skip_factor"], kernel["skip_factor"])
        self.assertEqual(on["kernels"][0]["cycles"], min(kernel["cycles"].values()))


if __name__ == "__main__":
    fixture.main()
