#!/usr/bin/env python3
"""The time that a program sees: its thread's simulated clock, or the host's with --clock wall.

Usage: clock_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import subprocess
import sys
import time
import unittest

from fixture import DUET, SOURCE, WORK, Fixture, call, main

PYTHON = r"""
import ctypes, threading, time
cuda = ctypes.CDLL("libcudart.so.13")
device = ctypes.c_void_p()
assert cuda.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(1 << 22)) == 0
host = ctypes.create_string_buffer(1 << 22)
def spend(name, function):
    for clock in (time.time, time.perf_counter, time.monotonic, time.process_time):
        start = clock()
        function()
        print(name, clock.__name__, repr(clock() - start))
spend("copy", lambda: cuda.cudaMemcpy(device, host, ctypes.c_size_t(1 << 22), 1))
spend("sleep", lambda: time.sleep(100))
spend("lock", lambda: threading.Event().wait(0.03))
start = time.time()
while time.time() - start < 0.001: pass
print("spin", "-", repr(time.time() - start))
"""


class Clock(Fixture):
    def program(self, mode, *options):
        program = self.compiled("tests/front_door/clocks.cu")
        result = call(DUET, "run", "-q", *options, "--out", WORK / f"out-{self.id()}", program, mode)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def values(self, mode, *options):
        return [(name, int(value)) for name, value in (line.split() for line in
                                                       self.program(mode, *options).splitlines())]

    def test_every_clock_shows_what_the_events_show(self):
        found = self.values("readers")
        self.assertEqual(found.pop(), ("date", 946684800))  # 2000-01-01
        self.assertEqual(len(found), 24)
        coarse = {"time": 1_000_000_000, "times": 10_000_000}  # what one unit is
        for (name, interval), (_, events) in zip(found[::2], found[1::2]):
            if name in coarse:
                self.assertIn(interval, (0, coarse[name]), name)
            else:
                self.assertGreater(events, 100_000)
                self.assertGreater(interval, events - 2000, name)
                self.assertLess(interval, events + 6000, name)  # the calls' own time

    def test_runs_are_equal(self):
        self.assertEqual(self.program("readers"), self.program("readers"))

    def test_wall(self):
        begin = time.time()
        found = self.values("readers", "--clock", "wall")
        self.assertLess(abs(found.pop()[1] - begin), 300)
        self.assertNotEqual(found, self.values("readers")[:-1])

    def test_sleeps_pass_at_once(self):
        begin = time.monotonic()
        for name, slept in self.values("sleeps"):
            expected = 3600 * 10**9 if name == "long_sleep" else 20_000_000
            self.assertGreaterEqual(slept, expected, name)
            self.assertLess(slept, expected + 1000, name)
        self.assertLess(time.monotonic() - begin, 60)

    def test_loops_on_the_clock_get_on(self):
        found = dict(self.values("spins"))
        self.assertGreaterEqual(found["spin"], 10_000_000)
        self.assertLess(found["spin"], 10_000_100)
        # The kernel takes some microseconds; the loops give up after a second.
        self.assertLess(found["flag_sleeping"], 100_000)
        self.assertLess(found["flag_reading"], 100_000)

    def test_waits_time_out(self):
        found = self.values("timeouts")
        self.assertEqual(len(found), 10)
        for name, waited in found:
            self.assertGreaterEqual(waited, 30_000_000, name)
            self.assertLess(waited, 31_000_000, name)

    def test_waits_are_woken(self):
        found = dict(self.values("woken"))
        self.assertEqual((found["condition"], found["future"]), (1, 1))
        self.assertGreater(found["elapsed"], 250_000)
        self.assertLess(found["elapsed"], 10_000_000)

    def test_limit_does_not_pass_while_another_thread_is_in_a_call(self):
        self.assertEqual(self.values("long_call"), [("in_time", 1)])
        self.assertEqual(self.values("long_call", "--clock", "wall"), [("in_time", 0)])

    def test_time_in_a_host_function(self):
        found = dict(self.values("callback"))
        self.assertGreater(found["inside"], 100_000)
        self.assertGreater(found["after"], 0)
        self.assertLess(found["after"], 10_000)

    def test_host_time_real_passes_on_the_clock(self):
        source = WORK / "computes.cu"
        source.write_text("""#include <chrono>
#include <cstdio>
int main() {
  cudaFree(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 20000000; ++i) sum = sum + i;
  std::printf("%lld\\n", (long long)(std::chrono::steady_clock::now() - begin).count());
}
""")
        program = WORK / "computes"
        self.assertEqual(call(DUET, "cc", source, "-o", program).returncode, 0)
        for mode, least, most in (("none", 25, 25), ("real", 1_000_000, 10**10)):
            result = call(DUET, "run", "-q", "--host-time", mode, "--out", WORK / f"out-computes-{mode}", program)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertGreaterEqual(int(result.stdout), least)
            self.assertLessEqual(int(result.stdout), most)

    def test_python(self):
        def run():
            result = call(DUET, "run", "-q", "--out", WORK / "out-python", sys.executable, "-c", PYTHON)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout
        output = run()
        self.assertEqual(output, run())
        expected = {"copy": (0.0005, 0.005), "sleep": (100, 100.0001), "lock": (0.03, 0.0301), "spin": (0.001, 0.001001)}
        lines = output.splitlines()
        self.assertEqual(len(lines), 13)
        for line in lines:
            what, clock, value = line.split()
            least, most = expected[what]
            self.assertGreater(float(value), least - 1e-6, line)
            self.assertLess(float(value), most, line)

    def test_programs_without_cuda_keep_the_hosts_clock(self):
        begin = int(time.time())
        script = "date +%s; sleep 0.2; date +%s"
        result = call(DUET, "run", "-q", "--out", WORK / "out-script", "--", "sh", "-c", script)
        self.assertGreaterEqual(time.time() - begin, 0.2)
        for line in result.stdout.split():
            self.assertLess(abs(int(line) - begin), 300)

    def test_statically_linked_programs_run(self):
        source = WORK / "alone.c"
        source.write_text("#include <stdio.h>\n#include <time.h>\nint main() { printf(\"%ld\\n\", (long)time(0)); }\n")
        program = WORK / "alone"
        subprocess.run(["cc", "-static", source, "-o", program], check=True)
        result = call(DUET, "run", "-q", "--out", WORK / "out-alone", program)
        self.assertLess(abs(int(result.stdout) - time.time()), 300)

    def test_other_clocks_are_refused(self):
        result = call(DUET, "run", "--clock", "cuckoo", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--clock", result.stderr)


if __name__ == "__main__":
    main()
