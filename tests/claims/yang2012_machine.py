#!/usr/bin/env python3
"""What an experiment of yang2012 changes of the machine `fused`: does it change just that? Usage: yang2012_machine.py DUET"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from compile_once import compile_once  # noqa: E402
from whole import some  # noqa: E402

# Figure 16, from 16 to 64 SPs an SM (docs/design/preexec.md, "Keys of the experiments").
SP_16 = [f"gpu.sm.{unit}.interval_cycles=2" for unit in ("integer", "floating", "half", "conversion", "control")] + [
    "gpu.sm.integer_multiply.interval_cycles=8"]
SP_64 = ["gpu.sm.schedulers=2", "gpu.sm.sp_units=2", "gpu.sm.fetch_instructions=4", "gpu.sm.instruction_buffer=4"]
SP_64_WIDE = ["gpu.sm.warp_width=64", "gpu.sm.max_warps=12", "gpu.sm.warp_allocation_unit=1"]
SMALL = {"BitonicSort": ["--size", "4096", "--launches", "3"], "BlackScholes": ["--size", "4096"], "Convolution": ["--size", "48"],
         "FFT": ["--size", "4096", "--passes", "1"], "MM": ["--size", "64"], "MonteCarlo": ["--size", "10000", "--options", "3", "--blocks", "4"],
         "MV": ["--size", "1024"], "TMV": ["--size", "512", "--rows", "256"], "VecAdd": ["--size", "4096"]}
# Additions and multiplications that depend on nothing but their own chain, as many threads as there is room for.
PEAK = """
__global__ void peak(float* out, float a, int rounds) {
  float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
  for (int i = 0; i < rounds; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) { x = x * a + 1; y = y * a + 1; z = z * a + 1; w = w * a + 1; }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}
