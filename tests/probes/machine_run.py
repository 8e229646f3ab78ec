"""Runs one probe with `duet run` and reads what it left."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402


class Runner:
    def __init__(self, duet, folder, machine):
        self.duet, self.folder, self.machine = duet, pathlib.Path(folder), machine

    def _run(self, sets):
        line = [self.duet, "run", "--quiet", "--no-html", "--trace-detail", "none", "--out", str(self.folder / "out"), "--machine", self.machine]
        for key, value in sets.items():
            line += ["--set", "%s=%s" % (key, str(value).lower() if isinstance(value, bool) else value)]
        return line

    def resolved(self, sets={}):
        return subprocess.run([self.duet, "machines", "show", self.machine], check=True, capture_output=True, text=True).stdout

    def statistics(self):
        return json.loads((self.folder / "out" / "stats.json").read_text())

    def kernel(self, ptx, name, arguments, grid="1", block="1", sets={}, dumps=()):
        """Statistics of one launch, and the dumped buffers."""
        (self.folder / "probe.ptx").write_text(ptx)
        line = [*self._run(sets), str(self.folder / "probe.ptx"),
                "--kernel", name, "--grid", str(grid), "--block", str(block)]
        for argument in arguments:
            line += ["--arg", argument]
        for number in dumps:
            line += ["--dump", "%d=%s" % (number, self.folder / ("dump%d" % number))]
        subprocess.run(line, check=True)
        return self.statistics(), [(self.folder / ("dump%d" % number)).read_bytes() for number in dumps]

    def compile(self, source, *options):
        program = self.folder / pathlib.Path(source).stem
        if not program.exists():
            compile_well(self.duet, [*options, source], program)
        return program

    def program(self, program, *words, sets={}):
        """Statistics of one program, and its output's lines."""
        line = [*self._run(sets), str(program), *map(str, words)]
        output = subprocess.run(line, check=True, capture_output=True, text=True).stdout
        return self.statistics(), output.splitlines()
