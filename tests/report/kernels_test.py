#!/usr/bin/env python3
"""report.html in a browser: what it draws of a kernel inside the machine. Are the numbers of the memory chart those of stats.json, at
every width and of every kernel?   kernels_test.py BUILD SOURCE [NAME]
By day on fewer machines, and with every fifth shape; at night (tests/whole.py) all."""
import json
import subprocess

import page_case
from page_case import DUET, WHOLE, PageCase, some

# Each way of the memory system is used: global and local memory, shared memory with conflicts, constants, atomics, host memory.
MEMORY = """
#include <cuda_runtime.h>
__constant__ float factors[64];
__global__ void all(float* p, float* host, int* sum, int n) {
  __shared__ float tile[1024];
  float own[32];
  for (int i = 0; i < 32; ++i) own[i] = p[(threadIdx.x + i * n) & 4095];
  tile[threadIdx.x * 4] = own[n & 31] * factors[threadIdx.x & 63];
  __syncthreads();
  p[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x * 4 + 4) & 1023] + host[threadIdx.x];
  atomicAdd(sum, 1);
}
__global__ void stream(float* to, const float* from) { to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void none() {}
int main() {
  float *p, *host;
  int* sum;
  cudaMalloc(&p, 1 << 22), cudaMalloc(&sum, 4), cudaHostAlloc(&host, 4096, cudaHostAllocMapped);
  all<<<32, 256>>>(p, host, sum, 7);
  stream<<<2048, 256>>>(p, p + (1 << 19));
  none<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
"""

