#!/usr/bin/env python3
"""Latency and bandwidth of a machine, measured by kernels, beside what the machine file says. `run.py --duet DUET --check` is
the ctest test `probes`: latencies equal the formula of unloaded.py exactly, bandwidths lie in the bounds below. On gtx480 latencies
also equal those of GPGPU-Sim, but for what gpgpusim_chains.py names. With --some every fourth chain by day, at night (tests/whole.py) all.

Latencies of one clock domain: chains of 16 and 48 dependent links, repeated 4 and 12 times; ((a48,12 - a48,4) - (a16,12 - a16,4)) /
256 is one link, whatever surrounds it, once with %clock inside the kernel (exact) and once with the kernel's cycles (exact but for
a kernel's first and last accesses, which cross clock domains: a cycle a kernel, 4 in 256 links). Latencies across clock domains (DRAM, host memory)
depend on how the clocks lie to each other: every link is stamped, and each is compared with the formula at its own time."""

import argparse
import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gpgpusim_chains
import kernels
from machine_run import Runner
from whole import some  # noqa: E402
from unloaded import LINE, Unloaded

# A refresh in the way is load; without hashing it is known which addresses share a row.
QUIET = {"gpu.dram.refresh": False, "gpu.dram.hash_channels": False}
SHORT, LONG, FEW, MANY = 16, 48, 4, 12
LINKS = (LONG - SHORT) * (MANY - FEW)
STAMPS_BESIDE_LOAD = 3      # clock to load 1, first half of the addition to the second 1, to the clock 1


class Report:
    def __init__(self):
        self.failures = []
        self.measured = {}      # name: least and most

    def row(self, name, measured, expected, good, note=""):
        print("%-34s %12s %12s  %s%s" % (name, measured, expected, note, "" if good else "  FAILED"))
        if not good:
            self.failures.append(name)


def link_cycles(runner, name, block, ring_lines):
    """Cycles a link by %clock and by the kernel's time, and machine instructions a link."""
    cells = {}
    memory = "buffer:%d" % (LINE * ring_lines)
    for length in (SHORT, LONG):
        for iterations in (FEW, MANY):
            statistics, (out,) = runner.kernel(kernels.chain(name, length, ring_lines), "chain", ["buffer:64", memory, "u32:%d" % iterations],
                                               block=block, sets=QUIET, dumps=(0,))
            kernel = statistics["kernels"][0]
            cells[length, iterations] = (struct.unpack_from("<I", out)[0], kernel["cycles"], kernel["warp_instructions"])
    return [sum(sign * cells[cell][i] for cell, sign in (((LONG, MANY), 1), ((LONG, FEW), -1), ((SHORT, MANY), -1), ((SHORT, FEW), 1)))
            for i in range(3)]


def chains(runner, model, report, step):
    start = 1000    # any core cycle: core, interconnect and L2 of a machine with exact chains share one clock
    same_clock = model.core.hertz == model.icnt.hertz
    l1 = model.gpu["l1"]
    ring_lines = 2 * l1["sets"] * l1["ways"]
    # name: kernel, threads, cycles a link, instructions a link
    expected = {
        "int add": ("int add", 1, model.arithmetic("integer"), 1),
        "logic": ("logic", 1, model.arithmetic("integer"), 1),
        "int mul": ("int mul", 1, model.arithmetic("integer_multiply"), 1),
        "int mad": ("int mad", 1, model.arithmetic("integer_multiply"), 1),
        "fp add": ("fp add", 1, model.arithmetic("floating"), 1),
        "fp fma": ("fp fma", 1, model.arithmetic("floating"), 1),
        "to integer and back": ("to integer and back", 1, 2 * model.arithmetic("conversion"), 2),
        "double fma": ("double fma", 1, model.arithmetic("double_precision"), 1),
        "special function": ("special function", 1, model.arithmetic("special_function"), 1),
        "scaled root": ("scaled root", 1, model.refined(4), 4),
        "shared load": ("shared load", 1, model.shared(), 1),
        "shared load, 32 words of a bank": ("shared load, one bank", 32, model.shared(32), 1),
        "shared atomic, 32 lanes, one word": ("shared atomic", 32, model.shared(32), 1),
        "constant load": ("constant load", 1, model.load_cycles(start, "constant"), 1),
        "L1 hit": ("L1 hit", 1, model.load_cycles(start, "L1"), 1),
    }
    if same_clock:
        expected |= {
            "L2 hit, past L1": ("L2 hit", 1, model.load_cycles(start, "L2", payload=32, past=True), 1),
            "L2 hit, through L1": ("L2 hit, through L1", 1, model.load_cycles(start, "L2", payload=l1["sector_bytes"]), 1),
            "atomic": ("global atomic", 1, model.atomic_cycles(start), 1),
            "atomic, 32 lanes, one word": ("global atomic", 32, model.atomic_cycles(start, 1, 32), 1),
            "atomic, 32 lanes, 32 words": ("global atomic, a lane a word", 32, model.atomic_cycles(start, words=32), 1),
        }
        # Eight warps: where one does not wait longer for its answers than all take at the word.
        if model.atomic_cycles(start, 8, 32) > model.atomic_cycles(start, 1, 32):
            expected["atomic, 256 lanes, one word"] = ("global atomic", 256, model.atomic_cycles(start, 8, 32), 8)
    print("%-34s %12s %12s" % ("latency, core cycles", "measured", "formula"))
    for name, (kernel, threads, cycles, per_link) in some(expected.items(), step):
        by_clock, by_kernel, instructions = link_cycles(runner, kernel, threads, ring_lines)
        # Warps that wait for each other read their clocks at different times; the kernel's cycles count.
        clock_counts = threads <= 32
        good = (not clock_counts or by_clock == cycles * LINKS) and abs(by_kernel - cycles * LINKS) <= 4 and instructions == per_link * LINKS
        shown = by_clock if clock_counts else round(by_kernel / LINKS) * LINKS
        report.row(name, "%g" % (shown / LINKS), cycles, good, "by the kernel's cycles %.3f" % (by_kernel / LINKS))
        report.measured[name] = (shown / LINKS,) * 2


