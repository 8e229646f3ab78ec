#!/usr/bin/env python3
"""report.html in a browser, as somebody reads it: sorting and finding, the roofs of floating-point operations, sources. Are its
numbers those of stats.json and of the files of the run?   reading_test.py BUILD SOURCE [NAME]
By day fewer pages; at night (tests/whole.py) all."""
import json
import unittest

import page_case
from page_case import WHOLE, PageCase

LAUNCHES = """
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void axpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void scale(double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 1.5;
}
int main(int, char** words) {
  float *x, *y;
  double* d;
  cudaMalloc(&x, 1 << 16), cudaMalloc(&y, 1 << 16), cudaMalloc(&d, 1 << 16);
  cudaStream_t s[2];
  for (auto& one : s) cudaStreamCreate(&one);
  for (int i = 0; i < std::atoi(words[1]); ++i) {
    axpy<<<1 + i % 7, 64 + 32 * (i % 3), 0, s[0]>>>(y, x, 2.0f, 1024);
    scale<<<1 + i % 5, 64, 0, s[1]>>>(d, 1024);
  }
  cudaDeviceSynchronize();
}
"""

# So many operations: 2 n of single precision, 3 n of double, 4 n of half; of the last kernel none.
FLOPS = """
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void single(float* p, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = fmaf(p[i], 2, 1); }
__global__ void wide(double* p, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = fma(p[i], 2, 1) * 5; }
__global__ void halves(__half2* p, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = __hfma2(p[i], p[i], p[i]); }
__global__ void none(int* p, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += 1; }
int main() {
  void* p;
  cudaMalloc(&p, 1 << 16);
  cudaMemset(p, 0, 1 << 16);
  for (int i = 0; i < 2; ++i) single<<<1, 64>>>((float*)p, 1000);
  wide<<<1, 64>>>((double*)p, 1000);
  halves<<<1, 64>>>((__half2*)p, 1000);
  none<<<1, 64>>>((int*)p, 1000);
  return cudaDeviceSynchronize();
}
"""


