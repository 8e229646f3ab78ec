#!/usr/bin/env python3
"""The applications of dashti2017 Figure 4 on tk1's cores and GPU: right results from memory of each method, where a forgotten flush leaves old
bytes, and a check that notices a wrong kernel. Usage: dashti2017_programs.py DUET [unittest arguments]
By day some of the applications from memory of every second method; at night (tests/whole.py) all."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_once  # noqa: E402
from whole import some  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "workloads/dashti2017"
METHODS = ["default", "hostalloc", "hostalloc-cache", "managed", "sharedalloc"]


class Programs(unittest.TestCase):
    duet = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="duet-test-")
        self.addCleanup(self.folder.cleanup)

    def compiled(self, source, name):
        binary = pathlib.Path(self.folder.name) / name
        done = compile_once(self.duet, ["--host", "riscv64", "-Wall", "-Wextra", "-Werror", source], binary, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        return binary

    def run_program(self, binary, method, words):
        moved = ["--method", method] if method == "hostalloc-cache" else []
        return subprocess.run([self.duet, "run", "--quiet", "--host", "simulated", "--machine", "tk1", "--out", f"{self.folder.name}/out", *moved, binary,
                               "--method", method.removesuffix("-cache"), *words], capture_output=True, text=True, timeout=240)

    def check(self, name, words, text, instead, halves=""):
        """`text` occurs once in the source; with `instead` the result is wrong. `halves`: a run of which the cores do one, at the same
        time: not with hostalloc-cache, whose launches alone give up what cores hold."""
        words = words.split()
        binary = self.compiled(FOLDER / f"{name}.cu", name)
        for method in some(METHODS, 2):
            for own in [words, *([[*words, "--time", "offload"]] if method == "default" else []), *([halves.split()] if halves and method != "hostalloc-cache" else [])]:
                done = self.run_program(binary, method, own)
                self.assertEqual((done.returncode, done.stderr), (0, ""), method)
                self.assertRegex(done.stdout, rf"\APASS {name} method={method.removesuffix('-cache')} [a-z0-9= ]+\n\Z")
        source = (FOLDER / f"{name}.cu").read_text().replace('#include "', f'#include "{FOLDER}/')
        self.assertEqual(source.count(text), 1, text)
        broken = pathlib.Path(self.folder.name) / "broken.cu"
        broken.write_text(source.replace(text, instead))
        done = self.run_program(self.compiled(broken, "broken"), "default", words)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, rf"\A{name}: .* expected .*\n\Z")

    def test_bfs(self):
        self.check("bfs", "--nodes 1500", "cost[other] = cost[own] + 1", "cost[other] = cost[own] + 2", "--nodes 2000 --cpus 3")

    def test_cfd(self):  # night
        self.check("cfd", "--cells 384 --steps 2", "before[own + i * cells] + factor", "before[own + i * cells] + 0.9f * factor", "--cells 576 --steps 2 --cpus 4")

    def test_dwt2d(self):  # night
        self.check("dwt2d", "--width 72 --height 70", "strip[2 + row][2 + column];", "strip[2 + row][2 + column] + (x == width - 1);")

    def test_gaussian(self):  # night
        self.check("gaussian", "--size 29", "if (y == 0) b[row]", "if (y == 0 && row > 1) b[row]", "--size 48 --cpus 2")

    def test_kmeans(self):  # night
        self.check("kmeans", "--points 300 --iterations 4", "center < centers; center++) {\n    float", "center < centers - 1; center++) {\n    float",
                   "--points 600 --iterations 3 --cpus 4")

    def test_lud(self):  # night
        self.check("lud", "--size 48", "k < kTile; k++) sum", "k < kTile - 1; k++) sum")

    def test_particlefilter(self):  # night
        self.check("particlefilter", "--particles 100 --frames 2", "next_y[own] = y[found]", "next_y[own] = y[found > 0 ? found - 1 : 0]")

    def test_streamcluster(self):  # night
        self.check("streamcluster", "--points 200 --dimensions 16 --gains 6", "points[own].cost - cost;", "points[own].cost;")


if __name__ == "__main__":
    Programs.duet = sys.argv.pop(1)
    unittest.main()
