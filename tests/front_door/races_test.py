#!/usr/bin/env python3
"""`duet run --check-races`: the bytes that two commands touch are named, and only where nothing orders the two.

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
            if race["kind"] == "read_too_early":
                self.assertEqual(race["reader"]["name"], "copy device to host")
        # Each pair is told once.
        pairs = [tuple(sorted([race["reader"]["command"], race["writer"]["command"]])) if race["kind"] == "read_too_early"
                 else tuple(side["command"] for side in race["commands"]) for race in races]
        self.assertEqual(len(set(pairs)), len(pairs))

    def unordered(self, name, first, second, count=BYTES, offset=0, options=()):
        """The pair, whichever came first; `first` and `second` are label, stream and access."""
        base, races, text = self.run_case(name, *options)
        self.assertEqual([race["kind"] for race in races], ["unordered"], text)
        [race] = races
        self.assertEqual((race["bytes"], race["first_address"], race["last_address"]), (count, base + offset, base + offset + count - 1))
        for side, (label, stream, access) in zip(race["commands"], (first, second)):
            self.assertEqual((side["stream"], side["access"], side["kernel"]), (stream, access, "copy" not in label))
            self.assertIn(label, side["name"])
            if side["kernel"]:
                self.assertRegex(side["place"], r"races\d*\.ptx:\d+|:\d+$")
        lines = [line for line in text.splitlines() if line.startswith("duet: race: ")]
        self.assertEqual(len(lines), 1, text)
        where = f"+ {offset} to {offset + count - 1}; nothing orders the two"
        for part in (first[0], second[0], f"{count} bytes of cudaMalloc #1 ({BYTES} bytes at {base:#x}) {where}",
                     *(side["place"] for side in race["commands"])):
            self.assertIn(part, lines[0])
        return race

    def test_two_kernels(self):
        self.unordered("two_kernels", ("writer", 1, "write"), ("reader", 2, "read"))
        self.unordered("kernel_before_kernel", ("reader", 1, "read"), ("writer", 2, "write"))
        self.unordered("two_writers", ("writer", 1, "write"), ("writer", 2, "write"), BYTES // 2, BYTES // 2)

    def test_what_came_in_order_by_chance(self):
        self.unordered("in_time_by_chance", ("writer", 1, "write"), ("reader", 2, "read"))
        self.unordered("copy_in_time_by_chance", ("copy host to device", 1, "write"), ("reader", 2, "read"))

    def test_the_order_of_events_does_not_matter(self):
        results = [self.unordered("two_kernels", ("writer", 1, "write"), ("reader", 2, "read"), options=options)
                   for options in ([], ["--shuffle", "5"], ["--two-threads"], ["--set", "gpu.core_clock_khz=300000"])]
        for result in results[1:]:
            self.assertEqual(result, results[0])

    def test_kernels_that_are_ordered_or_meant_to_race(self):
        for name in ("kernels_in_order", "other_bytes", "both_read", "hand_over", "atomics"):
            with self.subTest(name):
                _, races, text = self.run_case(name)
                self.assertEqual(races, [])
                self.assertNotIn("race", text)

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
