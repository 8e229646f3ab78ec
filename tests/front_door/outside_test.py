#!/usr/bin/env python3
"""Accesses of kernels beside allocations: they go through where device memory is mapped, one line names each instruction, and
--strict-memory makes them faults.

Usage: outside_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
from fixture import DUET, WORK, Fixture, call, main, stats

ILLEGAL_ADDRESS = 700


class Outside(Fixture):
    def run_case(self, how, *options):
        program = self.compiled("tests/front_door/outside.cu")
        out = WORK / f"out-{self.id()}"
        result = call(DUET, "run", "-q", "--out", out, *options, program, how)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        status, values = result.stdout.splitlines()
        return int(status), [int(value) for value in values.split()], stats(out), result.stderr

    def lines(self, text):
        return [line for line in text.splitlines() if line.startswith("duet: kernel '")]

    def test_a_load_before_the_first_allocation(self):
        for options in ([], ["--functional"], ["--shuffle", "3"], ["--two-threads"]):
            with self.subTest(options):
                status, values, found, text = self.run_case("neighbours", *options)
                self.assertEqual(status, 0)
                self.assertEqual(values, [0] * 64 + [192] * 64)
                self.assertEqual(found["faults"], [])
                [access] = found["outside_accesses"]
                first = int(access["allocation"].split(" at ")[1].rstrip(")"), 16)
                self.assertEqual((access["access"], access["accesses"], access["distance_bytes"], access["before"]), ("read", 3 * 64, 256, True))
                self.assertEqual((access["lowest_address"], access["highest_address"]), (first - 256, first - 4))
                self.assertIn("neighbours", access["kernel"])
                self.assertRegex(access["place"], r":\d+$")
                [line] = self.lines(text)
                for part in ("neighbours", "reads up to 256 bytes before allocation #1 (cudaMalloc, 512 bytes at ", access["place"],
                             "(192 accesses)"):
                    self.assertIn(part, line)
                self.assertIn("--strict-memory", text)

    def test_what_is_written_past_the_end_is_read_there(self):
        for options in ([], ["--functional"]):
            with self.subTest(options):
                status, values, found, text = self.run_case("past", *options)
                self.assertEqual(status, 0)
                self.assertEqual(values[:32], [7 + 32] + [7] * 31)
                self.assertEqual([access["access"] for access in found["outside_accesses"]], ["write", "atomic", "read"])
                for access in found["outside_accesses"]:
                    self.assertEqual((access["accesses"], access["before"]), (32, False))
                lines = self.lines(text)
                self.assertEqual(len(lines), 3, text)
                for line, verb in zip(lines, ("writes", "updates", "reads")):
                    self.assertIn(f" {verb} ", line)
                    self.assertIn("past the end of allocation #1 ", line)

    def test_strict_memory_is_a_fault(self):
        for options in ([], ["--functional"]):
            with self.subTest(options):
                status, _, found, text = self.run_case("neighbours", "--strict-memory", *options)
                self.assertEqual(status, ILLEGAL_ADDRESS)
                self.assertEqual(found["outside_accesses"], [])
                self.assertEqual(len(found["faults"]), 1)
                self.assertIn("nearest allocation: #1", found["faults"][0])

    def test_far_away_is_a_fault(self):
        # 4 MiB past the end and 4 MiB before the first, in units of int.
        for distance in (1 << 20, -(1 << 20)):
            for options in ([], ["--functional"]):
                with self.subTest((distance, options)):
                    status, _, found, _ = self.run_case(str(distance), *options)
                    self.assertEqual(status, ILLEGAL_ADDRESS)
                    self.assertEqual(found["outside_accesses"], [])

    def test_inside_nothing_is_said(self):
        status, values, found, text = self.run_case("inside")
        self.assertEqual((status, values[:3], found["outside_accesses"], text), (0, [0, 3, 6], [], ""))


if __name__ == "__main__":
    main()