def beside_gpgpusim(report):
    """What the chains take there, and what is known to differ."""
    print("\n%-34s %12s %12s %12s" % ("beside GPGPU-Sim, core cycles", "measured", "GPGPU-Sim's", "difference"))
    spread = lambda ends: "%g" % ends[0] if ends[0] == ends[1] else "%g..%g" % ends
    for name, there in gpgpusim_chains.CHAINS.items():
        there = there if isinstance(there, tuple) else (there, there)
        here = report.measured[name]
        # Several clocks lie differently to each other here and there: the middles of such ranges may be a cycle apart.
        apart = (sum(here) - sum(there)) / 2
        known, why = gpgpusim_chains.FALLS_SHORT.get(name, (0, ""))
        good = abs(apart - known) <= (1 if name.startswith("DRAM") else 0)
        print("%-34s %12s %12s %+12g  %s%s" % (name, spread(here), spread(there), apart, why, "" if good else "  FAILED"))
        if not good:
            report.failures.append(name + " beside GPGPU-Sim")


def stamps_of(data, links):
    words = struct.unpack_from("<%dI" % (2 * links), data)
    return list(zip(words[::2], words[1::2]))


def stamped(report, name, stamps, formula):
    """Each (before, after) pair against formula(issue cycle)."""
    measured = [after - before - STAMPS_BESIDE_LOAD for before, after in stamps]
    expected = [formula(before + 1) for before, _ in stamps]
    spread = lambda values: "%d..%d" % (min(values), max(values)) if min(values) != max(values) else str(values[0])
    report.row(name, spread(measured), spread(expected), measured == expected, "each of %d accesses exactly" % len(stamps))
    report.measured[name] = (min(measured), max(measured))


def dram(runner, model, report):
    """Pairs of lines in one row (the second is a row hit), pairs in different rows of one bank (the first is a conflict)."""
    gpu, d = model.gpu, model.gpu["dram"]
    row_stride = d["row_bytes"] * d["banks"] * d["channels"]
    pairs = 8
    offsets = [pair * row_stride + line for pair in range(pairs) for line in (0, LINE)]
    links, size = len(offsets), pairs * row_stride
    buffers = ["buffer:1024", "buffer:%d" % size]
    address_of = kernels.HEADER + (".visible .entry where(.param .u64 out, .param .u64 memory) { .reg .b64 %d<3>; ld.param.u64 %d1, "
                                   "[out]; ld.param.u64 %d2, [memory]; st.global.u64 [%d1], %d2; ret; }")
    _, (out,) = runner.kernel(address_of, "where", buffers, dumps=(0,))
    base = struct.unpack_from("<Q", out)[0]
    image = bytearray(size)
    for at, to in zip(offsets, offsets[1:] + offsets[:1]):
        struct.pack_into("<Q", image, at, base + to)
    (runner.folder / "chain.bin").write_bytes(image)
    buffers[1] += "=@%s" % (runner.folder / "chain.bin")

    # The stamps' own cost, around a load whose latency the chains above have shown.
    _, (out,) = runner.kernel(kernels.recorded_chain("shared", 8), "chain", buffers, sets=QUIET, dumps=(0,))
    beside = {after - before - model.shared() for before, after in stamps_of(out, 8)[1:]}
    report.row("clock stamps around a load", beside, {STAMPS_BESIDE_LOAD}, beside == {STAMPS_BESIDE_LOAD})
    for space, way, payload in (("global.cg", "past", 32), ("global.ca", "through", gpu["l1"]["sector_bytes"])):
        statistics, (out,) = runner.kernel(kernels.recorded_chain(space, links), "chain", buffers, sets=QUIET, dumps=(0,))
        if struct.unpack_from("<Q", out, 8 * links)[0] != base:
            report.row("address of the buffer", "moved", hex(base), False)
        stamps = stamps_of(out, links)
        for row, first in (("hit", 1), ("conflict", 2)):
            stamped(report, "DRAM, row %s, %s L1" % (row, way), stamps[first::2],
                    lambda k, row=row: model.load_cycles(k, "DRAM", payload=payload, row=row, past=way == "past"))


