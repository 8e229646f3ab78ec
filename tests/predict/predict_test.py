#!/usr/bin/env python3
"""duet predict: kernels that are bound by one thing each against the simulator, what bounds them, what it refuses.

Usage: predict_test.py BUILD SOURCE [unittest options]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402
from whole import some  # noqa: E402

BUILD = SOURCE = None
# Kernel, what is said to bound it (one of these), and how far its time may be from the simulator's.
KERNELS = {
    "CHAIN": ({"arithmetic latency"}, 0.05),
    "SHARED": ({"arithmetic latency", "memory latency", "launch and latency"}, 0.05),
    "CHASE": ({"memory latency"}, 0.06),
    "STREAM": ({"DRAM rate"}, 0.25),
    "FILL": ({"DRAM rate"}, 0.15),
    "GATHER": ({"DRAM rate", "memory latency"}, 0.10),
    "ATOMICS": ({"atomics on one word"}, 0.03),
    "ISSUE": ({"issue slots"}, 0.10),
    "CONFLICTS": ({"bank conflicts"}, 0.05),
    "HEAP": ({"calls of the device runtime"}, 0.10),
    "CODE": ({"instruction fetch", "arithmetic latency"}, 0.10),
}


def duet(*words, status=0, cwd=None):
    done = subprocess.run([str(BUILD / "bin/duet"), *map(str, words)], capture_output=True, text=True, timeout=300, cwd=cwd)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Predicted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = cls.folder / "kernels"
        compile_well(BUILD / "bin/duet", ["-O2", SOURCE / "tests/predict/kernels.cu"], cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def predict(self, *words, name="predicted"):
        out = self.folder / name
        done = duet("predict", "--out", out, *words)
        return json.loads((out / "prediction.json").read_text()), done

    def kernel_us(self, *words):
        return sum(self.times(words)) / 1e6

    def times(self, words, command="run"):
        out = self.folder / "times"
        duet(command, "-q", "--no-html", "--trace-detail", "none", "--out", out, *words)
        return [k["end_ps"] - k["start_ps"] for k in json.loads((out / "stats.json").read_text())["kernels"]]


class AgainstTheSimulator(Predicted):
    def test_kernels_bound_by_one_thing(self):
        for what, (bounds, far) in some(KERNELS.items(), 3):
            with self.subTest(what):
                predicted, done = self.predict(self.program, what)
                self.assertIn("done", done.stdout)  # the program's own line: results are right
                kernel = predicted["kernels"][0]
                self.assertIn(kernel["bound"], bounds)
                timed = self.kernel_us(self.program, what)
                self.assertLess(abs(kernel["time_us"] / timed - 1), far, f"{what}: {kernel['time_us']} us against {timed} us")
                low, high = kernel["interval_us"]
                self.assertTrue(low <= timed <= high, f"{what}: {timed} us, and not from {low} to {high}")
                self.assertTrue(timed < 2 * high < 8 * timed and low < timed < 4 * low, "the interval says something")
                self.assertRegex(done.stdout, rf" {low:.1f}-{high:.1f} ")
                if kernel["bound"] in ("instruction fetch", "memory latency", "DRAM rate") and not kernel["doubts"]:
                    self.assertLess(kernel["interval_from"], 150, "of its own class, and not of all")

    def test_how_often_a_wait_looks_takes_no_time(self):
        predicted, _ = self.predict(self.program, "WAITS")
        timed = self.kernel_us(self.program, "WAITS")
        self.assertLess(abs(predicted["kernels"][0]["time_us"] / timed - 1), 0.15)
        self.assertEqual(predicted["kernels"][0]["doubts"], ["waits"])

    def test_of_long_warps_the_beginning_stands_for_the_rest(self):
        predicted, _ = self.predict(self.program, "LONG")
        kernel = predicted["kernels"][0]
        self.assertLess(kernel["computed_share"], 0.6)
        self.assertEqual(kernel["doubts"], [])
        timed = self.kernel_us(self.program, "LONG")
        self.assertLess(abs(kernel["time_us"] / timed - 1), 0.10)
        # With and without a limit the same part is computed, not all that was kept.
        self.assertLess(max(kernel["without_us"].values()), kernel["time_us"] * 1.02)
        phases = self.predict(self.program, "PHASES")[0]["kernels"][0]
        self.assertLess(phases["computed_share"], 0.6)
        self.assertEqual(phases["doubts"], ["truncated"])

    def test_blocks_that_are_not_looked_at(self):
        """They go on as fast as DRAM lets them, written lines included, and by what they do, not by their number."""
        copy = self.predict(self.program, "COPY")[0]["kernels"][0]
        self.assertGreater(copy["time_us"], copy["roofline_us"], "DRAM's peak rate")
        self.assertLess(abs(copy["time_us"] / self.kernel_us(self.program, "COPY") - 1), 0.10)
        few = self.predict(self.program, "FEW")[0]["kernels"][0]
        self.assertLess(abs(few["time_us"] / self.kernel_us(self.program, "FEW") - 1), 0.10)

    def test_blocks_that_are_not_looked_at_leave_their_lines_in_l2(self):
        """A launch goes through 8 MB in order and L2 holds 3: the next one finds nothing there, and what it writes back first is the last one's."""
        words = ["--set", "gpu.l2.sets=256", self.program, "COPIES"]
        timed = self.times(words)
        predicted = self.times(words, "predict")
        for one, other in zip(predicted, timed):
            self.assertLess(abs(one / other - 1), 0.08, (predicted, timed))

    def test_blocks_that_are_not_looked_at_find_what_is_there(self):
        """Launches whose data just fit into L2, and that fit into the level below it."""
        for words, far in some(((["--set", "gpu.l2.sets=256"], 0.06), (["--machine", "gh200-shared"], 0.20)), 2):
            timed, predicted = self.times([*words, self.program, "FITS"]), self.times([*words, self.program, "FITS"], "predict")
            self.assertLess(abs(sum(predicted) / sum(timed) - 1), far, (predicted, timed))

    def test_a_store_drops_its_word_and_not_the_line(self):
        predicted, _ = self.predict(self.program, "ROWS")
        self.assertLess(abs(predicted["kernels"][0]["time_us"] / self.kernel_us(self.program, "ROWS") - 1), 0.15)

    def test_a_store_overtakes_a_line_on_its_way(self):
        """Who waits for the line gets it, and L1 does not: the next load fetches it again."""
        for machine in ("gtx580", "h100"):
            words = ["--machine", machine, self.program, "OVERTAKES"]
            self.assertLess(abs(self.predict(*words)[0]["kernels"][0]["time_us"] / self.kernel_us(*words) - 1), 0.02, machine)

    def test_the_way_of_a_kernels_end_to_the_host_is_in_its_time(self):
        words = ["--machine", "h100", self.program, "EMPTY"]
        self.assertLess(abs(self.predict(*words)[0]["kernels"][0]["time_us"] / self.kernel_us(*words) - 1), 0.10)
        far = self.predict("--set", "link.latency_ns=5000", *words)[0]["kernels_us"]
        self.assertAlmostEqual(far - self.predict(*words)[0]["kernels_us"], 4.48, delta=0.01)

    def test_sectors_of_a_line_go_to_one_slice(self):  # night
        """That one SM asks for four at a time does not mean that all do."""
        words = ["--machine", "h100", self.program, "SECTORS"]
        self.assertLess(abs(sum(self.times(words, "predict")) / sum(self.times(words)) - 1), 0.10)

    def test_many_sms_want_the_same_code(self):
        machines = [["--machine", "h100", "--set", f"gpu.sm.count={sms}", "--set", "gpu.dram.refresh=false"] for sms in (8, 132)]
        timed = [self.kernel_us(*words, self.program, "EMPTY") for words in machines]
        said = [self.predict(*words, self.program, "EMPTY")[0]["kernels_us"] for words in machines]
        self.assertLess(abs(said[1] - said[0] - (timed[1] - timed[0])), 0.1, f"simulator {timed}, model {said}")
        self.assertGreater(timed[1] - timed[0], 0.1, "132 SMs against 8")

    def test_a_loop_that_waits_by_the_clock_ends(self):
        kernel = self.predict(self.program, "SPIN")[0]["kernels"][0]
        self.assertEqual(kernel["doubts"], ["clock"])
        self.assertEqual(kernel["bound"], "waiting by a clock")
        self.assertLess(abs(kernel["time_us"] / self.kernel_us(self.program, "SPIN") - 1), 0.02)
        # Warps that share schedulers look less often, and wait no longer; blocks between the windows wait as those in them.
        many = self.predict(self.program, "SPINS")[0]["kernels"][0]
        self.assertLess(abs(many["time_us"] / self.kernel_us(self.program, "SPINS") - 1), 0.05)
        self.assertEqual(many["repeated_launches"], 0, "how often they look is not work")

    def test_atomics_on_words_of_their_own_wait_side_by_side(self):
        kernel = self.predict(self.program, "OWN_WORDS")[0]["kernels"][0]
        self.assertEqual(kernel["bound"], "atomics on one word")
        self.assertLess(abs(kernel["time_us"] / self.kernel_us(self.program, "OWN_WORDS") - 1), 0.10)

    def test_launches_that_repeat_need_not_be_recorded(self):
        """The first is cold; three alike, then 4 without, one with, 8 without, one with, 16 without, one with: 53 of 60."""
        again = self.predict(self.program, "AGAIN")[0]["kernels"][0]
        self.assertGreater(again["repeated_launches"], 50)
        self.assertLess(abs(again["time_us"] / self.kernel_us(self.program, "AGAIN") - 1), 0.15)
        # Four alike and then twice as much: the first of these is found to differ, and the next ones are recorded.
        more = self.predict(self.program, "MORE")[0]["kernels"][0]
        self.assertLess(more["repeated_launches"], 10)
        self.assertLess(abs(more["time_us"] / self.kernel_us(self.program, "MORE") - 1), 0.15)

    def test_changes_of_one_key_have_the_right_sign(self):
        """What the simulator says of a change of at least 5 %, the model says too."""
        changes = [("CHAIN", "gpu.sm.floating.latency_cycles=18"), ("SHARED", "gpu.sm.shared_latency_cycles=52"),
                   ("CHASE", "gpu.dram.controller_cycles=20"), ("STREAM", "gpu.dram.channels=3"), ("FILL", "gpu.dram.channels=12"),
                   ("GATHER", "gpu.sm.count=4"), ("ATOMICS", "gpu.l2.atomic_conflict_cycles=2"), ("ISSUE", "gpu.sm.schedulers=1"),
                   ("CONFLICTS", "gpu.sm.shared_banks=64"), ("CODE", "gpu.l2.latency_cycles=300"),
                   ("HEAP", "gpu.device_heap.malloc_interval_cycles=9000"), ("CHAIN", "gpu.sm.blocking_issue=true"),
                   ("SECTORS", "gpu.sm.coalesced_threads=8"), ("GATHER", "gpu.sm.memory_requests=8")]
        for what, change in some(changes, 5):
            with self.subTest(f"{what} {change}"):
                slices = ["--set", f"gpu.l2_slices={2 * int(change.split('=')[1])}"] if "channels" in change else []
                timed = [self.kernel_us(*words, self.program, what) for words in ([], ["--set", change, *slices])]
                predicted = [self.predict(*words, self.program, what)[0]["kernels_us"] for words in ([], ["--set", change, *slices])]
                by, said = timed[1] / timed[0] - 1, predicted[1] / predicted[0] - 1
                self.assertGreater(abs(by), 0.05, "the change does nothing")
                self.assertGreater(by * said, 0, f"simulator {by:+.3f}, model {said:+.3f}")
                self.assertGreater(abs(said), abs(by) / 2, f"simulator {by:+.3f}, model {said:+.3f}")


