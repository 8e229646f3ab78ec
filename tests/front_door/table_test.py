#!/usr/bin/env python3
"""The table at the end of a run and the account in stats.json: parts add up to the run, overlap and critical path are what they are.

Usage: table_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments].
"""
import re

from fixture import DUET, WORK, Fixture, call, main, stats, union


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def spans(records):
    return [(r["start_ps"], r["end_ps"]) for r in records]


def sections(table):
    """Rows of a table with shares, by its title: label to (time, share)."""
    result, title = {}, None
    for line in table.splitlines():
        if heading := re.match(r"  (\S.*?) +time +of run$", line):
            title = heading[1]
            result[title] = {}
        elif row := re.match(r"    (\S.*?) +([\d.]+ [um]?s) +([\d.]+) %", line):
            result[title][row[1]] = (row[2], float(row[3]))
    return result


class Table(Fixture):
    def run_table(self, *arguments, program="tests/front_door/overlap.cu", options=(), status=0):
        command = [self.compiled(program)] if program.endswith(".cu") else []
        out = WORK / ("table-" + "-".join(str(a).replace("/", "_") for a in (program, *options, *arguments)))
        result = call(DUET, "run", "--out", out, *options, *command, *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        found = stats(out)
        self.adds_up(found, result.stderr)
        return found, result.stderr

    def adds_up(self, found, table):
        account = found["account"]
        self.assertEqual(account["time_ps"], round(found["simulated_seconds"] * 1e12))
        self.assertGreater(account["time_ps"], 0)
        for parts in ("moments_ps", "critical_path_ps"):
            self.assertEqual(sum(account[parts].values()), account["time_ps"], parts)
        for part in account["busy_ps"].values():
            self.assertLessEqual(part, account["time_ps"])
        shown = sections(table)
        self.assertEqual(set(shown), {"each moment of the run once", "critical path"})
        for rows in shown.values():
            self.assertAlmostEqual(sum(share for _, share in rows.values()), 100, places=6)

    def agrees_with_the_records(self, found):
        """The account, kept as the run goes on, against the intervals of the records, which are written afterwards."""
        kernels, copies = spans(found["kernels"]), spans(found["copies"])
        moments, busy = found["account"]["moments_ps"], found["account"]["busy_ps"]
        self.assertEqual(busy["kernels"], length(kernels))
        self.assertEqual(busy["copies"], length(copies))
        both = length(kernels) + length(copies) - length(kernels + copies)
        self.assertEqual(moments["kernels_and_copies"], both)
        self.assertEqual(moments["kernels"] + moments["copies"] + both, length(kernels + copies))
        preparing = [(r["driver_start_ps"], r["start_ps"]) for r in found["kernels"] + found["copies"]]
        self.assertGreaterEqual(busy["driver"], length(preparing))
        self.assertGreaterEqual(moments["driver"], length(preparing + kernels + copies) - length(kernels + copies))

    def test_hidden_copies_are_overlap_and_not_on_the_critical_path(self):
        found, table = self.run_table("hidden")
        self.agrees_with_the_records(found)
        account = found["account"]
        kernel, copying = length(spans(found["kernels"])), length(spans(found["copies"]))
        self.assertGreater(kernel, copying)
        self.assertGreater(account["moments_ps"]["kernels_and_copies"], copying * 0.99)
        path = account["critical_path_ps"]
        self.assertEqual((path["kernels"], path["host_to_device"]), (kernel, 0))
        share = sections(table)["each moment of the run once"]["kernels and copies at once"][1]
        self.assertAlmostEqual(share, 100 * account["moments_ps"]["kernels_and_copies"] / account["time_ps"], delta=0.1)
        self.assertIn("100.0 % of the time with copies", table)

    def test_one_after_the_other_is_all_on_the_critical_path(self):
        found, _ = self.run_table("serial")
        self.agrees_with_the_records(found)
        path, moments = found["account"]["critical_path_ps"], found["account"]["moments_ps"]
        self.assertEqual(moments["kernels_and_copies"], 0)
        self.assertEqual(path["kernels"], length(spans(found["kernels"])))
        self.assertEqual(path["host_to_device"], length(spans(found["copies"])))
        self.assertEqual((path["driver"], path["calls"]), (moments["driver"], moments["calls"]))

    def test_commands_that_wait_on_the_gpu_are_behind_their_stream(self):
        """With driver.read_ahead a copy, or a kernel, may start before the host can know that the one before has ended."""
        found, _ = self.run_table("queued", options=("--machine", "h100"))
        path = found["account"]["critical_path_ps"]
        self.assertGreater(path["kernels"], 0.9 * length(spans(found["kernels"])))
        self.assertGreater(path["host_to_device"], 0.9 * length(spans(found["copies"])))
        self.assertLess(path["driver"], 0.2 * found["account"]["time_ps"])

    def test_parts_add_up_whatever_runs(self):
        two_streams = "tests/front_door/two_streams.cu"
        for options in ((), ("--functional",), ("--events",), ("--machine", "llano"), ("--set", "driver.read_ahead=true")):
            self.agrees_with_the_records(self.run_table(program=two_streams, options=options)[0])
        self.agrees_with_the_records(self.run_table("300", program=two_streams, options=("--functional",))[0])
        for variant in ("overlap-start", "overlap-finish", "full-overlap"):
            self.run_table("--variant", variant, "--size", "9999", program="workloads/lustig2013/vectorAdd.cu")
        self.run_table("threads")
        self.run_table(program="workloads/demo/smooth.cu", options=("--host-time", "real"))

    def test_the_same_in_any_order_of_ticks(self):
        accounts = [self.run_table("hidden", options=options)[0]["account"]
                    for options in ((), ("--shuffle", "7"), ("--shuffle", "12345"), ("--two-threads",), ("--events",))]
        for account in accounts[1:]:
            self.assertEqual(account, accounts[0])

    def test_host_work_is_between_calls(self):
        found, _ = self.run_table(program="tests/front_door/hazards.cu", options=("--host-time", "real"))
        self.assertGreater(found["account"]["critical_path_ps"]["between_calls"], 0)

    def test_calls_by_time(self):
        found, table = self.run_table("hidden")
        calls = table[table.index("API calls, waiting included"):]
        rows = re.findall(r"^    (cuda\w+) +(\d+) +([\d.]+) us$", calls, re.MULTILINE)
        times = [float(t) for _, _, t in rows]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertIn(("cudaMalloc", "2", "20.000"), rows)
        self.assertEqual(found["account"]["busy_ps"]["calls"], sum(a["total_ps"] for a in found["api"]))

    def test_names_are_cut_with_a_mark_and_differ(self):
        _, table = self.run_table("names")
        names = [row[1] for row in re.finditer(r"^      (\S.*?) +1 +[\d.]+ us$", table, re.MULTILINE)]
        self.assertEqual(len(names), 4, table)
        self.assertEqual(len(set(names)), 4, table)
        self.assertEqual(sum("..." in name for name in names), 2)
        for name in ("overloaded(int*)", "overloaded(int*, int)"):
            self.assertIn(name, names)

    def test_a_run_that_is_cut_off_adds_up(self):
        out = WORK / "table-cut"
        program = self.compiled("tests/front_door/endless.cu")
        result = call(DUET, "run", "--max-cycles", "20000", "--out", out, program, "spin")
        self.assertEqual(result.returncode, 124, result.stderr)
        found = stats(out)
        self.adds_up(found, result.stderr)
        self.assertGreater(found["account"]["critical_path_ps"]["kernels"], 0)


class Stalls(Fixture):
    def test_idle_slots_are_those_of_the_kernel_that_waits(self):
        """Two kernels on one SM: the older one reads no memory, and does not wait for it in its statistics either."""
        program = self.compiled("tests/front_door/two_kernels.cu")
        for scheduler in ("gto", "lrr"):
            out = WORK / ("stalls-" + scheduler)
            result = call(DUET, "run", "-q", "--out", out, "--set", "gpu.sm.count=1", "--set", f"gpu.sm.scheduler={scheduler}", program)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = stats(out)
            kernels = {("computes" if "computes" in k["name"] else "chases"): k for k in found["kernels"]}
            self.assertLess(max(k["start_ps"] for k in kernels.values()), min(k["end_ps"] for k in kernels.values()))  # at once
            self.assertEqual(kernels["computes"]["stalls"]["memory"], 0)
            self.assertGreater(kernels["chases"]["stalls"]["memory"], kernels["chases"]["cycles"] / 4)
            for reason in kernels["chases"]["stalls"]:  # none is lost
                self.assertEqual(sum(k["stalls"][reason] for k in kernels.values()), found["counters"]["sm.slots_" + reason], reason)


if __name__ == "__main__":
    main()
