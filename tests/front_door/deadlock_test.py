#!/usr/bin/env python3
"""What a report of a machine that stands still says: one line with the cause and what to do, then one fact a line.

Usage: deadlock_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import re

from fixture import DUET, WORK, Fixture, call_places_in_ptx as call, main, stats

WORDS = 4096
BYTES = 4 * WORDS
# deadlock.cu allocates unused, other, input, middle, output in this order, each of whole pages of 4 KiB and one behind them.
INPUT = f"duetMallocTracked #2 ({BYTES} bytes at 0x20000004000)"
MIDDLE = f"duetMallocTracked #3 ({BYTES} bytes at 0x20000009000)"
OUTPUT = f"cudaMalloc #2 ({BYTES} bytes at 0x2000000e000)"


class Deadlock(Fixture):
    def run_case(self, *arguments, options=(), define=None):
        program = self.compiled("tests/front_door/deadlock.cu", *([f"-DN={define}"] if define else []))
        self.out = WORK / f"out-{self.id()}"
        return call(DUET, "run", "-q", "--out", self.out, *options, program, *arguments)

    def report(self, *arguments, options=(), define=None, status=124):
        """The first line and the facts."""
        result = self.run_case(*arguments, options=options, define=define)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        first, *facts = result.stderr.splitlines()
        self.assertTrue(first.startswith("duet: "), result.stderr)
        for fact in facts:
            self.assertRegex(fact, r"^  \S", result.stderr)
        self.assertEqual(len(facts), len(set(facts)), result.stderr)
        self.assertNotIn("_Z", result.stderr)
        self.assertNotIn("or other requests", result.stderr)
        # Every address is the base of an allocation that is named with its call.
        for before in re.findall(r"(.{0,30})0x[0-9a-f]+", result.stderr):
            self.assertRegex(before, r"#\d+ \(\d+ bytes at $", result.stderr)
        stats(self.out)
        return first, [fact[2:] for fact in facts]

    def fact(self, facts, *parts):
        """The one fact that holds all the parts."""
        found = [fact for fact in facts if all(part in fact for part in parts)]
        self.assertEqual(len(found), 1, "\n".join(facts))
        return found[0]

    STANDS = "duet: the machine can make no progress: kernel 'consume' (command 2, stream 1) waits for words of duetMallocTracked #3"

    def consumer_waits(self, facts, low=0, high=BYTES - 1, loads=128):
        return self.fact(facts, f"kernel 'consume' (command 2, stream 1) waits for full: {loads} loads of {MIDDLE} + {low} to {high}, "
                         "which is empty (deadlock", ", first on SM ", ", since ")


class ConsumerFirst(Deadlock):
    def check_facts(self, facts):
        self.consumer_waits(facts)
        # 128 lines of the input are full; none of their loads is served.
        self.fact(facts, f"kernel 'produce' (command 3, stream 2) is held up: 128 loads of {INPUT} + 0 to {BYTES - 1}, which is full, "
                  "stand behind loads of kernel 'consume' (command 2, stream 1) in the queue of triggered GPU requests of 6 memory "
                  "controllers (deadlock")
        for command, kernel in ((2, "consume"), (3, "produce")):
            self.fact(facts, f"kernel '{kernel}' (command {command}, stream {command - 1}) has run ", ", 0 of 32 blocks complete")
            self.fact(facts, f"warp 0 of block (0,0,0) of kernel '{kernel}' waits: memory (deadlock")
        self.fact(facts, "kernel 'produce' ", "it has a pointer into the allocation of whose words kernel 'consume' (command 2, stream 1) waits")
        self.fact(facts, "L1 ", " waits for answers from below: ", " fetched lines")

    def test_its_producer_stands_behind_it_in_the_controllers_queues(self):
        first, facts = self.report("consumer_first")
        self.assertTrue(first.startswith(f"{self.STANDS}; kernel 'produce' (command 3, stream 2) stands behind it in the memory controllers' "
                                         "queues, though its own words are full: start it first"), first)
        self.assertIn("gpu.full_empty.look_ahead is 1", first)
        self.check_facts(facts)
        self.assertEqual(facts[-1], "the host is in cudaDeviceSynchronize")

    def test_what_it_advises_helps(self):
        for arguments, options in ((["producer_first"], []), (["consumer_first"], ["--set", "gpu.full_empty.look_ahead=64"])):
            result = self.run_case(*arguments, options=options)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "went on\n", ""))

    def test_a_time_limit_tells_the_same(self):
        first, facts = self.report("consumer_first", "poll", options=["--timeout", "1"])
        self.assertTrue(first.startswith("duet: stopped after 1 s (--timeout) in kernel 'consume' and kernel 'produce'; the machine stands "
                                         "still: kernel 'consume' (command 2, stream 1) waits for words of duetMallocTracked #3; kernel "
                                         "'produce' (command 3, stream 2) stands behind it"), first)
        self.check_facts(facts)
        self.assertEqual(facts[-1], "the host is in cudaStreamQuery")

    def test_a_limit_of_cycles_tells_the_same(self):
        first, facts = self.report("consumer_first", "poll", options=["--max-cycles", "100000"])
        self.assertIn("stopped after 100000 cycles with kernels (--max-cycles) in kernel 'consume' and kernel 'produce'; the machine", first)
        self.check_facts(facts)

    def test_behind_requests_that_have_not_come_to_a_controller(self):
        """Queues of four entries: most of what waits, and all of the producer's, is in caches and interconnect."""
        words = 12288
        first, facts = self.report("consumer_first", options=["--set", "gpu.full_empty.queue_entries=4"], define=words)
        self.assertIn("stands behind it in the memory controllers' queues, though its own words are full", first)
        fact = self.fact(facts, "kernel 'produce' (command 3, stream 2) is held up: ", "which is full, stand behind loads of kernel 'consume'",
                         "on their way to the memory controllers", "not yet at a memory controller")
        self.assertIn(f"duetMallocTracked #2 ({4 * words} bytes at ", fact)

    def test_no_room_on_the_sms(self):
        first, facts = self.report("consumer_first", define=262144)
        self.assertTrue(first.startswith(self.STANDS), first)
        self.assertIn("unless kernel 'produce' (command 3, stream 2) does, which has no room on the SMs: start it first", first)
        self.fact(facts, "kernel 'produce' (command 3, stream 2) waits: no block has started")
        self.fact(facts, "the work distributor waits for room on an SM for ", " blocks of kernel 'consume'")

    def test_in_one_stream(self):
        first, facts = self.report("one_stream")
        self.assertTrue(first.startswith(self.STANDS), first)
        self.assertIn("unless kernel 'produce' (command 3, stream 1) does, which stands behind it in the same stream", first)
        self.consumer_waits(facts)
        self.fact(facts, "kernel 'produce' (command 3, stream 1): not sent; it stands behind kernel 'consume' (command 2, stream 1) in its stream")


