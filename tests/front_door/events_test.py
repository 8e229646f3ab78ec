#!/usr/bin/env python3
"""--events, and the journal that carries them: ids join, nothing changes for being looked at, memory stays flat.

Usage: events_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments].
"""
import collections
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

from fixture import DUET, WORK, Fixture, call, main, most_kb, stats
from whole import WHOLE

HOST, DRIVER, STREAMS, LAUNCHES, SMS, ENGINES, PUSH_BUFFERS = range(1, 8)
ROUNDING_US = 1e-5  # times are written in microseconds, of which a picosecond is the last digit


class Events(Fixture):
    def run_two_streams(self, out, *options):
        result = call(DUET, "run", "-q", "--out", out, *options, self.compiled("tests/front_door/two_streams.cu"))
        self.assertEqual(result.returncode, 0, result.stderr)
        return stats(WORK / out)

    def events(self, out):
        return json.loads((WORK / out / "events.json").read_text())["traceEvents"]

    def within(self, inner, outer):
        self.assertGreaterEqual(inner["ts"], outer["ts"] - ROUNDING_US)
        self.assertLessEqual(inner["ts"] + inner["dur"], outer["ts"] + outer["dur"] + ROUNDING_US)

    def test_ids_join_from_call_to_block(self):
        found = self.run_two_streams("joined", "--events")
        events = self.events("joined")
        spans = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                spans[event["pid"]].append(event)
        calls = {e["args"]["call"]: e for e in spans[HOST]}
        self.assertEqual(sorted(calls), list(range(1, len(spans[HOST]) + 1)))
        names = {"kernels": "cudaLaunchKernel", "copies": "cudaMem"}
        work = {}
        for what, name in names.items():
            for entry in found[what]:
                self.assertIn(name, calls[entry["call"]]["name"])
                self.assertNotIn(entry["command"], work)
                work[entry["command"]] = entry
        self.assertEqual((len(found["kernels"]), len(found["copies"])), (6, 13))
        streams = {e["args"]["command"]: e for e in spans[STREAMS]}
        self.assertEqual(sorted(streams), sorted(work))

        blocks = collections.defaultdict(set)
        for block in spans[SMS]:
            command = block["args"]["command"]
            self.assertNotIn(block["args"]["block"], blocks[command])
            blocks[command].add(block["args"]["block"])
            self.within(block, streams[command])
        for kernel in found["kernels"]:
            self.assertEqual(blocks.pop(kernel["command"]), set(range(kernel["grid"][0])))
        self.assertEqual(blocks, {})
        self.assertEqual(sorted(e["args"]["command"] for e in spans[LAUNCHES]), sorted(k["command"] for k in found["kernels"]))
        for move in spans[ENGINES]:
            copy = work[move["args"]["command"]]
            self.assertEqual(move["args"]["bytes"], copy["bytes"])
            self.within(move, streams[copy["command"]])
        self.assertEqual(len(spans[ENGINES]), len(found["copies"]))
        push_buffer = collections.defaultdict(list)
        for event in events:
            if event["pid"] == PUSH_BUFFERS and event["ph"] == "i":
                push_buffer[event["args"]["command"]].append(event["name"])
        self.assertEqual(sorted(push_buffer), sorted(work))
        for names in push_buffer.values():
            self.assertEqual((names[0], names[-1]), ("SetStream", "ReleaseSemaphore"))
        for phase in "stf":  # the arrows of each: from its call, over the driver, to its stream
            self.assertEqual(sorted(e["id"] for e in events if e["ph"] == phase), sorted(work))
        # What is on one track of SMs or engines follows one after the other.
        for process in (SMS, ENGINES):
            until = collections.defaultdict(float)
            for span in sorted(spans[process], key=lambda e: e["ts"]):
                self.assertGreaterEqual(span["ts"], until[span["tid"]] - ROUNDING_US)
                until[span["tid"]] = span["ts"] + span["dur"]

    def test_looking_changes_nothing(self):
        seen = []
        for out, options in (("plain", ()), ("seen", ("--events", "--trace-push-buffer"))):
            found = self.run_two_streams(out, *options)
            del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
            seen.append(found)
        self.assertEqual(seen[0], seen[1])

    def test_the_functional_gpu_tells_the_same_tasks(self):
        found = self.run_two_streams("functional", "--functional", "--events")
        blocks = collections.Counter(e["args"]["command"] for e in self.events("functional") if e["ph"] == "X" and e["pid"] == SMS)
        self.assertEqual(blocks, {k["command"]: k["grid"][0] for k in found["kernels"]})

    def test_a_killed_program_leaves_what_it_began(self):
        program = self.compiled("tests/front_door/endless.cu")
        process = subprocess.Popen([DUET, "run", "-q", "--events", "--out", WORK / "killed", program, "spin"], cwd=WORK,
                                   stderr=subprocess.PIPE, text=True)
        journal = WORK / "killed/.duet/process-0.journal"
        deadline = time.monotonic() + 60
        child = None
        while child is None and time.monotonic() < deadline:  # until the endless kernel has begun
            time.sleep(0.05)
            if journal.exists() and journal.read_bytes().count(b"_Z4spinPi") > 0:
                child = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        self.assertIsNotNone(child)
        time.sleep(0.2)  # and has gone on
        os.kill(child, signal.SIGKILL)
        process.communicate(timeout=60)
        spans = [e for e in self.events("killed") if e["ph"] == "X"]
        launch = {e["name"]: e["args"] for e in spans if e["pid"] == LAUNCHES}["_Z4spinPi"]
        blocks = [e["args"]["block"] for e in spans if e["pid"] == SMS and e["args"]["command"] == launch["command"]]
        self.assertEqual((launch["blocks"], sorted(blocks)), (4, [0, 1, 2, 3]))
        self.assertEqual(stats(WORK / "killed")["kernels"][0]["name"], "_Z7add_onePi")


