#!/usr/bin/env python3
"""The applications of dashti2017 Figure 15 on kaveri: right results by each method of OpenCL and HSA, and a check that notices a wrong kernel.
Usage: dashti2017_kaveri.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from c_programs import CPrograms  # noqa: E402

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
DUET = BUILD / "bin/duet"
FOLDER = SOURCE / "workloads/dashti2017/kaveri"
OPENCL = CPrograms(FOLDER, "-lOpenCL")
HSA = CPrograms(FOLDER, "-DFRAMEWORK_HSA", BUILD / "lib/duet/hsa/libhsa-runtime64.so.1")
METHODS = ["cl-1.2", "svm-fine", "hsa-fine", "hsa-coarse"]  # svm-atomics is there on simulated cores alone


class Programs(unittest.TestCase):
    def run_program(self, name, method, code, words):
        frameworks = HSA if method.startswith("hsa") else OPENCL
        return frameworks.call(DUET, "run", "--quiet", "--machine", "kaveri", "--out", frameworks.work / "out", frameworks.program(name),
                               "--method", method, "--code", code, *words.split())

    def kernels(self, name, text="", instead=""):
        """A folder with the kernels' source and code object; `text` occurs once."""
        folder = OPENCL.work / f"kernels-{name}{'-wrong' if text else ''}"
        folder.mkdir()
        source = (FOLDER / f"{name}.cl").read_text()
        self.assertTrue(not text or source.count(text) == 1, text)
        (folder / f"{name}.cl").write_text(source.replace(text, instead) if text else source)
        done = OPENCL.call(DUET, "hsacc", folder / f"{name}.cl", "-o", folder / f"{name}.hsaco")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return folder

    def check(self, name, words, text, instead, *more):
        """With `instead` of `text` the result is wrong; `more`: words of further runs."""
        right, wrong = self.kernels(name), self.kernels(name, text, instead)
        for method in METHODS:
            for own in (words, *more):
                done = self.run_program(name, method, right, own)
                self.assertEqual((done.returncode, done.stderr), (0, ""), (method, own))
                self.assertRegex(done.stdout, r"\Awhole_ns [1-9]\d*\nkernels_ns [1-9]\d*\n\Z")
        for method in ("svm-fine", "hsa-fine"):
            done = self.run_program(name, method, wrong, words)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, rf"\A{name}: .* expected .*\n\Z")
        done = self.run_program(name, "cl-1.2", right, words + " --colour 3")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("what is '--colour'?", done.stderr)

    def test_bfs(self):
        self.check("bfs", "--nodes 700", "cost[other] = cost[own] + 1", "cost[other] = cost[own] + 2")

    def test_gaussian(self):  # night
        self.check("gaussian", "--size 29", "if (y == 0) b[row]", "if (y == 0 && row > 1) b[row]", "--size 40 --columns 5")

    def test_kmeans(self):  # night
        self.check("kmeans", "--points 300 --iterations 3", "center < center_count;", "center < center_count - 1;")

    def test_streamcluster(self):  # night
        self.check("streamcluster", "--points 200 --dimensions 16 --gains 3", "points[own].cost - cost;", "points[own].cost;", "--points 100 --local yes",
                   "--points 100 --local no")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
