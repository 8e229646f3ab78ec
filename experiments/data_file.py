"""A table that a measuring script prints as Markdown and, with --write FILE, leaves as a data file for docs/results/render.py.

  table = Table(["kernel", "cycles"])        prints the head
  table.row("vecadd", 5204)                  prints a row
  table.write("gtx480-kernels.json")         the data file, with this command, commit, host and day

`--write` of a script is parser.add_argument("--write", type=data_file.target): before anything is measured, a tree with changes
that are not committed is refused in one line, since no commit would name what is measured. A float has three decimals.
"""
import datetime
import functools
import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"--write: {ROOT} is no checkout, so no commit names what is measured")
    return done.stdout.strip()


@functools.cache
def measured_commit():
    """The commit whose code is measured; ends the program where the tree is not that commit's."""
    changed = git("status", "--porcelain", "--untracked-files=no")
    if changed:
        sys.exit(f"--write: {changed.split()[-1]} is changed and not committed, so no commit names what is measured")
    return git("rev-parse", "--short=8", "HEAD")


def target(path):
    """The type of an option --write."""
    measured_commit()
    return pathlib.Path(path)


def host():
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n") if line.startswith("model name")),
                 platform.machine())
    return f"{model}, {os.cpu_count()} processors"


def command():
    """The words of this command that a result depends on: without places of this computer."""
    script = pathlib.Path(sys.argv[0]).resolve()
    words = [str(script.relative_to(ROOT)) if script.is_relative_to(ROOT) else script.name]
    option = ""
    for word in sys.argv[1:]:
        if option not in ("--duet", "--write", "--jobs") and word not in ("--duet", "--write", "--jobs"):
            words.append(option.strip("-").upper() if word.startswith("/") else word)
        option = word
    return shlex.join(words)


class Table:
    def __init__(self, columns):
        self.columns, self.rows = list(columns), []
        self._print(columns)
        print("|" + "---|" * len(self.columns), flush=True)

    def _print(self, cells):
        print("| " + " | ".join(cells) + " |", flush=True)

    def row(self, *cells):
        self.rows.append([f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells])
        self._print(self.rows[-1])

    def write(self, path, simulated=True):
        """simulated: all cells are simulated times or counts, which no host changes."""
        head = {"command": command(), "commit": measured_commit(),
                "host": "any: simulated time does not depend on it" if simulated else host(),
                "date": datetime.date.today().isoformat(), "columns": self.columns}
        lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in head.items()]
        rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in self.rows)
        pathlib.Path(path).write_text("{\n" + "".join(lines) + ' "rows": [\n' + rows + "\n ]\n}\n")