def mapped(runner, model, report, program):
    _, lines = runner.program(program, "mapped", 8, sets=QUIET)
    stamps = [tuple(map(int, line.split())) for line in lines]
    # The first iteration fetches its code.
    stamped(report, "load of mapped host memory", stamps[1:], lambda k: model.core.cycle_at(model.mapped_load(model.core.edge(k))) - k)


def bandwidths(runner, model, report, program):
    gpu, sms = model.gpu, model.gpu["sm"]["count"]
    dram = gpu["dram"]
    peak = dram["channels"] * dram["burst_bytes"] * dram["command_clock_khz"] / dram["burst_cycles"] / 1e6
    icnt = gpu["interconnect"]
    line_cycles = -(-(gpu["l2"]["line_bytes"] + icnt["header_bytes"]) // icnt["flit_bytes"])
    l2_peak = min(gpu["l2_slices"], sms) * gpu["l2"]["line_bytes"] / line_cycles * icnt["clock_khz"] / 1e6
    shared_peak = sms * 4 * gpu["sm"]["shared_banks"] * gpu["core_clock_khz"] / 1e6
    print("\n%-34s %12s %12s" % ("bandwidth, GB/s", "measured", "peak"))

    def kernel(name, bytes_moved, limit, least, *words):
        statistics, _ = runner.program(program, *words)
        k = statistics["kernels"][-1]
        rate = bytes_moved * 1000 / (k["end_ps"] - k["start_ps"])
        report.row(name, "%.1f" % rate, "%.1f" % limit, least * limit <= rate <= limit, "%.0f %% of it" % (100 * rate / limit))

    # The whole grid reads 4 words a thread and iteration; `rounds` iterations.
    def words(blocks, threads, rounds):
        return 4 * blocks * threads * rounds

    for blocks, threads, rounds, least in ((sms, 512, 30, 0.75), (60 * sms, 256, 1, 0.75), (6 * sms, 256, 10, 0.5)):
        n = words(blocks, threads, rounds)
        kernel("DRAM read, %d x %d" % (blocks, threads), 4 * n, peak, least, "read", n, blocks, threads, 1)
    n = words(sms, 512, 30)
    kernel("DRAM copy, read and written", 8 * n, peak, 0.5, "copy", n, sms, 512)
    n = words(sms, 512, 2)
    kernel("L2 read, whole lines", 16 * 4 * n, l2_peak, 0.7, "read", n, sms, 512, 16)
    kernel("L2 read, past L1", 16 * 4 * n, l2_peak, 0.4, "read_cg", n, sms, 512, 16)
    kernel("shared memory", 3 * sms * 512 * 16 * 4 * 64, shared_peak, 0.9, "shared", 3 * sms, 512, 64)
    statistics, _ = runner.program(program, "link", 1 << 23)
    for copy, key in zip(statistics["copies"], ("payload_mb_per_s_to_gpu", "payload_mb_per_s_to_host")):
        rate, limit = copy["bytes"] * 1000 / (copy["end_ps"] - copy["start_ps"]), model.link[key] / 1000
        report.row("cudaMemcpy, pinned, " + copy["kind"], "%.3f" % rate, "%.3f" % limit, 0.99 * limit <= rate <= limit,
                   "%.1f %% of it" % (100 * rate / limit))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--latency", action="store_true", help="latencies only")
    parser.add_argument("--some", action="store_true", help="not all chains by day")
    parser.add_argument("--check", action="store_true", help="exit status 1 when something is not as it must be")
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.duet, folder, options.machine)
        model = Unloaded(runner.resolved())
        program = runner.compile(pathlib.Path(__file__).with_name("probe.cu"), "-arch=sm_20")
        chains(runner, model, report, 4 if options.some else 1)
        dram(runner, model, report)
        mapped(runner, model, report, program)
        if options.machine == "gtx480":
            beside_gpgpusim(report)
        if not options.latency:
            bandwidths(runner, model, report, program)
    if report.failures:
        print("not as it must be: " + ", ".join(report.failures))
    return 1 if options.check and report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
