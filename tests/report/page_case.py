"""What tests of report.html share: programs, runs, pages in a browser.

    class MyTest(PageCase):
        def test_it(self):
            out = self.run_once("--interval", "5us", self.program("overlap", OVERLAP))    # one run for all tests of the class
            page, stats = self.opened(out)         # page.problems is empty; stats is stats.json
    page_case.main(MyTest)                         # my_test.py BUILD SOURCE [NAME]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

import browser

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well, kept_text  # noqa: E402
from whole import WHOLE, some  # noqa: E402, F401

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
DUET = BUILD / "bin/duet"

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


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.browser = browser.Browser()
        cls.runs = {}

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def tearDown(self):
        self.browser.close_pages()

    def program(self, name, text, *flags):
        return self.program_of(kept_text(f"{name}.cu", text, self.folder), *flags)

    def program_of(self, source, *flags):
        binary = self.folder / f"{source.stem}{''.join(flags)}.bin"
        if not binary.exists():
            compile_well(DUET, [*flags, source], binary)
        return f"./{binary.name}"

    def run_duet(self, out, *arguments, status=0):
        done = subprocess.run([DUET, "run", "--quiet", "--out", out, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def run_once(self, *arguments):
        """The folder of such a run, made by the first test that asks for it; tests leave it as it is."""
        if arguments not in self.runs:
            self.run_duet(f"run-{len(self.runs)}", *arguments)
            self.runs[arguments] = f"run-{len(self.runs)}"
        return self.runs[arguments]

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

    def held(self, page, name):
        return page.evaluate(f"JSON.parse(document.getElementById('duet-{name}').textContent)")

    def machine(self, out):
        return tomllib.loads((self.folder / out / "machine.toml").read_text())

    def section(self, page, name):
        return page.evaluate(f"document.getElementById('{name}') !== null")

    def fields(self, page, section):
        """{first part of a field's name: {the rest: value}}"""
        shown = {}
        for field, value in page.evaluate(f"[...document.querySelectorAll('#{section} [data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"):
            first, rest = field.split("|") if "|" in field else field.split(".", 1)
            shown.setdefault(first, {})[rest] = value
        return shown


def main(case):
    if not browser.find():
        sys.exit(f"{sys.argv[0]}: no chromium: run tools/install_dependencies.sh test")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
