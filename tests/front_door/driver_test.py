#!/usr/bin/env python3
"""The driver interface's library as programs meet it: linked, loaded, with files of nvcc's, and refused where it must be.

Usage: driver_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]. Tests that need nvcc are skipped where it is absent.
"""
import os
import pathlib
import shutil
import unittest

from fixture import BUILD, DUET, SOURCE, WORK, Fixture, call, main, stats

NVCC = shutil.which("nvcc") or ("/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)


class DriverLibrary(Fixture):
    def built(self, name, *flags):
        program = WORK / name
        result = call("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/runtime/cuda/include", "-o", program,
                      SOURCE / "tests/front_door/driver_only.c", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return program

    def check(self, program):
        result = call(DUET, "run", "-q", "--out", f"{program}-out", program)
        self.assertEqual((result.returncode, result.stdout), (0, "right, then 801\n"), result.stderr)
        self.assertEqual(result.stderr, "duet: cuTexRefCreate is not supported: it returns CUDA_ERROR_NOT_SUPPORTED\n")

    def test_a_program_that_links_only_the_driver(self):
        self.check(self.built("driver-linked", f"-L{BUILD}/lib/duet/cuda", "-lcuda", f"-Wl,-rpath-link,{BUILD}/lib/duet/cuda"))

    def test_a_program_that_loads_the_driver(self):
        self.check(self.built("driver-loaded", "-DDRIVER_LOADED", "-ldl"))

    def test_calls_are_counted_under_their_names(self):
        program = self.built("driver-counted", "-DDRIVER_LOADED", "-ldl")
        call(DUET, "run", "-q", "--out", WORK / "driver-counted-out", program)
        calls = {entry["name"]: entry["calls"] for entry in stats(WORK / "driver-counted-out")["api"]}
        self.assertEqual((calls.get("cuMemcpyHtoD_v2"), calls.get("cuLaunchKernel"), calls.get("cudaMemcpy")), (1, 1, None), calls)

    def test_private_tables_are_refused(self):
        source = WORK / "table.c"
        source.write_text("#include <cuda.h>\nint main(void) { const void* t; CUuuid id = {{0}}; cuInit(0); return cuGetExportTable(&t, &id); }\n")
        program = WORK / "table"
        result = call("gcc", f"-I{SOURCE}/runtime/cuda/include", "-o", program, source, f"-L{BUILD}/lib/duet/cuda", "-lcuda",
                      f"-Wl,-rpath-link,{BUILD}/lib/duet/cuda")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call(DUET, "run", "-q", "--out", "table-out", program)
        self.assertEqual(result.returncode, 125)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn('"-cudart shared"', result.stderr)

    def test_every_name_of_the_library_is_exported(self):
        result = call("nm", "-D", "--defined-only", BUILD / "lib/duet/cuda/libcuda.so.1")
        names = {line.split()[2] for line in result.stdout.splitlines()}
        listed = {line.split()[0] for line in (SOURCE / "runtime/cuda_driver/exports.txt").read_text().splitlines()}
        self.assertEqual(names, listed)


@unittest.skipUnless(NVCC, "nvcc is not here")
class DriverFiles(Fixture):
    def kernel_file(self, kind, *flags):
        source = WORK / "kernel.cu"
        source.write_text('extern "C" __global__ void add(int* data) { data[threadIdx.x] += 5; }\n')
        path = WORK / f"kernel.{kind}"
        result = call(NVCC, f"-{kind}", *flags, "-o", path, source, timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def load(self, path):
        source = WORK / "load.cu"
        source.write_text("#include <cuda.h>\n#include <stdio.h>\nint main(int, char** a) {\n  CUcontext c; CUmodule m; CUfunction f; cuInit(0);\n"
                          "  cuCtxCreate(&c, nullptr, 0, 0);\n  CUresult r = cuModuleLoad(&m, a[1]); if (r) { printf(\"%d\\n\", r); return 0; }\n"
                          "  r = cuModuleGetFunction(&f, m, \"add\"); int v[2] = {1, 2}; CUdeviceptr d; cuMemAlloc(&d, 8); cuMemcpyHtoD(d, v, 8);\n"
                          "  void* p[] = {&d}; cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, 0, p, 0); cuMemcpyDtoH(v, d, 8);\n"
                          "  printf(\"%d %d\\n\", v[0], v[1]); }\n")
        result = call(DUET, "cc", source, "-o", WORK / "load", "-lcuda")
        self.assertEqual(result.returncode, 0, result.stderr)
        return call(DUET, "run", "-q", "--out", "load-out", WORK / "load", path)

    def test_ptx(self):
        self.assertEqual(self.load(self.kernel_file("ptx", "-arch=sm_75")).stdout, "6 7\n")

    def test_fat_binary(self):
        self.assertEqual(self.load(self.kernel_file("fatbin", "-arch=sm_75")).stdout, "6 7\n")

    def test_machine_code_is_named(self):
        result = self.load(self.kernel_file("cubin", "-arch=sm_75"))
        self.assertEqual(result.stdout, "209\n")
        self.assertIn("machine code", result.stderr)


@unittest.skipUnless(NVCC, "nvcc is not here")
class RuntimeCompilation(Fixture):
    """NVIDIA's NVRTC, which asks the driver for a private table and does without."""
    SOURCE = ("#include <cuda.h>\n#include <nvrtc.h>\n#include <stdio.h>\n#include <vector>\nint main() {\n"
              '  const char* text = "extern \\"C\\" __global__ void add(int* data) { data[threadIdx.x] += 5; }";\n'
              '  nvrtcProgram program;\n  const char* options[] = {"--gpu-architecture=compute_75"};\n  size_t bytes = 0;\n'
              '  if (nvrtcCreateProgram(&program, text, "add.cu", 0, nullptr, nullptr) || nvrtcCompileProgram(program, 1, options) ||\n'
              "      nvrtcGetPTXSize(program, &bytes)) return 1;\n  std::vector<char> ptx(bytes);\n  nvrtcGetPTX(program, ptx.data());\n"
              "  CUcontext c;\n  CUmodule m;\n  CUfunction f;\n  CUdeviceptr d;\n  int v[2] = {1, 2};\n  cuInit(0);\n"
              "  cuCtxCreate(&c, nullptr, 0, 0);\n  cuModuleLoadData(&m, ptx.data());\n  cuModuleGetFunction(&f, m, \"add\");\n"
              "  cuMemAlloc(&d, 8);\n  cuMemcpyHtoD(d, v, 8);\n  void* p[] = {&d};\n"
              "  cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, nullptr, p, nullptr);\n  cuMemcpyDtoH(v, d, 8);\n"
              '  printf("%d %d\\n", v[0], v[1]);\n}\n')

    def test_a_kernel_compiled_by_the_program(self):
        source, program = WORK / "nvrtc.cu", WORK / "nvrtc"
        source.write_text(self.SOURCE)
        built = call(NVCC, "-arch=sm_75", source, "-o", program, "-lnvrtc", "-lcuda", timeout=240)
        if "nvrtc" in built.stderr:
            self.skipTest("nvcc's installation has no NVRTC")
        self.assertEqual(built.returncode, 0, built.stderr)
        libraries = pathlib.Path(NVCC).resolve().parent.parent / "lib64"
        result = call(DUET, "run", "-q", "--out", "nvrtc-out", program, env={"LD_LIBRARY_PATH": str(libraries), "PATH": os.environ["PATH"]})
        self.assertEqual((result.returncode, result.stdout), (0, "6 7\n"), result.stderr)

    def test_names_headers_cubins_and_errors(self):
        program = nvrtc_program()
        result = call(DUET, "run", "-q", "--out", "nvrtc-names-out", program)
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"), result.stderr)


class OwnRuntimeCompilation(Fixture):
    """NVRTC by clang, as a machine without NVIDIA's has it."""
    def test_names_headers_cubins_and_errors(self):
        program = nvrtc_program()
        result = call(DUET, "run", "-q", "--out", "nvrtc-own-out", program, env={"DUET_NVRTC": "own"})
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"), result.stderr)

    def test_interface_of_the_library(self):
        for major in (12, 13):
            library = BUILD / f"lib/duet/cuda/libnvrtc.so.{major}"
            names = [line.split()[-1] for line in call("nm", "-D", "--defined-only", library).stdout.splitlines()]
            self.assertEqual({name.split("@@")[-1] for name in names if "@@" in name}, {f"libnvrtc.so.{major}"})
            self.assertEqual(len([name for name in names if name.startswith("nvrtc")]), 24, names)


def nvrtc_program():
    program = WORK / "nvrtc-program"
    if not program.exists():
        built = call(DUET, "cc", SOURCE / "tests/front_door/nvrtc_program.cpp", "-o", program, "-lnvrtc", "-lcuda")
        if built.returncode != 0:
            raise AssertionError(built.stderr)
    return program


if __name__ == "__main__":
    main()
