#!/usr/bin/env python3
"""What a run on the simulated host leaves and says: the folder, the table, the counters. Arguments: BUILD_DIRECTORY SOURCE_DIRECTORY."""
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, WORK, Fixture, call, stats  # noqa: E402
from whole import WHOLE, some
from simulated_host import compiled, main  # noqa: E402

RUN = [DUET, "run", "--host", "simulated", "--machine", "xeon-e3-1245"]
SLOTS = ["retiring", "bad_speculation", "front_end", "instruction_cache", "memory_l2", "memory_below", "stores", "core",
         "serial"]


def run(name, *command, options=(), **more):
    """The finished process and its stats.json."""
    result = call(*RUN, "--out", WORK / name, *options, *command, **more)
    return result, stats(WORK / name)


def without_wall_time(found):
    found = {**found, "totals": {**found["totals"]}}
    del found["wall_seconds"], found["totals"]["instructions_per_second"], found["machine"]
    return found


class Results(Fixture):
    def counters(self, name, *options):
        """What counters.c prints, as {part: {event: value}}, and its stats.json."""
        result, found = run(name, compiled("counters.c"), options=("--set", "cpu.l2.prefetcher=none", *options))
        self.assertEqual(result.returncode, 0, result.stderr)
        parts = {}
        for part, event, value in (line.split() for line in result.stdout.splitlines()):
            parts.setdefault(part, {})[event] = int(value)
        return parts, found

    def adds_up(self, found, width=4):
        self.assertTrue(any(core["cycles"] for core in found["cores"]))
        for core in found["cores"]:
            self.assertEqual(list(core["slots"]), SLOTS)
            self.assertEqual(sum(core["slots"].values()), core["cycles"] * width, core["name"])
        instructions = sum(core["instructions"] for core in found["cores"])
        self.assertEqual(instructions, found["totals"]["instructions"])
        self.assertEqual(instructions, sum(thread["instructions"] for thread in found["threads"]))
        self.assertEqual(instructions, found["counters"]["core.instructions"])
        for name, total in found["counters"].items():
            self.assertEqual(total, sum(c["counters"].get(name, 0) for c in found["components"]), name)

    def test_the_folder_has_the_machine_and_what_was_measured(self):
        result, found = run("folder", compiled("ends.c"), "exit", "7", options=("--set", "cpu.clock_khz=2000000"))
        self.assertEqual(result.returncode, 7)
        self.assertIn(f"duet: results in {WORK / 'folder'}\n", result.stderr)
        for key, value in {"schema": "duet.host_stats/1", "machine": "xeon-e3-1245", "host": "simulated",
                           "command": str(compiled("ends.c")), "complete": True, "status": 7,
                           "clock_khz": 2000000}.items():
            self.assertEqual(found[key], value, key)
        self.assertNotIn("failure", found)
        self.adds_up(found)
        # The resolved machine is the same machine.
        again = call(*RUN[:-1], WORK / "folder/machine.toml", "--out", WORK / "again", "-q", compiled("ends.c"), "exit", "7")
        self.assertEqual((again.returncode, again.stderr), (7, ""))
        self.assertEqual(without_wall_time(stats(WORK / "again")), without_wall_time(found))

    def test_the_folder_has_the_next_free_name(self):
        folder = WORK / "names"
        (folder / "duet-out").mkdir(parents=True)
        (folder / "duet-out/stats.json").write_text("mine")
        result = call(*RUN, "-q", compiled("ends.c"), "exit", "0", cwd=folder)
        self.assertIn("results of this run go to duet-out-2", result.stderr)
        self.assertEqual((folder / "duet-out/stats.json").read_text(), "mine")
        self.assertTrue((folder / "duet-out-2/stats.json").exists())

    def test_a_program_that_cannot_be_run_leaves_no_folder(self):
        result = call(*RUN, "--out", WORK / "none", "/bin/true")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (125, 1), result.stderr)
        self.assertFalse((WORK / "none").exists())

    def test_threads_and_slots_of_a_parallel_program(self):
        program = compiled("threads.cpp", "-fopenmp")
        for number, sets in some(enumerate((("cpu.dispatch_width=2", "cpu.cores=2"), (),
                                            ("cpu.rob_entries=16", "cpu.scheduler_entries=4", "cpu.store_entries=2"))), 3):
            options = [word for one in sets for word in ("--set", one)]
            result, found = run(f"threads-{number}", program, options=options, env={"OMP_NUM_THREADS": "4"})
            self.assertEqual(result.returncode, 3, result.stderr)
            self.adds_up(found, 2 if "cpu.dispatch_width=2" in sets else 4)
            self.assertGreater(len(found["threads"]), 4)
            self.assertEqual(found["threads"][0]["id"], 1000)
            busy = sum(core["cycles"] for core in found["cores"]) * 1e9 / found["clock_khz"]
            on_cores = sum(thread["core_time_ps"] for thread in found["threads"])
            self.assertAlmostEqual(on_cores / busy, 1, delta=0.01)

    def test_the_table(self):
        result, found = run("table", compiled("threads.cpp", "-fopenmp"), env={"OMP_NUM_THREADS": "13"})
        lines = result.stderr.splitlines()
        self.assertRegex(lines[0], r"^duet: xeon-e3-1245: [\d.]+ ms simulated, [\d.]+ s wall, \d+ instructions, ")
        slots = lines.index(next(line for line in lines if line.startswith("  dispatch slots, in %")))
        rows = [line for line in lines[slots + 1:slots + 6]]
        self.assertEqual([row[:10].strip() for row in rows], ["core 0", "core 1", "core 2", "core 3", "all"])
        for row in rows:
            shares = [float(word) for word in row[10:].split()]
            self.assertEqual(len(shares), len(SLOTS))
            self.assertAlmostEqual(sum(shares), 100, places=6)
        self.assertIn(f"{found['totals']['dram_read_bytes']} read", result.stderr)
        self.assertRegex(result.stderr, r"\n    \d+ others +\d+ ")
        self.assertLess(max(map(len, lines[:-1])), 110)
        quiet, _ = run("quiet", compiled("ends.c"), "exit", "0", options=("--quiet",))
        self.assertEqual(quiet.stderr, "")

    def test_functions_that_take_the_time(self):
        result, found = run("profile", compiled("profile.c", "-fno-omit-frame-pointer"))
        self.assertEqual((result.returncode, result.stdout), (0, "1\n"), result.stderr)
        profile = found["profile"]
        functions = {function["name"]: function for function in profile["functions"]}
        self.assertEqual(profile["samples"], sum(f["self_samples"] for f in profile["functions"]))
        self.assertEqual(profile["samples"], sum(stack["samples"] for stack in profile["stacks"]))
        cycles = sum(core["cycles"] for core in found["cores"]) / found["clock_khz"] * 1e9
        self.assertAlmostEqual(profile["samples"] * profile["period_ps"], cycles, delta=3 * profile["period_ps"])
        for name, state in (("chase", "memory_below"), ("divide", "core")):
            function = functions[name]
            self.assertGreater(function["self"][state], 0.8 * function["self_samples"], function)
            self.assertEqual(sum(function["self"].values()), function["self_samples"])
        work, chase, divide = (functions[name] for name in ("work", "chase", "divide"))
        # `divide` is called alike from two places, and `chase` from one.
        self.assertAlmostEqual(work["total_samples"], chase["total_samples"] + divide["total_samples"] / 2,
                               delta=0.03 * work["total_samples"])
        self.assertGreater(functions["main"]["total_samples"], 0.9 * profile["samples"])
        calls = {stack["functions"]: stack["samples"] for stack in profile["stacks"]}
        self.assertTrue(any(stack.endswith(";main;work;chase") for stack in calls), calls)
        self.assertTrue(any(stack.endswith(";main;divide") for stack in calls), calls)
        folded = [line.rsplit(" ", 1) for line in (WORK / "profile/profile.folded").read_text().splitlines()]
        self.assertEqual({stack: int(samples) for stack, samples in folded}, calls)
        self.assertRegex(result.stderr, r"\n  functions, in % of samples +self +total  most of self\n    \w+ ")
        self.assertRegex(result.stderr, r"\n    chase +[\d.]+ +[\d.]+  below \d+ %\n")

    def test_without_frame_pointers_functions_are_still_known(self):
        _, found = run("profile-plain", compiled("profile.c", "-fomit-frame-pointer", "-O2"))
        functions = {function["name"]: function for function in found["profile"]["functions"]}
        self.assertGreater(functions["chase"]["self"]["memory_below"], 0.8 * functions["chase"]["self_samples"])
        known = {"main", "work", "chase", "divide", "(no symbol)"}
        for stack in found["profile"]["stacks"]:  # what is no call stands in no stack
            active = stack["functions"].split(";")
            if active[-1] in ("chase", "divide"):
                self.assertLessEqual(set(active), known | {"__libc_start_call_main", "__libc_start_main_impl", "_start"}, stack)

    def test_what_ends_a_run_leaves_its_results(self):
        for arguments, status, reason, more in (
                (("deadlock-threads",), 124, "every thread waits for another", {}),
                (("segfault",), 139, "ended by signal 11 (Segmentation fault)", {"signal": 11}),
                (("raise", "15"), 143, "ended by signal 15 (Terminated)", {"signal": 15})):
            result, found = run("ended-" + arguments[0], compiled("ends.c", "-fno-omit-frame-pointer"), *arguments)
            self.assertEqual((result.returncode, found["status"], found["complete"]), (status, status, False))
            self.assertIn(reason, found["failure"])
            self.assertIn("  not complete: ", result.stderr)
            self.assertEqual(found.get("signal"), more.get("signal"))
            self.adds_up(found)

    def test_a_limit_and_signals_to_duet_leave_what_was_measured(self):
        program = self.endless()
        result, found = run("limit", program, options=("--timeout", "1"))
        self.assertEqual((result.returncode, found["status"]), (124, 124))
        self.assertRegex(found["failure"], r"ended after 1 s \(--timeout\)")
        self.adds_up(found)
        self.assertGreater(found["totals"]["instructions"], 10000)
        for number in (signal.SIGINT, signal.SIGTERM):
            out = WORK / f"signal-{number}"
            process = subprocess.Popen([str(word) for word in (*RUN, "--out", out, program)], stderr=subprocess.PIPE, text=True)
            while not (out / "machine.toml").exists():
                time.sleep(0.05)
            time.sleep(0.5)
            process.send_signal(number)
            self.assertIn(f"interrupted by signal {int(number)}", process.communicate(timeout=60)[1])
            self.assertEqual((process.returncode, stats(out)["status"]), (128 + number, 128 + number))
            self.adds_up(stats(out))

    def endless(self):
        source = WORK / "endless.c"
        source.write_text("int main(void) { for (volatile long i = 0;; ++i) {} }\n")
        self.assertEqual(call("riscv64-linux-gnu-gcc", "-O1", "-static", source, "-o", WORK / "endless").returncode, 0)
        return WORK / "endless"

    def test_options_that_do_nothing_are_refused_by_name(self):
        program = compiled("ends.c")
        for option in (("--events",), ("--records", "5"), ("--max-cycles", "5"), ("--check-races",), ("--registers", "3"),
                       ("--trace-push-buffer",), ("--clock", "wall"), ("--peepholes", "off"), ("--spin-diagnosis", "3")):
            result = call(*RUN, "--out", WORK / "refused", *option, program, "exit", "0")
            self.assertEqual(result.returncode, 125)
            self.assertEqual(result.stderr, f"duet: {option[0]} does nothing with --host simulated on a machine without a GPU: leave it out\n")
            self.assertFalse((WORK / "refused").exists())
        result = call(DUET, "run", "--host", "simulated", "--functional", "--set", "cpu.cores=2", program, "exit", "0")
        self.assertIn("--set does nothing with --host simulated --functional", result.stderr)

    def test_the_order_of_ticks_changes_nothing(self):
        ways = some(((), ("--shuffle", "1"), ("--shuffle", "2"), ("--shuffle", "3"), ("--two-threads",),
                ("--two-threads", "--shuffle", "4")), 2)
        for name, program in (("counters", compiled("counters.c")), ("turns", compiled("turns.cpp", "-pthread"))):
            usual = None
            # The threads of `turns` look at each other's stores all the time: ticking on two threads takes ten times as long.
            for number, options in enumerate(ways if WHOLE or name == "counters" else ways[:2]):
                result, found = run(f"shuffle-{name}-{number}", program, options=options)
                self.assertEqual(result.returncode, 0, result.stderr)
                now = (result.stdout, without_wall_time(found))
                usual = usual or now
                self.assertEqual(now, usual, options)
        self.assertGreater(usual[1]["counters"]["core.squashes_value"] + usual[1]["counters"]["core.squashes_order"], 500)
        self.assertEqual(usual[0], "1600\n")

    def test_a_program_reads_what_its_core_counts(self):
        parts, found = self.counters("read-counters")
        chase = parts["chase"]
        lines = 2**20 // 64
        self.assertEqual(chase["loads"], lines)
        self.assertEqual(chase["l1_hits"] + chase["l1_misses"], lines)
        self.assertGreater(chase["l1_misses"], 0.95 * lines)
        # L2 has 256 KiB of the megabyte, L3 all of it.
        self.assertLess(chase["l2_hits"], 0.25 * lines)
        self.assertGreater(chase["l3_hits"], 0.75 * lines)
        self.assertLess(chase["lines_from_memory"], 0.01 * lines)
        # The counters are read one after the other, and the reading itself fetches.
        self.assertAlmostEqual(chase["l2_misses"], chase["l3_hits"] + chase["lines_from_memory"], delta=8)
        # A first-level data TLB of 64 pages, of the 256 of the ring; the second level has them all.
        self.assertAlmostEqual(chase["data_tlb_misses"], 0.75 * lines, delta=0.05 * lines)
        self.assertLess(chase["page_walks"], 300)
        self.assertEqual(parts["branches"]["branches"], 40000)
        self.assertAlmostEqual(parts["branches"]["mispredictions"], 10000, delta=600)
        # A read waits for all before it; nothing but the stores of the reading counts between two.
        for event, value in parts["nothing"].items():
            self.assertLessEqual(value, 40 if event == "stores" else 0, event)
        self.assertEqual(parts["read"]["hpmcounter24"], 0)
        self.assertGreater(found["counters"]["core.l3_hits"], chase["l3_hits"])
        self.assertGreater(found["counters"]["core.lines_from_memory"], lines)

    def test_without_l3_all_lines_come_from_memory(self):
        parts, found = self.counters("without-l3", "--set", "cpu.l3.sets=0")
        self.assertEqual(parts["chase"]["l3_hits"], 0)
        self.assertGreater(parts["chase"]["lines_from_memory"], 0.75 * 2**20 // 64)
        self.assertEqual(found["totals"]["dram_read_bytes"], 64 * found["counters"]["host_memory.reads"])
        self.adds_up(found)

    def test_the_page_of_the_counters_is_true(self):
        source = (pathlib.Path(__file__).resolve().parent / "programs/counters.c").read_text()
        names = re.search(r"kNames\[kEvents\] = \{(.*?)\};", source, re.S).group(1).replace('"', "").replace(",", " ").split()
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/reference/simulated-host.md").read_text()
        rows = re.findall(r"^\| `hpmcounter(\d+)` \| `(\w+)` \|", page, re.M)
        self.assertEqual(rows, [(str(3 + i), name) for i, name in enumerate(names)])

    def test_the_machine_and_its_statistics_are_shown(self):
        shown = call(DUET, "machines", "show", "xeon-e3-1245")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"rob_entries += 168")
        (WORK / "shown.toml").write_text(shown.stdout)
        self.assertEqual(call(DUET, "machines", "show", WORK / "shown.toml").returncode, 0)
        listed = call(DUET, "statistics", "--machine", "xeon-e3-1245")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        _, found = run("listed", compiled("ends.c"), "exit", "0")
        names = {line.split()[0] for line in listed.stdout.splitlines()}
        self.assertLessEqual(set(found["counters"]), names)
        for name in ("core.l3_hits", "directory.invalidations", "l3.read_hits", "host_memory.read_bytes"):
            self.assertIn(name, names)


if __name__ == "__main__":
    main()
