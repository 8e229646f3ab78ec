#!/usr/bin/env python3
"""report.html in a browser: does it open without complaint and without asking anybody, do its numbers equal stats.json,
does the timeline zoom, however the run went?   page_test.py BUILD SOURCE [NAME]"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

import browser

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
DUET = BUILD / "bin/duet"

NO_KERNEL = """
#include <cuda_runtime.h>
int main() {
  int a[64] = {7}, b[64], *d;
  cudaMalloc(&d, sizeof a);
  cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(b, d, sizeof a, cudaMemcpyDeviceToHost);
  return b[0] != 7;
}
"""
ENDLESS = """
#include <cuda_runtime.h>
__global__ void quick(int* p) { p[threadIdx.x] = 1; }
__global__ void endless(volatile int* p) { while (p[0] != 3) p[1] += 1; }
int main() {
  int* d;
  cudaMalloc(&d, 4096);
  quick<<<4, 64>>>(d);
  cudaDeviceSynchronize();
  endless<<<1, 32>>>(d);
  cudaDeviceSynchronize();
}
"""
# Two streams, kernels that last long enough for copies beside them, an event and a mark.
OVERLAP = """
#include <cuda_runtime.h>
#include <duet.h>
__global__ void work(float* p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = p[i] * 2 + 1;
}
int main() {
  const int n = 1 << 16;
  float *h[2], *d[2];
  cudaStream_t s[2];
  for (int i = 0; i < 2; ++i) cudaMallocHost(&h[i], n * 4), cudaMalloc(&d[i], n * 4), cudaStreamCreate(&s[i]);
  duetMark("begin </script><!-- of it");
  cudaEvent_t event;
  cudaEventCreate(&event);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 2; ++i) cudaMemcpyAsync(d[i], h[i], n * 4, cudaMemcpyHostToDevice, s[i]);
    for (int i = 0; i < 2; ++i) work<<<4, 128, 0, s[i]>>>(d[i], n);
    for (int i = 0; i < 2; ++i) cudaMemcpyAsync(h[i], d[i], n * 4, cudaMemcpyDeviceToHost, s[i]);
    cudaEventRecord(event, s[0]);
  }
  cudaDeviceSynchronize();
}
"""
MANY = """
#include <cuda_runtime.h>
__global__ void k(int* p) { p[threadIdx.x + blockIdx.x * blockDim.x] += 1; }
int main() {
  int* d;
  cudaMalloc(&d, 1 << 14);
  cudaStream_t s[2];
  for (auto& one : s) cudaStreamCreate(&one);
  for (int i = 0; i < 25000; ++i) k<<<1 + i % 3, 64, 0, s[i % 2]>>>(d);
  cudaDeviceSynchronize();
}
"""


def value_at(tree, path):
    for key in path.split("."):
        tree = tree[key]
    return tree


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def program(self, name, text):
        binary = self.folder / f"{name}.bin"
        if not binary.exists():
            source = self.folder / f"{name}.cu"
            source.write_text(text)
            subprocess.run([DUET, "cc", source, "-o", binary], check=True)
        return f"./{binary.name}"

    def run_duet(self, out, *arguments, status=0):
        done = subprocess.run([DUET, "run", "--quiet", "--out", out, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def opened(self, out, dark=False):
        """The page and the stats.json beside it, after what holds for every page."""
        page = self.browser.open(self.folder / out / "report.html", dark)
        self.assertEqual(page.problems, [])
        self.assertEqual([request for request in page.requests if request != page.address and not request.startswith("data:")], [])
        # Each of the details is built when it is opened.
        page.evaluate("new Promise((done) => { for (const d of document.querySelectorAll('details')) d.open = true;"
                      " setTimeout(() => done(1), 100); })")
        # Charts are drawn when they come near the window, and all for a printer.
        for event in ("beforeprint", "afterprint"):
            page.evaluate(f"window.dispatchEvent(new Event('{event}'))")
        self.assertEqual(page.problems, [])
        return page, json.loads((self.folder / out / "stats.json").read_text())

    def check_account(self, page, stats):
        """What the first picture says is the account, all of it."""
        fields = page.evaluate("[...document.querySelectorAll('#overview [data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])")
        account = stats["account"]
        for field, value in fields:
            self.assertEqual(value, value_at(stats, field), field)
        for name in ("moments_ps", "critical_path_ps"):
            shown = {field for field, _ in fields if field.startswith(f"account.{name}.")}
            self.assertEqual(shown, {f"account.{name}.{part}" for part in account[name]})
            self.assertEqual(sum(account[name].values()), account["time_ps"])

    def held(self, page, name):
        return page.evaluate(f"JSON.parse(document.getElementById('duet-{name}').textContent)")

    def check_drawn(self, page, stats, exact=False):
        """What is drawn over time adds up to the account, and lies one after the other."""
        timeline = self.held(page, "timeline")
        account = stats["account"]
        names = {}
        reached = 0
        for moment, start, end, of in timeline["moments"]:
            if exact:  # one after the other, each one moment
                self.assertEqual((start, of), (reached, end - start))
                reached = end
            self.assertLessEqual(of, end - start)
            name = ("kernels_and_copies" if moment & 2 else "kernels") if moment & 1 else \
                "copies" if moment & 2 else "driver" if moment & 4 else "calls" if moment & 8 else "between_calls"
            names[name] = names.get(name, 0) + of
        self.assertEqual({name: ps for name, ps in account["moments_ps"].items() if ps}, names)
        reached = 0
        parts = {}
        for part, start, end in timeline["path"]:
            self.assertEqual(start, reached)
            reached = end
            parts[timeline["parts"][part]] = parts.get(timeline["parts"][part], 0) + end - start
        self.assertEqual({name: ps for name, ps in account["critical_path_ps"].items() if ps}, parts)
        self.assertEqual(reached, account["time_ps"])
        return timeline

    def test_overlap(self):
        self.run_duet("overlap", self.program("overlap", OVERLAP))
        page, stats = self.opened("overlap")
        self.check_account(page, stats)
        timeline = self.check_drawn(page, stats, exact=True)
        self.assertEqual(self.held(page, "stats"), stats)
        spans = [span for track in timeline["tracks"] for span in track["spans"]]
        kind = timeline["kinds"].index
        calls = [span for span in spans if span[1] == kind("call")]
        self.assertEqual(len(calls), sum(api["calls"] for api in stats["api"]))
        self.assertEqual(sum(span[3] - span[2] for span in calls), sum(api["total_ps"] for api in stats["api"]))
        of_streams = [span for track in timeline["tracks"] if track["group"] == "stream" for span in track["spans"]]
        self.assertEqual(sorted((s[2], s[3]) for s in of_streams), sorted((w["start_ps"], w["end_ps"]) for w in stats["kernels"] + stats["copies"]))
        launches = [span for span in spans if span[1] == kind("launch")]
        self.assertEqual(sorted((s[2], s[3]) for s in launches), sorted((k["prepared_ps"], k["start_ps"]) for k in stats["kernels"]))
        self.assertGreater(stats["account"]["moments_ps"]["kernels_and_copies"], 0)
        kernels = page.evaluate("document.querySelector('#kernels').textContent")
        self.assertIn(stats["kernels"][0]["occupancy_limit"], kernels)
        self.assertIn("begin </script><!-- of it", page.evaluate("document.querySelector('#numbers').textContent"))
        self.assertGreater(page.evaluate("document.querySelectorAll('#components svg').length"), 3)

    def machine(self, out):
        return tomllib.loads((self.folder / out / "machine.toml").read_text())

    def section(self, page, name):
        return page.evaluate(f"document.getElementById('{name}') !== null")

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
        self.run_duet("roof", self.program("overlap", OVERLAP))
        page, stats = self.opened("roof", dark=True)
        wanted = self.roofline(stats, self.machine("roof"))
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
        """Each interval's numbers are those of stats.json; the axis zooms; without intervals one line says how to get them."""
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
        self.run_duet("no-intervals", program)
        page, _ = self.opened("no-intervals")
        self.assertIn("duet run --interval 1us", page.evaluate("document.querySelector('#over-time').textContent"))
        self.assertEqual(page.evaluate("document.querySelectorAll('#over-time .chart, #over-time details').length"), 0)

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
        self.run_duet("call", program)
        page, _ = self.opened("call")
        self.assertFalse(any(track["group"] == "engine" for track in self.held(page, "timeline")["tracks"]))
        self.assertNotIn("blocks", self.held(page, "timeline"))
        self.assertIn("--trace-detail command", page.evaluate("document.querySelector('#timeline').textContent"))

    def test_timeline_zooms(self):
        self.run_duet("zoom", self.program("overlap", OVERLAP))
        page, stats = self.opened("zoom", dark=True)
        def seen():
            page.evaluate("new Promise((done) => setTimeout(() => done(1), 250))")
            return page.evaluate("(({from, to}) => [Number(from), Number(to)])(document.getElementById('timeline-range').dataset)")
        def click(button):
            page.evaluate(f"document.getElementById('{button}').click()")
        whole = [0, stats["account"]["time_ps"]]
        self.assertEqual(seen(), whole)
        click("zoom-in")
        half = seen()
        self.assertAlmostEqual(half[1] - half[0], whole[1] / 2, delta=2)
        click("zoom-in")
        quarter = seen()
        self.assertAlmostEqual(quarter[1] - quarter[0], whole[1] / 4, delta=2)
        click("zoom-out")
        self.assertAlmostEqual(seen()[1] - seen()[0], whole[1] / 2, delta=4)
        click("zoom-all")
        self.assertEqual(seen(), whole)
        page.wheel("#timeline-chart", -240)
        turned = seen()
        self.assertLess(turned[1] - turned[0], whole[1])
        self.assertEqual(page.problems, [])

    def test_hot_lines(self):
        """Each line of a kernel with its slots, instructions and bytes, in causes that add up; nothing where nobody asked."""
        program = self.program("hot", (SOURCE / "tests/front_door/hot_lines.cu").read_text())
        self.run_duet("hot", "--lines", program, "streams")
        page, stats = self.opened("hot")
        self.assertEqual(self.held(page, "stats"), stats)
        fields = page.evaluate("[...document.querySelectorAll('table.lines [data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])")
        shown = {}
        for field, value in fields:
            _, kernel, _, line, name = field.split(".")
            self.assertEqual(value, stats["lines"][int(kernel)]["lines"][int(line)][name], field)
            shown.setdefault(name, set()).add((int(kernel), int(line)))
        every = {(k, l) for k, kernel in enumerate(stats["lines"]) for l in range(len(kernel["lines"]))}
        self.assertEqual((shown["slots"], shown["instructions"]), (every, every))
        self.assertGreater(len(every), 10)
        # As long as their line's part of the hottest one's slots.
        bars = page.evaluate("[...document.querySelector('table.lines').querySelectorAll('.cause-bar')].map((bar) => [...bar.children]"
                             ".reduce((sum, part) => sum + part.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width)")
        lines = stats["lines"][0]["lines"]
        for bar, line in zip(bars, lines):
            self.assertAlmostEqual(bar, line["slots"] / lines[0]["slots"], delta=0.02)
        self.assertIn(lines[0]["text"], page.evaluate("document.querySelector('#kernels').textContent"))
        self.run_duet("cold", "--no-lines", program, "waits")
        page, _ = self.opened("cold")
        self.assertEqual(page.evaluate("document.querySelectorAll('table.lines, #lines').length"), 0)

    def test_advice(self):
        """What stats.json advises, and what was measured of it, with their numbers."""
        program = self.program("rules", (SOURCE / "tests/advise/rules.cu").read_text())
        self.run_duet("advice", program, "bank_conflicts", "trigger")
        shown = ("[...document.querySelectorAll('#advice li')].map((e) => [e.dataset.rule,"
                 " e.querySelector('[data-field]').dataset.field, Number(e.querySelector('[data-field]').dataset.value)])")
        page, stats = self.opened("advice")
        self.assertEqual(page.evaluate(shown), [[one["rule"], "saves_ps", one["saves_ps"]] for one in stats["advice"]])
        subprocess.run([DUET, "advise", "advice"], cwd=self.folder, check=True, capture_output=True)
        page, _ = self.opened("advice")
        measured = json.loads((self.folder / "advice/advice.json").read_text())["advice"]
        self.assertEqual(measured[0]["rule"], "bank_conflicts")
        fields = [("measured_ps" if "measured_ps" in one else "saves_ps") for one in measured]
        self.assertEqual(page.evaluate(shown), [[one["rule"], field, one[field]] for one, field in zip(measured, fields)])

    def test_no_kernel(self):
        self.run_duet("none", self.program("none", NO_KERNEL))
        page, stats = self.opened("none")
        self.check_account(page, stats)
        self.check_drawn(page, stats, exact=True)
        self.assertIn("no kernel", page.evaluate("document.querySelector('#kernels').textContent"))
        self.assertFalse(self.section(page, "roofline"))

    def test_cut_off(self):
        self.run_duet("cut", "--max-cycles", "20000", self.program("endless", ENDLESS), status=124)
        page, stats = self.opened("cut")
        self.check_account(page, stats)
        self.check_drawn(page, stats)
        self.assertFalse(stats["complete"])
        self.assertIn("cut off", page.evaluate("[...document.querySelectorAll('.warn')].map((e) => e.textContent).join()"))
        self.assertIn("endless (cut off)", page.evaluate("document.querySelector('#kernels').textContent"))

    def test_duet_killed(self):
        program = self.program("endless", ENDLESS)
        duet = subprocess.Popen([DUET, "run", "--out", "killed", program], cwd=self.folder, stderr=subprocess.DEVNULL)
        time.sleep(3)
        duet.send_signal(signal.SIGKILL)
        duet.wait()
        for _ in range(50):
            done = subprocess.run([DUET, "report", "killed"], cwd=self.folder, capture_output=True, text=True)
            if done.returncode == 0:
                break
            time.sleep(0.1)
        self.assertEqual(done.returncode, 0, done.stderr)
        page, stats = self.opened("killed")
        self.check_account(page, stats)
        self.assertFalse(stats["complete"])

    def test_many_launches(self):
        self.run_duet("many", "--functional", self.program("many", MANY))
        page, stats = self.opened("many")
        self.check_account(page, stats)
        self.assertEqual(sum(1 for _ in stats["kernels"]), 10000)
        held = self.held(page, "stats")
        self.assertEqual(len(held["kernels"]) + sum(group["launches"] for group in held["kernel_groups"]), 25000)
        timeline = self.held(page, "timeline")
        spans = [span for track in timeline["tracks"] for span in track["spans"]]
        self.assertLessEqual(len(spans), 20000)
        self.assertGreater(timeline["grain_ps"], 0)
        kernel = timeline["kinds"].index("kernel")
        streams = [span for track in timeline["tracks"] if track["group"] == "stream" for span in track["spans"]]
        self.assertEqual(sum(span[8] for span in streams if span[1] == kernel), 25000)
        self.assertEqual(timeline["calls"]["kept"], 20000)
        self.assertIn("more than 20,000 spans", page.evaluate("document.querySelector('#timeline').textContent"))
        for name in ("kernels", "copies", "driver"):  # taken together or not, no time is lost
            bit = {"kernels": 1, "copies": 2, "driver": 4}[name]
            self.assertEqual(sum(of for moment, _, _, of in timeline["moments"] if moment & bit), stats["account"]["busy_ps"][name])
        self.assertFalse(self.section(page, "roofline"))  # nothing counts bytes there
        self.assertLess((self.folder / "many/report.html").stat().st_size, 6 << 20)

    def test_simulated_host_without_gpu(self):
        source = self.folder / "host.c"
        source.write_text("int main(void) { volatile int n = 0; for (int i = 0; i < 20000; ++i) n += i; return 0; }\n")
        subprocess.run(["riscv64-linux-gnu-gcc", "-O1", "-static", source, "-o", self.folder / "host.rv"], check=True)
        self.run_duet("host", "--host", "simulated", "--machine", "xeon-e3-1245", "./host.rv")
        page, stats = self.opened("host")
        self.assertEqual(stats["schema"], "duet.host_stats/1")
        self.assertEqual(self.held(page, "stats"), stats)
        self.assertIn("no GPU in this run", page.evaluate("document.body.textContent"))
        self.assertGreater(page.evaluate("document.querySelectorAll('#processor svg').length"), 0)

    def test_without_html(self):
        program = self.program("none", NO_KERNEL)
        self.run_duet("plain", program)
        self.assertTrue((self.folder / "plain/report.html").exists())
        self.run_duet("plain", "--no-html", program)
        self.assertFalse((self.folder / "plain/report.html").exists())
        self.assertTrue((self.folder / "plain/stats.json").exists())

    def test_missing_template(self):
        program = self.program("none", NO_KERNEL)
        install = self.folder / "install"
        for part in ("bin", "share"):
            (install / part).mkdir(parents=True)
        os.link(DUET, install / "bin/duet") if os.stat(DUET).st_dev == os.stat(install).st_dev else subprocess.run(["cp", DUET, install / "bin"], check=True)
        (install / "lib").symlink_to(BUILD / "lib")
        (install / "share/duet").mkdir()
        for entry in (BUILD / "share/duet").iterdir():
            if entry.name != "report":
                (install / "share/duet" / entry.name).symlink_to(entry)
        done = subprocess.run([install / "bin/duet", "run", "-q", "--out", "bare", program], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("no report.html", done.stderr)
        self.assertTrue((self.folder / "bare/stats.json").exists())
        self.assertFalse((self.folder / "bare/report.html").exists())


if __name__ == "__main__":
    if not browser.find():
        sys.exit("page_test.py: no chromium: run tools/install_dependencies.sh test")
    unittest.main(argv=[sys.argv[0], *(f"PageTest.{name}" for name in sys.argv[3:])], verbosity=2)
