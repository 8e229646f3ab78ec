"""duet compare and duet machines diff: what they say of runs whose difference is known. Usage: compare_test.py --duet DUET"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from compile_once import compile_well

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def duet(*arguments, status=0):
    done = subprocess.run([DUET, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done.stdout + done.stderr
    return done


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        program = cls.folder / "smooth"
        compile_well(DUET, [SOURCE / "workloads/demo/smooth.cu"], program)
        for name, options in {"a": [], "b": ["--set", "gpu.sm.count=4"], "grouped": ["--set", "gpu.sm.count=4", "--records", "1"],
                              "fused": ["--machine", "fused"]}.items():
            duet("run", "-q", "--out", cls.folder / name, *options, program)
        cls.stats = {name: json.loads((cls.folder / name / "stats.json").read_text()) for name in ["a", "b"]}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def compared(self, first, second):
        file = self.folder / "comparison.json"
        done = duet("compare", self.folder / first, self.folder / second, "--json", file)
        return json.loads(file.read_text()), done.stdout

    def test_a_run_and_itself(self):
        comparison, text = self.compared("a", "a")
        self.assertIn("no difference in what the runs did", text)
        for name in ["machine", "moments_ps", "critical_path_ps", "kernels", "copies", "api", "counters"]:
            self.assertEqual(comparison[name], [], name)

    def test_numbers_are_those_of_the_runs(self):
        comparison, text = self.compared("a", "b")
        self.assertEqual(comparison["machine"], [{"key": "gpu.sm.count", "unit": "SMs", "a": "16", "b": "4"}])
        for side in ["a", "b"]:
            stats = self.stats[side]
            self.assertEqual(comparison["time_ps"][side], stats["account"]["time_ps"])
            for part in ["moments_ps", "critical_path_ps"]:
                for change in comparison[part]:
                    self.assertEqual(change[side], stats["account"][part][change["name"]])
            for kernel in comparison["kernels"]:
                own = [k for k in stats["kernels"] if k["name"] == kernel["name"]]
                self.assertEqual(kernel["launches"][side], len(own))
                self.assertEqual(kernel["time_ps"][side], sum(k["end_ps"] - k["start_ps"] for k in own))
                self.assertEqual(kernel["cycles"][side], sum(k["cycles"] for k in own))
                for slot in kernel["stalls"]:
                    self.assertEqual(slot[side], sum(k["stalls"][slot["name"]] for k in own))
            for counter in comparison["counters"]:
                self.assertEqual(counter[side], stats["counters"].get(counter["name"], 0))
        # What is not listed is the same.
        named = {counter["name"] for counter in comparison["counters"]}
        for name, value in self.stats["a"]["counters"].items():
            self.assertEqual(name in named, value != self.stats["b"]["counters"][name], name)
        times = [abs(kernel["time_ps"]["a"] - kernel["time_ps"]["b"]) for kernel in comparison["kernels"]]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertGreater(len(times), 1)
        self.assertIn("gpu.sm.count", text)
        self.assertRegex(text, r"  smooth +[0-9.]+ us +[0-9.]+ us +\+[0-9.]+ %")

    def test_groups_count_as_what_is_in_them(self):
        comparison, _ = self.compared("b", "grouped")
        self.assertEqual([comparison[name] for name in ["kernels", "copies", "counters"]], [[], [], []])

    def test_keys_that_one_machine_alone_has(self):
        comparison, _ = self.compared("a", "fused")
        changes = {change["key"]: (change["a"], change["b"]) for change in comparison["machine"]}
        text = duet("machines", "diff", "gtx580", "fused").stdout
        self.assertEqual({line.split()[0] for line in text.splitlines()}, set(changes))
        self.assertIn(None, {value for pair in changes.values() for value in pair})
        self.assertEqual(duet("machines", "diff", "fused", "fused").stdout, "the machines are the same\n")

    def test_bad_input_is_one_line(self):
        empty = self.folder / "empty"
        empty.mkdir()
        other = self.folder / "other"
        other.mkdir()
        (other / "stats.json").write_text("{}")
        for wrong, words in [("nowhere", "is no folder of a run"), (empty, "no run has ended there"), (other, "is no stats.json of a run")]:
            done = duet("compare", self.folder / "a", wrong, status=125)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
        done = duet("compare", self.folder / "a", self.folder / "b", "--json", "/nowhere/x.json", status=125)
        self.assertIn("cannot write /nowhere/x.json", done.stderr)
        self.assertIn("no machine 'gtx5800'", duet("machines", "diff", "gtx580", "gtx5800", status=125).stderr)


if __name__ == "__main__":
    DUET = sys.argv[sys.argv.index("--duet") + 1]
    unittest.main(argv=[sys.argv[0]])
