#!/usr/bin/env python3
"""Full/empty bits: machines that stand still end with 124 and say who waits for what; one that only waits for another host thread does not.

Usage: full_empty_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import re
import time

from fixture import DUET, WORK, Fixture, call_places_in_ptx as call, main, stats
from whole import some


class FullEmpty(Fixture):
    def run_case(self, *arguments, options=(), timeout=60):
        program = self.compiled("tests/front_door/full_empty.cu", "-pthread")
        self.out = WORK / f"out-{self.id()}"
        return call(DUET, "run", "-q", "--out", self.out, *options, program, *arguments, timeout=timeout)

    def stands_still(self, *arguments, options=(), contains=()):
        result = self.run_case(*arguments, options=options)
        self.assertEqual(result.returncode, 124, result.stdout + result.stderr)
        lines = [line for line in result.stderr.splitlines() if line.startswith("duet: ")]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("can make no progress", lines[0])
        for part in contains:
            self.assertIn(part, result.stderr)
        stats(self.out)
        return lines[0], result

    def goes_on(self, *arguments, options=(), timeout=60):
        result = self.run_case(*arguments, options=options, timeout=timeout)
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"), result.stderr)
        return result

    def test_a_copy_back_of_what_nobody_writes(self):
        line, result = self.stands_still("copy_back", contains=["on data transfer engine 1, 16 packets not answered since "])
        address, base, offset = re.search(r"waits at (0x[0-9a-f]+)\n(?:.|\n)*\n  copy to the host \(command 2, stream 2\) waits for full: 16 reads of "
                                          r"duetMallocTracked #1 \(4096 bytes at (0x[0-9a-f]+)\) \+ (\d+) to 4095, which is empty", result.stderr).groups()
        self.assertEqual(int(address, 16), int(base, 16) + int(offset))
        self.assertIn("waits for words of duetMallocTracked #1 that no command issued so far fills: ", line)
        self.assertEqual(stats(self.out)["copies"][-1]["kind"], "full_empty_set")

    def test_a_kernel_that_reads_what_nobody_fills(self):
        line, _ = self.stands_still("kernel", contains=["SM 0: warp 0 of block (0,0,0) of kernel 'increment' waits: memory (full_empty"])
        self.assertIn("kernel 'increment' (command 2, stream 1) waits for words of duetMallocTracked #1 that no command issued so far fills", line)

    def test_what_is_printed_stays_empty(self):
        line, result = self.stands_still("printed", contains=["kernel 'increment' waits: memory (full_empty"])
        self.assertEqual(result.stdout, "looked at\nong\n")

    # What was refused must not keep the answers behind it from coming; on llano the queues below L2 are short.
    def test_refused_requests_hold_nobody_up(self):
        program = self.compiled("workloads/lustig2013/vectorAdd.cu")
        out = WORK / f"out-{self.id()}"
        result = call(DUET, "run", "-q", "--machine", "llano", "--set", "gpu.full_empty.nack_cycles=500", "--max-cycles", "1000000",
                      "--out", out, program, "--size", "8192", "--variant", "overlap-start")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(stats(out)["counters"]["full_empty.nacks"], 1000)

    def test_two_copies_that_wait_for_each_other(self):
        line, _ = self.stands_still("crossed", options=["--set", "gpu.front_end.hardware_channels=4"],
                                    contains=["copy to the GPU (command 4, stream 2) waits for empty: 32 writes of duetMallocTracked #1 ("])
        self.assertIn("copy to the host (command 2, stream 1) waits for words of duetMallocTracked #2 that duetFullEmptySet to full (command 5, stream 2) "
                      "is to fill, which cannot go before it: they wait for each other", line)

    def test_one_channel_makes_streams_wait_for_each_other(self):
        line, _ = self.stands_still("crossed", contains=["it stands behind duetFullEmptySet to empty (command 3, stream 1) in hardware channel 0"])
        self.assertIn("copy to the host (command 2, stream 1) waits for words", line)
        self.assertIn("waits behind it in hardware channel 0", line)

    def test_a_copy_to_pageable_memory_before_what_it_waits_for(self):
        self.stands_still("pageable", contains=["copy to the host (command 2, stream 2) waits for words of duetMallocTracked #1 that no command issued so far",
                                                "\n  the host is in duetMemcpyAsync\n"])

    def test_one_copy_engine_cannot_fill_while_it_waits(self):
        self.stands_still("one_engine", options=["--set", "gpu.copy_engines.count=1"],
                          contains=["copy to the host (command 2, stream 2) waits for words",
                                    "that copy to the GPU (command 3, stream 1) is to fill, which waits for a copy engine that copy to the host (command 2, "
                                    "stream 2) keeps", "(gpu.copy_engines.count is 1)"])

    def test_two_copy_engines_can(self):
        self.goes_on("one_engine")
        copies = stats(self.out)["copies"]
        self.assertEqual([(c["kind"], c.get("trigger"), c.get("action")) for c in copies],
                         [("full_empty_set", None, "empty"), ("host_to_device", None, "fill"), ("device_to_host", "full", None)])

    def test_changes_of_bits_get_through_where_copies_wait_if_they_have_an_engine(self):
        channels = ["--set", "gpu.front_end.hardware_channels=4"]
        self.goes_on("change_beside_copies", options=channels)
        self.stands_still("change_beside_copies", options=[*channels, "--set", "gpu.copy_engines.bit_engines=0"],
                          contains=["it waits for a free copy engine; data transfer engine 0 performs copy to the GPU (command 3, stream 2)"])
        self.goes_on("change_beside_copies", options=[*channels, "--set", "gpu.copy_engines.bit_engines=0",
                                                      "--set", "gpu.copy_engines.count=4"])

    def test_engines_for_bits_and_their_windows_are_keys(self):
        def changes(**keys):
            settings = [word for key, value in keys.items() for word in ("--set", f"gpu.copy_engines.{key}={value}")]
            self.goes_on("two_changes", options=["--set", "gpu.front_end.hardware_channels=4", *settings])
            return [c for c in stats(self.out)["copies"] if c["kind"] == "full_empty_set" and c["bytes"] == 64 * 4096]

        def took(copy):
            return copy["end_ps"] - copy["start_ps"]

        one, two = changes()
        self.assertGreater(two["start_ps"] - one["start_ps"], 0.9 * took(one))  # one after the other
        # 2048 lines in turns of 16 or 64 at once, each acknowledged by memory; at most one a cycle of 772 MHz.
        self.assertGreater(took(changes(bit_lines_outstanding=16)[0]), 3 * took(one))
        self.assertLess(took(changes(bit_lines_outstanding=256)[0]), took(one) / 2)
        self.assertEqual(took(changes(outstanding_packets=256)[0]), took(one))
        one, two = changes(bit_engines=2)
        self.assertLess(two["start_ps"] - one["start_ps"], 0.5 * took(one))
        one, two = changes(bit_engines=0)  # on the two copy engines
        self.assertLess(two["start_ps"] - one["start_ps"], 0.5 * took(one))

    def test_a_copy_that_fills_keeps_up_with_a_faster_link(self):
        """Places of a copy engine are for what crosses the link; acknowledgements of writes are counted beside them."""
        program = self.compiled("workloads/lustig2013/vectorAdd.cu")

        def copies(variant, rate, acks):
            out = WORK / f"out-{self.id()}"
            link = [word for way in ("gpu", "host") for word in ("--set", f"link.payload_mb_per_s_to_{way}={rate}")]
            result = call(DUET, "run", "-q", "--out", out, *link, "--set", f"gpu.copy_engines.outstanding_acks={acks}", program,
                          "--variant", variant)
            self.assertEqual(result.returncode, 0, result.stderr)
            return [c["end_ps"] - c["start_ps"] for c in stats(out)["copies"] if c["kind"] == "host_to_device"]

        for rate in some((27200, 13600, 6800), 3):
            for plain, filling in zip(copies("baseline", rate, 1024), copies("overlap-start", rate, 1024)):
                self.assertLess(filling, 1.1 * plain, rate)  # a kernel reads what comes
        self.assertGreater(copies("overlap-start", 13600, 0)[0], 1.2 * copies("baseline", 13600, 0)[0])

    def test_what_a_barrier_orders_needs_program_order(self):
        program = self.compiled("tests/programs/full_empty_block.cu")
        for setting, status in some((("program_order=false", 1), ("order_grain=warp", 0), ("order_grain=granule", 0), ("order_entries=3", 0)), 4):
            result = call(DUET, "run", "-q", "--out", WORK / f"out-{self.id()}", "--set", f"gpu.full_empty.{setting}", program)
            self.assertEqual(result.returncode, status, result.stderr)

    def test_a_producer_that_waits_for_empty_keeps_its_consumer_back(self):
        """lustig2013 4.3: triggered copies share a strictly ordered queue. Looked into, they do not wait for each other."""
        program = self.compiled("tests/programs/full_empty_hand_over.cu")
        for look_ahead, status in ((1, 124), (64, 0)):
            result = call(DUET, "run", "-q", "--out", WORK / f"out-{self.id()}", "--set", "gpu.front_end.hardware_channels=4",
                          "--set", f"gpu.full_empty.look_ahead={look_ahead}", program, "consumer_first")
            self.assertEqual(result.returncode, status, result.stderr)
            if status != 0:
                self.assertIn("or keep copies that write from copies that read (gpu.full_empty.queues = 4)\n", result.stderr)
                self.assertRegex(result.stderr, r"\n  copy to the host \(command 2, stream 2\) waits for full: \d+ reads of duetMallocTracked #1 ")
                self.assertRegex(result.stderr, r"\n  copy to the GPU \(command 3, stream 1\) is held up: \d+ writes of duetMallocTracked #1 .*, which is empty, "
                                                r"stand behind reads of copy to the host \(command 2, stream 2\) in the queue of triggered CPU requests of ")

    def test_kernels_that_hand_over_share_a_queue(self):
        """A store that waits for empty keeps back the load behind it that would empty, unless the queue is looked into."""
        program = self.compiled("tests/programs/full_empty_ring.cu")
        for look_ahead, status in ((1, 124), (64, 0)):
            result = call(DUET, "run", "-q", "--out", WORK / f"out-{self.id()}", "--set", f"gpu.full_empty.look_ahead={look_ahead}",
                          program)
            self.assertEqual(result.returncode, status, result.stderr)
            if status != 0:
                self.assertIn("tracked_order", result.stderr)

    def test_instructions_that_name_bits_are_refused_by_name(self):
        program = self.compiled("tests/programs/full_empty_instructions.cu")
        for argument, options, message in (
                ("untracked", (), r"ptx:\d+ \(ld\.full\.empty\.u32\): global memory without full/empty bits"),
                ("shared", (), r"ptx:\d+ \(ld\.full\.u32\): shared memory without full/empty bits"),
                ("functional", ("--functional",),
                 r"PTX 'ld\.full\.empty\.u32' names full/empty bits, which the functional GPU does not have \(\S+:\d+\)")):
            result = call(DUET, "run", "-q", "--out", WORK / f"out-{self.id()}", *options, program, argument)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stderr, message)

    def test_one_queue_for_all_requests_stands_still(self):
        """lustig2013 4.3 (CLAIMS L-hol): in one queue the copy that would fill lies behind the kernel's reads."""
        program = self.compiled("tests/programs/full_empty_figure7.cu")
        for queues, status in ((1, 124), (2, 0), (3, 0)):
            result = call(DUET, "run", "-q", "--out", WORK / f"out-{self.id()}", "--set", f"gpu.full_empty.queues={queues}", program)
            self.assertEqual(result.returncode, status, result.stderr)
            if queues == 1:
                self.assertRegex(result.stderr, r"progress: kernel 'kernel' \(command \d+, stream 1\) waits for words of duetMallocTracked #1; copy to the GPU "
                                                r"\(command \d+, stream 2\) stands behind it .*\(gpu.full_empty.queues is 1\)\n")
                self.assertRegex(result.stderr, r"\n  copy to the GPU .*: 128 writes of duetMallocTracked #1 \(.*\) \+ 0 to 16383 wait for their turn ")
                self.assertRegex(result.stderr, r"\n  copy to the GPU .* fills: on data transfer engine 0, \d+ packets not answered")

    def run_kernel_end(self, *arguments):
        program = self.compiled("tests/programs/full_empty_kernel_end.cu")
        self.out = WORK / f"out-{self.id()}"
        return call(DUET, "run", "-q", "--out", self.out, "--set", "gpu.front_end.hardware_channels=4", program, *arguments)

    def test_what_a_kernels_end_empties_is_not_its_time(self):
        self.assertEqual(self.run_kernel_end().returncode, 0)
        found = stats(self.out)
        kernels = found["kernels"]
        emptied = [c for c in found["copies"] if c["kind"] == "full_empty_set" and c["stream"] == kernels[0]["stream"]][1:]
        self.assertEqual(len(kernels), 4)
        self.assertEqual(len(emptied), 3)  # the last kernel runs after it has been switched off
        for kernel, emptying, following in zip(kernels, emptied, kernels[1:]):
            self.assertEqual((emptying["bytes"], emptying["action"]), (8192 * 4, "empty"))
            self.assertEqual(emptying["start_ps"], kernel["end_ps"])
            # 256 lines, at most one a core cycle of 772 MHz; four windows of 64 requests, each answered within 1 us
            self.assertGreater(emptying["end_ps"] - emptying["start_ps"], 256 / 772e6 * 1e12)
            self.assertLess(emptying["end_ps"] - emptying["start_ps"], 4e6)
            self.assertGreater(kernel["end_ps"], kernel["start_ps"])
            self.assertLess(kernel["end_ps"], following["start_ps"])
            self.assertAlmostEqual(kernel["cycles"], (kernel["end_ps"] - kernel["start_ps"]) * 772e6 / 1e12, delta=2)

    def test_a_kernels_end_empties_only_when_asked(self):
        result = self.run_kernel_end("off")
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertRegex(result.stderr, r"waits for empty: \d+ writes of duetMallocTracked #")

    def test_releases_are_counted(self):
        program = self.compiled("tests/programs/full_empty_release.cu")
        out = WORK / f"out-{self.id()}"
        result = call(DUET, "run", "--out", out, program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"full/empty releases +6 ")
        found = stats(out)
        self.assertEqual([c["bytes"] for c in found["copies"] if c["kind"] == "full_empty_release"], [512, 256, 512, 1024, 128, 128])
        self.assertGreater(found["counters"]["full_empty.released"], 0)

    def test_a_larger_link_packet_waits_for_all_of_its_lines(self):
        """lustig2013 9: the granularity of transmission. Results stay right; what is in a packet with a late word arrives later."""
        program = self.compiled("tests/programs/full_empty_figure7.cu")
        for payload, status in ((128, 0), (1024, 0), (4096, 0), (200, 125)):
            out = WORK / f"out-{self.id()}"
            result = call(DUET, "run", "-q", "--out", out, "--set", f"link.packet_payload_bytes={payload}", program)
            self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn("link.packet_payload_bytes = 200 is above 128 and not a multiple of it", result.stderr)

    def test_free_waits_for_the_device(self):
        self.stands_still("free", contains=["copy to the host (command 2, stream 2) waits for", "\n  the host is in cudaFree\n"])

    def test_a_slow_thread_that_still_acts(self):
        self.assertEqual(self.goes_on("slow_thread", "0.7").stderr, "")

    def test_a_slow_main_thread_that_still_acts(self):
        self.goes_on("slow_main", "0.7")

    def test_a_long_wait_is_said(self):
        result = self.goes_on("slow_thread", "6")
        self.assertEqual(result.stderr.count("the machine stands still until another thread of the program acts: "), 1, result.stderr)

    def test_a_thread_that_is_joined_cannot_act(self):
        self.stands_still("join")

    def test_all_threads_wait(self):
        self.stands_still("both_wait")

    def test_the_last_thread_that_could_act_ends(self):
        self.stands_still("thread_gives_up", "0.5")

    def test_the_time_limit_holds_while_a_thread_is_waited_for(self):
        started = time.monotonic()
        result = self.run_case("thread_gives_up", "30", options=["--timeout", "0.7"])
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertIn("stopped after 0.7 s", result.stderr)

    def test_who_uses_none_of_it_sees_none_of_it(self):
        program = self.compiled("tests/programs/streams_events.cu")
        seen = []
        for settings in ((), ("gpu.full_empty.granule_bytes=0",), ("gpu.full_empty.queues=2", "gpu.full_empty.look_ahead=8")):
            out = WORK / f"out-{self.id()}"
            options = [word for setting in settings for word in ("--set", setting)]
            self.assertEqual(call(DUET, "run", "-q", "--out", out, *options, program).returncode, 0)
            found = stats(out)
            del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
            # Without bits there is no engine for them: what has counted nothing is left out.
            found["components"] = [part for part in found["components"] if any(part["counters"].values())]
            seen.append(found)
        self.assertTrue(seen[0]["components"])
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])
        self.assertFalse([name for name, value in seen[0]["counters"].items() if "full_empty" in name and value != 0])

    def test_without_bits_there_is_no_tracked_memory(self):
        result = self.run_case("copy_back", options=["--set", "gpu.full_empty.granule_bytes=0"])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("operation not supported", result.stderr)

    def test_the_tracked_region_can_be_too_small(self):
        for bytes_, fits in ((8192, True), (8188, False)):
            result = self.run_case("one_engine", options=["--set", f"gpu.full_empty.region_bytes={bytes_}"])
            self.assertEqual(result.returncode == 0, fits, result.stderr)
            self.assertEqual("out of memory" in result.stderr, not fits, result.stderr)


if __name__ == "__main__":
    main()
