#!/usr/bin/env python3
"""report.html in a browser: what it draws of a kernel inside the machine. Are the numbers of the memory chart those of stats.json, at
every width and of every kernel?   kernels_test.py BUILD SOURCE [NAME]"""
import subprocess

import page_case
from page_case import DUET, PageCase

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
        self.run_duet("memory", self.program("memory", MEMORY))
        page, stats = self.opened("memory")
        gpu = self.machine("memory")["gpu"]
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
        source = self.folder / "memory.cu"
        subprocess.run([DUET, "cc", "--host", "riscv64", source, "-o", self.folder / "memory.rv"], check=True)
        self.run_duet("cores", "--host", "simulated", "--machine", "fused", "./memory.rv")
        page, stats = self.opened("cores")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('svg.memory [data-field^=host_]')].map((e) => [e.previousSibling.textContent, Number(e.dataset.value)])")[1:],
                         [[f"{way}, whole run", stats["processor"]["totals"][f"dram_{way}_bytes"]] for way in ("read", "written")])
        self.run_duet("functional", "--functional", program)
        page, _ = self.opened("functional")
        self.assertIsNone(page.evaluate("document.querySelector('svg.memory')"))


if __name__ == "__main__":
    page_case.main(KernelsTest)
