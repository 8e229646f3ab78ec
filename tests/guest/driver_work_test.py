#!/usr/bin/env python3
"""The driver's work on the processor, on kaveri: entries of the GPU's page table for OpenCL's shared virtual memory, and interrupts when a
thread has slept. As code on simulated cores, and as time.
Usage: driver_work_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
from simulated_host import DUET, SOURCE, WORK, GuestFixture, call, main, stats
from compile_once import compile_once  # noqa: E402

FOLDER = SOURCE / "workloads/dashti2017/kaveri"
PAGES = 64
LAUNCHES = 3
AS_TIME = ("--set", "driver.handlers.on_cores=false")


class DriverWork(GuestFixture):
    def program(self, hsa=False, host="riscv64"):
        binary = WORK / f"bandwidth-{'hsa' if hsa else 'cl'}-{host}"
        library = "-lhsa-runtime64" if hsa else "-lOpenCL"
        if host == "riscv64":
            words = ["--host", "riscv64", "-O2", *(["-DFRAMEWORK_HSA"] if hsa else []), FOLDER / "bandwidth.c", library]
            done = compile_once(DUET, words, binary)
        else:
            done = call("cc", "-O2", FOLDER / "bandwidth.c", "-o", binary, library)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return binary

    def run_of(self, method, *options, words=(), host="simulated"):
        """What the program printed, by name, and the machine's counters."""
        hsa = method.startswith("hsa")
        if hsa and not (WORK / "bandwidth.hsaco").exists():
            self.assertEqual(call(DUET, "hsacc", FOLDER / "bandwidth.cl", "-o", WORK / "bandwidth.hsaco").returncode, 0)
        done = call(DUET, "run", "--quiet", "--no-html", "--machine", "kaveri", *(("--host", host) if host == "simulated" else ()), *options,
                    "--out", WORK / "out", self.program(hsa, "riscv64" if host == "simulated" else "native"), "--method", method,
                    "--bytes", 4096 * PAGES, "--launches", LAUNCHES, "--code", WORK if hsa else FOLDER, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}, stats(WORK / "out")["counters"]

    def test_code_on_cores(self):
        printed, counters = self.run_of("svm-fine")
        self.assertEqual(counters["driver.filled_pages"], PAGES * (LAUNCHES + 1), "when it is allocated, and before each kernel")
        self.assertEqual(counters["driver.interrupts"], LAUNCHES)
        without, other = self.run_of("svm-fine", *AS_TIME, "--set", "driver.handlers.page_ns=0", "--set", "driver.handlers.interrupt_ns=0")
        loads, stores = (counters[f"core.{name}"] - other[f"core.{name}"] for name in ("loads", "stores"))
        # Of each page: the process's entry, and the address again; the address, and the GPU's entry.
        work = PAGES * (LAUNCHES + 1)
        self.assertTrue(2 * work <= loads < 4 * work + 500, loads)
        self.assertTrue(2 * work <= stores < 3 * work + 500, stores)
        self.assertEqual(counters["core.atomics"] - other["core.atomics"], work)
        self.assertEqual(counters["core.uncached_stores"] - other["core.uncached_stores"], work + LAUNCHES)
        self.assertGreater(printed["all_ns"], without["all_ns"] + LAUNCHES * PAGES)
        self.assertNotIn("driver.filled_pages", other, "nobody does it")

    def test_once(self):
        _, counters = self.run_of("svm-fine", "--set", "method[1].at_launch=invalidate-gpu")
        self.assertEqual(counters["driver.filled_pages"], PAGES)

    def test_time(self):
        for host in ("simulated", "native"):
            times = [self.run_of("svm-fine", *AS_TIME, "--set", f"driver.handlers.page_ns={page}", "--set",
                                 f"driver.handlers.interrupt_ns={interrupt}", host=host)[0]["launch_ns"]
                     for page, interrupt in ((100, 100), (1100, 100), (100, 5100))]
            # Its launch begins in another place of refreshes.
            self.assertAlmostEqual(times[1] - times[0], 1000 * PAGES, delta=1500, msg=host)
            self.assertAlmostEqual(times[2] - times[0], 5000, delta=1500, msg=host)

    def test_memory_without_such_a_table(self):
        _, counters = self.run_of("cl-1.2")
        self.assertEqual(counters["driver.filled_pages"], 0)
        self.assertGreaterEqual(counters["driver.interrupts"], LAUNCHES)
        _, counters = self.run_of("hsa-fine")
        self.assertEqual((counters["driver.filled_pages"], counters["driver.interrupts"]), (0, 0), "its waits are active")
        _, counters = self.run_of("hsa-fine", words=("--wait", "blocked"))
        self.assertEqual((counters["driver.filled_pages"], counters["driver.interrupts"]), (0, LAUNCHES))

    def test_words(self):
        for key, said in (("at_end", "cannot have 'fill-table': the driver does it at launches"),
                          ("translation=none", "cannot have 'fill-table': method[1].translation is \"none\", not \"table\"")):
            setting = f"method[1].{key}" + ("" if "=" in key else "=fill-table clean-gpu")
            done = call(DUET, "run", "--quiet", "--machine", "kaveri", "--set", setting, "--out", WORK / "out", "/bin/true")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_what_the_report_says_of_memory(self):
        self.run_of("svm-fine")
        self.assertEqual(stats(WORK / "out")["memory"],
                         [{"call": "clSVMAllocFineGrain", "method": "svm-fine", "allocations": 1, "bytes": 4096 * PAGES}])
        self.run_of("cl-1.2")
        self.assertEqual([(one["call"], one["method"]) for one in stats(WORK / "out")["memory"]], [("clCreateBuffer", "cl-buffer")])
        self.run_of("hsa-fine")
        self.assertEqual({(one["call"], one["method"]) for one in stats(WORK / "out")["memory"]}, {("hsaFineGrained", "fine")})


if __name__ == "__main__":
    main()