class Output(Predicted):
    def test_file_fits_its_schema_and_adds_up(self):
        predicted, done = self.predict(self.program, "STREAM")
        schema = json.loads((SOURCE / "schema/duet.prediction.1.json").read_text())
        jsonschema.validate(predicted, schema)
        self.assertAlmostEqual(sum(predicted["parts_us"].values()), predicted["run_us"], places=3)
        self.assertAlmostEqual(sum(k["time_us"] for k in predicted["kernels"]), predicted["kernels_us"], places=3)
        self.assertIn("bound by", done.stdout)
        printed = duet("predict", "--json", "-", "--out", self.folder / "printed", self.program, "STREAM").stdout
        self.assertEqual(json.loads(printed[printed.index("{"):])["kernels"], predicted["kernels"])

    def test_keys_of_the_timed_gpu_are_the_models(self):
        _, done = self.predict("--set", "gpu.l1.mshr_targets=4", self.program, "CHAIN")
        self.assertNotIn("does nothing", done.stderr)
        _, done = self.predict("--set", "gpu.functional.block_start_cycles=4", self.program, "CHAIN")
        self.assertIn("does nothing", done.stderr)

    def test_two_runs_say_the_same(self):
        first, second = (self.predict(self.program, "GATHER", name=name)[0] for name in ["first", "second"])
        for one in (first, second):
            self.assertLessEqual(one["program_seconds"], one["wall_seconds"])
            del one["wall_seconds"], one["program_seconds"]
        self.assertEqual(first, second)

    def test_the_kernel_has_its_predicted_time_in_stats(self):
        predicted, _ = self.predict(self.program, "CHAIN")
        stats = json.loads((self.folder / "predicted/stats.json").read_text())
        kernel = stats["kernels"][0]
        took = (kernel["end_ps"] - kernel["start_ps"]) / 1e6
        self.assertGreaterEqual(took, predicted["kernels"][0]["time_us"])
        self.assertLess(took, predicted["kernels"][0]["time_us"] + 0.3)  # the way to the front end and back


