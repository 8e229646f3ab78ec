#!/usr/bin/env python3
"""Memory by each method of dashti2017 section 3, on a chip with one DRAM whose caches are not coherent (tk1): right
values on both hosts, wrong ones where a flush is forgotten, and the statistics say which caches held it. By day every fourth key of the machine,
and no program with a lock; at night (tests/whole.py) all.
Usage: methods_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import json
import unittest

from simulated_host import DUET, SOURCE, WORK, GuestFixture, call, compile_once, main, stats
from whole import WHOLE, some  # noqa: E402

METHODS = ["default", "hostalloc", "managed", "sharedalloc"]


class Methods(GuestFixture):
    runs = {}  # several tests look at the same ones

    def program(self, host):
        if host == "simulated":
            return self.guest("methods.cu")
        program = WORK / "methods"
        if not program.exists():
            result = compile_once(DUET, [SOURCE / "tests/guest/methods.cu"], program)
            self.assertEqual(result.returncode, 0, result.stderr)
        return program

    def run_on(self, host, *arguments, options=()):
        """What it prints, and its totals."""
        run = (host, *arguments, *options)
        if run not in self.runs:
            self.runs[run] = self.made(host, *arguments, options=options)
        return self.runs[run]

    def made(self, host, *arguments, options):
        out = WORK / "-".join([host, *arguments, *options]).replace("/", "_")
        result = call(DUET, "run", "--quiet", "--no-html", "--host", host, "--machine", "tk1", *options, "--out", out,
                      self.program(host), *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        ended = stats(out)
        return result.stdout, {**ended["counters"], "seconds": ended["simulated_seconds"]}

    def test_values_are_right_on_both_hosts(self):
        for host in ["native", "simulated"]:
            for method in METHODS:
                with self.subTest(host=host, method=method):
                    self.assertEqual(self.run_on(host, method)[0], "0 wrong\n")

    def test_the_order_of_ticks_changes_nothing(self):
        for method in METHODS:
            with self.subTest(method=method):
                one = self.run_on("simulated", method)
                for options in [("--shuffle", "7"), ("--two-threads",)]:
                    self.assertEqual(self.run_on("simulated", method, options=options), one)

    def test_a_forgotten_flush_is_seen(self):
        wrong = self.run_on("simulated", "sharedalloc", "forget-cpu")[0]
        self.assertNotEqual(wrong, "0 wrong\n")
        for host in ["native", "simulated"]:
            self.assertNotEqual(self.run_on(host, "sharedalloc", "forget-gpu")[0], "0 wrong\n")
        self.assertEqual(self.run_on("native", "sharedalloc", "forget-cpu")[0], "0 wrong\n", "its caches are not simulated")

    def test_maintenance_keeps_the_rules_of_the_model(self):
        """Alone, before a kernel and behind it; and the timeline has it."""
        for words in [("managed",), ("managed", "--set", "method[3].at_end=clean-gpu"), ("sharedalloc",), ("copied",)]:
            with self.subTest(words=words):
                self.assertEqual(self.run_on("simulated", words[0], options=("--check", "model", "--events", *words[1:]))[0], "0 wrong\n")
        events = json.loads((WORK / "simulated-managed---check-model---events" / "events.json").read_text())
        moves = [e for e in events["traceEvents"] if e["name"] == "cache maintenance" and "move" in e.get("args", {})]
        launches = {e["args"]["command"]: e for e in events["traceEvents"] if "blocks" in e.get("args", {}) and "sm" not in e["args"]}
        before = [e for e in moves if e["args"]["command"] in launches]
        self.assertTrue(before)
        for move in before:
            self.assertLessEqual(move["ts"] + move["dur"], launches[move["args"]["command"]]["ts"])

    def test_who_holds_it(self):
        totals = {method: self.run_on("simulated", method)[1] for method in METHODS}
        words = 5000 * 4 // 4 * 3  # of all rounds
        self.assertGreater(totals["hostalloc"]["directory.uncached"], words)
        self.assertEqual(totals["managed"].get("directory.uncached", 0), 0)
        # The GPU's loads of hostalloc are all of DRAM, and so are the host's.
        self.assertGreater(totals["hostalloc"]["dram.reads"], 5 * totals["managed"]["dram.reads"])
        for method in ["managed", "sharedalloc"]:
            self.assertGreater(totals[method]["cpu_maintenance.held"], 0)
            self.assertGreater(totals[method]["cache_engine.ranges"], 0)
        for method in ["default", "hostalloc"]:
            self.assertEqual(totals[method].get("cpu_maintenance.jobs", 0), 0)
        # Nothing but doorbells, rings and semaphores goes across the link.
        for method in METHODS:
            self.assertEqual(totals[method].get("host_bridge.requests", 0), 0)

    @unittest.skipUnless(WHOLE, "by night")
    def test_both_sides_share_entries_behind_a_lock(self):
        """workloads/dashti2017/peterson.cu: every increment is there; not without the lock, and not without a flush."""
        program = self.guest(SOURCE / "workloads/dashti2017/peterson.cu")
        for words, right in [(["hostalloc"], True), (["sharedalloc"], True), (["hostalloc", "--lock", "no"], False),
                             (["sharedalloc", "--lock", "no"], False), (["sharedalloc", "--flush", "no"], False)]:
            with self.subTest(words=words):
                result = call(DUET, "run", "--quiet", "--host", "simulated", "--machine", "tk1", "--out", WORK / "peterson", program, "--method", *words)
                self.assertEqual(result.stdout.startswith("PASS"), right, result.stdout + result.stderr)
                self.assertEqual("expected 16" in result.stderr, not right, result.stderr)

    def test_every_key_has_an_effect(self):
        managed, shared = (self.run_on("simulated", method) for method in ["managed", "sharedalloc"])
        for key, value in some([("memory_fabric.clock_khz", "400000"), ("memory_fabric.flit_bytes", "8"),
                                ("memory_fabric.header_bytes", "64"), ("memory_fabric.latency_cycles", "40"),
                                ("memory_fabric.queue_packets", "1"), ("memory_fabric.maintenance.cpu_line_cycles", "80"),
                                ("memory_fabric.maintenance.l2_line_cycles", "20"), ("method[3].gpu_l2", "false"),
                                ("method[3].coalesced", "false"), ("method[3].cpu", "uncached"),
                                ("method[3].at_launch", "clean-cpu invalidate-cpu invalidate-gpu whole"),
                                ("method[3].at_synchronize", "clean-gpu whole"), ("method[3].at_end", "clean-gpu")], 4):
            with self.subTest(key=key):
                self.assertNotEqual(self.run_on("simulated", "managed", options=("--set", f"{key}={value}"))[1], managed[1])
        whole = self.run_on("simulated", "sharedalloc", "whole")
        self.assertEqual(whole[0], "0 wrong\n")
        slower = self.run_on("simulated", "sharedalloc", "whole",
                             options=("--set", "memory_fabric.maintenance.cpu_set_way_cycles=80"))
        self.assertNotEqual(slower[1], whole[1])
        self.assertNotEqual(whole[1], shared[1])

    def test_a_copy_of_memory_that_caches_hold(self):
        """cudaMemcpy from and to managed memory: what the cores hold of it is written back first (at_copy)."""
        self.assertEqual(self.run_on("simulated", "copied")[0], "0 wrong\n")
        self.assertNotEqual(self.run_on("simulated", "copied", options=("--set", "method[3].at_copy="))[0], "0 wrong\n")

    def test_host_functions_between_kernels(self):
        """They find what kernels before them have written, and kernels behind them what they have."""
        for options in [(), ("--shuffle", "5"), ("--check", "model")]:
            self.assertEqual(self.run_on("simulated", "in-stream", options=options)[0], "0 wrong\n")
        self.assertEqual(self.run_on("native", "in-stream")[0], "0 wrong\n")
        for key in ["at_synchronize", "at_launch"]:
            self.assertNotEqual(self.run_on("simulated", "in-stream", options=("--set", f"method[3].{key}="))[0], "0 wrong\n", key)

    def test_one_method_for_a_program_as_it_is(self):
        """--method: the program's cudaMalloc and cudaHostAlloc."""
        default = self.run_on("simulated", "default")
        for method in ["default", "hostalloc", "hostalloc-cache", "managed"]:
            printed, totals = self.run_on("simulated", "default", options=("--method", method))
            self.assertEqual(printed, "0 wrong\n")
            self.assertEqual(totals == default[1], method == "default", method)
        self.assertEqual(self.run_on("simulated", "hostalloc", options=("--method", "hostalloc-cache"))[0], "0 wrong\n")
        result = call(DUET, "run", "--machine", "tk1", "--method", "hostaloc", self.program("native"))
        self.assertEqual((result.returncode, result.stderr), (
            125, "duet: --method hostaloc: tk1 has default, hostalloc, hostalloc-cache, managed, sharedalloc\n"))

    def test_what_the_machine_has_not(self):
        """Registered memory has no row on tk1; duetSharedAlloc none on gtx580, and flushes do nothing there."""
        self.assertEqual(self.run_on("simulated", "registered")[0], "cudaErrorNotSupported\n")
        self.assertEqual(self.run_on("native", "registered")[0], "cudaErrorNotSupported\n")
        result = call(DUET, "run", "--quiet", self.program("native"), "sharedalloc")
        self.assertEqual(result.returncode, 1)
        self.assertIn(": cudaErrorNotSupported\n", result.stdout)
        result = call(DUET, "run", "--quiet", self.program("native"), "outside")
        self.assertEqual((result.returncode, result.stdout), (0, "1 1 0 0\n"))


if __name__ == "__main__":
    main()