class ReadingTest(PageCase):
    def test_many_launches_open_at_once(self):
        """5,000 launches take two to two and a half times the processor time of 50: 0.6 to 0.7 s in place of 0.3. The bound is
        a second where those take 0.3."""
        # Nothing that has been drawn is drawn again because its place has a size now.
        spy = """window.resizing = 0;
          window.ResizeObserver = class extends ResizeObserver {
            constructor(told) { super((...all) => { const from = performance.now(); told(...all); window.resizing += performance.now() - from; }); }
          };"""
        seconds = {}
        for launches in (50, 5000):
            name = f"launches-{launches}"
            self.run_duet(name, self.program("launches", LAUNCHES), str(launches // 2))
            pages = [self.browser.open(self.folder / name / "report.html", before=spy) for _ in range(3 if WHOLE or launches == 50 else 2)]
            self.assertEqual([page.problems for page in pages], [[]] * len(pages))
            seconds[launches] = min(page.cpu_seconds for page in pages)
        self.assertLess(seconds[5000], 3.5 * seconds[50])
        self.assertLess(min(page.evaluate("window.resizing") for page in pages), 0.01 * 1000 * seconds[5000])
        self.assertGreater(pages[0].evaluate("document.querySelectorAll('.chart svg, .chart canvas').length"), 1)

    def column(self, page, table, column):
        return page.evaluate(f"[...document.querySelectorAll('{table} tbody tr')].filter((r) => !r.hidden).map((r) => r.cells[{column}].textContent)")

    def press(self, page, key, **more):
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **(more if kind == "keyDown" else {}))

    def test_sort_and_find(self):
        """Every table of two rows or more sorts by each of its columns, with the keyboard; a long one has a field to find rows."""
        self.run_duet("sort", "--interval", "5us", self.program("overlap", page_case.OVERLAP))
        page, stats = self.opened("sort")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('table')].filter((t) => t.tBodies[0].rows.length > 1)"
                                       ".flatMap((t) => [...t.tHead.rows[0].cells]).filter((h) => h.textContent && !h.querySelector('button')).length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('table')].filter((t) => (t.tBodies[0].rows.length >= 8) !=="
                                       " !!t.parentNode.querySelector('input[type=search]')).length"), 0)
        # Calls by how often they were made, the largest number first; then the smallest; then as they were.
        before = self.column(page, "#calls table", 0)
        calls = {one["name"]: one["calls"] for one in stats["api"]}
        page.evaluate("document.querySelector('#calls th:nth-child(2) button').focus()")
        for turn, order in (("descending", sorted(calls.values(), reverse=True)), ("ascending", sorted(calls.values()))):
            self.press(page, "Enter", text="\r")
            self.assertEqual([calls[name] for name in self.column(page, "#calls table", 0)], order)
            self.assertEqual(page.evaluate("document.querySelector('#calls th:nth-child(2)').getAttribute('aria-sort')"), turn)
        self.press(page, "Enter", text="\r")
        self.assertEqual(self.column(page, "#calls table", 0), before)
        # Times have units: by what they are, not by their text.
        page.evaluate("document.querySelector('#calls th:nth-child(3) button').click()")
        times = {one["name"]: one["total_ps"] for one in stats["api"]}
        self.assertEqual([times[name] for name in self.column(page, "#calls table", 0)], sorted(times.values(), reverse=True))
        page.evaluate("document.querySelector('#calls th:nth-child(1) button').click()")
        self.assertEqual(self.column(page, "#calls table", 0), sorted(times, key=str.lower))
        counters = page.evaluate("[...document.querySelectorAll('#numbers table')].findIndex((t) => t.textContent.includes('sm.warp_instructions'))")
        here = f"[...document.querySelectorAll('#numbers table')][{counters}]"
        page.evaluate(f"{here}.parentNode.querySelector('input').focus()")
        page.call("Input.insertText", text="L2.read hits")
        shown = page.evaluate(f"[...{here}.querySelectorAll('tbody tr')].filter((r) => r.offsetParent).map((r) => r.cells[0].textContent)")
        self.assertEqual(shown, ["l2.read_hits"])
        self.assertIn("1 of", page.evaluate(f"{here}.parentNode.querySelector('[role=status]').textContent"))
        self.assertEqual(page.problems, [])

    def test_numbers_in_cells(self):
        """Columns of numbers are sorted by what their cells say."""
        page, _ = self.opened(self.run_once(self.program("overlap", page_case.OVERLAP)))
        texts = ["1 s", "2.5 ms", "300 µs", "40 ns", "", "< 0.1 %", "12 of 32", "1,234", "3 GiB", "5 MB/s", "abc"]
        page.evaluate("(() => { const t = document.querySelector('#calls table'); const row = t.tBodies[0].rows[0];"
                      f" t.tBodies[0].replaceChildren(...{json.dumps(texts)}.map((text) => {{ const r = row.cloneNode(true); r.cells[2].textContent = text;"
                      " delete r.cells[2].dataset.value; return r; })); t.querySelector('th:nth-child(3) button').click(); })()")
        self.assertEqual(self.column(page, "#calls table", 2),
                         ["1 s", "3 GiB", "2.5 ms", "300 µs", "5 MB/s", "40 ns", "1,234", "12 of 32", "< 0.1 %", "", "abc"])

    def test_flops(self):
        """Floating-point operations are those that the kernels execute, and rates and peaks follow from them and the machine."""
        self.run_duet("flops", "--machine", "h100", self.program("flops", FLOPS))
        page, stats = self.opened("flops")
        short = lambda name: next(one for one in ("single", "wide", "half", "none") if one in name)
        lines = {short(one["kernel"]): one["flops"] for one in stats["lines"]}
        self.assertEqual(lines, {"single": {"fp16": 0, "fp32": 4000, "fp64": 0}, "wide": {"fp16": 0, "fp32": 0, "fp64": 3000},
                                 "half": {"fp16": 4000, "fp32": 0, "fp64": 0}, "none": {"fp16": 0, "fp32": 0, "fp64": 0}})
        shown = {short(name): values for name, values in self.fields(page, "flops").items()}
        self.assertEqual(set(shown), {"single", "wide", "half"})
        gpu = self.machine("flops")["gpu"]
        burst = gpu["dram"]["burst_bytes"] / gpu["dram"]["burst_cycles"]
        cycles = gpu["sm"]["count"] * gpu["core_clock_khz"] * 1000
        peaks = {"single": 4 * 32 * 2 * cycles, "wide": 2 * 32 * 2 * cycles, "half": 4 * 32 * 4 * cycles}  # the data sheet's 67 and 34 TFLOP/s
        for name, values in shown.items():
            of = [kernel for kernel in stats["kernels"] if short(kernel["name"]) == name]
            seconds = sum(kernel["end_ps"] - kernel["start_ps"] for kernel in of) * 1e-12
            moved = sum(kernel["counters"].get("dram.data_bus_busy_cycles", 0) for kernel in of) * burst
            operations = sum(lines[name].values())
            self.assertEqual({kind: values[kind] for kind in lines[name]}, lines[name])
            self.assertAlmostEqual(values["flop_s"] * seconds / operations, 1, 9)
            self.assertAlmostEqual(values["of_peak"] * peaks[name] / values["flop_s"], 1, 9)
            self.assertAlmostEqual(values["of_dram"], moved / seconds / (burst * gpu["dram"]["channels"] * gpu["dram"]["command_clock_khz"] * 1000), 12)
            if moved:
                self.assertAlmostEqual(values["intensity"] * moved / operations, 1, 9)
        text = page.evaluate("document.querySelector('#flops').textContent")
        self.assertRegex(text, "bound by (latency|too few warps): ")
        self.assertIn("1 kernel computes with integers alone", text)
        drawn = page.evaluate("[...document.querySelectorAll('#flops svg text')].map((e) => e.textContent).join(' ')")
        for roof in ("FP32 66.9 TFLOP/s", "FP64 33.5 TFLOP/s", "FP16 134 TFLOP/s", "DRAM"):
            self.assertIn(roof, drawn)
        if WHOLE:
            self.run_duet("no-flops", "--no-lines", self.program("flops", FLOPS))
            self.assertFalse(self.section(self.opened("no-flops")[0], "flops"))

    def test_source(self):
        """The whole file, its lines' counts, and the PTX of each line with counts that add up to the line's."""
        out = self.run_once(self.program("overlap", page_case.OVERLAP))
        page, stats = self.opened(out)
        rows = page.evaluate("[...document.querySelectorAll('table.source tbody tr')].map((r) => [Number(r.cells[0].textContent), r.querySelector('code').textContent])")
        self.assertEqual(rows, [list(one) for one in enumerate(page_case.OVERLAP.splitlines(), 1)])
        kernel = stats["lines"][0]
        of_file = {line["line"]: line for line in kernel["lines"] if line["file"].endswith("overlap.cu")}
        counted = page.evaluate("[...document.querySelectorAll('table.source tr[data-line]')].map((r) => Number(r.dataset.line))")
        self.assertEqual(counted, sorted(of_file))
        ptx = (self.folder / out / kernel["lines"][0]["ptx"]).read_text().splitlines()
        hottest = max(of_file.values(), key=lambda line: line["slots"])["line"]
        self.assertEqual(page.evaluate("document.querySelector('table.source tr.selected').dataset.line"), str(hottest))
        for line in [hottest, *sorted(of_file)]:
            if line != hottest:  # by keyboard
                page.evaluate(f"document.querySelector('table.source tr[data-line=\"{line}\"] button').focus()")
                self.press(page, "Enter", text="\r")
            shown = page.evaluate("[...document.querySelectorAll('table.ptx tbody tr')].map((r) => [Number(r.cells[0].textContent), r.querySelector('code').textContent,"
                                  " ...['slots', 'instructions', 'lanes'].map((what) => Number(r.querySelector(`[data-field$=${what}]`).dataset.value))])")
            self.assertEqual(sum(one[2] for one in shown), of_file[line]["slots"])
            self.assertEqual(sum(one[3] for one in shown), of_file[line]["instructions"])
            self.assertGreater(len(shown), 0)
            for number, text, *_ in shown:
                self.assertEqual(text.split(), ptx[number - 1].split("//")[0].split() or text.split())
        # The hottest line first.
        page.evaluate("document.querySelector('table.source th:nth-child(2) button').click()")
        self.assertEqual(page.evaluate("document.querySelector('table.source tbody tr').dataset.line"), str(hottest))
        self.assertEqual(page.problems, [])

    @unittest.skipUnless(WHOLE, "by night")
    def test_long_source(self):
        """Of a file that has no room the page has what lies around lines with counts; without the file it has no source."""
        kernel = "__global__ void far(float* p) { p[threadIdx.x] *= 3; }\n"
        padding = "".join(f"// {i} {'x' * 90}\n" for i in range(1500))
        text = "#include <cuda_runtime.h>\n" + padding + kernel + padding + "int main() { float* p; cudaMalloc(&p, 4096); far<<<1, 64>>>(p); return cudaDeviceSynchronize(); }\n"
        (self.folder / "long.cu").write_text(text)  # not kept: it is removed
        program = self.program_of(self.folder / "long.cu")
        self.run_duet("long", program)
        page, _ = self.opened("long")
        numbers = page.evaluate("[...document.querySelectorAll('table.source tbody tr')].map((r) => Number(r.cells[0].textContent))")
        self.assertEqual(numbers, list(range(1502 - 12, 1502 + 13)))
        self.assertEqual(page.evaluate("document.querySelector('table.source tr.selected code').textContent"), kernel.strip())
        (self.folder / "long.cu").unlink()
        self.run_duet("gone", program)
        self.assertFalse(self.section(self.opened("gone")[0], "source"))


if __name__ == "__main__":
    page_case.main(ReadingTest)
