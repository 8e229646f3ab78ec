#!/usr/bin/env python3
"""What a program measures of the core that it runs on, beside what the machine file says. `cpu.py --duet DUET --check --other` is
the ctest test `probes.cpu`. cpu_probes.c measures with rdcycle, so everything is counted from inside; expected() has the formulas, of the keys
alone. Where the right column is exact, so is the comparison; a time that crosses the clock of DRAM may differ by two cycles. The same is
measured on a core with other values (OTHER), which must show: each row that is compared has a key there that moves it.

Left out: translations (TLBs are off here), and what no program can see."""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# Prefetches in the way are load; translations have their own costs. A small L3 is swept in less time.
QUIET = {"cpu.tlb.data_entries": 0, "cpu.l2.prefetcher": "none", "cpu.l1.prefetcher": "none"}
UNITS = ["integer", "multiply", "divide", "float_add", "float_multiply", "float_fused", "float_divide", "float_square_root", "float_move",
         "float_convert"]
# So that what keeps misses apart is the core, and the time of one is long beside that of anything else.
FAR = {"host.dram_latency_ns": 400, "host.dram_bandwidth_mb_per_s": 400000}
OTHER = {"cpu.fetch_width": 2, "cpu.dispatch_width": 2, "cpu.rob_entries": 100, "cpu.scheduler_entries": 30, "cpu.load_entries": 40,
         "cpu.store_entries": 20, "cpu.load_ports": 1, "cpu.front_end_cycles": 7, "cpu.redirect_cycles": 5, "cpu.to_directory_cycles": 9,
         "cpu.from_directory_cycles": 3, "cpu.predictor.return_entries": 24, "cpu.line_bytes": 128, "cpu.l1.sets": 16, "cpu.l1.ways": 4,
         "cpu.l1.latency_cycles": 3, "cpu.l1.misses": 6, "cpu.l2.sets": 128, "cpu.l2.ways": 6, "cpu.l2.latency_cycles": 11,
         "cpu.l3.sets": 1024, "cpu.l3.ways": 8, "cpu.l3.latency_cycles": 14, "host.dram_latency_ns": 90, "host.dram_bandwidth_mb_per_s": 9000}
for number, unit in enumerate(UNITS):
    OTHER |= {"cpu.%s.latency_cycles" % unit: 5 + 3 * number, "cpu.%s.interval_cycles" % unit: 2 + number % 2}


