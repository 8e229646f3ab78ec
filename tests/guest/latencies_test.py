#!/usr/bin/env python3
"""What calls cost (lustig2013 Table 2) a program on simulated cores: as much as a native one, because the machine file's
latencies were measured from outside and hold what the program's own instructions take. Arguments: BUILD_DIRECTORY
SOURCE_DIRECTORY."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rv64"))
from simulated_host import DUET, SOURCE, WORK, in_folder, main  # noqa: E402
from compile_once import compile_once  # noqa: E402

SIZES = ("64", "131072")
MACHINE = ("--machine", "lustig2013", "--quiet")


def probe(name, *flags):
    program = WORK / name
    result = compile_once(DUET, [*flags, SOURCE / "workloads/probe/latency.cu"], program)
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return program


def samples(folder, program, *options):
    """By operation and bytes: the five samples, in ns."""
    run = in_folder(folder, DUET, "run", *MACHINE, *options, program, *SIZES)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {(line["operation"], line["bytes"]): line["ns"] for line in lines}


class Latencies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.guest = probe("latency.rv", "--host", "riscv64")
        cls.native = samples("native", probe("latency"))
        cls.simulated = samples("simulated", cls.guest, "--host", "simulated")

    def differing(self, simulated, most_ns):
        """Medians that lie further apart."""
        return [(key, sorted(ns)[2], sorted(self.native[key])[2]) for key, ns in simulated.items()
                if abs(sorted(ns)[2] - sorted(self.native[key])[2]) > most_ns]

    def test_a_call_costs_as_much_as_natively(self):
        # The way back into the program, and a line that has to be fetched again: less than 100 ns. Copies find lines in L3.
        self.assertEqual(self.simulated.keys(), self.native.keys())
        self.assertEqual(self.differing(self.simulated, 100), [])

    def test_another_latency_is_told_apart(self):
        slower = samples("slower", self.guest, "--host", "simulated", "--set", "driver.launch.call_ns=1700")
        self.assertEqual({key for (key, _), _, _ in self.differing(slower, 100)}, {"launch_call", "launch_sync"})

    def test_added_to_instructions(self):
        added = samples("added", self.guest, "--host", "simulated", "--set", "driver.added_to_instructions=true")
        more = [sorted(added[key])[2] - sorted(ns)[2] for key, ns in self.simulated.items()]
        self.assertGreaterEqual(min(more), 1)  # the instructions of one call, or of two
        self.assertLessEqual(max(more), 60)
        run = in_folder("idle", DUET, "run", *MACHINE, "--set", "driver.added_to_instructions=true", WORK / "latency", "64")
        self.assertIn("driver.added_to_instructions = true does nothing: only a program on the machine's cores", run.stderr)


if __name__ == "__main__":
    main()
