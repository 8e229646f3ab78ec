"""What the tests of this folder that run programs have in common: compiled programs in a folder of their own, and runs on the fused machine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
# A GPU that waits for memory more than it moves: with it pre-execution has something to gain.
WAITS = ["--set", "gpu.l2.mshrs=4"]


class Programs(unittest.TestCase):
    """A test names its `sources`, and what goes to the compiler and to every run."""
    duet = None
    sources, compiler, options = [], [], []

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for source in cls.sources:
            compile_well(cls.duet, [*cls.compiler, source], cls.folder / source.stem, timeout=300)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_duet(self, *arguments, machine="fused"):
        """The process, and stats.json; None where it left none."""
        out = self.folder / "out"
        done = subprocess.run([self.duet, "run", "-q", *self.options, "--machine", machine, "--out", out, *arguments], capture_output=True,
                              text=True, timeout=300, cwd=self.folder)
        statistics = json.loads((out / "stats.json").read_text()) if (out / "stats.json").exists() else None
        return done, statistics

    def succeeds(self, *arguments):
        done, statistics = self.run_duet(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done, statistics

    def right(self, *arguments):
        """What it prints, and stats.json."""
        done, statistics = self.succeeds(*arguments)
        return done.stdout, statistics

    def refused(self, part, *arguments, machine="fused", status=125):
        done, _ = self.run_duet(*arguments, machine=machine)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(len([line for line in done.stderr.splitlines() if "duet" in line]), 1, done.stderr)


def main():
    Programs.duet = pathlib.Path(sys.argv[sys.argv.index("--duet") + 1]).resolve()
    os.environ["PYTHONUNBUFFERED"] = "1"
    names = sys.argv[sys.argv.index("--duet") + 2:]
    unittest.main(module="__main__", argv=[sys.argv[0], *names])
