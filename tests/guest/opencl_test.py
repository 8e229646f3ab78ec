#!/usr/bin/env python3
"""OpenCL programs on simulated cores: the programs of tests/opencl pass as natively, with the same calls, kernels and copies in the
report; program and kernel see each other's atomics while both run; what is wrong with a program is said in one line. By day some of the programs;
at night (tests/whole.py) all.
Usage: opencl_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import unittest

import simulated_host
from simulated_host import DUET, RUN, SOURCE, WORK, GuestFixture, call, stats
from compile_once import compile_once  # noqa: E402
from whole import WHOLE, some  # noqa: E402

PROGRAMS = SOURCE / "tests/opencl/programs"
FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror", "-lpthread"]
MIXED = """#include <CL/cl.h>
int touch_cuda(void);
int main(void) {
  cl_uint count;
  return clGetPlatformIDs(0, 0, &count) + touch_cuda();
}
"""


def written(name, text):
    path = WORK / name
    path.write_text(text)
    return path


class OpenCl(GuestFixture):
    def compiled(self, source, *flags, name=None):
        binary = WORK / (name or f"{source.stem}.cl.rv")
        if not binary.exists():
            result = compile_once(DUET, ["--host", "riscv64", *FLAGS, source, *(flags or ["-lOpenCL"])], binary)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        return binary

    def passes(self, source, machine="lustig2013", before="", errors=""):
        out = f"{source.stem}-{machine}"
        result = call(DUET, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", machine, "--out", WORK / out, self.compiled(source))
        self.assertEqual((result.returncode, result.stdout), (0, f"{before}PASS {source.stem}\n"), result.stderr)
        if errors is not None:
            self.assertEqual(result.stderr, errors)
        return stats(WORK / out)

    def refused(self, result, *words, status=125):
        self.assertEqual(result.returncode, status, result.stderr)
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def test_programs(self):
        for name in some(("queues", "arguments", "callbacks", "images", "memory", "image_transfers", "linking"), 4):
            with self.subTest(name):
                self.passes(PROGRAMS / f"{name}.c")

    @unittest.skipUnless(WHOLE, "by night")
    def test_kernels(self):
        self.passes(PROGRAMS / "kernels.c", before="n is 5 and 2.50\n")

    @unittest.skipUnless(WHOLE, "by night")
    def test_errors(self):
        self.passes(PROGRAMS / "errors.c", errors=None)

    def test_one_memory(self):
        """Buffers in memory of the program, and a machine that is not coherent."""
        for machine in ("mi300a", "tk1"):
            for name in some(("memory", "callbacks"), 2):
                with self.subTest(f"{machine} {name}"):
                    self.passes(PROGRAMS / f"{name}.c", machine)

    def test_the_report_is_the_native_one(self):
        ours = self.passes(PROGRAMS / "vector_add.c")
        binary = WORK / "vector_add.native"
        self.assertEqual(call("cc", "-O1", PROGRAMS / "vector_add.c", "-o", binary, "-lOpenCL").returncode, 0)
        self.assertEqual(call(DUET, "run", "--quiet", "--machine", "lustig2013", "--out", WORK / "native", binary).returncode, 0)
        native = stats(WORK / "native")
        by_loader = ("clGetPlatformIDs", "clGetPlatformInfo")  # it asks, too
        self.assertEqual(*({one["name"]: one["calls"] for one in run["api"] if one["name"] not in by_loader} for run in (ours, native)))
        self.assertEqual(*([(one["name"], one["grid"], one["block"]) for one in run["kernels"]] for run in (ours, native)))
        self.assertEqual(*([(one["kind"], one["bytes"]) for one in run["copies"]] for run in (ours, native)))
        times = [{one["name"]: one["total_ps"] for one in run["api"]} for run in (ours, native)]
        for name in ("clCreateBuffer", "clEnqueueNDRangeKernel", "clSetKernelArg"):  # they wait for nothing
            self.assertAlmostEqual(times[0][name] / times[1][name], 1, delta=0.1, msg=name)

    def test_both_sides_see_atomics_while_both_run(self):
        self.passes(SOURCE / "tests/guest/programs/svm_spin.c")
        self.passes(SOURCE / "tests/guest/programs/svm_spin.c", "mi300a")

    def test_no_atomics_where_caches_are_not_coherent(self):
        result = call(*RUN[:-1], "tk1", "--quiet", "--out", WORK / "no-atomics", self.compiled(SOURCE / "tests/guest/programs/svm_spin.c"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("no memory with atomics", result.stdout)

    def test_a_pointer_to_nothing(self):
        binary = self.compiled(SOURCE / "tests/guest/programs/bad_opencl.c")
        for way, words in {"read": "clEnqueueReadBuffer writes 64 bytes of host memory at 0x12345678, but byte 0 (0x12345678) may not be "
                                   "written: nothing is mapped there: check the pointer and the size",
                           "write": "clEnqueueWriteBuffer reads 64 bytes", "answer": "clGetDeviceInfo writes ", "needed": "clGetDeviceInfo reads 8 bytes",
                           "list": "clWaitForEvents reads 24 bytes", "text": "clCreateProgramWithSource reads ",
                           "pattern": "clEnqueueFillBuffer reads 4 bytes"}.items():
            with self.subTest(way):
                result = call(*RUN, "--quiet", "--out", WORK / "bad", binary, way)
                self.assertEqual((result.returncode, result.stdout), (139, ""), result.stderr)
                first, second = result.stderr.strip().splitlines()
                self.assertIn(words, first)
                self.assertIn("was ended by signal 11 (Segmentation fault)", second)

    def test_ways_to_name_the_library(self):
        source = written("names.cpp", "#include <CL/cl.h>\nint main() { cl_uint n = 0; return clGetPlatformIDs(0, nullptr, &n) != 0 || n != 1; }\n")
        ways = ["-l", "OpenCL"], ["/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"], ["-I/usr/include", "-L/usr/lib/x86_64-linux-gnu", "-lOpenCL", "-lm"]
        for number, flags in some(enumerate(ways), 3):
            with self.subTest(flags):
                binary = self.compiled(source, *flags, name=f"names-{number}")
                self.assertEqual(call(*RUN, "--quiet", "--out", WORK / "names", binary).returncode, 0)
        if WHOLE:
            front = call(DUET, "cc", "--host", "riscv64", "-lOpenCL", source, "-o", WORK / "names-front")
            self.assertEqual(front.returncode, 0, front.stderr)

    def cuda_and_opencl(self):
        return written("touch.cu", 'extern "C" int touch_cuda() { int n = 0; return cudaGetDeviceCount(&n); }\n'), written("mixed.c", MIXED)

    def test_cuda_and_opencl_in_one_program(self):
        self.refused(call(DUET, "cc", "--host", "riscv64", *self.cuda_and_opencl(), "-lOpenCL", "-o", WORK / "mixed"),
                     "touch.cu is CUDA, and -lOpenCL is OpenCL")

    @unittest.skipUnless(WHOLE, "by night")
    def test_cuda_and_opencl_linked_into_one_program(self):
        cuda, opencl = self.cuda_and_opencl()
        self.assertEqual(call(DUET, "cc", "--host", "riscv64", "-c", cuda, "-o", WORK / "touch.o").returncode, 0)
        result = call(DUET, "cc", "--host", "riscv64", opencl, WORK / "touch.o", "-lOpenCL", "-o", WORK / "mixed")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.refused(call(*RUN, "--quiet", "--out", WORK / "mixed-out", WORK / "mixed"), "duet: cudaGetDeviceCount after clGetPlatformIDs", "one of them")

    def test_without_a_gpu(self):
        result = call(DUET, "run", "--quiet", "--host", "simulated", "--machine", "xeon-e3-1245", "--out", WORK / "no-gpu", self.compiled(PROGRAMS / "vector_add.c"))
        self.refused(result, "makes CUDA, OpenCL or HSA calls", "lustig2013")


if __name__ == "__main__":
    simulated_host.main()
