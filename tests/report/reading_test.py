#!/usr/bin/env python3
"""report.html in a browser, as somebody reads it: sorting and finding, the picture of the memory, the roofs of floating-point
operations, sources, occupancy. Are its numbers those of stats.json and of the files of the run?   reading_test.py BUILD SOURCE [NAME]"""
import json

import page_case
from page_case import PageCase

LAUNCHES = """
#include <cuda_runtime.h>
__global__ void axpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void scale(double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 1.5;
}
int main() {
  float *x, *y;
  double* d;
  cudaMalloc(&x, 1 << 16), cudaMalloc(&y, 1 << 16), cudaMalloc(&d, 1 << 16);
  cudaStream_t s[2];
  for (auto& one : s) cudaStreamCreate(&one);
  for (int i = 0; i < 2500; ++i) {
    axpy<<<1 + i % 7, 64 + 32 * (i % 3), 0, s[0]>>>(y, x, 2.0f, 1024);
    scale<<<1 + i % 5, 64, 0, s[1]>>>(d, 1024);
  }
  cudaDeviceSynchronize();
}
"""


class ReadingTest(PageCase):
    def test_many_launches_open_at_once(self):
        """5,000 launches, with all that a run has on the timed GPU, are there in a second."""
        self.run_duet("launches", self.program("launches", LAUNCHES))
        # Nothing that has been drawn is drawn again because its place has a size now.
        spy = """window.resizing = 0;
          window.ResizeObserver = class extends ResizeObserver {
            constructor(told) { super((...all) => { const from = performance.now(); told(...all); window.resizing += performance.now() - from; }); }
          };"""
        pages = [self.browser.open(self.folder / "launches/report.html", before=spy) for _ in range(3)]
        self.assertEqual([page.problems for page in pages], [[], [], []])
        self.assertLess(min(page.cpu_seconds for page in pages), 1)
        self.assertLess(min(page.evaluate("window.resizing") for page in pages), 5)
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
        self.run_duet("cells", self.program("overlap", page_case.OVERLAP))
        page, _ = self.opened("cells")
        texts = ["1 s", "2.5 ms", "300 µs", "40 ns", "", "< 0.1 %", "12 of 32", "1,234", "3 GiB", "5 MB/s", "abc"]
        page.evaluate("(() => { const t = document.querySelector('#calls table'); const row = t.tBodies[0].rows[0];"
                      f" t.tBodies[0].replaceChildren(...{json.dumps(texts)}.map((text) => {{ const r = row.cloneNode(true); r.cells[2].textContent = text;"
                      " delete r.cells[2].dataset.value; return r; })); t.querySelector('th:nth-child(3) button').click(); })()")
        self.assertEqual(self.column(page, "#calls table", 2),
                         ["1 s", "3 GiB", "2.5 ms", "300 µs", "5 MB/s", "40 ns", "1,234", "12 of 32", "< 0.1 %", "", "abc"])


if __name__ == "__main__":
    page_case.main(ReadingTest)