class Sampled(Predicted):
    """Only what decides a kernel's time is executed (tests/predict/sampled.cu)."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.folder / "sampled"
        compile_well(BUILD / "bin/duet", ["-O2", SOURCE / "tests/predict/sampled.cu"], cls.program)

    def both(self, what):
        """Predictions, whole and sampled, and of the second how many instructions of the first were executed."""
        whole, sampled = (self.predict(*words, self.program, what, name=name)[0] for words, name in [([], "whole"), (["--sampled"], "part")])
        counts = [json.loads((self.folder / name / "stats.json").read_text())["totals"]["warp_instructions"] for name in ["whole", "part"]]
        return whole, sampled, counts[1] / counts[0]

    def doubts(self, what):
        return [(k["partial_launches"], k["doubts"]) for k in self.predict("--sampled", self.program, what)[0]["kernels"]]

    def test_what_decides_no_time_is_not_executed(self):
        for what in ["VALUES", "SHARED", "SOME"]:
            whole, sampled, share = self.both(what)
            self.assertEqual(whole["kernels"][0]["partial_launches"], 0)
            kernel = sampled["kernels"][0]
            self.assertEqual((kernel["partial_launches"], kernel["doubts"]), (1, []))
            self.assertAlmostEqual(kernel["time_us"] / whole["kernels"][0]["time_us"], 1, delta=0.05 if what == "SOME" else 0.001)
            self.assertLess(share, 0.9, "blocks between the windows")
            jsonschema.validate(sampled, json.loads((SOURCE / "schema/duet.prediction.1.json").read_text()))

    def test_launches_that_repeat_are_not_executed(self):
        whole, sampled, share = self.both("AGAIN")
        self.assertEqual([k["repeated_launches"] for k in sampled["kernels"]], [k["repeated_launches"] for k in whole["kernels"]])
        self.assertAlmostEqual(sampled["kernels_us"] / whole["kernels_us"], 1, delta=0.01)
        self.assertLess(share, 0.2)

    def test_launches_that_repeat_and_decide_by_data(self):
        """They are executed as long as somebody, a kernel or the host, may decide by what they write."""
        whole, sampled, share = self.both("AGAIN_BY_DATA")
        self.assertEqual(sampled["kernels"][0]["doubts"], [])
        self.assertAlmostEqual(sampled["kernels_us"] / whole["kernels_us"], 1, delta=0.01)
        self.assertLess(share, 0.3)
        for what in ["AGAIN_READ", "AGAIN_OWN_DATA"]:
            whole, sampled, share = self.both(what)
            self.assertGreater(sampled["kernels"][0]["repeated_launches"], 80)
            self.assertEqual(share, 1)

    def test_long_warps_are_not_executed_to_their_end(self):
        whole, sampled, share = self.both("LONGER")
        self.assertLess(whole["kernels"][0]["computed_share"], 0.5)
        self.assertAlmostEqual(sampled["kernels_us"] / whole["kernels_us"], 1, delta=0.01)
        self.assertLess(share, 0.6)

    def test_loops_that_only_count_are_counted(self):
        """Of launches that repeat both blocks of the grid are executed, with nothing kept of them."""
        self.both("LOOPS")
        totals = [json.loads((self.folder / name / "stats.json").read_text()) for name in ["whole", "part"]]
        self.assertGreater(self.predict("--sampled", self.program, "LOOPS")[0]["kernels"][0]["repeated_launches"], 10)
        for name in ["warp_instructions", "thread_instructions"]:
            self.assertEqual(*([k[name] for k in stats["kernels"]] for stats in totals))

    def test_a_kernel_that_decides_by_data_is_executed_whole(self):
        kernel = self.predict("--sampled", self.program, "HOST_DATA")[0]["kernels"][0]  # the program looks at its results
        self.assertEqual((kernel["partial_launches"], kernel["doubts"]), (0, []))

    def test_who_decides_by_data_that_were_not_computed_is_doubted(self):
        for what in ["WRONG", "COPIED", "HALF_RIGHT"]:
            self.assertEqual(sorted(self.doubts(what)), [(0, ["skipped_data"]), (1, [])], what)
        self.assertEqual(sorted(self.doubts("MADE_RIGHT")), [(0, []), (1, [])])
        self.assertEqual(sorted(self.doubts("VALUES_ON")), [(0, ["skipped_data"]), (1, [])], "two launches of by_indices")

    def test_what_the_program_has_read_is_said(self):
        predicted, done = self.predict("--sampled", self.program, "HOST")
        kernel = predicted["kernels"][0]
        self.assertEqual(kernel["doubts"], ["host_read_skipped_data"])
        self.assertNotEqual(kernel["interval_from"], 341, "the interval of doubtful ones")
        self.assertIn("2 of 2 launches were executed in part", done.stdout)
        _, done = self.predict(self.program, "HOST")
        self.assertNotIn("in part", done.stdout)


class Refusals(Predicted):
    def line(self, *words, status=125):
        done = duet("predict", *words, status=status, cwd=self.folder)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def test_words_that_make_no_sense(self):
        self.assertIn("predict what?", self.line(status=2))
        self.assertIn("--check", self.line("--check", "races", self.program, "CHAIN"))
        self.assertIn("--host simulated", self.line("--host", "simulated", self.program))
        self.assertIn("--skip-kernels", self.line("--skip-kernels", "1", self.program, "CHAIN"))
        self.assertIn("not there", self.line("--machine", "gtx580", "not there"))
        self.assertIn("--wrong", self.line("--wrong", self.program, status=2))


if __name__ == "__main__":
    BUILD, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
