#!/usr/bin/env python3
"""HSA programs under `duet run`: programs of tests/hsa/programs check what they get, with kernels that `duet hsacc` has compiled.
By day on some machines, and some programs natively alone; at night (tests/whole.py) all.
Usage: hsa_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from c_programs import CPrograms  # noqa: E402
from compile_once import compile_once  # noqa: E402
from whole import some  # noqa: E402

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
DUET = BUILD / "bin/duet"
LIBRARY = BUILD / "lib/duet/hsa/libhsa-runtime64.so.1"
PROGRAMS = SOURCE / "tests/hsa/programs"
C = CPrograms(PROGRAMS, LIBRARY)
WORK, call, program = C.work, C.call, C.program
# Launches of vector_copy: 4000 work-items in groups of 256 are 15 groups, and one of 160.
COPIES = 3 * [("vector_copy", [15, 1, 1], [256, 1, 1]), ("vector_copy", [1, 1, 1], [160, 1, 1])]


def code_object(name, options=()):
    """The code object of this name in WORK, compiled once."""
    output = WORK / name
    if not output.exists():
        done = call(DUET, "hsacc", PROGRAMS / output.with_suffix(".cl").name, "-o", output, *options)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr
    return output


class Hsa(unittest.TestCase):
    def run_program(self, name, *options, machine="mi300a"):
        self.out = WORK / f"out-{name}-{len(options)}"
        return call(DUET, "run", "--quiet", "--machine", machine, *options, "--out", self.out, program(name), WORK)

    def passes(self, name, *options, said=""):
        done = self.run_program(name, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"PASS {name}\n", said))
        return json.loads((self.out / "stats.json").read_text())

    def test_vector_copy(self):
        for name in ("vector_copy.hsaco", "vector_copy.brig"):
            code_object(name)
        stats = self.passes("vector_copy")
        self.assertEqual([(kernel["name"], kernel["grid"], kernel["block"]) for kernel in stats["kernels"]], COPIES)
        self.assertTrue(all(kernel["end_ps"] > kernel["start_ps"] for kernel in stats["kernels"]))
        calls = {one["name"]: one for one in stats["api"]}
        self.assertFalse([name for name in calls if not name.startswith("hsa_")])
        self.assertEqual((calls["hsa_init"]["calls"], calls["hsa_signal_store_screlease"]["calls"]), (1, 3))
        self.assertTrue(all(one["total_ps"] > 0 for one in stats["api"]), stats["api"])
        self.passes("vector_copy", "--functional")

    def test_start_up(self):
        """It passes once, in the first hsa_init that succeeds."""
        for name in ("vector_copy.hsaco", "vector_copy.brig"):
            code_object(name)
        plain, slow = ({one["name"]: one["total_ps"] for one in self.passes("vector_copy", *options)["api"]}
                       for options in ([], ["--set", "driver.start_up.hsa_us=7000"]))
        self.assertEqual(slow["hsa_init"] - plain["hsa_init"], 7000 * 10**6)
        for name in ("hsa_iterate_agents", "hsa_queue_create", "hsa_shut_down"):
            self.assertEqual(slow[name], plain[name], name)
        done = self.run_program("standstill", "--set", "driver.start_up.hsa_us=7000", machine="h100")
        self.assertIn("driver.start_up.hsa_us = 7000 does nothing: gpu.front_end.user_queues is 0: there is no HSA", done.stderr)

    def test_packets(self):
        code_object("kernels.hsaco")
        stats = self.passes("packets")
        kernels = [kernel["name"] for kernel in stats["kernels"]]
        # Two borders make four grids: 6 and 5 are cut off, and 4 is not.
        self.assertEqual((kernels.count("turn"), kernels.count("place"), kernels.count("step")), (1, 4, 107))
        self.passes("packets", "--functional")

    def test_signals(self):
        self.passes("signals")
        self.passes("signals", "--functional")

    def test_producers(self):
        code_object("kernels.hsaco")
        stats = self.passes("producers")
        self.assertEqual(len([kernel for kernel in stats["kernels"] if kernel["name"] == "add"]), 80)

    def test_waits(self):
        self.passes("waits")

    def test_copies(self):
        self.passes("copies")
        self.passes("copies", "--functional")

    def test_variables(self):
        code_object("variables.hsaco", options=["-cl-std=CL2.0"])
        self.passes("variables")
        self.passes("variables", "--functional")

    def test_errors(self):
        code_object("kernels.hsaco")
        done = self.run_program("errors")
        self.assertEqual((done.returncode, done.stdout), (0, "PASS errors\n"), done.stderr)
        lines = done.stderr.splitlines()
        for line in ("hsa_amd_ipc_memory_detach is not supported: it fails with HSA_STATUS_ERROR",
                     "hsa_signal_load_relaxed: the handle is no signal's, or the signal has been destroyed",
                     "a user queue more than machine mi300a has: gpu.front_end.user_queues is 24",
                     "hsa_executable_load_agent_code_object: the code object is BRIG, and there is no finalizer for it: compile the OpenCL C with "
                     "duet hsacc k.cl -o k.brig"):
            self.assertEqual(lines.count(f"duet: {line}"), 1, (line, done.stderr))
        for why in ("its kernel object names no kernel", "its group segment has 0 bytes, and its kernel takes 256",
                    "its arguments are not in memory that the GPU reaches", "a size of its grid or group is 0",
                    "its groups have 60000 work-items, and the GPU's have 1024 at most"):
            self.assertRegex(done.stderr, rf"duet: queue \d+: packet 0: {why}: the queue takes no further packet\n")

    def test_fault(self):
        code_object("kernels.hsaco")
        done = self.run_program("fault")
        self.assertEqual((done.returncode, done.stdout), (0, "PASS fault\n"), done.stderr)
        self.assertIn("kernel 'fault'", done.stderr)
        self.assertIn("0x10000", done.stderr)

    def test_standstill(self):
        done = self.run_program("standstill")
        self.assertEqual(done.returncode, 124)
        self.assertIn("packet 0 of user queue 0: a signal that is not 0", done.stderr)
        self.assertIn("the host is in hsa_signal_wait_scacquire", done.stderr)

    def test_processor(self):
        done = self.run_program("processor")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "Duet's native host\n1 cores, lines of 64\n", ""))

    def test_machine_without_queues(self):
        done = self.run_program("standstill", machine="h100")
        self.assertEqual(done.returncode, 1)
        self.assertIn("duet: hsa_init: machine h100 has no user queues (gpu.front_end.user_queues is 0): duet run --machine mi300a has them\n", done.stderr)
        self.assertIn("hsa_init() is 0x1008", done.stderr)

    def test_leaks(self):
        for name in ("vector_copy.hsaco", "vector_copy.brig"):
            code_object(name)
        done = self.run_program("vector_copy", "--check", "leaks")
        self.assertEqual((done.returncode, done.stdout), (0, "PASS vector_copy\n"), done.stderr)
        self.assertIn("checked leaks: 0 findings", done.stderr)

    @unittest.skipUnless(shutil.which("rocminfo"), "rocminfo is missing: apt-get install rocminfo")
    def test_rocminfo(self):
        """AMD's own tool asks for all that it knows; it looks for AMD's driver first."""
        driver = WORK / "rocm_driver.so"
        done = call("cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", PROGRAMS / "rocm_driver.c", "-o", driver)
        self.assertEqual(done.returncode, 0, done.stderr)
        tools = WORK / "tools"
        tools.mkdir()
        (tools / "lsmod").write_text("#!/bin/sh\necho amdgpu 1 0\n")
        (tools / "lsmod").chmod(0o755)
        done = call(DUET, "run", "--quiet", "--machine", "mi300a", "--out", WORK / "out-rocminfo", "rocminfo",
                    env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LD_PRELOAD": str(driver)})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        words = " ".join(done.stdout.split())
        for answer in ("Runtime Version: 1.2", "Name: duet-mi300a", "Marketing Name: MI300A slice (Duet)", "Max Queue Number: 24(0x18)",
                       "Wavefront Size: 64(0x40)", "Compute Unit: 4", "Name: duet:ptx", "FLAGS: KERNARG, FINE GRAINED", "*** Done ***"):
            self.assertIn(answer, words)

    def test_other_machines(self):
        """Queues on machines that have none: caches that are not coherent, a link, one memory."""
        code_object("kernels.hsaco")
        for machine in some(("tk1", "gtx580", "h100", "fused"), 2):
            for name in ("packets", "signals")[:1 if machine == "tk1" else 2]:  # tk1's GPU reaches no memory of malloc
                with self.subTest(name, machine=machine):
                    done = self.run_program(name, "--set", "gpu.front_end.user_queues=8", machine=machine)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"PASS {name}\n", ""))

    def test_hsacc(self):
        broken = WORK / "broken.cl"
        broken.write_text("__kernel void k(__global int* a) { a[0] = nothing; }\n")
        done = call(DUET, "hsacc", broken, "-o", WORK / "broken.hsaco")
        self.assertEqual(done.returncode, 1)
        self.assertIn("undeclared identifier 'nothing'", done.stderr)
        self.assertFalse((WORK / "broken.hsaco").exists())
        for words, line in (([], "hsacc: name a file of OpenCL C"), (["-o"], "hsacc: -o needs a value"),
                            (["--symbols"], "hsacc: --symbols needs a value"),
                            (["--symbols", "**"], "hsacc: --symbols '**': a word with one * where the kernel's name stands, as '&__*_kernel'"),
                            ([broken, broken], "a call compiles one file of OpenCL C")):
            done = call(DUET, "hsacc", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(line, done.stderr)
        done = call(DUET, "hsacc", WORK / "none.cl")
        self.assertEqual((done.returncode, done.stderr), (125, f"duet: hsacc: cannot read {WORK}/none.cl\n"))
        self.assertIn("code object", call(DUET, "hsacc", "--help").stdout)
        named = WORK / "named.brig"
        done = call(DUET, "hsacc", PROGRAMS / "vector_copy.cl", "-o", named, "--symbols", "&__*_kernel")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(b"kernel vector_copy &__vector_copy_kernel 0 ", named.read_bytes())

    def test_names(self):
        """The library exports every function of the three headers."""
        declared = set()
        for header in ("hsa.h", "hsa_ext_finalize.h", "hsa_ext_amd.h"):
            text = call("cc", "-E", "-P", f"/usr/include/hsa/{header}").stdout
            text = re.sub(r"typedef struct \w+ \{.*?\} \w+;|typedef [^;{]*;", "", text, flags=re.S)
            declared |= set(re.findall(r"\b(hsa_(?!ext_(?:image|sampler))\w+)\s*\((?!\*)", text))
        exported = set(re.findall(r" T (hsa_\w+)@@ROCR_1| W (hsa_\w+)@@ROCR_1", call("nm", "-D", LIBRARY).stdout))
        exported = {one or other for one, other in exported}
        self.assertGreater(len(declared), 200)
        self.assertEqual(sorted(declared - exported), [])
        self.assertEqual(sorted(exported - declared), [])


@unittest.skipUnless(shutil.which("riscv64-linux-gnu-g++"), "riscv64-linux-gnu-g++ is missing: apt-get install g++-riscv64-linux-gnu")
class Simulated(unittest.TestCase):
    """The same programs on simulated cores: signals and indices are their own loads, stores and atomics."""
    machine = ("--machine", "mi300a")

    def run_program(self, name, *options, arguments=(), out=None):
        binary = WORK / f"{name}.rv"
        if not binary.exists():
            done = compile_once(DUET, ["--host", "riscv64", "-O1", "-Wall", "-Wextra", "-Werror", PROGRAMS / f"{name}.c", "-lhsa-runtime64"], binary)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.out = WORK / (out or f"simulated-{name}-{len(options)}")
        return call(DUET, "run", "--quiet", "--no-html", "--host", "simulated", *self.machine, *options, "--out", self.out, binary, WORK, *arguments)

    def passes(self, name, *options, arguments=(), out=None):
        done = self.run_program(name, *options, arguments=arguments, out=out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"PASS {name}\n", ""))
        return json.loads((self.out / "stats.json").read_text())

    def test_vector_copy(self):
        for name in ("vector_copy.hsaco", "vector_copy.brig"):
            code_object(name)
        stats = self.passes("vector_copy")
        self.assertEqual([(kernel["name"], kernel["grid"], kernel["block"]) for kernel in stats["kernels"]], COPIES)
        calls = {one["name"]: one["calls"] for one in stats["api"]}
        self.assertEqual((calls["hsa_init"], calls["hsa_signal_wait_scacquire"]), (1, 3))
        # These do not leave the program.
        self.assertFalse([name for name in calls if "_index_" in name or "signal_store" in name])

    def test_packets(self):
        code_object("kernels.hsaco")
        self.passes("packets")

    def test_other_machines(self):
        """A GPU behind a link, one that shares a level of cache, and one whose pinned memory the cores' atomics do not reach."""
        code_object("kernels.hsaco")
        for machine in ("lustig2013", "fused"):
            with self.subTest(machine):
                self.machine = ("--machine", machine, "--set", "gpu.front_end.user_queues=8")
                self.passes("packets", out=f"packets-{machine}")
        self.machine = ("--machine", "tk1", "--set", "gpu.front_end.user_queues=8")
        done = self.run_program("standstill", out="standstill-tk1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("duet: hsa_init: the cores of machine tk1 reach pinned memory past their caches, without atomics: "
                      "run the program natively, or on mi300a\n", done.stderr)

    def test_processor(self):  # night
        done = self.run_program("processor", "--set", "cpu.cores=2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), ["Zen-4-like core (Duet, RV64GC)", "2 cores, lines of 64", "L1 32768", "L2 1048576"])

    def test_without_a_gpu(self):
        self.machine = ("--machine", "xeon-e3-1245")
        done = self.run_program("standstill", out="standstill-xeon")
        self.assertEqual(done.returncode, 125)
        self.assertIn("makes CUDA, OpenCL or HSA calls", done.stderr)

    def test_hsa_and_opencl_in_one_program(self):
        done = call(DUET, "cc", "--host", "riscv64", PROGRAMS / "spin.c", "-lOpenCL", "-l", "hsa-runtime64", "-o", WORK / "both")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (125, 1), done.stderr)
        self.assertIn("-lOpenCL is OpenCL, and -lhsa-runtime64 is HSA: a program on simulated cores uses one of them", done.stderr)

    def test_pages_that_nobody_has_touched(self):
        code_object("vector_copy.hsaco")
        self.machine = ("--machine", "kaveri")
        pages, all_kernels = 16, {}
        for page_ns in (0, 5000, 6000):
            stats = self.passes("untouched", "--set", f"translation.iommu_fault_ns={2 * page_ns}", "--set",
                                f"translation.iommu_fault_page_ns={page_ns}", out=f"untouched-{page_ns}")
            self.assertEqual(stats["counters"]["iommu.page_requests"], pages if page_ns else 0)
            all_kernels[page_ns] = [kernel["end_ps"] - kernel["start_ps"] for kernel in stats["kernels"]]
        self.assertLess(abs(all_kernels[6000][0] - all_kernels[5000][0] - (pages + 1) * 1_000_000), 600_000, "they are answered one after the other")
        self.assertGreater(all_kernels[5000][0], all_kernels[0][0] + (pages - 1) * 5_000_000)
        self.assertLess(abs(all_kernels[5000][1] - all_kernels[0][1]), 1_000_000, "the second launch has them")
        orders = [self.passes("untouched", *options, out=f"untouched-{len(options)}") for options in (("--shuffle", "3"), ("--two-threads",))]
        self.assertEqual(orders[0]["counters"], orders[1]["counters"])
        self.assertEqual(orders[0]["kernels"], orders[1]["kernels"])

    def test_fences_of_coarse_memory(self):
        """On kaveri nothing keeps L2 coherent with it but a packet's fences."""
        code_object("vector_copy.hsaco")
        self.machine = ("--machine", "kaveri")
        counters = self.passes("coarse")["counters"]
        self.assertEqual(counters["cache_engine.ranges"], 6)
        self.assertGreater(counters["translation.iommu_walks"], 0)
        # Signals and packets do not follow --method, and the program's memory does.
        self.passes("coarse", "--method", "fine", out="coarse-method")
        done = self.run_program("coarse", arguments=("none",), out="coarse-none")
        self.assertEqual((done.returncode, done.stdout), (0, "old values\n"), done.stderr)

    def test_signals(self):
        self.passes("signals")

    def test_variables(self):  # night
        code_object("variables.hsaco", options=["-cl-std=CL2.0"])
        self.passes("variables")

    def test_producers(self):
        """Threads on cores of their own write packets into one queue; the same whichever component is ticked first, and on how many threads."""
        code_object("kernels.hsaco")
        all_stats = []
        for options in ((), ("--shuffle", "7"), ("--two-threads",)):
            all_stats.append(self.passes("producers", "--set", "cpu.cores=4", *options, out=f"producers-{len(all_stats)}"))
            self.assertEqual(len([kernel for kernel in all_stats[-1]["kernels"] if kernel["name"] == "add"]), 80)
        for other in all_stats[1:]:
            self.assertEqual(other["kernels"], all_stats[0]["kernels"])
            self.assertEqual(other["counters"], all_stats[0]["counters"])

    def test_waits(self):
        """An active wait is loads of the core, a blocked one is none."""
        code_object("kernels.hsaco")
        kernels = {}
        for way in ("active", "blocked"):
            stats = self.passes("spin", arguments=(way,), out=f"spin-{way}")
            self.assertEqual((stats["counters"]["core.device_accesses"], stats["counters"]["packet_processor.doorbells"]), (1, 1))
            kernels[way] = stats["kernels"][0]
        active, blocked = (kernels[way]["counters"]["core.loads"] for way in ("active", "blocked"))
        self.assertGreater(active, 3000)
        self.assertLess(blocked, 300)
        # The core stops at the kernel's end, or some loads later; the GPU does not care. The programs' arguments differ, and so may lines
        # of their stacks.
        start, other = (kernels[way]["start_ps"] for way in ("active", "blocked"))
        self.assertLess(abs(start - other), 1_000_000)

    def test_nobody_raises_the_signal(self):
        code_object("kernels.hsaco")
        done = self.run_program("spin", "--timeout", "2", arguments=("nobody",), out="spin-nobody")
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn("stopped after 2 s (--timeout)", done.stderr)
        done = self.run_program("standstill")
        self.assertEqual(done.returncode, 124)
        self.assertIn("packet 0 of user queue 0: a signal that is not 0", done.stderr)
        self.assertIn("the host is in hsa_signal_wait_scacquire", done.stderr)

    def test_errors(self):  # night
        code_object("kernels.hsaco")
        done = self.run_program("errors")
        self.assertEqual((done.returncode, done.stdout), (0, "PASS errors\n"), done.stderr)

    def test_fault(self):  # night
        code_object("kernels.hsaco")
        done = self.run_program("fault")
        self.assertEqual((done.returncode, done.stdout), (0, "PASS fault\n"), done.stderr)
        self.assertIn("kernel 'fault'", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
