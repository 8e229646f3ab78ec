#!/usr/bin/env python3
"""What a CUDA program on simulated cores leaves: table, stats.json, events.json. Arguments: BUILD_DIRECTORY SOURCE_DIRECTORY."""
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from simulated_host import (CORES, DRIVER, HOST, RUN, SLOTS, STREAMS, WIDTH, WORK, DUET, GuestFixture, call, interval,  # noqa: E402
                            length, main, stats, union)


def without_wall_time(found):
    found = {**found, "totals": {**found["totals"]}, "processor": {**found["processor"]}}
    found["processor"]["totals"] = {**found["processor"]["totals"]}
    del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
    del found["processor"]["totals"]["instructions_per_second"]
    return found


class Report(GuestFixture):
    def adds_up(self, found):
        processor = found["processor"]
        self.assertTrue(any(core["cycles"] for core in processor["cores"]))
        for core in processor["cores"]:
            self.assertEqual(list(core["slots"]), SLOTS)
            self.assertEqual(sum(core["slots"].values()), core["cycles"] * WIDTH, core["name"])
        instructions = sum(core["instructions"] for core in processor["cores"])
        self.assertEqual(instructions, processor["totals"]["instructions"])
        self.assertEqual(instructions, sum(thread["instructions"] for thread in processor["threads"]))
        self.assertEqual(instructions, found["counters"]["core.instructions"])
        for name, total in found["counters"].items():
            if name != "journal.lost_records":
                self.assertEqual(total, sum(c["counters"].get(name, 0) for c in found["components"]), name)
        account = found["account"]
        for parts in (account["moments_ps"], account["critical_path_ps"]):
            self.assertEqual(sum(parts.values()), account["time_ps"])
        self.assertAlmostEqual(account["time_ps"] * 1e-12, found["simulated_seconds"], 13)

    def test_one_thread_is_on_a_core_or_in_a_call(self):
        _, found = self.run_guest("one", self.guest("threads.cu"), 1, 3, "exit", 7, status=7)
        self.assertEqual((found["schema"], found["host"], found["complete"]), ("duet.stats/1", "simulated", True))
        self.assertEqual((found["processor"]["status"], found["processor"]["clock_khz"]), (7, 3300000))
        self.assertNotIn("signal", found["processor"])
        self.adds_up(found)
        thread, = found["processor"]["threads"]
        self.assertEqual((thread["id"], thread["name"]), (1000, "threads.rv"))
        calls = sum(api["total_ps"] for api in found["api"])
        self.assertGreater(calls, 0)
        self.assertEqual(thread["core_time_ps"] + calls, found["account"]["time_ps"])

    def test_cores_are_counted_to_the_end_of_the_program(self):
        """After its last call the program executes 50 000 rounds of a loop; of a run without them they are the difference."""
        found = {}
        for kind, count in (("without", 0), ("with", 50000)):
            _, found[kind] = self.run_guest(kind, self.guest("threads.cu"), 1, 1, "more", count)
            self.adds_up(found[kind])
            last = max(copy["end_ps"] for copy in found[kind]["copies"])
            self.assertLess(last, found[kind]["account"]["time_ps"])
            self.assertEqual(found[kind]["components_ps"], found[kind]["account"]["time_ps"])
        more = (found["with"]["processor"]["totals"]["instructions"] -
                found["without"]["processor"]["totals"]["instructions"])
        self.assertGreater(more, 50000 * 4)
        self.assertLess(more, 50000 * 10)

    def test_a_program_without_a_call_leaves_its_results(self):
        result, found = self.run_guest("none", self.guest("threads.cu"), 1, 0)
        self.adds_up(found)
        self.assertEqual((found["kernels"], found["copies"], found["api"]), ([], [], []))
        self.assertEqual(found["account"]["moments_ps"]["between_calls"], found["account"]["time_ps"])
        self.assertEqual(found["processor"]["threads"][0]["core_time_ps"], found["account"]["time_ps"])
        self.assertIn("dispatch slots, in %", result.stderr)

    def test_the_table_has_the_cores(self):
        result, found = self.run_guest("table", self.guest("threads.cu"), 3, 2)
        lines = result.stderr.splitlines()
        processor = found["processor"]
        self.assertIn(f", {processor['totals']['instructions']} of cores", lines[0])
        titles = ["cores ", "dispatch slots, in % ", "host memory, bytes ", "threads "]
        starts = [next(i for i, line in enumerate(lines) if line.startswith("  " + title)) for title in titles]
        self.assertEqual(starts, sorted(starts))
        for core in processor["cores"][:3]:
            at = starts[0] + 1 + processor["cores"].index(core)
            self.assertRegex(lines[at], rf"^    {core['name']} +{core['instructions']} ")
        all_slots = re.findall(r"[0-9.]+", lines[starts[2] - 1])
        self.assertAlmostEqual(sum(map(float, all_slots)), 100, 6)
        for thread, line in zip(processor["threads"], lines[starts[3] + 1:]):
            self.assertRegex(line, rf"^    {thread['id']} {thread['name']} +{thread['instructions']} ")
        native = call(*RUN[:2], "--machine", "lustig2013", "--out", WORK / "native", self.compiled("tests/front_door/two_streams.cu"))
        self.assertEqual(native.returncode, 0, native.stderr)
        self.assertNotIn("dispatch slots", native.stderr)
        self.assertNotIn("processor", stats(WORK / "native"))
        self.assertEqual(stats(WORK / "native")["host"], "native")

    def test_intervals_of_cores_add_up(self):
        for threads in (1, 3, 6):  # 6: more than there are cores
            out = f"events{threads}"
            _, found = self.run_guest(out, self.guest("threads.cu"), threads, 4, options=("--events",))
            self.adds_up(found)
            processor = found["processor"]
            of_core, of_thread = collections.defaultdict(list), collections.defaultdict(list)
            for span in self.spans(out):
                if span["pid"] == CORES:
                    self.assertEqual(span["tid"], span["args"]["core"])
                    self.assertEqual(span["name"], f"threads.rv {span['args']['thread']}")
                    of_core[span["tid"]].append(span)
                    of_thread[span["args"]["thread"]].append(span)
            self.assertEqual(sorted(of_core), [i for i, core in enumerate(processor["cores"]) if core["cycles"]])
            for spans in list(of_core.values()) + list(of_thread.values()):  # a core has one thread, a thread one core
                ends = sorted(map(interval, spans))
                for before, after in zip(ends, ends[1:]):
                    self.assertLessEqual(before[1], after[0])
            for core, spans in of_core.items():
                counted = processor["cores"][core]
                for key in ("cycles", "instructions", "l1_misses", "l2_misses", "l3_misses", "mispredictions"):
                    self.assertEqual(sum(span["args"][key] for span in spans), counted[key], key)
                for use in SLOTS:
                    self.assertEqual(sum(span["args"]["slots"][use] for span in spans), counted["slots"][use], use)
                for span in spans:
                    cycles = span["args"]["cycles"]
                    self.assertEqual(sum(span["args"]["slots"].values()), cycles * WIDTH)
                    if len(of_core) == 1:  # otherwise a core may be ahead when another one ends the program
                        self.assertLess(abs(span["dur"] * 1e-6 * processor["clock_khz"] * 1e3 - cycles), 2.01, span)
            for thread in processor["threads"]:
                spans = of_thread[thread["id"]]
                self.assertEqual(length(map(interval, spans)), thread["core_time_ps"])
                self.assertEqual(sum(span["args"]["instructions"] for span in spans), thread["instructions"])

    def test_between_calls_cores_work(self):
        """Moments of neither call, driver nor GPU, from the events: as many as the account says, and in all a core has a thread."""
        _, found = self.run_guest("moments", self.guest("threads.cu"), 3, 3, options=("--events",))
        spans = self.spans("moments")
        others = [interval(span) for span in spans if span["pid"] in (HOST, DRIVER, STREAMS)]
        cores = [interval(span) for span in spans if span["pid"] == CORES]
        time_ps = found["account"]["time_ps"]
        self.assertEqual(time_ps - length(union(others)), found["account"]["moments_ps"]["between_calls"])
        self.assertEqual(length(union(others + cores)), time_ps)

    def test_threads_that_wait_for_each_other(self):
        """One works after the other, so what the program's end had to wait for is all that its threads did between calls."""
        result, found = self.run_guest("hand_over", self.guest("hand_over.cu"), 3)
        self.assertEqual(result.stdout, "right\n")
        self.adds_up(found)
        account = found["account"]
        for part in ("between_calls", "kernels"):
            self.assertEqual(account["critical_path_ps"][part], account["moments_ps"][part], part)
        self.assertLess(account["moments_ps"]["between_calls"], 0.8 * account["time_ps"])

    def test_looking_changes_nothing(self):
        seen = []
        for out, options in (("plain", ()), ("seen", ("--events",)), ("shuffled", ("--shuffle", 3))):
            seen.append(without_wall_time(self.run_guest(out, self.guest("threads.cu"), 3, 3, options=options)[1]))
        self.assertFalse((WORK / "plain/events.json").exists())
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])