class Ending(Fixture):
    def test_commands_that_have_not_completed(self):
        program = self.compiled("tests/front_door/unsynchronized.cu")
        for gpu in ((), ("--functional",)):
            result = call(DUET, "run", "-q", *gpu, "--out", WORK / "unsynchronized", program)
            self.assertEqual(result.returncode, 3)
            self.assertRegex(result.stderr, r"^duet: 6 commands had not completed when the program ended: "
                                            r"kernel 3, copy 1, fill 1, event record 1 \([^()\n]*\)\n$")
            self.assertEqual(stats(WORK / "unsynchronized")["incomplete"], {"kernel": 3, "copy": 1, "fill": 1, "event_record": 1})
            result = call(DUET, "run", "-q", *gpu, "--out", WORK / "unsynchronized", program, "all")
            self.assertEqual((result.returncode, result.stderr), (3, ""))
            self.assertEqual(stats(WORK / "unsynchronized")["incomplete"], {})


class Memory(Fixture):
    def limited(self, megabytes, *arguments):
        limit = megabytes << 20
        return subprocess.run([DUET, "run", "-q", "--out", "limited", *map(str, arguments)], cwd=WORK, capture_output=True, text=True,
                              timeout=120, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_a_limit_on_the_address_space(self):
        program = self.compiled("tests/front_door/big_buffer.cu")
        for machine in ("gtx580", "h100"):  # which has 80 GB
            for gpu in ((), ("--functional",)):
                result = self.limited(500, "-m", machine, *gpu, program, 16)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "right\n", ""))
                self.assertEqual(len(stats(WORK / "limited")["kernels"]), 3)

    def test_device_memory_that_cannot_be_mapped(self):
        program = self.compiled("tests/front_door/big_buffer.cu")
        for gpu in ((), ("--functional",)):
            result = self.limited(2000, *gpu, program, 1000)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "right\n", ""))
        result = self.limited(600, program, 1000)
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertRegex(result.stderr, r"^duet: cannot map 10\d\d MiB for device memory: .*see ulimit -v\)\n$")

    def test_no_limit_on_the_address_space_is_silent(self):
        """Down to limits at which not even the libraries can be loaded."""
        program = self.compiled("tests/front_door/two_streams.cu")
        statuses = set()
        for megabytes in (16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 256):
            result = self.limited(megabytes, program)
            statuses.add(result.returncode)
            self.assertIn(result.returncode, (0, 125, 127), f"{megabytes} MB: {result}")  # 127: of the dynamic linker
            self.assertEqual(result.returncode == 0, result.stderr == "", result.stderr)
            self.assertLess(result.stderr.count("\n"), 4, result.stderr)
        self.assertLessEqual({0, 125}, statuses)

    def most_kb(self, launches, *options):
        """Of duet itself and of the program."""
        program = self.compiled("tests/front_door/two_streams.cu")
        own, of_program = most_kb("--functional", *options, "--out", WORK / "flat", program, launches)
        found = stats(WORK / "flat")
        self.assertEqual(len(found["kernels"]) + sum(group["launches"] for group in found["kernel_groups"]), launches)
        return own, of_program

    def test_many_launches_take_no_more_than_few(self):
        launches = 100000 if WHOLE else 50000
        if WHOLE:  # by day trace_test.py asks it
            few, many = self.most_kb(20000, "--no-html"), self.most_kb(launches, "--no-html")
            for less, more in zip(few, many):
                self.assertLess(more - less, 512)
        # What report.html draws is bounded: of 20,000 spans and 40,000 on their way it takes from half to all.
        for less, more in zip(self.most_kb(20000), self.most_kb(launches)):
            self.assertLess(more - less, 4096)
        self.assertLess((WORK / "flat/stats.json").stat().st_size, 20_000_000)

    def test_records_one_by_one_and_in_groups(self):
        program = self.compiled("tests/front_door/two_streams.cu")
        found = {}
        for records in (0, 20, 1000):
            result = call(DUET, "run", "-q", "--records", records, "--out", WORK / "records", program, 50)
            self.assertEqual(result.returncode, 0, result.stderr)
            found[records] = stats(WORK / "records")
        for records, some in found.items():
            self.assertEqual(len(some["kernels"]), min(records, 50))
            self.assertEqual(some["totals"]["gpu_cycles"], found[0]["totals"]["gpu_cycles"])
        self.assertEqual(found[20]["kernels"], found[1000]["kernels"][:20])
        self.assertEqual(found[1000]["kernel_groups"], [])
        rest = found[1000]["kernels"][20:]
        group, = found[20]["kernel_groups"]
        self.assertEqual((group["name"], group["grid"], group["block"]), (rest[0]["name"], [1, 1, 1], [32, 1, 1]))
        self.assertEqual((group["launches"], group["first_start_ps"], group["last_end_ps"]), (30, rest[0]["start_ps"], rest[-1]["end_ps"]))
        values = {"executed_ps": [k["end_ps"] - k["start_ps"] for k in rest], "cycles": [k["cycles"] for k in rest],
                  "driver_ps": [k["start_ps"] - k["driver_start_ps"] for k in rest],
                  "queued_for_ps": [k["driver_start_ps"] - k["queued_ps"] for k in rest],
                  "warp_instructions": [k["warp_instructions"] for k in rest]}
        for key, of_each in values.items():
            self.assertEqual(group[key], {"sum": sum(of_each), "min": min(of_each), "max": max(of_each)}, key)
        self.assertEqual(set(group["counters"]), {name for k in rest for name in k["counters"]})
        for name, spread in group["counters"].items():
            of_each = [k["counters"].get(name, 0) for k in rest]
            self.assertEqual(spread, {"sum": sum(of_each), "min": min(of_each), "max": max(of_each)}, name)


if __name__ == "__main__":
    main()
