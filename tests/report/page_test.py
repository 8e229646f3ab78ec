#!/usr/bin/env python3
"""report.html in a browser: does it open without complaint and without asking anybody, do its numbers equal stats.json,
does the timeline zoom, however the run went?   page_test.py BUILD SOURCE [NAME]
By day without some kinds of runs; at night (tests/whole.py) with all."""
import json
import os
import signal
import subprocess
import time
import unittest

import page_case
from page_case import BUILD, DUET, OVERLAP, SOURCE, WHOLE, PageCase, some

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
# Bound by what its argument says: b branches that nobody can predict, m loads all over 16 MiB, s system calls, d a chain of divisions.
BOUND = """
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  unsigned x = 1;
  volatile long n = 0;
  enum { kWords = 1 << 22 };
  static unsigned words[kWords];
  double d = 1;
  words[argc] = argc;
  switch (argv[1][0]) {
    case 'b': for (int i = 0; i < 100000; ++i) { x = x * 1664525u + 1013904223u; if (x >> 31) n += i; } break;
    case 'm': for (int i = 0; i < 20000; ++i) { x = x * 1664525u + 1013904223u + words[(x >> 8) % kWords]; } break;
    case 's': for (int i = 0; i < 2000; ++i) n += write(1, "", 0); break;
    case 'd': for (int i = 0; i < 60000; ++i) d = d / 1.0000001; break;
  }
  return n + x + d == 12345;
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


class PageTest(PageCase):
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
        page, stats = self.opened(self.run_once(self.program("overlap", OVERLAP)))
        self.check_account(page, stats)
        self.assertFalse(self.section(page, "cores"))  # they did nothing for the GPU
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

    def test_printing(self):
        """A dark page is printed in the colours of paper, and is dark behind it; what has its colours is not drawn again."""
        page, _ = self.opened(self.run_once(self.program("overlap", OVERLAP)), dark=True)
        def inks(event):
            page.evaluate(f"window.dispatchEvent(new Event('{event}'))")
            return set(page.evaluate("[...document.querySelectorAll('#components svg text')].map((e) => e.getAttribute('fill'))"))
        self.assertEqual(inks("beforeprint") & {"#1c2330", "#e4e7ec"}, {"#1c2330"})
        self.assertEqual(inks("afterprint") & {"#1c2330", "#e4e7ec"}, {"#e4e7ec"})
        page.evaluate("window.again = 0; new MutationObserver((all) => { window.again += all.length; })"
                      ".observe(document.body, {childList: true, attributes: true, subtree: true})")
        inks("afterprint")
        self.assertEqual(page.evaluate("new Promise((done) => setTimeout(() => done(window.again), 50))"), 0)

    def test_timeline_zooms(self):
        page, stats = self.opened(self.run_once(self.program("overlap", OVERLAP)), dark=True)
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
        program = self.program_of(SOURCE / "tests/front_door/hot_lines.cu")
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
        if WHOLE:
            self.run_duet("cold", "--no-lines", program, "waits")
            page, _ = self.opened("cold")
            self.assertEqual(page.evaluate("document.querySelectorAll('table.lines, #lines').length"), 0)

    def test_advice(self):
        """What stats.json advises, and what was measured of it, with their numbers."""
        program = self.program_of(SOURCE / "tests/advise/rules.cu")
        self.run_duet("advice", program, "bank_conflicts", "trigger")
        shown = ("[...document.querySelectorAll('#advice ol li')].map((e) => [e.dataset.rule,"
                 " e.querySelector('[data-field]').dataset.field, Number(e.querySelector('[data-field]').dataset.value)])")
        page, stats = self.opened("advice")
        self.assertEqual(page.evaluate(shown), [[one["rule"], "saves_ps", one["saves_ps"]] for one in stats["advice"]])
        if not WHOLE:
            return
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

    @unittest.skipUnless(WHOLE, "by night")
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
        # Functions: as many rows as stats.json has, and the widest call is the one with most samples.
        profile = stats["profile"]
        page.evaluate("document.querySelectorAll('#processor details').forEach((one) => { one.open = true; })")
        rows = page.evaluate("[...document.querySelectorAll('#processor table')].map((t) => [...t.querySelectorAll('tbody tr')]"
                             ".map((r) => r.cells[0].textContent)).find((names) => names.includes('main'))")
        self.assertEqual(rows, [function["name"] for function in profile["functions"]])
        widths = page.evaluate("Object.fromEntries([...document.querySelectorAll('#processor .frame')].map((box) => [box.textContent, box.getBoundingClientRect().width]))")
        main = next(function for function in profile["functions"] if function["name"] == "main")
        self.assertAlmostEqual(widths["main"] / widths["all samples"], main["total_samples"] / profile["samples"], delta=0.02)

    def test_headline_of_cores(self):
        """A program that only cores execute: what dominates its time is the first thing on the page and on the terminal, and is what the
        program was made for; the bar has all slots."""
        source = self.folder / "bound.c"
        source.write_text(BOUND)
        subprocess.run(["riscv64-linux-gnu-gcc", "-O2", "-static", source, "-o", self.folder / "bound.rv"], check=True)
        kinds = (("b", "were lost to wrong predictions", "bad_speculation"), ("m", "waited for loads from below L2", "memory_below"),
                 ("s", "waited at system calls", "serial"), ("d", "waited for slow or dependent instructions", "core"))
        for kind, words, use in some(kinds, 3):
            done = subprocess.run([DUET, "run", "--out", f"bound-{kind}", "--host", "simulated", "--machine", "xeon-e3-1245", "./bound.rv", kind],
                                  cwd=self.folder, capture_output=True, text=True, timeout=300)
            page, stats = self.opened(f"bound-{kind}", dark=kind == "m")
            self.assertEqual(page.evaluate("document.querySelector('section').id"), "overview")
            headline = page.evaluate("document.getElementById('cores-headline').textContent")
            self.assertEqual(headline, stats["headline"])
            self.assertIn(headline, " ".join(done.stderr.split()))
            slots = {}
            for core in stats["cores"]:
                for name, count in core["slots"].items():
                    slots[name] = slots.get(name, 0) + count
            shown = dict(page.evaluate("[...document.querySelectorAll('#overview [data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"))
            self.assertEqual(shown, {f"slots.{name}": count for name, count in slots.items()})
            self.assertEqual(max(slots, key=slots.get), use)
            self.assertRegex(headline, rf"average\. [0-9.]+ % of the dispatch slots {words}")
            share = page.evaluate(f"document.querySelector('#overview [data-field=\"slots.{use}\"]').parentNode.textContent").split()[-2]
            self.assertIn(f"{share} % of the dispatch slots {words}", headline)
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#overview .part')].map((e) => getComputedStyle(e).backgroundColor)"
                                           ".filter((c) => c === 'rgba(0, 0, 0, 0)' || c === 'rgb(153, 153, 153)').length"), 0)

    @unittest.skipUnless(WHOLE, "by night")
    def test_headline_of_cores_beside_a_gpu(self):
        """A CUDA program on simulated cores that launches nothing says what its cores did, too."""
        self.run_duet("none-cores", "--host", "simulated", "--machine", "lustig2013", self.program("none", NO_KERNEL, "--host=riscv64"))
        page, stats = self.opened("none-cores")
        self.assertRegex(stats["processor"]["headline"], "% of the dispatch slots")
        self.assertEqual(page.evaluate("document.getElementById('cores-headline').textContent"), stats["processor"]["headline"])

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
    page_case.main(PageTest)
