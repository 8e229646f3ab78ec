#!/usr/bin/env python3
"""`duet reproduce yang2012 --quick`: rows, verdicts, figures' data, and runs that are kept. Usage: yang2012_reproduce_test.py DUET

What a pre-execution program gains is not tested here: results change with the machine. That rows are computed from the runs, and that their controls
are measured, is."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCHMARKS = {"BSc", "VD", "FFT", "MM", "Con", "TMV", "BS", "MC", "MV"}


class Reproduce(unittest.TestCase):
    duet = ""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="duet-test-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def reproduce(self, *arguments, status=0):
        file = self.folder / "out.json"
        file.unlink(missing_ok=True)
        done = subprocess.run([self.duet, "reproduce", "yang2012", "--json", str(file), *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done, json.loads(file.read_text()) if file.exists() else None

    def test_gains_are_those_of_the_runs(self):
        """Figures 10 to 13 and their rows; the second command finds every run in the folder, and says the same."""
        work = self.folder / "work"
        arguments = ("--quick", "--work", str(work), "--only", "Y-F10a,Y-F10c,Y-F11,Y-F12,Y-F13,Y-tab1,Y-alg,Y-F18,Y-strd")
        first, result = self.reproduce(*arguments)
        self.assertTrue(first.stdout.startswith("quick:"))
        self.assertEqual((result["paper"], result["machine"], result["quick"]), ("yang2012", "fused-2012", True))
        rows = {(row["id"], row["claim"]): row for row in result["rows"]}
        for (name, claim), row in rows.items():
            self.assertIn(row["verdict"], ("holds", "falls short"), (name, claim))
            self.assertIsNotNone(row["measured"], row)
        for name in ("Y-tab1", "Y-alg"):
            self.assertEqual([row["verdict"] for row in result["rows"] if row["id"] == name], ["holds"])

        figures = result["figures"]
        gains = {name: cell["adaptive_gain_percent"] for name, cell in figures["10"].items()}
        self.assertEqual(set(gains), BENCHMARKS)
        for name, cell in figures["10"].items():
            self.assertAlmostEqual(gains[name], 100 * (cell["adaptive"]["ipc"] / cell["no-preex"]["ipc"] - 1), places=6)
            self.assertLessEqual(max(cell[way]["ipc"] for way in ("no-preex", "adaptive", "profiled")), 128)  # the peak of section 5.1
            self.assertIn(cell["skip_factor"], range(32, 225, 32))
        means = {"IPC gain, adaptive: mean of nine": sum(gains.values()) / 9, "IPC gain, adaptive: best": max(gains.values())}
        for claim, mean in means.items():
            self.assertAlmostEqual(rows["Y-F10a", claim]["measured"], mean, places=6)
        for figure, of in (("11", "the same, adaptive"), ):
            self.assertAlmostEqual(rows["Y-F11", of]["measured"], sum(cell["adaptive"] for cell in figures[figure].values()) / 9, places=6)
        blocks = figures["18"]
        self.assertEqual(set(blocks), BENCHMARKS)
        of_vecadd = rows["Y-F18", "what VecAdd gains"]["measured"]
        self.assertEqual(of_vecadd, blocks["VD"]["gain_percent"])
        self.assertGreater(blocks["VD"]["blocks_of_core"], 0)
        others = max(cell["gain_percent"] for name, cell in blocks.items() if name != "VD")
        self.assertAlmostEqual(rows["Y-F18", "VecAdd gains most: its gain less the best of the others'"]["measured"], of_vecadd - others, places=6)
        # What the core brings, the GPU finds: without a program fewer of its reads hit.
        self.assertGreater(figures["11"]["TMV"]["adaptive"], figures["11"]["TMV"]["no-preex"])

        kept = {path: path.stat().st_mtime_ns for path in work.iterdir()}
        again, same = self.reproduce(*arguments)
        self.assertEqual((again.stdout, same), (first.stdout, result))
        self.assertEqual(again.stderr, "")  # no progress: nothing ran
        self.assertEqual(kept, {path: path.stat().st_mtime_ns for path in work.iterdir()})

        # A run that was cut off half way, and one of something else under its name, are made again.
        half, other = sorted(kept)[:2]
        half.write_text(half.read_text()[:100])
        other.write_text(json.dumps({"job": "another", "status": 0}))
        repaired, same = self.reproduce(*arguments)
        self.assertEqual((repaired.stdout, same["rows"]), (first.stdout, result["rows"]))
        self.assertIn("runs", repaired.stderr)

    def test_controls(self):
        done, result = self.reproduce("--quick", "--quiet", "--controls", "--only", "Y-tab1,Y-alg")
        self.assertEqual([row["control"]["fails"] for row in result["rows"]], [True, True], done.stdout)

    def test_names(self):
        listed = subprocess.run([self.duet, "reproduce", "yang2012", "--list"], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0)
        self.assertEqual(len(listed.stdout.split()), 17)
        for arguments, part in ((("yang2012", "--only", "L-F9"), "yang2012 has no claim or choice 'L-F9'"), (("yang2013", ), "lustig2013, yang2012"),
                                (("yang2012", "--work", "/dev/null/x"), "--work")):
            done = subprocess.run([self.duet, "reproduce", *arguments], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (125, 1), done.stderr)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    Reproduce.duet = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
