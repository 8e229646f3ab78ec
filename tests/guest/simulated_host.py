"""What the tests of CUDA programs on simulated cores share. Arguments of each: BUILD_DIRECTORY SOURCE_DIRECTORY."""
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
import fixture  # noqa: E402
from compile_once import compile_once  # noqa: E402
from fixture import DUET, SOURCE, WORK, Fixture, call, stats, union  # noqa: E402, F401

RUN = [DUET, "run", "--host", "simulated", "--machine", "lustig2013"]
HOST, DRIVER, STREAMS = 1, 2, 3
CORES = 8
SLOTS = ["retiring", "bad_speculation", "front_end", "instruction_cache", "memory_l2", "memory_below", "stores", "core",
         "serial"]
WIDTH = 4  # of the machine's cores: cpu.dispatch_width


class GuestFixture(Fixture):
    def guest(self, source, *flags):
        program = WORK / (pathlib.Path(source).stem + "".join(flags) + ".rv")
        if not program.exists():
            result = compile_once(DUET, ["--host", "riscv64", SOURCE / "tests/guest" / source, *flags], program)
            self.assertEqual(result.returncode, 0, result.stderr)
        return program

    def run_guest(self, out, *command, options=(), status=0):
        """The finished process and its stats.json."""
        result = call(*RUN, "--out", WORK / out, *options, *command)
        self.assertEqual(result.returncode, status, result.stderr)
        return result, stats(WORK / out)

    def spans(self, out):
        events = json.loads((WORK / out / "events.json").read_text())["traceEvents"]
        return [event for event in events if event["ph"] == "X"]


def interval(span):
    """From when to when, in picoseconds: times are written in microseconds, to the picosecond."""
    start = round(span["ts"] * 1e6)
    return start, start + round(span["dur"] * 1e6)


def length(intervals):
    return sum(end - start for start, end in intervals)


def main():
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("riscv64-linux-gnu-g++ is not installed")
        shutil.rmtree(WORK, ignore_errors=True)
        sys.exit(77)
    fixture.main()