class Ends(GuestFixture):
    def test_a_signal_of_its_own(self):
        result, found = self.run_guest("abort", self.guest("threads.cu"), 2, 1, "abort", status=134)
        self.assertIn("was ended by signal 6", result.stderr)
        self.assertEqual((found["complete"], found["processor"]["signal"]), (False, signal.SIGABRT))
        self.assertNotIn("status", found["processor"])

    def test_an_exit_status_that_looks_like_a_signal(self):
        _, found = self.run_guest("high", self.guest("threads.cu"), 1, 0, "exit", 139, status=139)
        self.assertEqual((found["complete"], found["processor"]["status"]), (True, 139))
        self.assertNotIn("signal", found["processor"])

    def test_a_limit(self):
        result, found = self.run_guest("limit", self.guest("threads.cu"), 1, 1, "spin", options=("--timeout", 2), status=124)
        self.assertEqual((found["complete"], found["failure"]), (False, 124))
        self.assertNotIn("status", found["processor"])
        core = found["processor"]["cores"][0]
        self.assertEqual(sum(core["slots"].values()), core["cycles"] * WIDTH)
        self.assertEqual(core["instructions"], found["processor"]["threads"][0]["instructions"])
        self.assertGreater(found["processor"]["threads"][0]["core_time_ps"], found["account"]["time_ps"] * 0.9)
        self.assertIn("dispatch slots, in %", result.stderr)

    def killed(self, out, who):
        """It spins after its last call, and is killed when the run has gone on for a while."""
        process = subprocess.Popen([*map(str, RUN), "--events", "--out", str(WORK / out), str(self.guest("threads.cu")), "1", "1",
                                    "spin"], cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "right\n")
        time.sleep(1)
        journal = WORK / out / ".duet/process-0.journal"
        host = next(int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/environ")
                    if str(WORK / out) in self.read(path) and b"duet-host" in (path.parent / "cmdline").read_bytes())
        self.assertTrue(journal.exists())
        os.kill(process.pid if who == "duet" else host, signal.SIGKILL)
        errors = process.communicate(timeout=60)[1]
        for _ in range(100):
            if not pathlib.Path(f"/proc/{host}/cmdline").exists() or not pathlib.Path(f"/proc/{host}/cmdline").read_bytes():
                return errors
            time.sleep(0.1)
        self.fail("the program's process goes on")

    @staticmethod
    def read(path):
        try:
            return path.read_bytes().decode(errors="replace")
        except OSError:
            return ""

    def as_far_as_told(self, out):
        found = stats(WORK / out)
        self.assertEqual((found["complete"], found["host"]), (False, "simulated"))
        self.assertEqual(len(found["kernels"]), 1)
        processor = found["processor"]
        core = processor["cores"][0]
        thread, = processor["threads"]
        self.assertEqual(sum(core["slots"].values()), core["cycles"] * WIDTH)
        self.assertEqual(core["instructions"], thread["instructions"])
        # Much more than up to its last command: what was told while it was spinning.
        copied = max(copy["end_ps"] for copy in found["copies"])
        self.assertGreater(found["components_ps"], 2 * copied)
        self.assertGreater(thread["core_time_ps"], copied)
        last = max((span for span in self.spans(out) if span["pid"] == CORES), key=lambda span: span["ts"])
        self.assertNotIn("slots", last["args"])  # it had not ended
        self.assertAlmostEqual(interval(last)[1], found["account"]["time_ps"], delta=1)

    def test_the_process_is_killed(self):
        errors = self.killed("killed", "duet-host")
        self.assertIn("was ended by signal 9", errors)
        self.assertIn("dispatch slots, in %", errors)
        self.as_far_as_told("killed")

    def test_duet_is_killed_and_the_folder_rendered(self):
        self.killed("orphan", "duet")
        self.assertFalse((WORK / "orphan/stats.json").exists())
        for _ in range(100):  # until whoever watched over the process has gone too
            result = call(DUET, "report", WORK / "orphan")
            if "has not ended" not in result.stderr:
                break
            time.sleep(0.1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("dispatch slots, in %", result.stderr)
        self.as_far_as_told("orphan")

    def test_many_threads(self):
        """More than the journal's first table of threads has room for."""
        _, found = self.run_guest("many", self.guest("threads.cu"), 40, 1)
        self.assertEqual([thread["id"] for thread in found["processor"]["threads"]], list(range(1000, 1040)))
        self.assertEqual(sum(thread["instructions"] for thread in found["processor"]["threads"]),
                         found["processor"]["totals"]["instructions"])
        self.assertTrue(all(thread["core_time_ps"] for thread in found["processor"]["threads"]))


if __name__ == "__main__":
    main()