class Machine:
    def __init__(self, duet, folder, name, sets):
        self.duet, self.folder, self.name, self.sets = duet, folder, name, QUIET | sets
        text = subprocess.run([duet, "machines", "show", name, *self.options()], check=True, capture_output=True, text=True).stdout
        self.tables = tomllib.loads(text)
        self.cpu = self.tables["cpu"]

    def options(self, sets={}):
        return [word for key, value in (self.sets | sets).items() for word in ("--set", "%s=%s" % (key, value))]

    def probe(self, *words, sets={}):
        """The figures that a probe prints."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            line = [self.duet, "run", "--host", "simulated", "--machine", self.name, *self.options(sets), str(self.folder / "cpu_probes"),
                    *map(str, words)]
            result = subprocess.run(line, capture_output=True, text=True, cwd=folder, timeout=300)
        if result.returncode != 0:
            sys.exit("%s: exit %d\n%s" % (" ".join(line), result.returncode, result.stderr[-1000:]))
        return result.stdout.split()

    # ---- formulas ----
    def start_interval(self, unit):
        u = self.cpu[unit]
        return max(1 / u["count"] if u["interval_cycles"] == 1 else u["interval_cycles"] / u["count"], self.width(1))

    def width(self, instructions):
        return instructions / min(self.cpu[w] for w in ("fetch_width", "dispatch_width", "issue_width", "retire_width"))

    def chain(self, unit):
        return max(self.cpu[unit]["latency_cycles"], self.start_interval(unit))

    def l1(self):
        return self.cpu["l1"]["latency_cycles"]

    def l2(self):
        return self.l1() + (self.cpu["l2"]["latency_cycles"] if self.cpu["l2"]["sets"] else 0)

    def ways_there_and_back(self):
        return self.cpu["to_directory_cycles"] + self.cpu["from_directory_cycles"]

    def l3(self):
        """To the directory, to L3 a cycle later, its lookup, a cycle back, and back to the core."""
        return self.l2() + self.ways_there_and_back() + 1 + self.cpu["l3"]["latency_cycles"] + 1

    def transfer(self):
        """Two messages there, two back: the request, the probe, its answer, the grant."""
        return self.l2() + 2 * self.ways_there_and_back()

    def memory(self):
        host = self.tables["host"]
        ns = host["dram_latency_ns"] + 1000 * self.cpu["line_bytes"] / host["dram_bandwidth_mb_per_s"]
        above = (1 + self.cpu["l3"]["latency_cycles"]) if self.cpu["l3"]["sets"] else 0
        return self.l2() + self.ways_there_and_back() + above + ns * self.cpu["clock_khz"] / 1e6 + 1

    def misprediction(self):
        """A xor, the jump behind it, and the way from its end to the next dispatch; one branch unit is taken by the branch before it."""
        branch = self.cpu["branch"]
        later = 2 // min(self.cpu["fetch_width"], self.cpu["dispatch_width"])     # the xor is the third instruction
        taken = 1 if branch["count"] == 1 and later == 0 else 0
        return (self.cpu["front_end_cycles"] + self.cpu["redirect_cycles"] + 1 + later + self.cpu["integer"]["latency_cycles"] +
                branch["latency_cycles"] + taken)

    def mixed(self):
        """Two integer operations, a multiplication, a load."""
        return max(self.width(4), 2 * self.start_interval("integer"), self.start_interval("multiply"), 1 / self.cpu["load_ports"])

    def bandwidth(self):
        """Bytes a cycle: what DRAM gives, or what the lines allow that are in flight at a time, six instructions for 32 bytes."""
        line, host = self.cpu["line_bytes"], self.tables["host"]
        peak = host["dram_bandwidth_mb_per_s"] * 1000 / self.cpu["clock_khz"]
        lines = min(self.cpu["l1"]["misses"], 8 * self.cpu["load_entries"] / line, self.cpu["rob_entries"] / (6 * line / 32))
        return min(peak, lines * line / self.memory())


def rows(machine):
    """Name, the probe's words, what it must be, by how much it may differ, and keys for it alone."""
    cpu, line = machine.cpu, machine.cpu["line_bytes"]
    has_l2, has_l3 = cpu["l2"]["sets"] != 0, cpu["l3"]["sets"] != 0
    last = cpu["l3"] if has_l3 else cpu["l2"]
    stride = max(level["sets"] for level in (cpu["l1"], cpu["l2"], cpu["l3"])) * line
    deep = last["ways"] + (8 if not has_l3 else 2 * last["ways"])
    result = [("L1 hit", ["chase", line, 32], machine.l1(), 0)]
    conflict = cpu["l1"]["sets"] * line
    result += [("L1 ways", ["ways", conflict, 40, machine.l1() + 0.2], cpu["l1"]["ways"], 0),
               ("L1 sets x line", ["sets", cpu["l1"]["ways"] + 1, 65536, machine.l1() + 0.2], conflict, 0),
               ("line, bytes", ["line", machine.l1()], line, 0)]
    if has_l2:
        conflict = cpu["l2"]["sets"] * line
        # Lines that L1 has no room for, and L2 has.
        if cpu["l2"]["ways"] > cpu["l1"]["ways"]:
            result += [("L2 ways", ["ways", conflict, 40, machine.l2() + 0.2], cpu["l2"]["ways"], 0),
                       ("L2 hit", ["chase", conflict, cpu["l1"]["ways"] + 1], machine.l2(), 0)]
        else:
            result += [("L2 hit", ["chase", cpu["l1"]["sets"] * line, cpu["l1"]["ways"] + 2], machine.l2(), 0)]
        result += [("L2 sets x line", ["sets", max(cpu["l1"]["ways"], cpu["l2"]["ways"]) + 1, 1 << 20, machine.l2() + 0.2], conflict, 0)]
    if has_l3:
        lines = 2 * cpu["l2"]["ways"] if has_l2 else cpu["l1"]["ways"] + 2
        result += [("L3 hit", ["chase", conflict, lines], machine.l3(), 0)]
        size = cpu["l3"]["sets"] * cpu["l3"]["ways"] * line
        if size <= 1 << 20:
            result += [("L3, 7/8 of it full", ["capacity", size * 7 // 8, line], machine.l3(), 0.06 * machine.l3()),
                       ("L3, 9/8 of it full", ["capacity", size * 9 // 8, line], machine.memory(), 0.3 * machine.memory())]
    result += [("DRAM", ["memory", cpu["integer"]["latency_cycles"]], machine.memory(), 2),
               ("reorder buffer", ["window", "any", stride, deep], cpu["rob_entries"] - 3, 0, FAR),
               ("loads", ["window", "load", stride, deep], cpu["load_entries"] - 2, 0, FAR),
               ("stores", ["window", "store", stride, deep], cpu["store_entries"], 0, FAR),
               ("scheduler", ["window", "waiting", stride, deep], cpu["scheduler_entries"] - 1, 0, FAR),
               ("misses in flight", ["misses", FAR["host.dram_latency_ns"] * cpu["clock_khz"] // 1000000], cpu["l1"]["misses"], 0, FAR),
               ("returns", ["returns", int(machine.misprediction())], cpu["predictor"]["return_entries"], 0),
               ("read, bytes a cycle", ["stream", 1 << 20], machine.bandwidth(), 0.2 * machine.bandwidth())]
    if cpu["cores"] > 1:
        result += [("another core's line", ["transfer", 70, line], machine.transfer(), 0.1)]
    return result


def unit_rows(machine):
    found = dict(zip(*[iter(machine.probe("units"))] * 2))
    expected = {"chain_" + unit: machine.chain(unit) for unit in UNITS} | {"many_" + unit: machine.start_interval(unit) for unit in UNITS}
    for both in ("chain_float_convert", "many_float_convert"):  # two operations
        expected[both] *= 2
    expected |= {"many_branch": max(1 / machine.cpu["branch"]["count"], machine.width(1)),
                 "many_load": max(1 / machine.cpu["load_ports"], machine.width(1)), "many_store": 1.0,
                 "forwarding": 1 + machine.l1(), "mixed": machine.mixed(), "misprediction": machine.misprediction()}
    # A difference of a cycle over 480 operations is where the first one starts in its cycle. Stores are still on their way when the
    # program reads the clock.
    return [(name, float(found[name]), value, 0.05 if name == "many_store" else 1.01 / 480) for name, value in expected.items()]


def measure(machine, workers):
    table = {name: (found, value, room) for name, found, value, room in unit_rows(machine)}
    work = rows(machine)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda row: machine.probe(*row[1], sets=row[4] if len(row) == 5 else {}), work)
        for (name, _, value, room, *_), figures in zip(work, found):
            table[name] = (float(figures[0]), value, room)
    return table


def show(title, table):
    print("%s\n%-26s %10s %10s" % (title, "", "measured", "expected"))
    failures = []
    for name, (found, value, room) in table.items():
        good = abs(found - value) <= room + 1e-9
        print("%-26s %10.2f %10.2f%s" % (name, found, value, "" if good else "  FAILED"))
        failures += [] if good else ["%s: %s" % (title, name)]
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", default="xeon-e3-1245")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE, besides those that keep probes quiet")
    parser.add_argument("--check", action="store_true", help="fail where a figure is not what it must be")
    parser.add_argument("--other", action="store_true", help="measure it with OTHER too")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    compiler = "riscv64-linux-gnu-gcc"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            subprocess.run([compiler, "-O2", "-static", "-pthread", "-mno-relax", "-Wall", "-Werror", str(HERE / "cpu_probes.c"), "-o",
                            str(folder / "cpu_probes")], check=True)
        except FileNotFoundError:
            print("skipped: %s is not here" % compiler)
            return 77
        duet = str(pathlib.Path(options.duet).resolve())
        machine = Machine(duet, folder, options.machine, dict(one.split("=", 1) for one in options.set))
        table = measure(machine, options.workers)
        failures = show(options.machine, table)
        if options.other:
            other = measure(Machine(duet, folder, options.machine, OTHER), options.workers)
            failures += show("with other values", other)
            still = [row for row in table if row in other and row not in ("many_store", "many_branch") and table[row][1] == other[row][1]]
            failures += ["%s: no key of OTHER moves it" % row for row in still]
    for failure in failures:
        print("FAILED %s" % failure)
    return 1 if failures and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
