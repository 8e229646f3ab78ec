#!/usr/bin/env python3
"""What an experiment of yang2012 changes of the machine `fused`: does it change just that? Usage: yang2012_machine.py DUET"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Machine(unittest.TestCase):
    duet = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="duet-test-")
        cls.binaries = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compiled(self, source, flags=()):
        key = (str(source), *flags)
        if key not in self.binaries:
            binary = pathlib.Path(self.folder.name) / f"program{len(self.binaries)}"
            done = subprocess.run([self.duet, "cc", *flags, str(source), "-o", str(binary)], capture_output=True, text=True, timeout=240)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.binaries[key] = binary
        return self.binaries[key]

    def run_program(self, binary, arguments=(), sets=(), options=()):
        """What stats.json says, of a run that ends well."""
        out = pathlib.Path(self.folder.name) / "out"
        words = [word for value in sets for word in ("--set", value)]
        done = subprocess.run([self.duet, "run", "--quiet", "--machine", "fused", *words, *options, "--out", str(out), str(binary), *arguments],
                              capture_output=True, text=True, timeout=240)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return json.loads((out / "stats.json").read_text())

    def benchmark(self, name, arguments=(), sets=(), options=(), flags=()):
        return self.run_program(self.compiled(ROOT / f"workloads/yang2012/{name}.cu", flags), arguments, sets, options)

    def test_perfect_l3(self):
        """Section 5.1. VecAdd checks its own results. The arrays do not fit into L3, the control."""
        for host in ("native", "simulated"):
            flags = ["--host", "riscv64"] if host == "simulated" else []
            usual, perfect, shuffled = (
                self.benchmark("VecAdd", ["--size", "524288"], [f"level[0].perfect={value}"], ["--host", host, *options], flags)
                for value, options in (("false", []), ("true", []), ("true", ["--shuffle", "3"])))
            self.assertEqual(perfect["counters"], shuffled["counters"])
            self.assertGreater(usual["counters"]["l3.read_misses"], 10000)
            self.assertGreater(usual["counters"]["dram.reads"], 10000)
            for none in ("l3.read_misses", "l3.write_misses", "l3.evictions", "l3.write_backs", "dram.reads", "dram.writes"):
                self.assertEqual(perfect["counters"].get(none, 0), 0, none)
            self.assertGreater(perfect["counters"]["l3.read_hits"], 10000)
            self.assertGreater(perfect["counters"]["l3.write_hits"], 10000)
            self.assertLess(1.1 * perfect["kernels"][0]["cycles"], usual["kernels"][0]["cycles"], host)


if __name__ == "__main__":
    Machine.duet = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
