#!/usr/bin/env python3
"""Faults, stalls and races name the line of the program's source, and the line of a PTX file that the run's folder keeps.

Usage: source_lines_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments].
"""
import pathlib
import re

from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats


class SourceLines(Fixture):
    def line_of(self, source, text):
        lines = (SOURCE / source).read_text().splitlines()
        found = [number for number, line in enumerate(lines, 1) if text in line]
        self.assertEqual(len(found), 1, text)
        return found[0]

    def names(self, message, source, text, instruction):
        """The message names the line of the source with the text, and a line of kept PTX with the instruction."""
        line = self.line_of(source, text)
        found = re.search(re.escape(f"/{pathlib.Path(source).name}:{line}") + r", (\S+\.ptx):(\d+)", message)
        self.assertIsNotNone(found, message)
        kept = (WORK / found[1]).read_text().splitlines()
        self.assertIn(instruction, kept[int(found[2]) - 1])

    def run_source(self, source, *arguments, options=(), status=0):
        out = "lines-" + "-".join((pathlib.Path(source).stem, *arguments))  # relative, as users give it
        result = call(DUET, "run", "--out", out, *options, self.compiled(source), *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return stats(WORK / out), result.stderr

    def test_a_fault(self):
        for options in ((), ("--functional",)):
            found, text = self.run_source("tests/front_door/hazards.cu", "illegal", options=options)
            self.names(text, "tests/front_door/hazards.cu", "data[threadIdx.x + (1 << 20)] = 1", "st.global.u32")
            self.names(found["faults"][0], "tests/front_door/hazards.cu", "data[threadIdx.x + (1 << 20)] = 1", "st.global.u32")

    def test_shared_memory(self):
        """The machine gives shared memory in units of 128 bytes."""
        source = "tests/front_door/shared_fault.cu"
        for options in ((), ("--functional",)):
            self.run_source(source, "static", "255", options=options)  # in the last unit
            _, text = self.run_source(source, "static", "256", options=options, status=1)
            self.names(text, source, "out[threadIdx.x] = own[at]", "ld.shared")
            self.assertIn("illegal 4-byte load at 0x400 ", text)
            self.assertIn("(ld.shared.u32): an address of shared memory; the block has 1024 bytes of it (1000 static, 0 dynamic, rounded up), "
                          "this ends 4 bytes past them", text)
            _, text = self.run_source(source, "both", "300", options=options, status=1)
            self.assertIn("the block has 768 bytes of it (256 static, 512 dynamic), this ends 692 bytes past them", text)

    def test_a_stall(self):
        source = "tests/front_door/endless.cu"
        _, text = self.run_source(source, "half_a_barrier", status=124)
        self.names(text, source, "bar.sync 3, 64", "bar.sync")

    def test_a_race(self):
        source = "tests/front_door/races.cu"
        found, text = self.run_source(source, "nothing", options=("--check-races",))
        self.names(found["races"][0]["place"], source, "if (i < elements) out[i] = in[i]", "ld.global")
        self.assertIn(found["races"][0]["place"], text)

    def test_what_an_earlier_run_kept_is_gone(self):
        programs = [self.compiled("tests/front_door/" + name) for name in ("shared_fault.cu", "hazards.cu")]
        for program, arguments in zip(programs, (["static", "1"], ["return", "0"])):
            result = call(DUET, "run", "-q", "--out", "lines-again", program, *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            kept = [file.name for file in (WORK / "lines-again/ptx").iterdir()]
            self.assertEqual(kept, [program.name + ".ptx"])

    def test_lines_cost_no_code(self):
        def instructions(*flags):
            ptx = WORK / "code.ptx"
            self.assertEqual(call(DUET, "cc", "-ptx", SOURCE / "workloads/lustig2013/BFS.cu", "-o", ptx, *flags).returncode, 0)
            text = ptx.read_text()
            code = [line.split("//")[0].strip() for line in text.splitlines()]
            no_code = re.compile(r"\.loc\b|\.file\b|\.section\b|\$L__(tmp|func_)|$")
            return [line for line in code if not no_code.match(line)], text.count(".loc")

        with_lines, locations = instructions()
        without, none = instructions("-g0")
        self.assertEqual(with_lines, without)
        self.assertGreater(locations, 100)
        self.assertEqual(none, 0)


if __name__ == "__main__":
    main()
