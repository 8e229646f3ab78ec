#!/usr/bin/env python3
"""A second API on runtime/core: an OpenCL program, whose few calls know nothing of CUDA, runs as CUDA programs do.

Usage: runtime_core_test.py BUILD_DIRECTORY [unittest arguments]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
BYTES = 4000


class OpenCl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.ended = subprocess.run([BUILD / "bin/duet", "run", "--quiet", "--out", folder + "/out", BUILD / "tests/opencl_vector_add"],
                                     capture_output=True, text=True, check=False)
            cls.stats = json.loads(pathlib.Path(folder, "out/stats.json").read_text())

    def test_the_program_finds_its_results_and_errors_right(self):
        self.assertEqual((self.ended.returncode, self.ended.stdout), (0, "right\n"), self.ended.stderr)

    def test_the_launch_is_recorded(self):
        (kernel,) = self.stats["kernels"]
        self.assertEqual((kernel["name"], kernel["grid"], kernel["block"]), ("add", [8, 1, 1], [128, 1, 1]))
        self.assertGreater(kernel["end_ps"], kernel["start_ps"])

    def test_both_copies_to_the_device_and_the_one_back_are_recorded(self):
        self.assertEqual([(copy["bytes"], copy["kind"]) for copy in self.stats["copies"]],
                         [(BYTES, "host_to_device"), (BYTES, "host_to_device"), (BYTES, "device_to_host")])

    def test_calls_are_counted_under_their_own_names(self):
        calls = {call["name"]: call["calls"] for call in self.stats["api"]}
        self.assertEqual((calls["clEnqueueNDRangeKernel"], calls["clSetKernelArg"], calls["clFinish"]), (2, 5, 1))
        self.assertFalse([name for name in calls if name.startswith("cu")])
        self.assertTrue(all(call["total_ps"] > 0 for call in self.stats["api"]), self.stats["api"])

    def test_lines_on_standard_error_have_the_words_of_the_api(self):
        self.assertIn("bytes fails (CL_MEM_OBJECT_ALLOCATION_FAILURE)", self.ended.stderr)
        self.assertIn("program-2.ptx:1: expected", self.ended.stderr)


if __name__ == "__main__":
    unittest.main()
