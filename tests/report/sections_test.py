#!/usr/bin/env python3
"""report.html in a browser: sections that only some runs have (roofline, intervals, engines and SMs, what cores did). Are their
numbers those of stats.json, and are they absent where their data are?   sections_test.py BUILD SOURCE [NAME]"""
import json
import pathlib
import sys

import page_case
from page_case import DUET, OVERLAP, SOURCE, PageCase

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402


class SectionsTest(PageCase):
    def roofline(self, stats, machine):
        """What it is to say of each kernel, from stats.json and the machine."""
        gpu = machine["gpu"]
        dram, wires = gpu["dram"], gpu["interconnect"]
        peaks = {"issue": gpu["sm"]["count"] * gpu["sm"]["schedulers"] * gpu["core_clock_khz"] * 1000,
                 "dram": dram["channels"] * dram["burst_bytes"] * dram["command_clock_khz"] * 1000 / dram["burst_cycles"],
                 "l2": min(gpu["l2_slices"], gpu["sm"]["count"]) * wires["flit_bytes"] * wires["clock_khz"] * 1000}
        wanted = {}
        for name in {kernel["name"] for kernel in stats["kernels"]}:
            of = [kernel for kernel in stats["kernels"] if kernel["name"] == name]
            counted = lambda counter: sum(kernel["counters"].get(counter, 0) for kernel in of)
            ps = sum(kernel["end_ps"] - kernel["start_ps"] for kernel in of)
            warp = sum(kernel["warp_instructions"] for kernel in of)
            moved = {"dram": counted("dram.data_bus_busy_cycles") / dram["burst_cycles"] * dram["burst_bytes"],
                     "l2": max(counted("interconnect.request_flits"), counted("interconnect.response_flits")) * wires["flit_bytes"]}
            wanted[name] = {"launches": len(of), "time_ps": ps, "warp_instructions": warp, "per_second": warp / (ps * 1e-12),
                            "of_issue": warp / (ps * 1e-12) / peaks["issue"],
                            "threads_per_second": sum(kernel["thread_instructions"] for kernel in of) / (ps * 1e-12)}
            for level, size in moved.items():
                if size:
                    wanted[name].update({f"{level}_bytes": size, f"{level}_intensity": warp / size, f"of_{level}": size / (ps * 1e-12) / peaks[level]})
        return wanted

    def test_roofline(self):
        out = self.run_once(self.program("overlap", OVERLAP))
        page, stats = self.opened(out, dark=True)
        wanted = self.roofline(stats, self.machine(out))
        shown = {}
        for field, value in page.evaluate("[...document.querySelectorAll('#roofline [data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"):
            name, what = field.split("|")
            shown.setdefault(name, {})[what] = value
        self.assertEqual({name: set(fields) for name, fields in shown.items()}, {name: set(fields) for name, fields in wanted.items()})
        self.assertIn("of_l2", next(iter(shown.values())))
        for name, fields in wanted.items():
            for what, value in fields.items():
                self.assertAlmostEqual(shown[name][what] / value, 1, 12, f"{name} {what}")
        # Both roofs, and a disc and a ring of the kernel below them.
        texts = page.evaluate("[...document.querySelectorAll('#roofline svg text')].map((e) => e.textContent).join(' ')")
        for text in ("DRAM 192.4 GB/s", "L2 370.6 GB/s", "issue: 24.7 G/s"):
            self.assertIn(text, texts)
        # Far from all roofs: what its slots were lost to.
        stalls = {}
        for kernel in stats["kernels"]:
            for cause, slots in kernel["stalls"].items():
                stalls[cause] = stalls.get(cause, 0) + slots
        issued = stalls.pop("issued")
        self.assertEqual(max(stalls, key=stalls.get), "memory")
        self.assertLess(issued, 0.6 * (issued + sum(stalls.values())))
        self.assertIn(f"latency: waits for memory, {100 * stalls['memory'] / (issued + sum(stalls.values())):.1f} % of the slots",
                      page.evaluate("document.querySelector('#roofline table').textContent"))

    def over_time(self, stats, machine):
        """By interval and picture, from stats.json and the machine."""
        gpu = machine["gpu"]
        dram, sm = gpu["dram"], gpu["sm"]
        wanted = {}
        for i, one in enumerate(stats["intervals"]):
            seconds = (one["end_ps"] - one["start_ps"]) * 1e-12
            counted = lambda name: one["counters"].get(name, 0)
            cycles = seconds * gpu["core_clock_khz"] * 1000
            values = {"dram": counted("dram.data_bus_busy_cycles") / dram["burst_cycles"] * dram["burst_bytes"] / seconds,
                      "issue": counted("sm.warp_instructions") / cycles, "to_gpu": counted("link.to_gpu_payload_bytes") / seconds,
                      "to_host": counted("link.to_host_payload_bytes") / seconds}
            for kind in ("l1", "l2"):
                reads = [counted(f"{kind}.read_{what}") for what in ("hits", "merges", "misses")]
                if sum(reads):
                    values[f"{kind}_hits"] = reads[0] / sum(reads)
            if one["state"] is not None:
                values.update({"warps": one["state"].get("sm.resident_warps", 0), "dram_queued": one["state"].get("dram.queued", 0),
                               "tasks_queued": one["state"].get("front_end.queued_tasks", 0)})
            for component in stats["components"]:
                of = one["components"].get(component["name"], {})
                name = component["name"]
                if component["kind"] == "sm":
                    values[f"sm_issue.{name}"] = of.get("sm.slots_issued", 0) / (cycles * sm["schedulers"])
                    if one["state"] is not None:
                        values[f"sm_warps.{name}"] = of.get("sm.resident_warps", 0)
                elif component["kind"] == "dram":
                    values[f"dram_busy.{name}"] = of.get("dram.data_bus_busy_cycles", 0) / (seconds * dram["command_clock_khz"] * 1000)
                elif component["kind"] == "copy_engine":
                    values[f"engine_bytes.{name}"] = of.get("copy_engine.bytes", 0) / seconds
            wanted.update({f"{i}.{what}": value for what, value in values.items()})
        return wanted

    def test_over_time(self):
        """Each interval's numbers are those of stats.json; the axis zooms."""
        program = self.program("overlap", OVERLAP)
        self.run_duet("intervals", "--interval", "5us", program)
        page, stats = self.opened("intervals")
        self.assertLess(len(stats["intervals"]), 400)  # none are taken together in the page
        wanted = self.over_time(stats, self.machine("intervals"))
        shown = dict(page.evaluate("[...document.querySelectorAll('#over-time [data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"))
        absent = {what.split(".", 1)[1] for what in wanted} - {what.split(".", 1)[1] for what in shown}
        for what in absent:  # a picture of nothing
            self.assertFalse(any(value for name, value in wanted.items() if name.split(".", 1)[1] == what), what)
        self.assertEqual(set(shown), {what for what in wanted if what.split(".", 1)[1] not in absent})
        for what, value in shown.items():
            self.assertAlmostEqual(value, wanted[what], delta=1e-9 * max(1, wanted[what]), msg=what)
        self.assertGreater(max(value for what, value in shown.items() if "sm_warps" in what), 0)
        seen = lambda: page.evaluate("new Promise((done) => setTimeout(() => done((({from, to}) => [Number(from), Number(to)])"
                                     "(document.getElementById('over-time-range').dataset)), 250))")
        whole = seen()
        self.assertEqual(whole, [0, stats["intervals"][-1]["end_ps"]])
        page.wheel("#over-time-chart", -240, down=50)  # in the first picture
        self.assertLess(seen()[1] - seen()[0], whole[1])
        page.evaluate("document.getElementById('over-time-all').click()")
        self.assertEqual(seen(), whole)
        self.assertEqual(page.problems, [])

    def test_engines_and_sms(self):
        """Where the journal has moves and blocks, each engine is a row and each SM's blocks over time are those of events.json."""
        program = self.program("overlap", OVERLAP)
        self.run_duet("block", "--trace-detail", "block", "--events", program)
        page, stats = self.opened("block")
        events = json.loads((self.folder / "block/events.json").read_text())
        events = events if isinstance(events, list) else events["traceEvents"]
        groups = {event["args"]["name"]: event["pid"] for event in events if event["name"] == "process_name"}
        ps = lambda us: round(us * 1e6)
        of = lambda group: [event for event in events if event["ph"] == "X" and event["pid"] == groups[group]]
        timeline = self.held(page, "timeline")
        engines = {track["number"]: track for track in timeline["tracks"] if track["group"] == "engine"}
        self.assertEqual([engines[number]["name"] for number in sorted(engines)], [f"data transfer engine {number}" for number in sorted(engines)])
        shown = sorted((number, span[2], span[3], span[5], span[7]) for number, track in engines.items() for span in track["spans"])
        moves = [(event["tid"], ps(event["ts"]), ps(event["ts"] + event["dur"]), event["args"]["command"], event["args"]["bytes"])
                 for event in of("data transfer engines")]
        self.assertEqual(shown, sorted(moves))
        self.assertEqual(len({move[0] for move in moves}), 2)
        rows = page.evaluate("[...document.querySelectorAll('#timeline td.left:first-child')].map((e) => e.textContent)")
        self.assertEqual({row for row in rows if row.startswith("engine")}, {f"engine {number}" for number in engines})
        blocks = {}
        for event in of("SMs"):
            blocks.setdefault(event["args"]["sm"], []).append((ps(event["ts"]), ps(event["ts"] + event["dur"])))
        self.assertEqual({f"SM {sm}" for sm in blocks}, {sm["name"] for sm in timeline["blocks"]["sms"]})
        column = timeline["blocks"]["column_ps"]
        for sm in timeline["blocks"]["sms"]:
            for i, value in enumerate(sm["of"]):
                inside = sum(max(0, min(end, (i + 1) * column) - max(start, i * column)) for start, end in blocks[int(sm["name"].split()[1])])
                self.assertAlmostEqual(value, inside, delta=2)  # events.json rounds
        means = page.evaluate("[...document.querySelectorAll('#over-time [data-field*=sm_blocks]')].map((e) => Number(e.dataset.value))")
        self.assertEqual(len(means), len(blocks) * 400)
        self.assertAlmostEqual(sum(means) * column, sum(end - start for of_sm in blocks.values() for start, end in of_sm), delta=1000 * len(means))

    def test_what_a_plain_run_has_not(self):
        """A line each says how to get it."""
        page, _ = self.opened(self.run_once(self.program("overlap", OVERLAP)))
        self.assertIn("duet run --interval 1us", page.evaluate("document.querySelector('#over-time').textContent"))
        self.assertEqual(page.evaluate("document.querySelectorAll('#over-time .chart, #over-time details').length"), 0)
        self.assertFalse(any(track["group"] == "engine" for track in self.held(page, "timeline")["tracks"]))
        self.assertNotIn("blocks", self.held(page, "timeline"))
        self.assertIn("--trace-detail command", page.evaluate("document.querySelector('#timeline').textContent"))

    def vec_add(self, out, *options):
        binary = self.folder / "vecadd.bin"
        if not binary.exists():
            folder = SOURCE / "workloads/yang2012"
            compile_well(DUET, [f"-I{folder}", folder / "VecAdd.cu"], binary)
        self.run_duet(out, "--machine", "fused", *options, "./vecadd.bin", "--size", "16384")
        return self.opened(out)

    def test_preexecution(self):
        """What programs on cores did is what stats.json has of it, added up by kernel."""
        page, stats = self.vec_add("ahead", "--preexec", "adaptive")
        shown = self.fields(page, "cores")
        totals = stats["preexecution"]
        self.assertEqual(shown.pop("preexecution"), {name: totals[name] for name in ("programs_started", "instructions", "loads", "suppressed_loads")})
        wanted = {}
        for kernel in stats["kernels"]:
            of = wanted.setdefault(kernel["name"], {})
            did = kernel["preexecution"]
            values = {name: did[name] for name in ("on_core_ps", "polls", "instructions", "loads", "suppressed_loads", "private_hits", "stale_hits",
                                                   "wrong_hits", "requests", "l3_hits", "lines_from_memory")}
            values.update({name: kernel["counters"].get(f"l3.{name}", 0) for name in
                           ("processor_fills", "processor_fills_used", "processor_fills_unused", "gpu_read_hits", "gpu_read_merges", "gpu_read_misses")})
            values["started"] = did["started_ps"] is not None
            for name, value in values.items():
                of[name] = of.get(name, 0) + value
        self.assertEqual(shown, wanted)
        self.assertGreater(wanted["vec_add"]["processor_fills_used"], 0)
        steps = page.evaluate("[...document.querySelectorAll('#cores details')].find((e) => e.textContent.startsWith('skip_factor')).querySelectorAll('tbody tr').length")
        self.assertEqual(steps, sum(len(kernel["preexecution"]["skip_factor"]) for kernel in stats["kernels"]))
        self.assertNotIn("Thread blocks on cores", page.evaluate("document.querySelector('#cores').textContent"))

    def test_blocks_on_cores(self):
        page, stats = self.vec_add("both", "--cpu-blocks")
        shown = self.fields(page, "cores")
        self.assertEqual(shown.pop("cpu_blocks"), stats["cpu_blocks"])
        self.assertGreater(stats["cpu_blocks"]["blocks"], 0)
        wanted = {}
        for kernel in stats["kernels"]:
            of = wanted.setdefault(kernel["name"], {})
            values = {name: kernel["cpu_blocks"][name] for name in ("blocks", "claims", "instructions", "lines_written")}
            for name, value in (values | {"grid": kernel["grid"][0] * kernel["grid"][1] * kernel["grid"][2]}).items():
                of[name] = of.get(name, 0) + value
        self.assertEqual(shown, wanted)
        self.assertNotIn("Pre-execution", page.evaluate("document.querySelector('#cores').textContent"))


if __name__ == "__main__":
    page_case.main(SectionsTest)