# A line a shape: threads, registers, shared memory, blocks by cudaOccupancyMaxActiveBlocksPerMultiprocessor; those that fit are launched.
SHAPES = r"""
#include <cstdio>
#include <cuda_runtime.h>
template <int N> __global__ void holds(float* p, int round) {
  float a[N];
#pragma unroll
  for (int i = 0; i < N; ++i) a[i] = p[i * blockDim.x + threadIdx.x];
  for (int k = 0; k < round; ++k) {
#pragma unroll
    for (int i = 0; i < N; ++i) a[i] = a[i] * a[(i + 1) % N] + 1;
  }
#pragma unroll
  for (int i = 0; i < N; ++i) p[i * blockDim.x + threadIdx.x] = a[i];
}
__global__ void tiled(float* p, int round) {
  __shared__ float tile[777];
  for (int i = threadIdx.x; i < 777; i += blockDim.x) tile[i] = p[i];
  __syncthreads();
  if (threadIdx.x < 700) p[threadIdx.x] = tile[threadIdx.x + round];
}
int main() {
  float* p;
  cudaMalloc(&p, 1 << 20);
  using Kernel = void (*)(float*, int);
  for (Kernel kernel : {Kernel(holds<1>), Kernel(holds<16>), Kernel(holds<40>), Kernel(holds<52>), Kernel(tiled)}) {
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, kernel);
    for (int shared : {0, 1, 1000, 6144, 9999, 20480, 49152}) {
      for (int threads : {1, 32, 33, 64, 96, 128, 129, 160, 192, 255, 256, 352, 384, 500, 512, 513, 640, 768, 992, 1024, 1025}) {
        int blocks = -1;
        cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
        printf("%d %d %d %d\n", threads, of.numRegs, int(of.sharedSizeBytes) + shared, e ? -1 : blocks);
        if (blocks > 0 && shared + of.sharedSizeBytes <= 49152) kernel<<<1, threads, shared>>>(p, 0);
      }
    }
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""


class KernelsTest(PageCase):
    def memory(self, counters, ps, cycles, gpu):
        """What the chart is to say, from the counters and the machine."""
        c = lambda *names: sum(counters.get(name, 0) for name in names)
        seconds, sms = ps * 1e-12, gpu["sm"]["count"]
        dram, wires = gpu["dram"], gpu["interconnect"]
        dram_peak = dram["channels"] * dram["burst_bytes"] * dram["command_clock_khz"] * 1000 / dram["burst_cycles"]
        wire_peak = min(gpu["l2_slices"], sms) * wires["flit_bytes"] * wires["clock_khz"] * 1000
        moved = c("dram.data_bus_busy_cycles") / dram["burst_cycles"] * dram["burst_bytes"]
        reads = lambda kind: [f"{kind}.read_{what}" for what in ("hits", "merges", "misses")]
        rows = ["dram.row_hits", "dram.row_misses", "dram.row_conflicts"]
        passes = c("sm.shared_accesses", "sm.shared_conflict_cycles")
        wanted = {"warp_instructions": c("sm.warp_instructions"), "atomics": c("sm.atomics"), "constant_loads": c("sm.constant_loads"), "l1_misses": c("l1.read_misses"),
                  "l1_passed": c("l1.passed"), "shared_passes": passes, "shared_conflicts": c("sm.shared_conflict_cycles"), "l2_misses": c("l2.read_misses"),
                  "l2_atomics": c("l2.atomics"), "l2_write_backs": c("l2.write_backs"), "fetch_hits": c("sm.instruction_hits"),
                  "fetched_lines": c("sm.instruction_misses", "sm.instruction_prefetches"), "dram_reads": c("dram.reads"), "dram_writes": c("dram.writes"),
                  "dram_moved": moved, "dram_of_peak": moved / seconds / dram_peak, "host_requests": c("host_bridge.requests"),
                  "requests": c("sm.memory_transactions"), "requested_bytes": c("sm.requested_bytes"), "l1_of_peak": c("sm.memory_transactions") / (cycles * sms),
                  "shared_of_peak": passes / (cycles * sms)}
        wanted |= {name: c(f"sm.{name}") for name in ("global_loads", "global_stores", "local_loads", "local_stores", "shared_accesses")}
        for kind, name in (("l1", "l1"), ("l2", "l2"), ("constant_cache", "constant")):
            wanted[f"{name}_reads"] = c(*reads(kind))
            wanted[f"{name}_hits"] = c(reads(kind)[0]) / c(*reads(kind)) if c(*reads(kind)) else None
            if name != "constant":
                wanted[f"{name}_writes"] = c(f"{kind}.write_hits", f"{kind}.write_misses")
        wanted["dram_row_hits"] = c(rows[0]) / c(*rows) if c(*rows) else None
        for way in ("request", "response"):
            size = c(f"interconnect.{way}_flits") * wires["flit_bytes"]
            wanted |= {f"{way}_packets": c(f"interconnect.{way}_packets"), f"{way}_bytes": size, f"{way}_of_peak": size / seconds / wire_peak}
        for way in ("read", "written"):
            wanted |= {f"{way}_bytes": c(f"dram.{way}_bytes"), f"{way}_of_peak": c(f"dram.{way}_bytes") / seconds / dram_peak}
        for way in ("to_host", "to_gpu"):
            wanted |= {f"{way}_packets": c(f"link.{way}_packets"), f"{way}_bytes": c(f"link.{way}_payload_bytes"), f"{way}_of_peak": c(f"link.{way}_busy_ps") / ps}
        return wanted

    def check_memory(self, shown, wanted, what):
        self.assertEqual(set(shown), {name for name, value in wanted.items() if value is not None}, what)
        for name, value in shown.items():
            self.assertAlmostEqual(value, wanted[name], delta=1e-9 * max(1e-9, abs(wanted[name])), msg=f"{what}: {name}")

    def width(self, page, pixels):
        page.call("Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=False)
        page.evaluate("new Promise((done) => setTimeout(() => done(1), 200))")

    def test_memory_chart(self):
        """Of each kernel and the run, drawn wide and narrow: each number is what stats.json says, arrows are as thick as their part of the
        peak, and what they say is there for who cannot see them."""
        out = self.run_once(self.program("memory", MEMORY))
        page, stats = self.opened(out)
        gpu = self.machine(out)["gpu"]
        wanted = {}
        for kernel in stats["kernels"]:
            dim = lambda d: "×".join(map(str, d)).replace("×1×1", "")
            name = next(word for word in ("all", "stream", "none") if word in kernel["name"])
            if name != "none" or any(kernel["counters"].get(one) for one in ("dram.reads", "l2.read_hits", "l2.read_misses")):
                wanted[f"{name}<<<{dim(kernel['grid'])}, {dim(kernel['block'])}>>>"] = self.memory(kernel["counters"], kernel["end_ps"] - kernel["start_ps"], kernel["cycles"], gpu)
        ps = stats["account"]["time_ps"]
        wanted["the whole run"] = self.memory(stats["counters"], ps, ps * 1e-9 * gpu["core_clock_khz"], gpu)
        every = wanted["all<<<32, 256>>>"]
        for name in ("local_loads", "shared_conflicts", "constant_loads", "atomics", "host_requests", "to_gpu_bytes", "read_bytes", "l2_hits", "fetched_lines"):
            self.assertGreater(every[name], 0, name)
        self.assertGreater(wanted["stream<<<2048, 256>>>"]["read_of_peak"], 0.2)
        names = page.evaluate("[...document.querySelector('select[aria-label=\"memory chart of\"]').options].map((o) => o.textContent)")
        self.assertEqual(sorted(names), sorted(wanted))
        self.assertEqual(names[-1], "the whole run")
        table = {}
        for field, value in page.evaluate("[...document.querySelectorAll('#kernels td[data-field^=memory]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"):
            table.setdefault(field.split("|")[1], {})[field.split("|")[2]] = value
        for name in wanted:
            self.check_memory(table[name], wanted[name] | {"textures": 0}, f"table, {name}")
        for pixels, form in ((1300, "wide"), (375, "narrow")):
            self.width(page, pixels)
            for at, name in enumerate(names):
                page.evaluate(f"(() => {{ const s = document.querySelector('select[aria-label=\"memory chart of\"]'); s.value = {at}; s.dispatchEvent(new Event('change')); }})()")
                self.assertEqual(page.evaluate("[...document.querySelectorAll('svg.memory')].map((e) => [e.classList.contains('wide'), e.getAttribute('aria-label')])"),
                                 [[form == "wide", f"memory chart of {name}"]])
                drawn = dict(page.evaluate("[...document.querySelectorAll('svg.memory [data-value]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"))
                self.check_memory(drawn, wanted[name], f"{form}, {name}")
                # Nothing lies outside of the picture, and no text on another one.
                self.assertEqual(page.evaluate("""(() => {
                  const all = document.querySelector('svg.memory').getBoundingClientRect();
                  const texts = [...document.querySelectorAll('svg.memory text')].map((e) => [e.textContent, e.getBoundingClientRect()]);
                  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 4 || b.bottom <= a.top + 4;
                  return [...texts.filter(([, r]) => r.left < all.left - 1 || r.right > all.right + 1 || r.top < all.top || r.bottom > all.bottom).map(([t]) => t + ' is outside'),
                    ...texts.flatMap(([t, a], i) => texts.slice(i + 1).filter(([, b]) => !apart(a, b)).map(([u]) => t + ' on ' + u))]; })()"""), [], f"{form}, {name}")
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), pixels)  # of the page, nothing is cut off
            arrows = page.evaluate("[...document.querySelectorAll('svg.memory .arrow')].map((e) => [e.dataset.arrow, Number(e.dataset.of), Number(e.querySelector('path').getAttribute('stroke-width')),"
                                   " e.getAttribute('class'), e.getAttribute('aria-label'), e.getAttribute('tabindex'), getComputedStyle(e.querySelector('path')).strokeDasharray])")
            known = [arrow for arrow in arrows if arrow[1] == arrow[1] and "unknown" not in arrow[3]]
            self.assertEqual({arrow[0] for arrow in known}, {"sm-l1", "sm-shared", "crossbar-l2", "l2-crossbar", "above-dram", "dram-above", "crossbar-host", "host-crossbar"})
            for arrow, of, thick, kind, label, key, dashes in arrows:
                self.assertTrue(label and key == "0", arrow)
                self.assertEqual("unknown" in kind, dashes != "none", arrow)
                if "unknown" not in kind:
                    self.assertAlmostEqual(thick, 1.5 + 14.5 * min(1, of), 9)
                    self.assertEqual("near" in kind, of >= 0.6)
        self.assertEqual(page.problems, [])

    def test_memory_chart_with_l3_and_cores(self):
        """A level below L2 has its place; what nobody counts by kernel says that it is the run's; the functional GPU has no chart."""
        program = self.program("memory", MEMORY)
        self.run_duet("fused", "--machine", "fused", program)
        page, stats = self.opened("fused", dark=True)
        first = page.evaluate("document.querySelector('svg.memory').getAttribute('aria-label')").removeprefix("memory chart of ")
        kernel = next(k for k in stats["kernels"] if first.split("<")[0] in k["name"])
        drawn = dict(page.evaluate("[...document.querySelectorAll('svg.memory [data-value]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"))
        reads = sum(kernel["counters"].get(f"l3.read_{what}", 0) for what in ("hits", "merges", "misses"))
        self.assertGreater(reads, 0)
        self.assertEqual(drawn["l3_reads"], reads)
        self.assertEqual(drawn["l3_request_packets"], kernel["counters"]["l3_interconnect.request_packets"])
        self.assertIsNone(page.evaluate("document.querySelector('svg.memory [data-field=host_read]')"))
        if not WHOLE:
            return
        self.run_duet("cores", "--host", "simulated", "--machine", "lustig2013", self.program("memory", MEMORY, "--host=riscv64"))
        page, stats = self.opened("cores")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('svg.memory [data-field^=host_]')].map((e) => [e.previousSibling.textContent, Number(e.dataset.value)])")[1:],
                         [[f"{way}, whole run", stats["processor"]["totals"][f"dram_{way}_bytes"]] for way in ("read", "written")])
        self.run_duet("functional", "--functional", program)
        page, _ = self.opened("functional")
        self.assertIsNone(page.evaluate("document.querySelector('svg.memory')"))

    def calculated(self, page, shapes):
        """[blocks, warps, limit] of the page's calculator for each [threads, registers, shared]."""
        return page.evaluate("(" + """(shapes) => shapes.map((shape) => {
          ["threads", "registers", "shared"].forEach((id, i) => {
            const field = document.getElementById("occupancy-" + id);
            field.value = shape[i];
            if (i === 2) field.dispatchEvent(new Event("input"));
          });
          const { blocks, warps, limit } = document.getElementById("occupancy-answer").dataset;
          return [Number(blocks), Number(warps), limit];
        })""" + f")({json.dumps(shapes)})")

    def test_occupancy_calculator_is_the_machine_s_rule(self):
        """Over a grid of shapes the page answers as cudaOccupancyMaxActiveBlocksPerMultiprocessor, and names the limit that stats.json
        names, on three machines with other limits and units."""
        program = self.program("shapes", SHAPES)
        odd = [f"--set=gpu.sm.{key}" for key in ("warp_allocation_unit=3", "register_allocation_unit=96", "shared_allocation_unit=320", "max_blocks=13", "max_warps=37", "registers=40000")]
        limits, values = set(), set()
        for machine, options in some((("odd", odd), ("gtx580", []), ("h100", [])), 3):
            done = subprocess.run([DUET, "run", "--quiet", "--out", machine, "--machine", "gtx580" if options else machine, *options, program],
                                  cwd=self.folder, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            shapes = [list(map(int, line.split())) for line in done.stdout.splitlines()]
            self.assertEqual(len(shapes), 5 * 7 * 21)
            page, stats = self.opened(machine)
            warps = lambda threads: -(-threads // 32)
            for shape, (blocks, resident, _) in zip(some(shapes, 5), self.calculated(page, [shape[:3] for shape in some(shapes, 5)])):
                self.assertEqual((blocks, resident), (shape[3], shape[3] * warps(shape[0])), f"{machine}: {shape}")
            launches = [[k["block"][0], k["registers"], k["shared_bytes"]] for k in stats["kernels"]]
            self.assertGreater(len(launches), 300)
            for kernel, shape, (blocks, _, limit) in zip(some(stats["kernels"], 5), some(launches, 5), self.calculated(page, some(launches, 5))):
                self.assertEqual((blocks, limit), (kernel["blocks_per_sm"], kernel["occupancy_limit"]), f"{machine}: {shape}")
            limits |= {kernel["occupancy_limit"] for kernel in stats["kernels"]}
            values |= {shape[3] for shape in shapes}
        self.assertEqual(limits, {"blocks", "warps", "registers", "shared memory"})
        self.assertGreater(len(values), 10)
        self.assertEqual([limit for _, _, limit in self.calculated(page, [[1025, 8, 0], [0, 8, 0], [32, 64, 0], [32, 8, 49153]])],
                         ["threads per block", "threads per block", "registers", "shared memory"])
        self.assertIn("No block fits", page.evaluate("document.getElementById('occupancy-answer').textContent"))

    def test_occupancy_as_launched(self):
        """What stands there before anybody types is the kernel's own launch; its point lies on the curves, which are those of the calculator."""
        out = self.run_once(self.program("memory", MEMORY))
        page, stats = self.opened(out)
        sm = self.machine(out)["gpu"]["sm"]
        options = page.evaluate("[...document.querySelector('select[aria-label=\"occupancy of\"]').options].map((o) => o.textContent)")
        table = {}
        for field, value in page.evaluate("[...document.querySelectorAll('#kernels td[data-field^=occupancy]')].map((e) => [e.dataset.field, Number(e.dataset.value)])"):
            table.setdefault(field.split("|")[1], {})[field.split("|")[2]] = value
        self.assertEqual(set(options), set(table))
        shown = lambda: page.evaluate("[...document.querySelectorAll('#kernels input[type=number]')].map((e) => Number(e.value))")
        said = lambda: page.evaluate("document.getElementById('occupancy-answer').textContent")
        for at, name in enumerate(options):
            kernel = next(k for k in stats["kernels"] if name.split("<")[0] in k["name"])
            page.evaluate(f"(() => {{ const s = document.querySelector('select[aria-label=\"occupancy of\"]'); s.value = {at}; s.dispatchEvent(new Event('change')); }})()")
            own = [kernel["block"][0], kernel["registers"], kernel["shared_bytes"]]
            self.assertEqual(shown(), own)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
            self.assertIn(f"{100 * kernel['occupancy']:.1f} %, limited by {kernel['occupancy_limit']}", said())
            self.assertIn(f"reached {100 * kernel['achieved_occupancy']:.1f} %" if kernel["achieved_occupancy"] >= 0.0005 else "reached", page.evaluate("document.querySelector('#occupancy-answer + p').textContent"))
            blocks, warps = kernel["blocks_per_sm"], -(-kernel["block"][0] // 32)
            row = table[name]
            self.assertEqual((row["blocks"], row["warps"], row["shared"]), (blocks, blocks * warps, blocks * kernel["shared_bytes"]))
            self.assertEqual(min(value for key, value in row.items() if key.startswith("by ")), blocks)
            self.assertEqual(row[f"by {kernel['occupancy_limit']}"], blocks)
            curves = dict(page.evaluate("[...document.querySelectorAll('svg.occupancy')].map((e) => [e.dataset.input, JSON.parse(e.dataset.steps)])"))
            for place, (curve, most) in enumerate((("threads", sm["max_threads_per_block"]), ("registers", sm["max_registers_per_thread"]), ("shared", sm["max_shared_bytes_per_block"]))):
                steps = curves[curve]
                self.assertEqual(steps[-1][1], most)
                at_own = next(part for first, _, part in reversed(steps) if first <= own[place])
                self.assertAlmostEqual(at_own, kernel["occupancy"], 12)
                samples = [first for first, _, _ in steps][:40] + [max(0, first - 1) for first, _, _ in steps[1:]][:40]
                calculated = self.calculated(page, [own[:place] + [x] + own[place + 1:] for x in samples])
                for x, (_, resident, _) in zip(samples, calculated):
                    self.assertAlmostEqual(resident / sm["max_warps"], next((part for first, _, part in reversed(steps) if first <= x), 0), 12, f"{name}, {curve} {x}")
            page.evaluate("[...document.querySelectorAll('#kernels button')].find((b) => b.textContent === 'as launched').click()")
            self.assertEqual(shown(), own)
        # By keyboard, and told to who cannot see it.
        page.evaluate("document.getElementById('occupancy-threads').focus()")
        page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowUp", code="ArrowUp", windowsVirtualKeyCode=38)
        self.assertEqual(shown()[0], own[0] + 1)
        self.assertEqual(page.evaluate("document.getElementById('occupancy-answer').tagName"), "OUTPUT")
        self.assertTrue(all(page.evaluate("[...document.querySelectorAll('svg.occupancy')].map((e) => e.getAttribute('aria-label'))")))
        self.assertEqual(page.problems, [])


if __name__ == "__main__":
    page_case.main(KernelsTest)
