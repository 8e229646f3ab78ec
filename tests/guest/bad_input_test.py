#!/usr/bin/env python3
"""What is wrong with a CUDA program for the simulated host, or with its command line, is said in one line. By day
without what guest.same.driver_api and rv64.files ask, too; at night (tests/whole.py) all.
Usage: bad_input_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, SOURCE, WORK, Fixture, call, main  # noqa: E402
from compile_once import compile_once  # noqa: E402
from whole import WHOLE  # noqa: E402

PROGRAMS = SOURCE / "tests/guest/programs"
SIMULATED = [DUET, "run", "--host", "simulated", "--quiet"]


def program(source, *flags, host="riscv64"):
    binary = WORK / f"{pathlib.Path(source).stem}-{host}"
    if not binary.exists():
        result = compile_once(DUET, ["--host", host, source, *flags], binary)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
    return binary


def written(name, text):
    path = WORK / name
    path.write_text(text)
    return path


class BadInput(Fixture):
    def refused(self, result, *words, status=125):
        self.assertEqual(result.returncode, status, result.stderr)
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_native_program_on_simulated_cores(self):
        binary = program(SOURCE / "tests/guest/programs/printing.cu", host="native")
        result = call(*SIMULATED, "--machine", "lustig2013", binary)
        self.refused(result, "a program for x86-64, not for RV64", "duet cc --host riscv64")

    def test_a_program_for_simulated_cores_run_natively(self):
        binary = program(SOURCE / "tests/guest/programs/printing.cu")
        result = call(DUET, "run", "--quiet", "--machine", "lustig2013", binary)
        self.refused(result, "is a program for RV64", "--host simulated --machine lustig2013")

    def test_no_such_file(self):
        self.refused(call(*SIMULATED, "--machine", "lustig2013", "./nowhere.rv"), "nowhere.rv")

    def test_a_machine_without_cores(self):
        binary = program(SOURCE / "tests/guest/programs/printing.cu")
        self.refused(call(*SIMULATED, "--machine", "gtx580", binary), "gtx580 has no [cpu]", "lustig2013")

    def test_a_machine_without_a_gpu(self):
        binary = program(SOURCE / "tests/guest/programs/printing.cu")
        result = call(*SIMULATED, "--machine", "xeon-e3-1245", binary)
        self.refused(result, "makes CUDA, OpenCL or HSA calls", "lustig2013")

    def test_the_host_touches_device_memory(self):
        """As natively, before what the processor says; of a system call that answers EFAULT, too."""
        source = written("device.cu", """#include <unistd.h>
            int main(int count, char**) {
              int* p;
              cudaMalloc(&p, 64);
              return count > 1 ? write(1, p + 1, 8) != -1 : p[2];
            }""")
        line = "byte {} of cudaMalloc #1 (64 bytes at "
        result = call(*SIMULATED, "--machine", "lustig2013", program(source))
        self.assertEqual(result.returncode, 139)
        self.assertIn("duet: the host program reads 0x", result.stderr.splitlines()[0])
        self.assertIn(line.format(8), result.stderr.splitlines()[0])
        result = call(*SIMULATED, "--machine", "lustig2013", program(source), "write")
        self.refused(result, "the host program reads 0x", line.format(4), "copy it with cudaMemcpy", status=0)

    def test_without_time_there_is_no_gpu(self):
        binary = program(SOURCE / "tests/guest/programs/printing.cu")
        self.refused(call(*SIMULATED, "--functional", binary), "makes CUDA, OpenCL or HSA calls", "lustig2013")

    def test_a_program_without_cuda_on_a_machine_with_a_gpu(self):
        source = written("plain.c", '#include <stdio.h>\nint main(void) { puts("plain"); return 6; }\n')
        binary = WORK / "plain"
        self.assertEqual(call("riscv64-linux-gnu-gcc", "-static", "-O1", source, "-o", binary).returncode, 0)
        result = call(*SIMULATED, "--machine", "lustig2013", binary)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (6, "plain\n", ""))

    def test_an_unknown_host(self):
        self.refused(call(DUET, "cc", "--host", "arm", PROGRAMS / "printing.cu"), "--host arm", "riscv64", status=2)

    def test_a_shared_library(self):
        self.refused(call(DUET, "cc", "--host", "riscv64", "-shared", PROGRAMS / "printing.cu"), "leave out -shared")

    @unittest.skipUnless(WHOLE, "by night")
    def test_functions_that_are_not_served_say_so(self):
        source = written("driver.cu", """#include <cuda.h>
#include <cstdio>
int main() {
  int version = 0;
  std::printf("%d %d\\n", cuInit(0), cudaGetDriverEntryPointByVersion("cuInit", nullptr, 12000, 0));
  std::printf("%d %s\\n", cuInit(0), cudaGetErrorName(cudaGetLastError()));
  return cudaDriverGetVersion(&version) == cudaSuccess && version > 0 ? 0 : 1;
}
""")
        result = call(*SIMULATED, "--machine", "lustig2013", program(source, "-lcuda"))
        self.assertEqual((result.returncode, result.stdout), (0, "801 801\n801 cudaErrorNotSupported\n"), result.stderr)
        self.assertIn("duet: cuInit is not supported: it returns CUDA_ERROR_NOT_SUPPORTED\n", result.stderr)
        self.assertIn("duet: cudaGetDriverEntryPointByVersion is not supported: it returns cudaErrorNotSupported\n", result.stderr)
        self.assertEqual(result.stderr.count("cuInit is"), 1)

    @unittest.skipUnless(WHOLE, "by night")
    def test_root_and_writable_reach_the_program(self):
        source = written("files.cu", """#include <cstdio>
int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  char text[64] = "nothing";
  if (FILE* const file = std::fopen("/etc/of-the-root", "r")) {
    if (std::fgets(text, sizeof text, file) == nullptr) return 1;
    std::fclose(file);
  }
  FILE* const made = std::fopen("%s/made", "w");
  std::printf("%%d %%s %%s\\n", count, text, made != nullptr ? "made" : "not made");
  return 0;
}
""" % (WORK / "elsewhere"))
        binary = program(source)
        (WORK / "root/etc").mkdir(parents=True)
        (WORK / "elsewhere").mkdir()
        (WORK / "root/etc/of-the-root").write_text("found")
        inside = WORK / "inside"
        inside.mkdir()
        run = [*SIMULATED, "--machine", "lustig2013"]
        self.assertEqual(call(*run, binary, cwd=inside).stdout, "1 nothing not made\n")
        result = call(*run, "--root", WORK / "root", "--writable", WORK / "elsewhere", binary, cwd=inside)
        self.assertEqual(result.stdout, "1 found made\n", result.stderr)

    def test_a_pointer_to_nothing(self):
        binary = program(PROGRAMS / "bad_pointers.cu")
        for way, words in {"to": "cudaMemcpy writes 64 bytes of host memory at 0x12345678, but byte 0 (0x12345678) may not be written: "
                                 "nothing is mapped there: check the pointer and the size",
                           "half-from": "but byte 4096 (",
                           "out": "cudaGetDevice reads 4 bytes of host memory at 0x12345678",
                           "device-out": "it is device memory"}.items():
            result = call(*SIMULATED, "--machine", "lustig2013", binary, way)
            self.assertEqual(result.returncode, 139, result.stderr)
            first, second = result.stderr.strip().splitlines()
            self.assertIn(words, first)
            self.assertIn("was ended by signal 11 (Segmentation fault)", second)


if __name__ == "__main__":
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("riscv64-linux-gnu-g++ is not installed")
        shutil.rmtree(WORK, ignore_errors=True)
        sys.exit(77)
    main()
