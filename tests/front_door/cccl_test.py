#!/usr/bin/env python3
"""Thrust and CUB of an installed toolkit (DUET_TEST_CUDA_INCLUDE, or /usr/local/cuda/include), compiled by `duet cc`.

Usage: cccl_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import os
import pathlib
import unittest

from fixture import DUET, SOURCE, WORK, Fixture, call, main

HEADERS = pathlib.Path(os.environ.get("DUET_TEST_CUDA_INCLUDE", "/usr/local/cuda/include"))
PRESENT = any((folder / "thrust/sort.h").exists() for folder in (HEADERS / "cccl", HEADERS))


class Cccl(Fixture):
    @unittest.skipUnless(PRESENT, "no toolkit's headers")
    def test_sort_and_reduce(self):
        program = self.compiled("tests/front_door/cccl.cu", "--cuda-include", HEADERS, "-arch=sm_75")
        for gpu in ((), ("--functional",)):
            result = call(DUET, "run", "-q", "-m", "h100", *gpu, "--out", WORK / ("out" + "".join(gpu)), program)
            self.assertEqual((result.returncode, result.stdout), (0, "PASS\n"), result.stderr)

    def test_folder_without_them(self):
        result = call(DUET, "cc", "--cuda-include", WORK, SOURCE / "tests/front_door/endless.cu", "-o", WORK / "x")
        self.assertEqual(result.returncode, 125)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn(f"--cuda-include {WORK}", result.stderr)


if __name__ == "__main__":
    main()
