#!/usr/bin/env python3
"""`duet run --check-races`: the bytes that were read before they were written are named, and only where nothing orders the two.

Usage: races_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import json

from fixture import DUET, WORK, Fixture, call, main, stats

BYTES = 16384


class Races(Fixture):
    def run_case(self, name, *options):
        program = self.compiled("tests/front_door/races.cu")
        out = WORK / f"out-{self.id()}-{name}"
        result = call(DUET, "run", "-q", "--check-races", "--out", out, *options, program, name)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return int(result.stdout.split()[0], 16), stats(out)["races"], result.stderr

    def one_race(self, name, reader, writer, count=BYTES):
        base, races, text = self.run_case(name)
        self.assertEqual(len(races), 1, text)
        race = races[0]
        self.assertEqual((race["bytes"], race["first_address"], race["last_address"]), (count, base, base + count - 1))
        for side, (label, stream) in {"reader": reader, "writer": writer}.items():
            self.assertIn(label, race[side]["name"])
            self.assertEqual(race[side]["stream"], stream)
            self.assertEqual(race[side]["kernel"], "copy" not in label and label != "fill")
        self.assertLess(race["read_ps"], race["written_ps"])
        lines = [line for line in text.splitlines() if line.startswith("duet: race: ")]
        self.assertEqual(len(lines), 1, text)
        for part in (f"{count} bytes between {base:#x} and {base + count - 1:#x}", "nothing orders the two"):
            self.assertIn(part, lines[0])
        return race

    def test_a_kernel_that_reads_before_the_copy(self):
        race = self.one_race("nothing", ("reader", 1), ("copy host to device", 2))
        self.assertGreater(race["ptx_line"], 0)

    def test_only_the_bytes_that_were_read(self):
        self.one_race("part", ("reader", 1), ("copy host to device", 2), 4000)

    def test_a_kernel_that_has_ended_and_nobody_knew(self):
        self.one_race("ended", ("reader", 1), ("copy host to device", 2))

    def test_a_fill(self):
        self.one_race("fill", ("reader", 1), ("fill", 2))

    def test_a_copy_that_reads_before_the_kernel(self):
        self.one_race("copy_out", ("copy device to host", 2), ("late_writer", 1))

    def test_an_event_recorded_too_early(self):
        self.one_race("event_too_early", ("reader", 1), ("copy host to device", 2))

    def test_a_stream_for_which_the_default_stream_does_not_wait(self):
        self.one_race("default_stream_does_not_wait", ("reader", 1), ("copy host to device", 0))

    def test_two_copies(self):
        _, races, _ = self.run_case("two_copies")
        self.assertTrue(races)
        for race in races:
            self.assertEqual(race["reader"]["name"], "copy device to host")
        self.assertLessEqual(sum(race["bytes"] for race in races), BYTES)

    def test_what_is_ordered_is_no_race(self):
        for name in ("same_stream", "event", "host_waits_for_stream", "host_waits_for_event", "host_asks", "default_stream",
                     "volatile", "emptied"):
            with self.subTest(name):
                _, races, text = self.run_case(name)
                self.assertEqual(races, [])
                self.assertNotIn("race", text)

    def test_nothing_else_changes(self):
        program = self.compiled("tests/front_door/races.cu")
        results = []
        for options in ([], ["--check-races"], ["--check-races", "--shuffle", "7"]):
            out = WORK / f"out-{self.id()}"
            self.assertEqual(call(DUET, "run", "-q", *options, "--out", out, program, "nothing").returncode, 0)
            result = stats(out)
            for key in ("wall_seconds", "command", "host"):
                result.pop(key, None)
            result["totals"].pop("warp_instructions_per_second")
            results.append((result.pop("races"), json.dumps(result, sort_keys=True)))
        self.assertEqual(results[0][1], results[1][1])
        self.assertEqual(results[0][0], [])
        self.assertEqual(results[1], results[2])

    def test_the_functional_gpu_is_refused(self):
        program = self.compiled("tests/front_door/races.cu")
        for command in ([program, "nothing"], [WORK / "none.ptx"]):
            result = call(DUET, "run", "--check-races", "--functional", *command)
            self.assertEqual(result.returncode, 125)
            self.assertEqual(result.stderr, "duet: --check-races needs the timed GPU: leave out --functional\n")


if __name__ == "__main__":
    main()
