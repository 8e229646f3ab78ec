"""What the tests of this folder that count host instructions have in common: the arguments, callgrind, and the comparison with a
record. A count is a figure of speed that other load on the machine does not change."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))  # whole.py

OVER_BEST = 0.05  # small steps add up to no more
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv[0]).name
# Put before a command line; valgrind follows no child.
COMMAND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")


def parser(text, program="duet"):
    """Arguments: where the program under test lies, and whether to record."""
    result = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    place = {"duet": "build/bin/duet", "runner": "build/tests/rv64_bare_runner"}[program]
    result.add_argument(f"--{program}", default=str(ROOT / place))
    result.add_argument("--record", action="store_true")
    return result


def skip_without(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        print(f"{PROGRAM}: skipped, {' and '.join(missing)} missing")
        sys.exit(77)


def count(line, succeeds=lambda status: status == 0):
    """Host instructions of a command line with COMMAND in it, and what was written to stderr."""
    result = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if not succeeds(result.returncode) or collected is None:
        sys.exit(f"{PROGRAM}: {' '.join(line)}: status {result.returncode}\n{result.stderr}")
    return int(collected[1]), result.stderr


def per_unit(counts):
    """Host instructions per unit of work, from (host instructions, units) of a short and a long run: the difference leaves out all
    that happens once."""
    (few_host, few), (many_host, many) = counts
    return (many_host - few_host) / (many - few)


def judge(record, key, measured, tolerance, anew):
    """Prints each value beside its record and the best value ever recorded; ends with 1 where one is over its record by more than
    `tolerance`, or over the best by more than OVER_BEST. With `anew` it is the record. `measured`: by name, or by mode and name."""
    values = dict(flat(measured))
    recorded = json.loads(record.read_text()) if record.exists() else {key: measured}
    best = {name: min(value, recorded.get("best", {}).get(name, value)) for name, value in values.items()} if anew else recorded["best"]
    if anew:
        recorded = {key: measured, "best": best}
        record.write_text(json.dumps(recorded, indent=2) + "\n")
    before = dict(flat(recorded[key]))
    slower = False
    for name, value in values.items():
        change, over_best = value / before[name] - 1, value / best[name] - 1
        too_slow = change > tolerance or over_best > OVER_BEST
        slower |= too_slow
        print(f"{name:35} {value:9} {key.replace('_', ' ')}, recorded {before[name]:9} ({change:+.1%}), best {best[name]:9} ({over_best:+.1%})"
              f"{'  SLOWER' if too_slow else ''}")
    sys.exit(1 if slower else 0)


def flat(values, before=""):
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, f"{name} ")
        else:
            yield before + name, value
