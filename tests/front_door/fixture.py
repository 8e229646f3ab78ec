"""What the tests of the command line share. The first two arguments of every test file: BUILD_DIRECTORY SOURCE_DIRECTORY."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_once  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
DUET = str(BUILD / "bin/duet")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="duet-front-door-"))


def call(*command, env=None, timeout=120, cwd=None):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout, cwd=cwd or WORK,
                          env={**os.environ, **(env or {})})


def call_places_in_ptx(*command, **options):
    """As call(); places are named by the PTX alone ("k.ptx:12"). Lines of sources, and where the PTX lies, are
    source_lines_test's concern."""
    result = call(*command, **options)
    result.stderr = places_in_ptx(result.stderr)
    return result


def places_in_ptx(text):
    return re.sub(r"(?:[^\s(]+:\d+(?: \(in [^)]*\))?, )?[^\s(]*/ptx/([^\s/]+\.ptx:\d+)", r"\1", text)


def union(intervals):
    """Disjoint and ascending."""
    result = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([start, end])
    return result


def stats(folder):
    return json.loads((pathlib.Path(folder) / "stats.json").read_text())


def most_kb(*words):
    """The most memory that `duet run -q` had with these words, and what the program says that it had (two_streams.cu)."""
    process = subprocess.Popen([DUET, "run", "-q", *map(str, words)], cwd=WORK, stdout=subprocess.PIPE, text=True)
    own = 0
    while process.poll() is None:
        time.sleep(0.002)
        try:
            line = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        except OSError:
            break
        own = max(own, int(line[1]) if line else 0)
    text, _ = process.communicate(timeout=120)
    if process.returncode != 0:
        raise AssertionError(f"duet run {words}: status {process.returncode}")
    return own, int(text.split()[1])


def main():
    """Exit status 77, which CTest counts as skipped, where all tests were."""
    try:
        result = unittest.main(argv=[sys.argv[0]] + sys.argv[3:], verbosity=2, exit=False).result
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped and result.testsRun <= len(result.skipped) else 0)


class Fixture(unittest.TestCase):
    def compiled(self, source, *flags):
        program = WORK / (pathlib.Path(source).stem + str(abs(hash(flags)) % 10**6))
        if not program.exists():
            result = compile_once(DUET, [SOURCE / source, *flags], program, cwd=WORK, timeout=120)
            self.assertEqual(result.returncode, 0, result.stderr)
        return program

    def hazard(self, *arguments, status, expect_stats=True, env=None):
        program = self.compiled("tests/front_door/hazards.cu")
        out = WORK / ("out-" + "-".join(arguments))
        result = call(DUET, "run", "--out", out, program, *arguments, env=env)
        self.assertEqual(result.returncode, status, result.stderr)
        if expect_stats:
            found = stats(out)
            self.assertEqual(found["schema"], "duet.stats/1")
            self.assertGreaterEqual(len(found["kernels"]), 1)
            self.assertGreaterEqual(len(found["copies"]), 2)
        return result