class ForgottenFill(Deadlock):
    def test_the_copy_is_named(self):
        first, facts = self.report("forgotten_fill")
        self.assertEqual(first, f"{self.STANDS} that copy to the GPU (command 3, stream 2) wrote without filling them: give it "
                         "cudaMemcpyActionFill, or fill them with duetFullEmptySet")
        self.consumer_waits(facts, low=BYTES // 2, loads=64)
        self.fact(facts, f"{MIDDLE} + {BYTES // 2} to {BYTES - 1} was written by copy to the GPU (command 3, stream 2) at ",
                  "after it had been emptied and without filling it")
        # The other half was filled; what of it stands behind the empty words is said too.
        self.fact(facts, "kernel 'consume' (command 2, stream 1) is held up: ", "which is full, stand behind loads of kernel 'consume'")

    def test_a_memset_is_named(self):
        first, facts = self.report("forgotten_fill_of_memset")
        self.assertEqual(first, f"{self.STANDS} that memset (command 3, stream 2) wrote without filling them: fill them with duetFullEmptySet")
        self.fact(facts, f"{MIDDLE} + 0 to {BYTES - 1} was written by memset (command 3, stream 2) at ")

    def test_what_was_written_before_it_was_emptied_is_not_to_blame(self):
        first, facts = self.report("written_before_it_was_emptied")
        self.assertIn("waits for words of duetMallocTracked #3 that no command issued so far fills: copy them with cudaMemcpyActionFill", first)
        self.assertFalse([fact for fact in facts if "written" in fact], facts)


class StoreThatWaits(Deadlock):
    def test_buffers_of_a_bare_kernel_are_named_by_their_arguments(self):
        """All memory has bits and is full: a store that waits for empty waits for ever."""
        ptx = WORK / "store_into_empty.ptx"
        ptx.write_text("""
.version 7.0
.target sm_60
.address_size 64
.visible .entry store_into_empty(.param .u64 a, .param .u64 b) {
  .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [b];
  cvta.to.global.u64 %rd1, %rd1;
  st.empty.fill.global.u32 [%rd1+12], 7;
  ret;
}
""")
        result = call(DUET, "run", "-q", "--out", WORK / "bare", "--set", "gpu.full_empty.tracked=all", ptx, "--kernel", "store_into_empty",
                      "--grid", "1", "--block", "1", "--arg", "buffer:64", "--arg", "buffer:256")
        self.assertEqual(result.returncode, 124, result.stderr)
        first, *facts = result.stderr.splitlines()
        self.assertIn("kernel 'store_into_empty' (command 1, stream 0) waits for words of --arg buffer #2 that no command issued so far empties: "
                      "empty them, or release who waits with duetFullEmptyRelease", first)
        self.fact(facts, "waits for empty: 1 store of --arg buffer #2 (256 bytes at 0x", ") + 12 to 15, which is full (store_into_empty.ptx:9, "
                  "first on SM ")


class OwnKernel(Deadlock):
    def copy_waits(self, facts, stream, *parts):
        self.fact(facts, f"copy to the GPU (command {4 if stream == 2 else 3}, stream {stream}) of {MIDDLE} + 0 to {BYTES - 1}, fills: ",
                  "it would fill what kernel 'consume' (command 2, stream 1) waits for", *parts)

    def test_a_copy_behind_its_own_kernel_in_the_stream(self):
        first, facts = self.report("own_stream")
        self.assertEqual(first, f"{self.STANDS} that copy to the GPU (command 3, stream 1) is to fill, which stands behind it in the same "
                         "stream: put the copy into another stream")
        self.consumer_waits(facts)
        self.copy_waits(facts, 1, "not sent; it stands behind kernel 'consume' (command 2, stream 1) in its stream")

    def test_the_same_where_the_driver_reads_ahead(self):
        first, facts = self.report("own_stream", options=["--set", "driver.read_ahead=true"])
        self.assertIn("which stands behind it in the same stream", first)
        self.copy_waits(facts, 1, "fills: it stands behind kernel 'consume' (command 2, stream 1) in its stream")

    def test_a_copy_behind_its_own_kernel_in_the_hardware_channel(self):
        first, facts = self.report("own_channel")
        self.assertEqual(first, f"{self.STANDS} that copy to the GPU (command 4, stream 2) is to fill, which waits behind it in hardware "
                         "channel 0, which their streams share: issue it earlier, or give the machine more channels "
                         "(gpu.front_end.hardware_channels is 1)")
        self.consumer_waits(facts)
        self.fact(facts, f"copy to the host (command 3, stream 1) of {OUTPUT} + 0 to {BYTES - 1}: not sent; it stands behind kernel 'consume' "
                  "(command 2, stream 1) in its stream")
        self.copy_waits(facts, 2, "not sent; it stands behind copy to the host (command 3, stream 1) in hardware channel 0")
        result = self.run_case("own_channel", options=["--set", "gpu.front_end.hardware_channels=4"])
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_copy_that_waits_for_the_default_stream(self):
        first, facts = self.report("default_stream")
        self.assertIn("that copy to the GPU (command 3, stream 2) is to fill, which waits for it in the order of streams: use streams made "
                      "with cudaStreamNonBlocking", first)
        self.fact(facts, "not sent; it waits for an earlier command of the default stream: kernel 'consume' (command 2, stream 0)")


if __name__ == "__main__":
    main()
