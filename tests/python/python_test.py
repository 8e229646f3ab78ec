#!/usr/bin/env python3
"""python/duet.py against the files that it reads, in an interpreter with the standard library alone; and its example.

Usage: python_test.py DUET."""
import csv
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def has(module):
    return importlib.util.find_spec(module) is not None


class Reads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        compile_well(DUET, [SOURCE / "workloads/demo/smooth.cu"], cls.folder / "smooth")
        cls.duet("run", "-q", "--interval", "20us", "--out", "run", "./smooth")
        (cls.folder / "s.toml").write_text('[[program]]\nname = "smooth"\ncommand = ["./smooth"]\n[grid]\ngpu.sm.count = [16, 4]\n')
        cls.duet("sweep", "-q", "s.toml", "--baseline", "gpu.sm.count=4")
        cls.place = cls.duet("reference", "python").stdout.strip()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def duet(cls, *words):
        return subprocess.run([DUET, *map(str, words)], cwd=cls.folder, capture_output=True, text=True, check=True, timeout=300)

    def python(self, text, *options):
        """What this program prints, as JSON."""
        program = f"import sys, json; sys.path.insert(0, {self.place!r}); import duet\n{text}"
        done = subprocess.run([sys.executable, *options, "-c", program], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def alone(self, text):
        return self.python(text, "-I", "-S")  # no package of this computer

    def test_a_run(self):
        stats = json.loads((self.folder / "run/stats.json").read_text())
        read = self.alone("r = duet.run('run'); print(json.dumps([r.kernels, r.copies, r.calls, r.statistics, r.intervals, r.components, r.time_ps]))")
        kernels, copies, calls, statistics, intervals, components, time = read
        self.assertEqual({kernel["name"] for kernel in kernels}, {"smooth", "scale"})
        self.assertEqual([{**kernel, "name": kernel["symbol"]} for kernel in kernels], [{**kernel, "symbol": kernel["name"]} for kernel in stats["kernels"]])
        rows = csv.DictReader(io.StringIO(self.duet("stats", "csv", "run", "kernels").stdout))
        self.assertEqual([row["name"] for row in rows], [kernel["name"] for kernel in kernels])
        self.assertEqual((copies, calls, statistics), (stats["copies"], stats["api"], stats["counters"]))
        self.assertEqual((intervals, components, time), (stats["intervals"], stats["components"], stats["account"]["time_ps"]))
        self.assertGreater(len(intervals), 5)

    def test_lines(self):
        stats = json.loads((self.folder / "run/stats.json").read_text())
        lines = self.alone("print(json.dumps(duet.run('run').lines))")
        self.assertEqual(len(lines), sum(len(kernel["lines"]) for kernel in stats["lines"]))
        self.assertEqual({line["kernel"] for line in lines}, {"smooth", "scale"})
        self.assertEqual([line["slots"] for line in lines], [line["slots"] for kernel in stats["lines"] for line in kernel["lines"]])

    def test_advice_as_it_was_measured(self):
        before = self.alone("print(json.dumps(duet.run('run').advice))")
        self.assertTrue(before and not any("measured_ps" in one for one in before))
        self.duet("advise", "run")
        after = self.alone("print(json.dumps(duet.run('run').advice))")
        self.assertTrue(any("measured_ps" in one and one["hardware"] for one in after))

    def test_a_sweep(self):
        rows = self.alone("print(json.dumps(duet.sweep('s-sweep').rows))")
        with (self.folder / "s-sweep/results.csv").open() as file:
            expected = list(csv.DictReader(file))
        self.assertEqual([{name: str(value) for name, value in row.items() if name not in ("on_front", "speedup")} for row in rows],
                         [{name: value for name, value in row.items() if name != "speedup"} for row in expected])
        self.assertEqual([row["gpu.sm.count"] for row in rows], [4, 16])  # by value, not as the file has them
        self.assertEqual(rows[0]["speedup"], 1)
        self.assertAlmostEqual(rows[1]["speedup"], rows[0]["time_ps"] / rows[1]["time_ps"], places=3)
        self.assertEqual(self.alone("print(json.dumps(duet.sweep('s-sweep').run(2).time_ps))"), rows[1]["time_ps"])

    def test_columns(self):
        self.assertEqual(self.alone("print(json.dumps(duet.run('run').kernels.column('counters.sm.blocks')))"),
                         self.alone("print(json.dumps([k['counters'].get('sm.blocks') for k in duet.run('run').kernels]))"))

    def test_frames(self):
        text = self.alone("try: duet.run('run').kernels.frame()\nexcept duet.NotThere as error: print(json.dumps(str(error)))")
        self.assertIn("frame() needs pandas", text)
        if not has("pandas"):
            self.skipTest("no pandas")
        shape = self.python("print(json.dumps(list(duet.run('run').kernels.frame()['cycles'])))")
        self.assertEqual(shape, self.alone("print(json.dumps(duet.run('run').kernels.column('cycles')))"))

    def test_no_results(self):
        for call, line in (("duet.run('nowhere')", "give the folder of a run that has ended"), ("duet.sweep('run')", "give the folder of a sweep"),
                           ("duet.run('s-sweep')", "give the folder of a run")):
            self.assertIn(line, self.alone(f"try: {call}\nexcept duet.NotThere as error: print(json.dumps(str(error)))"))

    def test_the_example(self):
        for folder in ("run", "s-sweep"):
            done = subprocess.run([sys.executable, f"{self.place}/plot_kernels.py", folder, "plot.png"], cwd=self.folder, capture_output=True, text=True)
            if has("matplotlib"):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue((self.folder / "plot.png").read_bytes().startswith(b"\x89PNG"))
            else:
                self.assertEqual((done.returncode, done.stderr), (1, "plot_kernels.py: matplotlib is missing: install python3-matplotlib\n"))
        done = subprocess.run([sys.executable, f"{self.place}/plot_kernels.py", "nowhere"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))


if __name__ == "__main__":
    DUET = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
