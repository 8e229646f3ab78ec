#!/usr/bin/env python3
"""`duet run --check` on stream_memory.cu and host_reads.cu: faults of the host's calls, and of the host beside copies, are found, with
their lines, in the terminal and in the file of --check-output; and the same calls in CUDA's order are silent.

Usage: host_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats
from whole import some

FILE = "tests/check/stream_memory.cu"
KINDS = {
    "used_before_allocation": "use_before_allocation",
    "freed_before_allocation": "use_before_allocation",
    "freed_beside_its_use": "use_after_free",
    "used_after_reuse": "use_after_free",
    "filled_after_free": "use_after_free",
    "never_freed": "leak",
    "past_the_end_of_a_pool": "out_of_bounds",
    "leaked": "leak",
    "freed_twice": "api_error",
    "copy_beside_kernel": "command_race",
}
READS = "tests/check/host_reads.cu"
GPUS = some(((), ("--functional",)), 2)  # the timed one by day
TOUCHES = ("read", "small", "overwritten", "other_stream", "other_event", "printed")


def lines_with(file, holds):
    return {number for number, line in enumerate((SOURCE / file).read_text().splitlines(), 1) if holds(line)}


KERNEL_LINES = lines_with(FILE, lambda line: "__global__" in line)


def lines_of(case, file=FILE):
    return lines_with(file, lambda line: f"!{case}" in line.partition("// ")[2].split())


class Host(Fixture):
    def run_case(self, case, *options, file=FILE):
        out = WORK / f"out-host-{case}-{len(options)}"
        sarif = WORK / f"{case}.sarif"
        result = call(DUET, "run", "-q", "--no-html", "--check", "all", "--check-output", sarif, "--out", out, *options, self.compiled(file), case)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return stats(out)["check"]["findings"], json.loads(sarif.read_text()), result.stderr

    def test_each_fault(self):
        for options in GPUS:
            for case, kind in KINDS.items():
                with self.subTest(case, options=options):
                    found, _, text = self.run_case(case, *options)
                    self.assertEqual({one["kind"] for one in found}, {kind}, text)
                    told = {int(line) for one in found for fact in one["facts"] for line in re.findall(r"stream_memory\.cu:(\d+)", fact)}
                    self.assertEqual(told - KERNEL_LINES, lines_of(case), text)

    def test_clean(self):
        for options in GPUS:
            found, sarif, text = self.run_case("clean", *options)
            self.assertEqual(found, [], text)
            self.assertEqual(sarif["runs"][0]["results"], [])

    def test_touches_beside_copies(self):
        for options in GPUS:
            for case in TOUCHES:
                with self.subTest(case, options=options):
                    found, _, text = self.run_case(case, *options, file=READS)
                    self.assertEqual([one["kind"] for one in found], ["host_race"], text)
                    self.assertIn("the host writes" if case == "overwritten" else "the host reads", text)
                    told = {int(line) for fact in found[0]["facts"] for line in re.findall(r"host_reads\.cu:(\d+)", fact)}
                    self.assertEqual(told, lines_of(case, READS), text)

    def test_touches_behind_waits(self):
        for options in ((), ("--functional",), ("--shuffle", "3")):
            found, _, text = self.run_case("clean", *options, file=READS)
            self.assertEqual(found, [], text)

    def test_sarif(self):
        found, sarif, _ = self.run_case("copy_beside_kernel", "--functional")
        self.assertEqual(sarif["version"], "2.1.0")
        run, = sarif["runs"]
        self.assertEqual(run["tool"]["driver"]["name"], "duet")
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]], ["command_race"])
        result, = run["results"]
        self.assertEqual((result["ruleId"], result["level"], result["occurrenceCount"]), ("command_race", "error", found[0]["count"]))
        self.assertTrue(result["message"]["text"].startswith(found[0]["text"]))
        places = [one["physicalLocation"] for one in result["locations"] + result["relatedLocations"]]
        self.assertTrue(all(place["artifactLocation"]["uri"].endswith("stream_memory.cu") for place in places))
        self.assertLessEqual(lines_of("copy_beside_kernel"), {place["region"]["startLine"] for place in places})

    def test_strict_memory(self):
        program = self.compiled(FILE)
        for word, error in (("24", "cudaSuccess"), ("25", "cudaErrorIllegalAddress"), ("-1", "cudaErrorIllegalAddress")):
            for options in GPUS:
                with self.subTest(word, options=options):
                    result = call(DUET, "run", "-q", "--no-html", "--strict-memory", *options, "--out", WORK / "out-host-strict", program, "at", word)
                    self.assertEqual(result.stdout.strip(), error, result.stderr)

    def test_without_debug_information(self):
        program = WORK / "stream_memory_g0"
        shutil.copy(self.compiled(FILE), program)
        subprocess.run(["strip", "--strip-debug", program], check=True)
        out = WORK / "out-host-g0"
        result = call(DUET, "run", "-q", "--no-html", "--functional", "--check", "leaks", "--out", out, program, "leaked")
        self.assertRegex(result.stderr, r"called at .*(main|with_fault|stream_memory_g0\+0x)")

    def test_where_it_cannot_be_written(self):
        result = call(DUET, "run", "-q", "--functional", "--check", "leaks", "--check-output", WORK / "no" / "where.sarif", "--out", WORK / "out-host-no",
                      self.compiled(FILE), "clean")
        self.assertEqual(result.returncode, 125)
        self.assertIn("cannot be written", result.stderr)
        result = call(DUET, "run", "--check-output", "x", "true")
        self.assertIn("--check-output needs --check", result.stderr)


if __name__ == "__main__":
    main()