int main() {
  float* out;
  if (cudaMalloc(&out, 12 * 256 * sizeof *out) != cudaSuccess) return 1;
  peak<<<12, 256>>>(out, 0.5f, 60);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""


class Machine(unittest.TestCase):
    duet = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="duet-test-")
        cls.binaries = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compiled(self, source, flags=()):
        key = (str(source), *flags)
        if key not in self.binaries:
            binary = pathlib.Path(self.folder.name) / f"program{len(self.binaries)}"
            done = compile_once(self.duet, [*flags, source], binary, timeout=240)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.binaries[key] = binary
        return self.binaries[key]

    def run_program(self, binary, arguments=(), sets=(), options=()):
        """What stats.json says, of a run that ends well."""
        out = pathlib.Path(self.folder.name) / "out"
        words = [word for value in sets for word in ("--set", value)]
        done = subprocess.run([self.duet, "run", "--quiet", "--machine", "fused", *words, *options, "--out", str(out), str(binary), *arguments],
                              capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((out / "stats.json").read_text())

    def benchmark(self, name, arguments=(), sets=(), options=(), flags=()):
        return self.run_program(self.compiled(ROOT / f"workloads/yang2012/{name}.cu", flags), arguments, sets, options)

    def test_perfect_l3(self):
        """Section 5.1. VecAdd checks its own results. The arrays do not fit into L3, the control."""
        for host in some(("native", "simulated"), 2):
            flags = ["--host", "riscv64"] if host == "simulated" else []
            usual, perfect, shuffled = (
                self.benchmark("VecAdd", ["--size", "524288"], [f"level[0].perfect={value}"], ["--host", host, *options], flags)
                for value, options in (("false", []), ("true", []), ("true", ["--shuffle", "3"])))
            self.assertEqual(perfect["counters"], shuffled["counters"])
            self.assertGreater(usual["counters"]["l3.read_misses"], 10000)
            self.assertGreater(usual["counters"]["dram.reads"], 10000)
            for none in ("l3.read_misses", "l3.write_misses", "l3.evictions", "l3.write_backs", "dram.reads", "dram.writes"):
                self.assertEqual(perfect["counters"].get(none, 0), 0, none)
            self.assertGreater(perfect["counters"]["l3.read_hits"], 10000)
            self.assertGreater(perfect["counters"]["l3.write_hits"], 10000)
            self.assertLess(1.1 * perfect["kernels"][0]["cycles"], usual["kernels"][0]["cycles"], host)

    def test_peak(self):
        """Section 5.1: 32 SPs on four SMs are a peak of 128 thread instructions a cycle; and Figure 16."""
        source = pathlib.Path(self.folder.name) / "peak.cu"
        source.write_text(PEAK)
        for sets, peak in (([], 128), (SP_16, 64), (SP_64, 256), (SP_64_WIDE, 256), (["gpu.sm.collector_units=1"], 64)):
            kernel = self.run_program(self.compiled(source), sets=sets)["kernels"][0]
            a_cycle = kernel["thread_instructions"] / kernel["cycles"]
            self.assertLessEqual(a_cycle, peak, sets)
            self.assertGreater(a_cycle, 0.97 * peak, sets)

    def test_wide_warps(self):
        """All nine programs are right with warps of 64 threads, and with two warps a cycle."""
        for name, arguments in some(SMALL.items(), 4):
            usual, wide, dual = (self.benchmark(name, arguments, sets)["kernels"][0] for sets in ([], SP_64_WIDE, SP_64))
            self.assertEqual(dual["warp_instructions"], usual["warp_instructions"], name)
            self.assertLess(wide["warp_instructions"], 0.8 * usual["warp_instructions"], name)

    def test_prefetcher(self):
        """Section 6: TMV's warps go on by a row. A prefetcher makes it faster; it checks its own results; the order of ticks does not show."""
        none, stride, shuffled = (self.benchmark("TMV", [], [f"gpu.l1.prefetcher={name}"], options)
                                  for name, options in (("none", []), ("stride", []), ("stride", ["--shuffle", "5"])))
        self.assertEqual(stride["counters"], shuffled["counters"])
        self.assertEqual(stride["kernels"][0]["cycles"], shuffled["kernels"][0]["cycles"])
        self.assertLess(stride["kernels"][0]["cycles"], 0.98 * none["kernels"][0]["cycles"])
        self.assertNotIn("l1_prefetch.issued", none["counters"])
        count = {name: stride["counters"][f"l1_prefetch.{name}"] for name in ("issued", "used", "late", "useless")}
        self.assertGreater(count["used"], 0.9 * count["issued"])
        self.assertGreaterEqual(count["issued"], count["used"] + count["late"] + count["useless"])
        self.assertLess(stride["counters"]["l1.read_misses"], 0.1 * none["counters"]["l1.read_misses"])

    def test_prefetched_values(self):
        """All nine programs are right with a prefetcher that goes far ahead, and each load is still a load."""
        eager = ["gpu.l1.prefetcher=stride", "gpu.l1.prefetch_confidence=1", "gpu.l1.prefetch_degree=4", "gpu.l1.prefetch_queue=64"]
        for name, arguments in some(SMALL.items(), 4):
            usual, own = (self.benchmark(name, arguments, sets) for sets in ([], eager))
            for key in ("sm.global_loads", "sm.warp_instructions"):
                self.assertEqual(own["counters"][key], usual["counters"][key], name)

    def test_bandwidth(self):  # night
        """VecAdd moves 12 bytes an element: no more of them than DRAM's peak, and at half the clock nearly as many."""
        rates = {}
        for megahertz in (300, 600, 1200):
            stats = self.benchmark("VecAdd", ["--size", "1048576"], [f"gpu.dram.command_clock_khz={megahertz}000"])
            kernel = stats["kernels"][0]
            nanoseconds = (kernel["end_ps"] - kernel["start_ps"]) / 1000
            counters = kernel["counters"]
            rates[megahertz] = 64 * (counters["dram.reads"] + counters["dram.writes"]) / nanoseconds
            self.assertLess(rates[megahertz], 32e-3 * megahertz)  # GB/s: 8 modules of 4 bytes
        self.assertGreater(rates[300], 0.8 * 9.6)
        self.assertGreater(rates[600], 1.2 * rates[300])
        self.assertGreater(rates[1200], 1.05 * rates[600])


if __name__ == "__main__":
    Machine.duet = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
