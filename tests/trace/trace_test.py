#!/usr/bin/env python3
"""timeline.pftrace and --interval: does the trace have what stats.json has, slice by slice, do arrows have both ends, do slices nest, do
intervals add up, does looking change nothing, does memory stay flat?

Usage: trace_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [NAME]. DUET_TRACE_PROCESSOR names Perfetto's trace_processor_shell as a second judge,
DUET_PERFETTO_PROTOS a checkout of Perfetto, whose schema protoc then decodes the trace with; without them these tests are skipped.
"""
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "front_door"))
from fixture import DUET, WORK, Fixture, call, main, most_kb, stats  # noqa: E402
from whole import WHOLE  # noqa: E402
from wire import Trace  # noqa: E402

TWO_STREAMS, WARPS = "tests/front_door/two_streams.cu", "tests/trace/warps.cu"


class TraceFixture(Fixture):
    def run_and_read(self, out, program, *options):
        result = call(DUET, "run", "-q", "--no-html", "--out", WORK / out, *options, *program)
        self.assertEqual(result.returncode, 0, result.stderr)
        return stats(WORK / out), Trace(WORK / out / "timeline.pftrace")

    def two_streams(self, out, *options):
        return self.run_and_read(out, [self.compiled(TWO_STREAMS)], *options)

    def check_times(self, trace):
        for one in trace.slices:
            start, duration = one["args"]["start_ps"], one["args"]["duration_ps"]
            self.assertEqual((one["time"], one["end"]), (start // 1000, (start + duration) // 1000))

    def check_nesting(self, trace, deepest=0):
        """Slices of one track follow one after the other, but for calls inside calls."""
        until = collections.defaultdict(int)
        for one in sorted(trace.slices, key=lambda s: (s["args"]["start_ps"], s["args"]["duration_ps"])):
            self.assertLessEqual(one["depth"], deepest, one)
            if one["depth"] == 0:
                self.assertGreaterEqual(one["args"]["start_ps"], until[one["track_uuid"]], one)
                until[one["track_uuid"]] = one["args"]["start_ps"] + one["args"]["duration_ps"]


class Slices(TraceFixture):
    def check_calls_and_streams(self, found, trace):
        self.check_times(trace)
        self.check_nesting(trace)
        calls = collections.Counter(s["name"] for s in trace.slices_of("host threads"))
        self.assertEqual(calls, {api["name"]: api["calls"] for api in found["api"]})
        of_api = collections.Counter()
        for one in trace.slices_of("host threads"):
            of_api[one["name"]] += one["args"]["duration_ps"]
        self.assertEqual(of_api, {api["name"]: api["total_ps"] for api in found["api"]})
        work = {one["command"]: one for one in found["kernels"] + found["copies"]}
        streams = {s["args"]["command"]: s for s in trace.slices_of("GPU streams")}
        self.assertEqual(len(trace.slices_of("GPU streams")), len(work))
        for command, one in work.items():
            shown = streams[command]["args"]
            self.assertEqual((shown["start_ps"], shown["start_ps"] + shown["duration_ps"], shown["call"]),
                             (one["start_ps"], one["end_ps"], one["call"]))
        # An arrow begins at the call, goes over the driver, and ends on the GPU.
        self.assertEqual(sorted(trace.flows), sorted(work))
        calls = {s["args"]["call"]: s for s in trace.slices_of("host threads")}
        for command, steps in trace.flows.items():
            steps = sorted(steps, key=lambda s: s["args"]["start_ps"])
            self.assertIs(steps[0], calls[work[command]["call"]])
            self.assertIn(streams[command], steps)
            driver = [s for s in steps if trace.group_of(s["track_uuid"]) == "driver"]
            self.assertEqual([s["args"]["start_ps"] for s in driver], [work[command]["driver_start_ps"]])
            self.assertEqual(driver[0]["args"]["duration_ps"], work[command]["prepared_ps"] - work[command]["driver_start_ps"])
        return work, streams

    def test_calls_and_what_they_asked_for(self):
        for out, options in (("default", ()), ("call", ("--trace-detail", "call"))):
            found, trace = self.two_streams(out, *options)
            self.assertEqual((len(found["kernels"]), len(found["copies"])), (6, 13))
            self.check_calls_and_streams(found, trace)
            self.assertEqual({len(steps) for steps in trace.flows.values()}, {3})
            self.assertEqual((trace.instants, trace.counters), ([], {}))

    def test_commands(self):
        found, trace = self.two_streams("command", "--trace-detail", "command")
        work, streams = self.check_calls_and_streams(found, trace)
        launches = trace.slices_of("launches")
        self.assertEqual(sorted(s["args"]["command"] for s in launches), sorted(k["command"] for k in found["kernels"]))
        moves = trace.slices_of("data transfer engines")
        self.assertEqual(sorted((s["args"]["command"], s["args"]["bytes"]) for s in moves), sorted((c["command"], c["bytes"]) for c in found["copies"]))
        self.assertEqual({len(steps) for steps in trace.flows.values()}, {4})
        self.assertEqual(len(trace.instants), found["counters"]["front_end.commands"])
        self.assertEqual({trace.group_of(i["track_uuid"]) for i in trace.instants}, {"push buffers"})
        self.assertEqual({i["args"]["command"] for i in trace.instants}, set(work))
        stage_two = sum(s["args"]["duration_ps"] for s in trace.slices_of("driver"))
        self.assertEqual(stage_two, found["counters"]["driver.stage_two_ps"])

    def test_blocks(self):
        for gpu in ((), ("--functional",)):
            found, trace = self.two_streams("block", "--trace-detail", "block", *gpu)
            self.check_calls_and_streams(found, trace)
            blocks = collections.defaultdict(list)
            for one in trace.slices_of("SMs"):
                blocks[one["args"]["command"]].append(one["args"]["block"])
            self.assertEqual({command: sorted(b) for command, b in blocks.items()},
                             {k["command"]: list(range(k["grid"][0])) for k in found["kernels"]})

    def test_warps_lie_within_their_blocks(self):
        found, trace = self.run_and_read("warp", [self.compiled(WARPS)], "--trace-detail", "warp")
        self.check_calls_and_streams(found, trace)
        blocks, warps = {}, collections.defaultdict(dict)
        for one in trace.slices_of("SMs"):
            args, parent = one["args"], trace.tracks[one["track_uuid"]]["parent_uuid"]
            if "warp" in args:
                warps[args["command"], args["block"]][args["warp"]] = (args["start_ps"], args["start_ps"] + args["duration_ps"], parent)
            else:
                blocks[args["command"], args["block"]] = (args["start_ps"], args["start_ps"] + args["duration_ps"], parent)
        self.assertEqual(sorted(blocks), sorted(warps))
        self.assertEqual(sorted(len(w) for w in warps.values()), [2, 3, 3, 3])
        for block, (start, end, sm) in blocks.items():
            for warp_start, warp_end, warp_sm in warps[block].values():
                self.assertTrue(start <= warp_start < warp_end <= end and sm == warp_sm, (block, warps[block]))
            ends = [warps[block][warp][1] for warp in sorted(warps[block])]
            self.assertTrue(all(one < other for one, other in zip(ends, ends[1:])), ends)  # each loops longer than the one before it

    def test_nvtx(self):
        _, trace = self.run_and_read("ranges", [self.compiled("tests/trace/ranges.cu")])
        calls = {s["args"]["call"]: s for s in trace.slices_of("host threads") if "call" in s["args"]}
        ranges = collections.defaultdict(list)
        for one in trace.slices_of("host threads"):
            if "call" not in one["args"]:
                ranges[trace.tracks[one["track_uuid"]]["name"]].append((one["name"], one["depth"], one["time"], one["end"]))
        self.assertEqual(sorted(ranges), ["NVTX ranges", "NVTX, thread 0", "NVTX, thread 1"])
        own, other, both = ranges["NVTX, thread 0"], ranges["NVTX, thread 1"], ranges["NVTX ranges"]
        self.assertEqual([r[:2] for r in own],
                         [("set up", 0), ("step", 0), ("launch ?", 1), ("step", 0), ("launch ?", 1), ("tear down", 0)])
        self.assertEqual([r[0] for r in both + other], ["both", "other thread"])
        for name, within in (("cudaMalloc", own[0]), ("cudaFree", own[-1]), ("cudaLaunchKernel", own[2])):
            call_ = next(s for s in calls.values() if s["name"] == name)
            self.assertTrue(within[2] <= call_["time"] <= call_["end"] <= within[3], (name, within))
        self.assertTrue(all(both[0][2] <= r[2] and r[3] <= both[0][3] for r in own[1:-1] + other))
        self.assertEqual([(i["name"], i["time"]) for i in trace.instants], [("launched", own[2][3]), ("launched", own[4][3])])

    def test_nvtx_on_simulated_cores(self):
        program = self.compiled("tests/trace/ranges.cu", "--host", "riscv64")
        _, trace = self.run_and_read("ranges.rv", ["--host", "simulated", "--machine", "lustig2013", program])
        ranges = collections.defaultdict(list)
        for one in trace.slices_of("host threads"):
            if "call" not in one["args"]:
                ranges[trace.tracks[one["track_uuid"]]["name"]].append((one["name"], one["depth"]))
        self.assertEqual(ranges["NVTX, thread 0"],
                         [("set up", 0), ("step", 0), ("launch ?", 1), ("step", 0), ("launch ?", 1), ("tear down", 0)])
        self.assertEqual([ranges["NVTX ranges"], ranges["NVTX, thread 1"]], [[("both", 0)], [("other thread", 0)]])
        self.assertEqual([i["name"] for i in trace.instants], ["launched", "launched"])

    def test_none(self):
        call(DUET, "run", "-q", "--no-html", "--out", WORK / "none", self.compiled(TWO_STREAMS))
        self.assertTrue((WORK / "none/timeline.pftrace").exists())
        result = call(DUET, "run", "-q", "--no-html", "--trace-detail", "none", "--out", WORK / "none", self.compiled(TWO_STREAMS))
        self.assertEqual((result.returncode, (WORK / "none/timeline.pftrace").exists()), (0, False))

    def test_a_killed_program_leaves_what_it_began(self):
        program = self.compiled("tests/front_door/endless.cu")
        process = subprocess.Popen([DUET, "run", "-q", "--no-html", "--trace-detail", "warp", "--interval", "1us", "--out", WORK / "killed", program,
                                    "spin"], cwd=WORK, stderr=subprocess.PIPE, text=True)
        journal = WORK / "killed/.duet/process-0.journal"
        deadline, child = time.monotonic() + 60, None
        while child is None and time.monotonic() < deadline:
            time.sleep(0.05)
            if journal.exists() and b"_Z4spinPi" in journal.read_bytes():
                child = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        self.assertIsNotNone(child)
        time.sleep(0.5)
        os.kill(child, signal.SIGKILL)
        process.communicate(timeout=60)
        found, trace = stats(WORK / "killed"), Trace(WORK / "killed/timeline.pftrace")
        self.check_times(trace)
        self.check_nesting(trace)
        spin = next(k for k in found["kernels"] if not k["complete"])
        shown = [s["args"] for s in trace.slices_of("SMs") if s["args"]["command"] == spin["command"]]
        self.assertEqual(sorted(s["block"] for s in shown if "warp" not in s), [0, 1, 2, 3])
        self.assertGreaterEqual(sum("warp" in s for s in shown), 4)
        self.assertGreater(len(found["intervals"]), 1)


class Intervals(TraceFixture):
    def check_sums(self, found, interval_ps):
        intervals = found["intervals"]
        self.assertEqual(intervals[0]["start_ps"], 0)
        self.assertEqual(intervals[-1]["end_ps"], round(found["simulated_seconds"] * 1e12))
        sums, of_components = collections.Counter(), collections.defaultdict(collections.Counter)
        for one, following in zip(intervals, intervals[1:] + [None]):
            if following is not None:
                self.assertEqual(one["end_ps"], following["start_ps"])
                self.assertEqual(one["end_ps"] % interval_ps, 0)
            sums.update(one["counters"])
            for component, counters in one["components"].items():
                of_components[component].update(counters)
        for name, value in sums.items():
            # What the machine does after the last command's completion is in an interval, not in `counters`.
            self.assertGreaterEqual(value, found["counters"][name], name)
        for name in ("sm.warp_instructions", "dram.reads", "dram.read_bytes", "l2.read_misses", "copy_engine.bytes", "driver.commands"):
            self.assertEqual(sums[name], found["counters"][name], name)
        for component in found["components"]:
            for name in ("sm.warp_instructions", "dram.read_bytes", "dram.written_bytes", "copy_engine.bytes"):
                self.assertEqual(of_components[component["name"]][name], component["counters"].get(name, 0), (component["name"], name))

    def test_intervals_add_up(self):
        for interval, ps in (("1us", 1_000_000), ("500ns", 500_000), ("1ms", 1_000_000_000)):
            found, trace = self.two_streams("intervals", "--interval", interval)
            self.check_sums(found, ps)
        found, _ = self.two_streams("intervals", "--interval", "1000cycles")
        edges = [one["end_ps"] for one in found["intervals"][:-1]]
        core_khz = 1_544_000
        self.assertEqual(edges, [round(edge * core_khz / 1e9 / 1000) * 1000 * 10**9 // core_khz for edge in edges])

    def test_neighbours_are_taken_together(self):
        fine, _ = self.two_streams("fine", "--interval", "1us")
        coarse, _ = self.two_streams("coarse", "--interval", "1us", "--records", "10")
        self.assertGreater(len(fine["intervals"]), 20)
        self.assertLessEqual(len(coarse["intervals"]), 10)
        self.assertEqual(sum(one["samples"] for one in coarse["intervals"]), len(fine["intervals"]))
        self.check_sums(coarse, 1_000_000)

    def test_counter_tracks(self):
        found, trace = self.two_streams("counters", "--interval", "1us")
        for name, component, statistic in (("DRAM read", None, "dram.read_bytes"), ("copied", None, "copy_engine.bytes")):
            values = trace.counter(name, component)
            moved = 0
            for (start, value), (end, _) in zip(values, values[1:]):
                moved += value * (end - start) * 1e-9
            total = found["counters"][statistic]
            self.assertGreater(total, 0)
            self.assertLess(abs(moved - total), total * 1e-3 + 1, name)  # times are nanoseconds here
            self.assertEqual(values[-1][1], 0)
        warps = trace.counter("resident warps")
        states = [one["state"].get("sm.resident_warps", 0) for one in found["intervals"] if one["state"] is not None]
        self.assertEqual(max(value for _, value in warps), max(states))
        self.assertGreater(max(states), 0)
        channels = {c["name"] for c in found["components"] if c["kind"] == "dram"}
        shown = {trace.tracks[t["parent_uuid"]]["name"] for t in trace.tracks.values() if t.get("name") == "read and written"}
        self.assertEqual(shown, channels)

    def test_what_is_no_interval(self):
        for text in ("0us", "us", "1", "1s", "-1us", "1.5us", "99999999999999999999ns", "9999999999ms", "10 us"):
            result = call(DUET, "run", "-q", "--interval", text, self.compiled(TWO_STREAMS))
            self.assertEqual(result.returncode, 2, text)
            self.assertRegex(result.stderr, r"^duet: --interval .*: give a whole number.*\n$")

    def test_csv(self):
        self.two_streams("csv", "--interval", "10us")
        result = call(DUET, "stats", "csv", WORK / "csv", "intervals")
        self.assertEqual(result.returncode, 0, result.stderr)
        head, *rows = result.stdout.splitlines()
        self.assertIn("counters.sm.warp_instructions", head.split(","))
        self.assertEqual(len(rows), len(stats(WORK / "csv")["intervals"]))


class Looking(TraceFixture):
    def seen(self, program, *options):
        result = call(DUET, "run", "-q", "--no-html", "--out", WORK / "seen", *options, *program)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = stats(WORK / "seen")
        del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
        intervals = found.pop("intervals", None)
        return found, intervals

    def test_it_changes_nothing(self):
        for program in ([self.compiled(TWO_STREAMS)], [self.compiled(WARPS)], [self.compiled("tests/front_door/clock_loops.cu"), "naps", 20000, 4, 64]):
            plain, _ = self.seen(program, "--trace-detail", "none")
            for options in ((), ("--trace-detail", "warp"), ("--interval", "100ns"), ("--interval", "7cycles", "--trace-detail", "warp")):
                self.assertEqual(self.seen(program, *options)[0], plain, options)

    def test_it_changes_nothing_of_simulated_cores(self):
        program = self.compiled("workloads/demo/smooth.cu", "--host", "riscv64")
        seen = []
        for options in (("--trace-detail", "none"), ("--trace-detail", "warp", "--interval", "1us")):
            found, intervals = self.seen([program], "--host", "simulated", "--machine", "lustig2013", *options)
            del found["processor"]["totals"]["instructions_per_second"]
            seen.append(found)
        self.assertEqual(seen[0], seen[1])
        self.assertGreater(len(intervals), 100)

    def test_nobody_sees_the_order_of_ticks(self):
        program = [self.compiled(TWO_STREAMS)]
        plain = self.seen(program, "--interval", "300ns")
        self.assertEqual(self.seen(program, "--interval", "300ns", "--shuffle", "7"), plain)
        self.assertEqual(self.seen(program, "--interval", "300ns", "--two-threads", "--shuffle", "3", "--trace-detail", "warp"), plain)


class Memory(TraceFixture):
    def most_kb(self, launches, *options):
        """Of duet itself and of the program."""
        program = self.compiled(TWO_STREAMS)
        return most_kb("--no-html", "--functional", *options, "--out", WORK / "flat", program, launches)

    def test_many_launches_take_no_more_than_few(self):
        few, many = self.most_kb(20000), self.most_kb(100000 if WHOLE else 40000)
        size = (WORK / "flat/timeline.pftrace").stat().st_size
        for less, more in zip(few, many):
            self.assertLess(more - less, 768)
        # Without the option it has the first calls.
        trace = Trace(WORK / "flat/timeline.pftrace")
        self.assertEqual(len(trace.slices_of("host threads")), 20000)
        self.assertLess(size, 8_000_000)

    def test_all_of_many_launches(self):
        options = ("--trace-detail", "block", "--interval", "100us")
        launches = (20000, 100000) if WHOLE else (20000, 40000)
        few, many = (self.most_kb(number, *options) for number in launches)
        for less, more in zip(few, many):
            self.assertLess(more - less, 1024)
        self.assertGreater((WORK / "flat/timeline.pftrace").stat().st_size, 200 * launches[1])


class Judges(TraceFixture):
    def test_trace_processor(self):
        judge = os.environ.get("DUET_TRACE_PROCESSOR")
        if not judge:
            self.skipTest("DUET_TRACE_PROCESSOR names no trace_processor_shell")
        found, trace = self.two_streams("judged", "--trace-detail", "warp", "--interval", "1us")
        query = WORK / "query.sql"
        query.write_text("select (select count(*) from slice where dur > 0 or dur = 0) as slices, (select count(*) from flow) as flows, "
                         "(select count(*) from counter) as counters, (select sum(value) from stats where severity = 'error') as errors;\n")
        result = call(judge, "-q", query, WORK / "judged/timeline.pftrace")
        self.assertEqual(result.returncode, 0, result.stderr)
        values = [int(v) for v in result.stdout.strip().splitlines()[-1].split(",")]
        arrows = sum(len(steps) - 1 for steps in trace.flows.values())
        self.assertEqual(values, [len(trace.slices) + len(trace.instants), arrows, sum(map(len, trace.counters.values())), 0])

    def test_protoc_with_the_published_schema(self):
        protos = os.environ.get("DUET_PERFETTO_PROTOS")
        if not protos:
            self.skipTest("DUET_PERFETTO_PROTOS names no checkout of Perfetto")
        _, trace = self.two_streams("judged", "--trace-detail", "warp", "--interval", "1us")
        with (WORK / "judged/timeline.pftrace").open("rb") as file:
            text = subprocess.run(["protoc", "--decode=perfetto.protos.Trace", "-I", protos, protos + "/protos/perfetto/trace/trace.proto"], stdin=file,
                                  capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"^ *\d+:.*$", text, re.MULTILINE), [])  # a field that the schema does not have
        for word, count in (("type: TYPE_SLICE_BEGIN", len(trace.slices)), ("type: TYPE_SLICE_END", len(trace.slices)),
                            ("type: TYPE_INSTANT", len(trace.instants)), ("type: TYPE_COUNTER", sum(map(len, trace.counters.values()))),
                            ("track_descriptor {", len(trace.tracks)), ("flow_ids:", sum(map(len, trace.flows.values())))):
            self.assertEqual(text.count(word), count, word)


if __name__ == "__main__":
    main()
