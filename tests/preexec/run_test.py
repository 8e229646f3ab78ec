#!/usr/bin/env python3
"""Pre-execution beside kernels (`duet run --preexec`), as a user has it.

tests/preexec/run_test.py --duet build/bin/duet

Results never depend on it; the GPU finds lines that cores brought; a program is stopped when its kernel has ended; wrong addresses are suppressed and
counted; what cannot be is said in one line. By day without some kinds of runs; at night (tests/whole.py) with all.
"""
import json

import fixture
from fixture import HERE, SOURCE, WAITS, Programs
from whole import WHOLE, some

# Threads of a kernel, where components are ticked on two threads: that takes long.
FEW = "8192"


class Preexec(Programs):
    sources = [SOURCE / "workloads/yang2012/VecAdd.cu", HERE / "hostile.cu", HERE / "search.cu"]

    def test_the_gpu_finds_what_the_core_brought(self):
        program = ["./VecAdd"]
        output, off = self.right(*WAITS, *program)
        same_output, on = self.right("--preexec", "adaptive", *WAITS, *program)
        self.assertEqual(output, same_output)
        self.assertNotIn("preexecution", off)
        self.assertEqual(off["counters"]["l3.processor_fills"], 0)
        kernel, before = on["kernels"][0], off["kernels"][0]
        run = kernel["preexecution"]
        self.assertEqual((run["accesses"], run["covered"], run["not_prefetched"]), (3, 3, []))
        self.assertGreater(kernel["counters"]["l3.processor_fills_used"], 1000)
        self.assertGreater(kernel["counters"]["l3.gpu_read_hits"], before["counters"].get("l3.gpu_read_hits", 0) + 1000)
        self.assertLess(kernel["cycles"], before["cycles"])
        self.assertGreater(run["instructions"], run["loads"])
        self.assertGreater(run["polls"], 0)
        self.assertEqual(run["skip_factor"][0][1], 32)
        self.assertEqual(on["preexecution"]["mode"], "adaptive")

    def test_a_fixed_distance(self):
        _, on = self.right("--preexec", "profiled", "--preexec-set", "skip_factor=64", *WAITS, "./VecAdd", *([] if WHOLE else ["--size", "262144"]))
        run = on["kernels"][0]["preexecution"]
        self.assertEqual(run["initial_skip_factor"], 64)
        self.assertEqual(run["skip_factor"], [])
        self.assertGreater(on["counters"]["l3.processor_fills_used"], 1000)

    def test_wrong_addresses_change_nothing(self):
        output, _ = self.right("./hostile")
        self.assertTrue(output.startswith("right"))
        suppressed = {}
        for guards in some(["drop", "in_slice", "keep"], 2):
            same, on = self.right("--preexec", "adaptive", "--preexec-set", f"data_guards={guards}", "./hostile")
            self.assertEqual(output, same)
            suppressed[guards] = on["preexecution"]["suppressed_loads"]
        self.assertGreater(suppressed["drop"], 0)
        self.assertLess(suppressed["keep"], suppressed["drop"])

    def test_managed_memory_does_not_lie_below_the_shared_level(self):
        off, _ = self.right("./VecAdd", "--size", "65536", "--memory", "managed")
        output, on = self.right("--preexec", "adaptive", "./VecAdd", "--size", "65536", "--memory", "managed")
        self.assertEqual(off, output)
        kernel = on["kernels"][-1]
        self.assertGreater(kernel["preexecution"]["suppressed_loads"], 1000)
        self.assertLess(kernel["counters"]["l3.processor_fills"], 100)  # of the program itself

    def test_private_caches_that_are_emptied_hold_nothing_stale(self):
        output, _ = self.right("./search", "16384", "2")
        sums = {}
        for private_caches in ["keep", "drop"]:
            same, on = self.right("--preexec", "adaptive", "--preexec-set", f"private_caches={private_caches}", "./search", "16384", "2")
            self.assertEqual(output, same)
            runs = [kernel["preexecution"] for kernel in on["kernels"]]
            for run in runs:
                self.assertLessEqual(run["wrong_hits"], run["stale_hits"])
                self.assertLessEqual(run["stale_hits"], run["private_hits"])
            sums[private_caches] = {name: sum(run[name] for run in runs) for name in ["private_hits", "stale_hits", "wrong_hits", "lines_dropped"]}
            # Programs go on for a moment when their kernels have ended, and the core counts that too.
            self.assertGreaterEqual(on["counters"]["core.stale_hits"], sums[private_caches]["stale_hits"])
        self.assertEqual(sums["keep"]["lines_dropped"], 0)
        self.assertGreater(sums["keep"]["wrong_hits"], 100)
        self.assertGreater(sums["drop"]["lines_dropped"], 100)
        # What the kernel itself writes while its program runs is left.
        self.assertLess(sums["drop"]["stale_hits"], sums["keep"]["stale_hits"] // 10)
        self.assertLess(sums["drop"]["private_hits"], sums["keep"]["private_hits"])

    def test_forwarded_ids_name_the_blocks_that_are_dispatched(self):  # night
        program = [*WAITS, "./VecAdd", "--size", "131072", "--start", "cold"]
        used, outputs = {}, set()
        for order in ["in_order", "reversed", "scattered"]:
            for blocks in ["implicit", "forwarded"]:
                output, on = self.right("--preexec", "adaptive", "--set", f"gpu.front_end.block_order={order}", "--preexec-set", f"blocks={blocks}", *program)
                outputs.add(output)
                kernel = on["kernels"][-1]
                used[order, blocks] = kernel["counters"].get("l3.processor_fills_used", 0)
                self.assertEqual(kernel["preexecution"]["block_writes"] > 0, blocks == "forwarded")
        self.assertEqual(len(outputs), 1)
        # Far from each other, the blocks from 0 on are the wrong ones. Where the program is told which, the order makes no difference to it.
        self.assertLess(used["scattered", "implicit"], used["in_order", "implicit"] // 2)
        told = [used[order, "forwarded"] for order in ["in_order", "reversed", "scattered"]]
        self.assertGreater(min(told), used["scattered", "implicit"])
        self.assertLess(max(told), min(told) * 1.2)

    def test_forwarded_ids_and_the_order_of_ticks(self):  # night
        results = []
        for order in [[], ["--shuffle", "7"], ["--shuffle", "11", "--two-threads"]]:
            _, on = self.right("--preexec", "adaptive", "--preexec-set", "blocks=forwarded", "--set", "gpu.front_end.block_order=scattered",
                               "--set", "cpu.cores=2", *order, *WAITS, "./hostile", FEW)
            results.append((on["counters"], [kernel["preexecution"] for kernel in on["kernels"]]))
        self.assertGreater(sum(kernel["block_writes"] for kernel in results[0][1]), 0)
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_a_program_waits_for_a_slow_gpu(self):
        # An L3 of 256 KB, and a GPU so slow that the core fills it again and again before the GPU comes.
        slow = ["--set", "gpu.core_clock_khz=48000", "--set", "level[0].sets=32"]
        used, waits = {}, {}
        for waves in [0, 1, 4]:
            _, on = self.right("--preexec", "adaptive", "--preexec-set", f"waves_ahead={waves}", *slow, *WAITS, "./VecAdd", "--size", "65536")
            counters, kernel = on["counters"], on["kernels"][0]["preexecution"]
            used[waves] = counters["l3.processor_fills_used"] / (counters["l3.processor_fills_used"] + counters["l3.processor_fills_unused"])
            waits[waves] = kernel["polls"]
            self.assertEqual(kernel["block_writes"] > 0, waves != 0)
        self.assertLess(used[0], 0.5, used)
        self.assertGreater(used[1], 0.9, used)
        self.assertGreaterEqual(used[1], used[4], used)
        self.assertGreater(waits[1], 100 + waits[0], waits)

    def test_a_program_begins_at_a_wave_and_is_bounded(self):  # night
        loads = {}
        for wave in [0, 2, 10, 1000]:  # beside a GPU so slow that the program comes to its end
            _, on = self.right("--preexec", "profiled", "--preexec-set", "skip_factor=32", "--preexec-set", f"first_wave={wave}",
                               "--set", "gpu.core_clock_khz=48000", *WAITS, "./VecAdd", "--size", "65536")
            loads[wave] = on["kernels"][0]["preexecution"]["loads"]
        # A wave is 24 blocks of 128 threads, of which every 32nd loads from three arrays; some loads are made twice.
        self.assertGreater(loads[0], loads[2] + 300)
        self.assertGreaterEqual(loads[2] - loads[10], 8 * 24 * 128 // 32 * 3, loads)
        self.assertLess(loads[1000], 100)
        for most in [64, 1000]:
            _, on = self.right("--preexec", "adaptive", "--preexec-set", "threshold=0", "--preexec-set", f"skip_factor_most={most}", *WAITS, "./VecAdd", "--size", "262144")
            factors = [factor for _, factor in on["kernels"][0]["preexecution"]["skip_factor"]]
            self.assertEqual(max(factors) > 64, most != 64, factors)

    def test_a_program_ends_with_its_kernel(self):
        _, on = self.right("--preexec", "adaptive", "./hostile")
        kernels = on["kernels"]
        self.assertEqual(len(kernels), 10)
        started = [kernel["preexecution"]["started_ps"] for kernel in kernels]
        for kernel, begin in zip(kernels, started):
            if begin is None:  # its kernel ended while the core had another program
                continue
            self.assertGreaterEqual(begin, kernel["driver_start_ps"])
            end = kernel["preexecution"]["ended_ps"]
            if end is not None:
                self.assertLessEqual(end, kernel["end_ps"])
        self.assertGreater(sum(begin is not None for begin in started), 5)
        self.assertEqual([begin for begin in started if begin is not None], sorted(begin for begin in started if begin is not None))

    def test_the_order_of_ticks_does_not_matter(self):
        results = []
        for order in some([[], ["--shuffle", "7"], ["--shuffle", "11", "--two-threads"]], 2):
            _, on = self.right("--preexec", "adaptive", *order, *WAITS, "./hostile", FEW)
            results.append((on["counters"], [kernel["preexecution"] for kernel in on["kernels"]]))
        self.assertGreater(on["preexecution"]["suppressed_loads"], 0)
        self.assertGreater(on["counters"]["l3.processor_fills_used"], 0)
        for other in results[1:]:
            self.assertEqual(results[0], other)

    def test_what_cannot_be_is_said_in_one_line(self):
        self.refused("needs a machine whose cores share a level of cache", "--preexec", "adaptive", "./VecAdd", machine="gtx480")
        self.refused("needs the timed GPU", "--preexec", "adaptive", "--functional", "./VecAdd")
        self.refused("there is no key 'batch'", "--preexec", "adaptive", "--preexec-set", "batch=3", "./VecAdd", status=2)
        self.refused("batch_size is a whole number", "--preexec", "adaptive", "--preexec-set", "batch_size=x", "./VecAdd", status=2)
        self.refused("lowering is not_below_initial or as_printed", "--preexec", "adaptive", "--preexec-set", "lowering=no", "./VecAdd", status=2)
        self.refused("private_caches is keep or drop", "--preexec", "adaptive", "--preexec-set", "private_caches=flush", "./VecAdd", status=2)
        self.refused("blocks is implicit or forwarded", "--preexec", "adaptive", "--preexec-set", "blocks=told", "./VecAdd", status=2)
        self.refused("are for blocks=implicit", "--preexec", "adaptive", "--preexec-set", "blocks=forwarded", "--preexec-set", "waves_ahead=1", "./VecAdd")
        self.refused('block_order = "random" is not known', "--set", "gpu.front_end.block_order=random", "./VecAdd")
        self.refused("does nothing without --preexec", "--preexec-set", "batch_size=3", "./VecAdd")
        self.refused("--preexec", "--preexec", "always", "./VecAdd", status=2)
        self.refused("there is no ./VecAdd.preexec.json: make it with --profile", "--preexec", "profiled", "./VecAdd")
        self.refused("--profile is for --preexec profiled", "--preexec", "adaptive", "--profile", "./VecAdd")

    def test_a_profile_keeps_what_was_fastest(self):
        self.right("--preexec", "profiled", "--profile", *WAITS, "./VecAdd", "--size", "65536")
        profile = json.loads((self.folder / "VecAdd.preexec.json").read_text())
        kernel = profile["kernels"]["vec_add"]
        self.assertEqual(sorted(kernel["cycles"], key=int), ["32", "64", "96", "128", "160", "192", "224"])
        self.assertEqual(kernel["cycles"][str(kernel["skip_factor"])], min(kernel["cycles"].values()))
        _, on = self.right("--preexec", "profiled", *WAITS, "./VecAdd", "--size", "65536")
        self.assertEqual(on["kernels"][0]["preexecution"]["initial_skip_factor"], kernel["skip_factor"])
        self.assertEqual(on["kernels"][0]["cycles"], min(kernel["cycles"].values()))
        self.refused("made on another machine", "--preexec", "profiled", "./VecAdd")
        (self.folder / "VecAdd.preexec.json").unlink()


if __name__ == "__main__":
    fixture.main()
