#!/usr/bin/env python3
"""Cores that execute thread blocks of the GPU's kernels (`duet run --cpu-blocks`, yang2012 section 5.5), as a user has it.

tests/preexec/blocks_test.py --duet build/bin/duet

Results are the same with and without, in whichever order components are ticked, for kernels with barriers, shared memory and lines that blocks share; the
core really has executed blocks; what it cannot do the GPU does alone, and a line says why.
"""
import re
import subprocess

import fixture
from fixture import HERE, SOURCE, Programs
from whole import some

REFUSED = {
    "shuffle": "a shuffle",
    "vote": "vote",
    "warp_barrier": "a barrier of a warp",
    "global_atomic": "an atomic operation on memory that is not shared",
    "float_atomic": "an atomic operation on floats",
    "spin_lock": "threads may wait for each other",
    "volatile_access": "a volatile or ordered access",
    "time": "a clock",
    "print": "a call of the device's system",
    "trap": "a trap",
    "counted": "a barrier that is no bar.sync",
    "saturated": "a saturating sum",
    "half_float": "a conversion of narrow floats",
    "rounded": "a conversion with this rounding",
}


def blocks_of(kernel):
    return kernel["grid"][0] * kernel["grid"][1] * kernel["grid"][2]


class Blocks(Programs):
    sources = [SOURCE / "workloads/yang2012/VecAdd.cu", HERE / "blocks.cu", HERE / "arithmetic.cu"]

    runs = {}  # several tests look at the same ones

    def once(self, *command):
        if command not in self.runs:
            self.runs[command] = self.succeeds(*command)
        return self.runs[command]

    def test_results_are_the_same_and_the_core_has_worked(self):
        alone, off = self.once("./blocks")
        both, on = self.once("--cpu-blocks", "./blocks")
        self.assertEqual(alone.stdout, both.stdout)
        self.assertNotIn("wrong", both.stdout)
        self.assertNotIn("cpu_blocks", off)
        self.assertNotIn("cpu_blocks", off["kernels"][0])
        done = 0
        for kernel, before in zip(on["kernels"], off["kernels"]):
            own = kernel["cpu_blocks"]
            self.assertEqual(kernel["completed_blocks"], blocks_of(kernel))
            done += own["blocks"]
            if "gpu_alone" in own:
                self.assertEqual((own["blocks"], own["instructions"]), (0, 0))
                self.assertEqual(kernel["thread_instructions"], before["thread_instructions"])
                continue
            # What the core has executed the GPU has not.
            self.assertGreater(own["blocks"], 0, kernel["name"])
            self.assertLess(own["blocks"], blocks_of(kernel))
            self.assertLess(kernel["thread_instructions"], before["thread_instructions"], kernel["name"])
            self.assertEqual(own["claims"], own["blocks"] + 1)
            self.assertGreater(own["instructions"], 0)
            self.assertTrue(kernel["start_ps"] < own["first_ps"] < own["last_ps"] < kernel["end_ps"])
        self.assertEqual(on["cpu_blocks"]["blocks"], done)
        # A block of bytes() writes 37 of them, in one line or two.
        for kernel in on["kernels"]:
            if "5bytes" in kernel["name"]:
                own = kernel["cpu_blocks"]
                self.assertTrue(own["blocks"] <= own["lines_written"] <= 2 * own["blocks"])

    def test_the_gpu_alone_executes_what_a_core_cannot(self):
        both, on = self.once("--cpu-blocks", "./blocks")
        alone = {re.sub(r".*_1\d+(\w+?)EP.*", r"\1", kernel["name"]): kernel["cpu_blocks"]["gpu_alone"] for kernel in on["kernels"]
                 if "gpu_alone" in kernel["cpu_blocks"]}
        self.assertEqual(sorted(alone), ["added", "shuffled"])
        self.assertIn("a shuffle (", alone["shuffled"])
        self.assertIn("an atomic operation on memory that is not shared (", alone["added"])
        said = [line for line in both.stderr.splitlines() if "runs on the GPU alone" in line]
        self.assertEqual(len(said), 2, both.stderr)
        self.assertTrue(said[0].startswith("duet: kernel 'shuffled' runs on the GPU alone: a shuffle ("), said)

    def test_arithmetic_leaves_the_same_bits(self):
        done, on = self.succeeds("--cpu-blocks", "./arithmetic", "40")
        self.assertEqual(done.stdout, "right\n")
        self.assertGreater(on["kernels"][0]["cpu_blocks"]["blocks"], 1)

    def test_each_thing_that_is_refused_has_its_name(self):
        ptx = self.folder / "refused.ptx"
        subprocess.run([self.duet, "cc", "-ptx", HERE / "refused.cu", "-o", ptx], check=True, timeout=300)
        kernels = re.findall(r"\.entry (\w+)", ptx.read_text())
        self.assertEqual(len(kernels), len(REFUSED))
        for kernel in kernels:
            done = subprocess.run([self.duet, "preexec", "--blocks", ptx, "--kernel", kernel], capture_output=True, text=True, timeout=60)
            name = next(name for name in REFUSED if f"{len(name)}{name}" in kernel)
            self.assertNotEqual(done.returncode, 0, name)
            self.assertRegex(done.stderr, "has no program for its blocks: .*" + REFUSED[name])
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_the_order_of_ticks_does_not_matter(self):
        for cores in some(["2", "1"], 2):
            results = []
            for order in [[], ["--shuffle", "7"], ["--shuffle", "11", "--two-threads"]]:
                done, on = self.succeeds("--cpu-blocks", *order, "--set", "cpu.cores=" + cores, "./blocks", "streams")
                results.append((done.stdout, on["counters"], [kernel["cpu_blocks"] for kernel in on["kernels"]],
                                [kernel["end_ps"] for kernel in on["kernels"]]))
            self.assertGreater(sum(own["blocks"] for own in results[0][2]), 10)
            self.assertEqual(results[0], results[1])
            self.assertEqual(results[0], results[2])

    def test_a_core_takes_what_would_be_dispatched_last(self):
        alone, _ = self.once("./blocks")
        for order in some(["scattered", "reversed"], 2):
            both, on = self.succeeds("--cpu-blocks", "--set", "gpu.front_end.block_order=" + order, "./blocks")
            self.assertEqual(alone.stdout, both.stdout)
            self.assertGreater(on["cpu_blocks"]["blocks"], 10)

    def test_a_core_makes_vecadd_faster(self):
        _, off = self.succeeds("./VecAdd", "--size", "65536")
        _, on = self.succeeds("--cpu-blocks", "./VecAdd", "--size", "65536")
        self.assertLess(on["kernels"][0]["cycles"], off["kernels"][0]["cycles"])
        # Control: a core that reaches the work distributor late is no help.
        _, late = self.succeeds("--cpu-blocks", "--set", "link.latency_ns=20000", "./VecAdd", "--size", "65536")
        self.assertLess(late["kernels"][0]["cpu_blocks"]["blocks"], on["kernels"][0]["cpu_blocks"]["blocks"] / 5)

    def test_a_block_that_fails_on_a_core_fails_its_kernel(self):
        done, _ = self.run_duet("--cpu-blocks", "./blocks", "fault")
        self.assertEqual(done.stdout, "an illegal memory access was encountered\n")
        self.assertIn("block 399 on core 0: it cannot write to 0x0, where nothing lies", done.stderr)

    def test_host_memory_that_kernels_reach(self):
        done, on = self.succeeds("--cpu-blocks", "./blocks", "pinned")
        first, second = on["kernels"][:6], on["kernels"][6:]
        for kernel in first:
            self.assertIn("host memory that kernels reach", kernel["cpu_blocks"]["gpu_alone"])
        for kernel in second:
            self.assertGreater(kernel["cpu_blocks"]["blocks"], 0)

    def test_what_cannot_be_is_said_in_one_line(self):
        self.refused("needs a machine whose cores share a level of cache", "--cpu-blocks", "./VecAdd", machine="gtx480")
        self.refused("--cpu-blocks needs the timed GPU", "--cpu-blocks", "--functional", "./VecAdd")
        self.refused("both need the cores", "--cpu-blocks", "--preexec", "adaptive", "./VecAdd")
        self.refused("whose gpu.l1 writes through", "--cpu-blocks", "--set", "gpu.l1.write_back=true", "--set", "gpu.l1.write_evict=false", "--set",
                     "gpu.l1.write_allocate=true", "./VecAdd")


if __name__ == "__main__":
    fixture.main()
