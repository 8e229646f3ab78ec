#!/usr/bin/env python3
"""`duet run --sample`: are results those of a whole run, is the time within the stated bound of its time, is what cannot be sampled left
alone or refused in one line?

Usage: sampling_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, WORK, Fixture, call, main, stats


class Sampling(Fixture):
    def run_many(self, *options, words=(), name):
        result = call(DUET, "run", "--no-html", "--out", WORK / name, *options, self.compiled("tests/sampling/many.cu"), *words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout + result.stderr, stats(WORK / name)

    def test_within_the_bound(self):
        text, whole = self.run_many(name="whole")
        self.assertNotIn("sampling", whole)
        time = round(whole["simulated_seconds"] * 1e12)
        for error in ("5", "2"):
            with self.subTest(error):
                sampled_text, sampled = self.run_many("--sample", "--sample-error", error, name="sampled")
                found = sampled["sampling"]
                self.assertEqual(sampled_text.splitlines()[0], text.splitlines()[0])  # what the program printed
                self.assertTrue(text.startswith("PASS"))
                self.assertIn("  sampled: ", sampled_text)
                total = found["total"]
                self.assertEqual(total["launches"], 240)
                self.assertEqual(len(found["groups"]), 2)
                self.assertLess(total["timed"] + total["warming"], 200 if error == "5" else 240)
                self.assertEqual(total["timed"] + total["warming"], sum("fast_forwarded" not in k for k in sampled["kernels"]))
                self.assertGreater(total["bound_ps"], 0)
                self.assertLessEqual(total["bound_ps"], 1.2 * float(error) / 100 * (total["timed_ps"] + total["estimated_ps"]))
                self.assertLessEqual(abs(found["run_ps"] - time), total["bound_ps"])
                # Held back in the run's own time, too.
                self.assertLess(abs(sampled["simulated_seconds"] * 1e12 - time), 0.1 * time)
                self.assertEqual(round(sampled["simulated_seconds"] * 1e12) + total["estimated_ps"] - total["taken_ps"], found["run_ps"])

    def test_a_long_launch_in_its_first_blocks(self):
        _, whole = self.run_many(words=["long"], name="long_whole")
        text, sampled = self.run_many("--sample", words=["long"], name="long")
        self.assertTrue(text.startswith("PASS"))
        self.assertIn(" of them their first blocks)", text)
        found, total = sampled["sampling"], sampled["sampling"]["total"]
        self.assertEqual((total["launches"], total["timed"], total["partly"]), (2, 2, 2))
        for kernel in sampled["kernels"]:
            self.assertNotIn("fast_forwarded", kernel)
            self.assertEqual(kernel["completed_blocks"], 6000)
            self.assertTrue(300 < kernel["timed_blocks"] < 4500, kernel["timed_blocks"])
        instructions = [k["warp_instructions"] for run in (whole, sampled) for k in run["kernels"]]
        self.assertEqual(len(set(instructions)), 1)
        time = round(whole["simulated_seconds"] * 1e12)
        self.assertGreater(total["bound_ps"], 0)
        self.assertLessEqual(abs(found["run_ps"] - time), total["bound_ps"])
        self.assertEqual(found["run_ps"], round(sampled["simulated_seconds"] * 1e12))

    def test_a_run_again_is_the_same(self):
        first, second = (self.run_many("--sample", name="again")[1] for _ in range(2))
        self.assertEqual(first["sampling"], second["sampling"])
        self.assertEqual(first["simulated_seconds"], second["simulated_seconds"])

    def test_what_runs_beside_others_is_in_time(self):
        _, whole = self.run_many(words=["beside"], name="beside_whole")
        text, sampled = self.run_many("--sample", words=["beside"], name="beside")
        total = sampled["sampling"]["total"]
        self.assertGreater(total["overlapped"], 100)
        self.assertEqual(total["estimated_ps"], 0)
        self.assertIn("ran beside others", text)
        self.assertEqual(sampled["simulated_seconds"], whole["simulated_seconds"])

    def test_bad_input(self):
        program = self.compiled("tests/sampling/many.cu")
        for options, words in ((("--sample", "--functional"), "leave out one of them"), (("--sample", "--two-threads"), "leave out --two-threads"),
                               (("--sample", "--check-races"), "--check-races has to see all"), (("--sample", "--check", "memory"), "--check has to see all"),
                               (("--sample", "--skip-kernels", "1"), "leave out --skip-kernels"), (("--sample", "--sample-error", "0"), "--sample-error"),
                               (("--sample-error", "3"), "--sample-error requires --sample")):
            with self.subTest(options):
                result = call(DUET, "run", "-q", "--out", WORK / "bad", *options, program)
                self.assertEqual(result.returncode, 2 if words.startswith("--sample-error") else 125)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(words, result.stderr)
        result = call(DUET, "predict", "-q", "--out", WORK / "bad", "--sample", program)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (125, 1), result.stderr)
        self.assertIn("predict: --sample", result.stderr)
        tracked = self.compiled("tests/programs/full_empty_hand_over.cu")
        result = call(DUET, "run", "-q", "--machine", "lustig2013", "--sample", "--out", WORK / "bad", tracked)
        self.assertEqual(result.returncode, 125)
        self.assertIn("know no full/empty bits", result.stderr)


if __name__ == "__main__":
    main()
