#!/usr/bin/env python3
"""What a program ignored stands at the end of its run: calls that failed, launches that did not run, kernels that faulted.

Usage: failures_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments].
"""
import re

from fixture import DUET, WORK, Fixture, call, main, stats


class Failures(Fixture):
    def run_failures(self, *arguments, options=()):
        program = self.compiled("tests/front_door/failures.cu", "-lcuda")
        out = WORK / ("failures-" + "-".join(arguments + options))
        result = call(DUET, "run", "--out", out, *options, program, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)  # the program's
        return stats(out)["failed_calls"], result.stderr

    def trust(self, text):
        return [line for line in text.splitlines() if "do not trust" in line]

    def test_ignored_failures_are_counted_and_listed(self):
        failed, text = self.run_failures("launches")
        self.assertEqual([(f["name"], f["error"], f["calls"], f["unasked"], f["launch"]) for f in failed],
                         [("cudaLaunchKernel", "cudaErrorInvalidConfiguration", 3, 3, True),
                          ("cudaMemcpy", "cudaErrorInvalidMemcpyDirection", 1, 1, False),
                          ("cudaEventQuery", "cudaErrorInvalidResourceHandle", 1, 1, False)])
        self.assertEqual(failed[0]["kernel"], "_Z5touchPi")
        self.assertTrue(0 < failed[0]["first_ps"] < failed[1]["first_ps"] < failed[2]["first_ps"])
        self.assertRegex(text, r"cudaLaunchKernel +3 +[\d.]+ us  cudaErrorInvalidConfiguration, kernel 'touch' did not run; the program did not ask why")
        self.assertRegex(text, r"cudaMemcpy +1 +[\d.]+ us  cudaErrorInvalidMemcpyDirection; the program did not ask why")
        self.assertEqual(self.trust(text), ["duet: do not trust this run's results: 3 launches failed, and the program did not ask why; "
                                            "2 other calls failed"])

    def test_what_the_program_asked_about_is_listed_as_such(self):
        failed, text = self.run_failures("launches", "ask")
        self.assertEqual([f["unasked"] for f in failed], [3, 1, 0])
        self.assertRegex(text, r"cudaEventQuery +1 +[\d.]+ us  cudaErrorInvalidResourceHandle\n")
        self.assertTrue(self.trust(text)[0].endswith("; 1 other call failed"))
        failed, text = self.run_failures("launches", "strings")
        self.assertEqual([(f["calls"], f["unasked"]) for f in failed], [(3, 0), (1, 0), (1, 0)])
        self.assertEqual(self.trust(text), [])
        self.assertIn("cudaErrorInvalidConfiguration, kernel 'touch' did not run\n", text)

    def test_quiet_runs_say_it_too(self):
        _, text = self.run_failures("launches", options=("--quiet",))
        self.assertEqual(len(self.trust(text)), 1)
        self.assertNotIn("calls that failed", text)

    def test_a_query_of_what_is_not_ready_is_no_failure(self):
        failed, text = self.run_failures("waits")
        self.assertEqual(failed, [])
        self.assertNotIn("failed", text)

    def test_a_fault_that_was_ignored(self):
        failed, text = self.run_failures("fault")
        self.assertEqual([(f["name"], f["error"]) for f in failed],
                         [(name, "cudaErrorIllegalAddress") for name in ("cudaDeviceSynchronize", "cudaLaunchKernel", "cudaFree")])
        self.assertRegex(text, r"\n  fault: kernel '_Z8far_awayPi'")
        self.assertRegex(self.trust(text)[0], "1 kernel ended in a fault; 1 launch failed, .*; 2 other calls failed")

    def test_driver_interface(self):
        failed, text = self.run_failures("driver")
        self.assertEqual([(f["name"], f["error"], f["calls"], f["unasked"]) for f in failed],
                         [("cuMemAlloc_v2", "CUDA_ERROR_INVALID_VALUE", 2, 2)])
        # The program may have looked at the result of such a call, so this is said less loudly.
        self.assertEqual(self.trust(text), ["duet: do not trust this run's results unless the program looked at what its calls returned: 2 calls failed"])
        self.assertEqual(self.trust(self.run_failures("driver", options=("--quiet",))[1]), [])

    def test_a_program_that_duet_ended(self):
        result = call(DUET, "run", "--max-cycles", "20000", "--out", WORK / "failures-cut", self.compiled("tests/front_door/endless.cu"), "spin")
        self.assertEqual(result.returncode, 124)
        self.assertIn("ended by Duet with status 124", result.stderr)


if __name__ == "__main__":
    main()
