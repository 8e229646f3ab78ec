#!/usr/bin/env python3
"""What one mechanism of the machine costs or saves: a workload made to show it, run with the machine's key on and off. `--check` is
the ctest test `probes.on_off`: it asserts the direction, and as least size what follows of necessity from the keys."""

import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import kernels
from machine_run import Runner
from unloaded import Unloaded


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.duet, folder, options.machine)
        model = Unloaded(runner.resolved())
        program = runner.compile(pathlib.Path(__file__).with_name("probe.cu"), "-arch=sm_20")
        gpu, sms = model.gpu, model.gpu["sm"]["count"]
        d, timing = gpu["dram"], gpu["dram"]["timing"]

        def chain(name, block="1"):
            ptx = kernels.chain(name, 48)
            return lambda sets: runner.kernel(ptx, "chain", ["buffer:64", "buffer:64", "u32:24"], block=block, sets=sets)[0]

        def probe(*words):
            return lambda sets: runner.program(program, *words, sets=sets)[0]

        cycles = lambda statistics: statistics["kernels"][-1]["cycles"]
        simulated_ns = lambda statistics: round(statistics["simulated_seconds"] * 1e9)
        # Of a chain's time its links are most; 0.9 leaves room for the rest.
        links = lambda slow, fast: 0.9 * slow / fast
        one_channel = d["interleave_bytes"] * d["channels"] // 4
        # name, sets for on, sets for off, workload, measure, which is slower, at least so many times, counter
        rows = [
            ("refresh", {"gpu.dram.refresh": True}, {"gpu.dram.refresh": False}, probe("read", 4 * sms * 512 * 30, sms, 512, 1),
             cycles, "on", 1.0, "dram.refreshes"),
            ("bank conflicts of shared memory", {}, {"gpu.sm.shared_banks": 0}, chain("shared load, one bank", "32"), cycles, "on",
             links(model.shared(32), model.shared()), "sm.shared_conflict_cycles"),
            ("operand collection", {}, {"gpu.sm.register_banks": 0}, chain("fp fma of one register"), cycles, "on",
             links(model.arithmetic("floating") + 2, model.arithmetic("floating")), "sm.register_conflict_cycles"),
            ("hashing of channels and banks", {"gpu.dram.hash_channels": True}, {"gpu.dram.hash_channels": False},
             probe("strided", one_channel, 8192, sms, 512), cycles, "off", 2.0, "dram.row_conflicts"),
            ("constant cache", {}, {"gpu.sm.constants_cached": False}, chain("constant load"), cycles, "off",
             links(model.load_cycles(1000, "L2", payload=32), model.load_cycles(1000, "constant")) / 2, "constant_cache.read_hits"),
            ("write-back of L2", {}, {"gpu.l2.write_back": False, "gpu.l2.atomic_words_per_cycle": 0},
             probe("store", 65536, sms, 512, 8), cycles, "off", 1.0, "dram.writes"),
            ("a stream's command waits for ACKs", {"driver.read_ahead": False}, {"driver.read_ahead": True},
             probe("launches", 32, 65536), simulated_ns, "on", 1.0, None),
        ]
        print("%-36s %10s %10s %8s %8s   %s" % ("", "on", "off", "slower", "times", "counter on, off"))
        failures = []
        for name, on, off, workload, measure, slower, least, counter in rows:
            with_it, without = workload(on), workload(off)
            a, b = measure(with_it), measure(without)
            ratio = a / b if slower == "on" else b / a
            good = ratio > least if least == 1.0 else ratio >= least
            seen = "" if counter is None else "%s %d, %d" % (counter, with_it["counters"][counter], without["counters"][counter])
            print("%-36s %10d %10d %8s %8.2f   %s%s" % (name, a, b, slower, ratio, seen, "" if good else "  FAILED: at least %.2f" % least))
            if not good:
                failures.append(name)
    return 1 if options.check and failures else 0


if __name__ == "__main__":
    sys.exit(main())
