#!/usr/bin/env python3
"""`duet run --lines`: sums over lines are the kernels' counters to the last unit, whoever shares an SM with whom; and the line that
costs the time is the one that is named, while without its flaw it is not.

Usage: hot_lines_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import csv
import io

from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats
from whole import WHOLE

PROGRAM = "tests/front_door/hot_lines.cu"
TEXT = (SOURCE / PROGRAM).read_text().splitlines()
# Statistics of the whole run, and what lines add up to.
TOTALS = {
    "sm.memory_transactions": "requests", "sm.requested_bytes": "requested_bytes", "sm.used_bytes": "used_bytes",
    "sm.shared_accesses": "shared_accesses", "sm.shared_conflict_cycles": "shared_conflict_cycles", "l1.read_hits": "l1_hits",
}
ACCESSES = ("global_loads", "global_stores", "local_loads", "local_stores", "atomics")


def marked(what):
    return next(number for number, line in enumerate(TEXT, 1) if f"// HOT {what}" in line)


class HotLines(Fixture):
    def lines(self, *words, out=None, options=(), program=PROGRAM, flags=()):
        out = WORK / (out or "out-lines-" + "-".join(words))
        result = call(DUET, "run", "--no-html", "--lines", *options, "--out", out, self.compiled(program, *flags), *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return stats(out), result.stderr

    def check_sums(self, found, totals=True):
        """Of each kernel, and of the run."""
        self.assertTrue(found["lines"])
        kernels = {}
        for kernel in found["kernels"]:
            kernels.setdefault(kernel["name"], []).append(kernel)
        self.assertEqual({kernel["kernel"] for kernel in found["lines"]}, set(kernels))
        for kernel in found["lines"]:
            launches = kernels[kernel["kernel"]]
            lines = kernel["lines"]
            self.assertEqual(kernel["launches"], sum(launch["complete"] for launch in launches))
            self.assertEqual(sum(line["instructions"] for line in lines), sum(launch["warp_instructions"] for launch in launches))
            self.assertEqual(sum(line["thread_instructions"] for line in lines), sum(launch["thread_instructions"] for launch in launches))
            slots = {cause: sum(launch["stalls"][cause] for launch in launches) for cause in launches[0]["stalls"]}
            told = {cause: sum(line["stalls"].get(cause, 0) for line in lines) for cause in slots}
            told["issued"] = sum(line["issued"] for line in lines)
            told["no_warp"] = kernel["no_line"]["no_warp"]
            self.assertEqual(told, slots)
            for line in lines:
                self.assertEqual(line["slots"], line["issued"] + sum(line["stalls"].values()))
            self.assertEqual([line["slots"] for line in lines], sorted((line["slots"] for line in lines), reverse=True))
        if not totals:
            return
        everything = [line for kernel in found["lines"] for line in kernel["lines"]]
        for counter, field in TOTALS.items():
            self.assertEqual(sum(line[field] for line in everything), found["counters"][counter], counter)
        self.assertEqual(sum(line["global_accesses"] for line in everything), sum(found["counters"][f"sm.{name}"] for name in ACCESSES))

    def line_of(self, found, number):
        return next((line for kernel in found["lines"] for line in kernel["lines"] if line["line"] == number), None)

    def without_place(self, found):
        return [{**kernel, "lines": [{**line, "ptx": ""} for line in kernel["lines"]]} for kernel in found["lines"]]

    def test_uncoalesced(self):
        found, text = self.lines("uncoalesced")
        self.check_sums(found)
        number = marked("uncoalesced")
        hottest = found["lines"][0]["lines"][0]
        self.assertEqual(hottest["line"], number)
        self.assertTrue(hottest["file"].endswith("hot_lines.cu"))
        self.assertEqual(hottest["text"], TEXT[number - 1].strip())
        self.assertEqual(hottest["requests"], 32 * hottest["global_accesses"])
        self.assertEqual(hottest["global_accesses"], 2 * 30 * 4 * 8)  # launches, blocks, warps, times
        self.assertIn(f"hot_lines.cu:{number} ", text)
        self.assertIn("most of it ", text)
        fixed, _ = self.lines("uncoalesced", "fixed")
        self.check_sums(fixed)
        line = self.line_of(fixed, number)
        self.assertEqual(line["requests"], line["global_accesses"])

    def test_conflicts(self):
        found, _ = self.lines("conflicts")
        self.check_sums(found)
        number = marked("conflicts")
        self.assertEqual(found["lines"][0]["lines"][0]["line"], number)
        self.assertEqual(self.line_of(found, number)["shared_conflict_cycles"], 31 * 30 * 4 * 64)
        fixed, _ = self.lines("conflicts", "fixed")
        self.check_sums(fixed)
        self.assertEqual(self.line_of(fixed, number)["shared_conflict_cycles"], 0)

    def test_divergence(self):
        """A branch of one of two paths parts lanes, and both ways have half of them."""
        found, _ = self.lines("divergent")
        self.check_sums(found)
        number = marked("divergent")
        self.assertEqual(self.line_of(found, number)["divergent_branches"], 30 * 4 * 16)
        for line in (number + 1, number + 3):
            self.assertEqual(2 * self.line_of(found, line)["thread_instructions"], 32 * self.line_of(found, line)["instructions"])
        fixed, _ = self.lines("divergent", "fixed")
        self.check_sums(fixed)
        self.assertEqual(sum(line["divergent_branches"] for line in fixed["lines"][0]["lines"]), 0)

    def test_a_line_that_waits_for_dram(self):
        found, text = self.lines("waits")
        self.check_sums(found)
        number = marked("waits")
        hottest = found["lines"][0]["lines"][0]
        self.assertEqual(hottest["line"], number)
        self.assertGreater(hottest["stalls"]["memory"], hottest["slots"] / 2)
        self.assertIn("most of it memory", text)
        fixed, _ = self.lines("waits", "fixed")
        self.check_sums(fixed)
        self.assertIsNone(self.line_of(fixed, number))

    def test_an_inlined_function(self):
        found, _ = self.lines("inlined")
        self.check_sums(found)
        line = self.line_of(found, marked("inlined"))
        self.assertEqual(line["global_accesses"], 30 * 4 * 8)

    def test_kernels_that_share_an_sm(self):
        """With clock loops skipped or not, on two threads, and in shuffled order the same."""
        found, _ = self.lines("streams")
        self.check_sums(found)
        spans = [(kernel["start_ps"], kernel["end_ps"]) for kernel in found["kernels"]]
        self.assertTrue(any(a[0] < b[0] < a[1] for a in spans for b in spans))
        for number, options in enumerate((["--clock-loops", "simulate"], ["--shuffle", "7"], ["--two-threads", "--shuffle", "3"])):
            other, _ = self.lines("streams", out=f"out-lines-streams-{number}", options=options)
            self.assertEqual(self.without_place(other), self.without_place(found))

    def test_sums_of_all_kinds_of_kernels(self):
        """Textures, calls, local memory, atomics, lanes that wait for others, kernels that fail; and an SM of another kind."""
        for number, name in enumerate(("textures", "surfaces", "device_calls", "recursion", "function_tables", "local_arrays", "atomics_global", "atomics_shared",
                     "errors_texture", "independent_threads")):
            source = f"tests/programs/{name}.cu"
            flags = ("-arch", "sm_70") if name == "independent_threads" else ()
            for machine in ("gtx580", "lustig2013") if WHOLE else ("gtx580" if number % 5 else "lustig2013",):
                with self.subTest(f"{name} on {machine}"):
                    out = WORK / f"out-lines-{name}-{machine}"
                    call(DUET, "run", "-q", "--no-html", "--lines", "--machine", machine, "--out", out, self.compiled(source, *flags))
                    self.check_sums(stats(out))

    def test_changes_no_result(self):
        out = WORK / "out-lines-without"
        self.assertEqual(call(DUET, "run", "-q", "--no-html", "--out", out, self.compiled(PROGRAM), "streams").returncode, 0)
        without = stats(out)
        found, _ = self.lines("streams", out="out-lines-with")
        self.assertNotIn("lines", without)
        self.assertEqual([without[field] for field in ("kernels", "counters", "components")], [found[field] for field in ("kernels", "counters", "components")])

    def test_without_source_lines(self):
        """Of PTX that names no source, its own lines."""
        self.lines("uncoalesced", out="out-lines-ptx")
        ptx = next((WORK / "out-lines-ptx/ptx").glob("*.ptx")).read_text()
        bare = WORK / "bare.ptx"
        bare.write_text("\n".join(line for line in ptx.splitlines() if not line.strip().startswith((".loc", ".file"))).split("\t.section")[0])
        out = WORK / "out-lines-bare"
        result = call(DUET, "run", "--lines", "--no-html", "--out", out, bare, "--kernel", "_Z11uncoalescedPKfPfi", "--grid", "30", "--block", "128",
                      "--arg", "buffer:4194304", "--arg", "buffer:4194304", "--arg", "i32:32")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = stats(out)
        self.check_sums(found)
        text = bare.read_text().splitlines()
        hottest = found["lines"][0]["lines"][0]
        self.assertTrue(hottest["file"].endswith("bare.ptx"))
        self.assertEqual(hottest["line"], hottest["ptx_line"])
        self.assertEqual(hottest["text"].split(), text[hottest["line"] - 1].split())

    def test_a_run_that_is_cut_off(self):
        """What a kernel has counted until then."""
        out = WORK / "out-lines-cut"
        result = call(DUET, "run", "-q", "--no-html", "--lines", "--max-cycles", "5000", "--out", out, self.compiled(PROGRAM), "waits")
        self.assertEqual(result.returncode, 124, result.stderr)
        found = stats(out)
        self.assertFalse(found["kernels"][0]["complete"])
        self.check_sums(found, totals=False)

    def test_csv(self):
        found, _ = self.lines("streams")
        result = call(DUET, "stats", "csv", WORK / "out-lines-streams", "lines")
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        lines = [(kernel["kernel"], line) for kernel in found["lines"] for line in kernel["lines"]]
        self.assertEqual([(row["symbol"], int(row["line"]), int(row["slots"])) for row in rows], [(kernel, line["line"], line["slots"]) for kernel, line in lines])
        self.assertIn("lines[].lines[].slots ", call(DUET, "stats", "describe", "lines").stdout)

    def test_needs_time(self):
        result = call(DUET, "run", "--lines", "--functional", self.compiled(PROGRAM), "waits")
        self.assertEqual((result.returncode, result.stderr), (125, "duet: --lines needs the timed GPU: leave out --functional\n"))


if __name__ == "__main__":
    main()
