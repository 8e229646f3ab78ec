#!/usr/bin/env python3
"""`duet cc` as a compiler of other things than programs. Usage: compile_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import array
import os
import pathlib
import re
import resource
import shutil

from fixture import BUILD, DUET, SOURCE, WORK, Fixture, call, compile_once, main, stats
from whole import some

LIBRARY = SOURCE / "tests/front_door/shared_library.cu"


class SharedLibrary(Fixture):
    def made(self, *command):
        result = call(*command)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def uses(self, library):
        """A program that is linked with the library gets right results from its kernel and from its own."""
        program = library.with_suffix(".program")
        self.made(DUET, "cc", LIBRARY, "-o", program, library, f"-Wl,-rpath,{library.parent}")
        out = library.with_suffix(".out")
        result = call(DUET, "run", "-q", "--out", out, program)
        self.assertEqual((result.returncode, result.stdout), (0, "15 30 35\n"), result.stderr)
        self.assertEqual(len(stats(out)["kernels"]), 3)

    def test_a_shared_library(self):
        library = WORK / "libtripled.so"
        self.made(DUET, "cc", "-shared", "-fPIC", "-DLIBRARY", LIBRARY, "-o", library)
        self.uses(library)

    def test_an_object_for_a_library_that_another_compiler_links(self):
        folder = WORK / "linked-elsewhere"
        folder.mkdir()
        self.made(DUET, "cc", "-c", "-fPIC", "-DLIBRARY", LIBRARY, "-o", folder / "tripled.o")
        self.made("c++", "-shared", folder / "tripled.o", "-o", folder / "libtripled.so")
        self.uses(folder / "libtripled.so")

    def test_a_program_is_position_independent(self):
        program = self.compiled("workloads/demo/smooth.cu")
        header = call("readelf", "-h", "-d", program).stdout
        self.assertRegex(header, r"Type: +DYN")
        self.assertRegex(header, r"FLAGS_1.*PIE")


class StaticNames(Fixture):
    def test_variables_and_kernels_of_one_file(self):
        source = WORK / "static_names.cu"
        source.write_text("static __constant__ int table[4];\nstatic __device__ int written_outside;\n"
                          "template <class T> __device__ T turned(T x) {\n  static __shared__ T used[32], unused[64];\n"
                          "  used[threadIdx.x] = x;\n  __syncthreads();\n  return used[threadIdx.x ^ 1];\n}\n"
                          "static __global__ void k(int* p) { *p = turned(table[1] + written_outside); }\n"
                          "void host(int* p) { k<<<1, 1>>>(p); }\n")
        result = call(DUET, "cc", "-ptx", source, "-o", WORK / "static_names.ptx")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = (WORK / "static_names.ptx").read_text().splitlines()
        variables = [line.split(" = ")[0] for line in lines if re.match(r"(\.weak )?\.(const|global|shared)", line)]
        self.assertEqual(variables, [".const .align 4 .b8 table[16];", ".global .align 4 .u32 written_outside;",
                                     ".weak .shared .align 4 .b8 _ZZ6turnedIiET_S0_E4used[128];"])
        self.assertTrue(any(line.startswith(".visible .entry _Z1kPi(") for line in lines))


class OpenMP(Fixture):
    SOURCE = SOURCE / "tests/front_door/openmp_program.cu"

    def compiled(self, name, *flags):
        result = compile_once(DUET, ["-fopenmp", *flags, self.SOURCE], WORK / name, cwd=WORK, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return WORK / name

    @classmethod
    def setUpClass(cls):
        """What GCC, whose own runtime it is, makes of it."""
        built = call("g++", "-O2", "-w", "-fopenmp", "-x", "c++", cls.SOURCE, "-o", WORK / "openmp-gcc")
        if built.returncode != 0:
            raise AssertionError(built.stderr)
        cls.wanted = call(WORK / "openmp-gcc").stdout

    def test_native(self):
        program = self.compiled("openmp-native")
        for _ in range(5):
            self.assertEqual(call(program).stdout, self.wanted)

    def test_simulated_cores(self):
        program = self.compiled("openmp-riscv64", "--host", "riscv64")
        result = call(DUET, "run", "-q", "--host", "simulated", "--machine", "lustig2013", "--out", "openmp-out", program)
        self.assertEqual((result.returncode, result.stdout), (0, self.wanted), result.stderr)

    def test_objects_are_linked_with_it(self):
        source = WORK / "openmp_part.cpp"
        source.write_text("#include <omp.h>\nint threads() {\n  int n = 0;\n#pragma omp parallel num_threads(3) reduction(+ : n)\n"
                          "  n += 1;\n  return n + omp_in_parallel();\n}\n")
        program = WORK / "openmp_main.cu"
        program.write_text("#include <cstdio>\nint threads();\nint main() { std::printf(\"%d\\n\", threads()); }\n")
        self.assertEqual(call(DUET, "cc", "-fopenmp", "-c", source, "-o", WORK / "openmp_part.o").stderr, "")
        self.assertEqual(call(DUET, "cc", "-fopenmp", program, WORK / "openmp_part.o", "-o", WORK / "openmp-parts").stderr, "")
        self.assertEqual(call(WORK / "openmp-parts").stdout, "3\n")


class HostSources(Fixture):
    """C and C++ beside a .cu file: they find CUDA's headers, as with nvcc."""
    SOURCES = {
        "main.cpp": "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cstdio>\n"
                    "void launch(float* to, int count);\nextern \"C\" int version(void);\n"
                    "int main() {\n  float* a;\n  float h[64];\n  cudaMalloc(&a, sizeof h);\n  launch(a, 64);\n"
                    "  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);\n  const float4 q = make_float4(1, 2, 3, 4);\n"
                    "  std::printf(\"%g %g %d\\n\", h[9], q.w, version() / 1000);\n  return cudaFree(a);\n}\n",
        "version.c": "#include <cuda_runtime_api.h>\nint version(void) {\n  int number = 0;\n"
                     "  cudaRuntimeGetVersion(&number);\n  return number;\n}\n",
        "kernel.cu": "__global__ void number(float* to) { to[threadIdx.x] = threadIdx.x; }\n"
                     "void launch(float* to, int count) { number<<<1, count>>>(to); }\n",
    }

    def sources(self):
        folder = WORK / "host-sources"
        folder.mkdir(exist_ok=True)
        for name, text in self.SOURCES.items():
            (folder / name).write_text(text)
        return folder, [folder / name for name in self.SOURCES]

    def test_they_find_cudas_headers(self):
        folder, sources = self.sources()
        for flags, options in some((((), ()), (("-std=c++20",), ()), (("--host", "riscv64"), ("--machine", "lustig2013", "--host", "simulated"))), 2):
            with self.subTest(flags):
                result = call(DUET, "cc", *flags, *sources, "-o", folder / "program")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                result = call(DUET, "run", "-q", *options, "--out", folder / "out", folder / "program")
                self.assertEqual((result.returncode, result.stdout), (0, "9 4 13\n"), result.stderr)

    def test_objects_of_them(self):
        folder, sources = self.sources()
        for source in sources:
            result = call(DUET, "cc", "-c", source, "-o", source.with_suffix(".o"))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        result = call(DUET, "cc", *(source.with_suffix(".o") for source in sources), "-o", folder / "linked")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(call(DUET, "run", "-q", "--out", folder / "out", folder / "linked").stdout, "9 4 13\n")

    def test_a_text_of_opencl(self):
        scale, ptx = WORK / "scale.cl", WORK / "scaled by 3.ptx"
        scale.write_text("kernel void scale(global float* a, int n) {\n  const int i = get_global_id(0);\n  if (i < n) a[i] = i * FACTOR;\n}\n")
        result = call(DUET, "cc", scale, "-o", ptx, "-DFACTOR=3.0f / 2")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        out = WORK / "out-scale"
        result = call(DUET, "run", "-q", "--lines", "--out", out, ptx, "--kernel", "scale", "--grid", "2", "--block", "64",
                      "--arg", "buffer:512", "--arg", "i32:100", "--dump", f"0={WORK / 'scaled.bin'}")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(list(array.array("f", (WORK / "scaled.bin").read_bytes())), [1.5 * i if i < 100 else 0 for i in range(128)])
        self.assertIn(3, [line["line"] for line in stats(out)["lines"][0]["lines"] if line["file"].endswith("scale.cl")])
        for words, status, said in ((("-o",), 2, "duet: cc: -o needs a value\n"), (("--fast",), 2, "duet: '--fast' is no option of OpenCL's compiler\n"),
                                    ((scale,), 2, f"duet: cc: {scale} and {scale}: a call compiles one file of OpenCL C\n"),
                                    (("-cl-std=CL1.2",), 1, f"{scale}:3:25: error: use of undeclared identifier 'FACTOR'\n")):
            result = call(DUET, "cc", scale, *words)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(said, result.stderr)
        result = call(DUET, "cc", WORK / "none.cl")
        self.assertEqual((result.returncode, result.stderr), (125, f"duet: cc: cannot read {WORK / 'none.cl'}\n"))
        for source, said in ((scale, f"duet cc {scale} -o k.ptx, then duet run k.ptx --kernel NAME"), (SOURCE / "tests/programs/assert.cu", "then duet run ./app")):
            result = call(DUET, "run", source)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (125, 1))
            self.assertIn(said, result.stderr)

    def test_an_object_of_nothing(self):
        folder, sources = self.sources()
        call(DUET, "cc", "-c", sources[0], "-o", folder / "main.o")
        result = call(DUET, "cc", "-c", folder / "main.o", "-o", folder / "other.o")
        self.assertEqual((result.returncode, result.stderr), (2, "duet: cc: -c needs a source file\n"))


class WideCopies(Fixture):
    """Vectors are copied in one access each, as nvcc's code does; what is aligned to less is not."""
    SOURCE = ("struct alignas(16) Pair { float4 a, b; };\nstruct Words { int v[4]; };\nstruct alignas(16) Many { int v[64]; };\n"
              "template <typename T> __device__ void copy(T* to, const T* from) { to[threadIdx.x] = from[threadIdx.x]; }\n"
              'extern "C" {\n'
              "__global__ void one(float4* to, const float4* from) { copy(to, from); }\n"
              "__global__ void two(Pair* to, const Pair* from) { copy(to, from); }\n"
              "__global__ void words(Words* to, const Words* from) { copy(to, from); }\n"
              "__global__ void many(Many* to, const Many* from) { copy(to, from); }\n"
              "__global__ void tile(float4* to, const float4* from) {\n  __shared__ float4 t[64];\n  copy(t, from);\n"
              "  __syncthreads();\n  to[threadIdx.x] = t[63 - threadIdx.x];\n}\n}\n")

    def test_accesses(self):
        source = WORK / "wide_copies.cu"
        source.write_text(self.SOURCE)
        self.assertEqual(call(DUET, "cc", "-ptx", source, "-o", WORK / "wide_copies.ptx").returncode, 0)
        bodies = re.split(r"\.entry (\w+)", (WORK / "wide_copies.ptx").read_text())[1:]
        found = {}
        for name, body in zip(bodies[::2], bodies[1::2]):
            found[name] = sorted(re.findall(r"\b((?:ld|st)\.(?:global|shared)\S*)\s", body.split(".visible")[0]))
        self.assertEqual(found["one"], ["ld.global.v4.u32", "st.global.v4.u32"])
        self.assertEqual(found["two"], 2 * ["ld.global.v4.u32"] + 2 * ["st.global.v4.u32"])
        self.assertEqual(found["tile"], ["ld.global.v4.u32", "ld.shared.v4.u32", "st.global.v4.u32", "st.shared.v4.u32"])
        self.assertTrue(all(".v4" not in access for name in ("words", "many") for access in found[name]), found)

    def test_values(self):
        source = WORK / "wide_values.cu"
        source.write_text(self.SOURCE + "#include <stdio.h>\nint main() {\n  float4 h[64], *d;\n"
                          "  for (int i = 0; i < 64; i++) h[i] = make_float4(i, i + .25f, i + .5f, i + .75f);\n"
                          "  cudaMalloc(&d, 3 * sizeof h);\n  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
                          "  tile<<<1, 64>>>(d + 64, d);\n  two<<<1, 32>>>((Pair*)(d + 128), (Pair*)(d + 64));\n"
                          "  cudaMemcpy(h, d + 128, sizeof h, cudaMemcpyDeviceToHost);\n  int wrong = 0;\n"
                          "  for (int i = 0; i < 64; i++) wrong += h[63 - i].x != i || h[63 - i].w != i + .75f;\n"
                          '  printf("%d\\n", wrong);\n}\n')
        self.assertEqual(call(DUET, "cc", source, "-o", WORK / "wide_values").returncode, 0)
        for options in ((), ("--functional",)):
            self.assertEqual(call(DUET, "run", "-q", "--out", WORK / "out-wide", *options, WORK / "wide_values").stdout, "0\n")


class PrecompiledHeaders(Fixture):
    """What lib/duet/precompiled changes: the time that a compilation takes, and nothing else."""
    source = SOURCE / "tests/programs/atomics_shared.cu"
    read = "-DA_FLAG_WITH_WHICH_HEADERS_ARE_READ"

    def seconds(self, *flags):
        """Of the processor, for one program."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        result = call(DUET, "cc", *flags, self.source, "-o", WORK / "precompiled")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_a_compilation_takes_less_time(self):
        # By turns, and again when something else kept the processor's caches busy.
        with_them, read = [], []
        for _ in range(8):
            with_them.append(self.seconds())
            read.append(self.seconds(self.read))
            if min(with_them) < 0.85 * min(read):
                return
        self.fail("seconds with precompiled headers %s, without %s" % (with_them, read))

    def test_outputs_are_the_same(self):
        for words in some((["-c"], ["-ptx"], ["--host", "riscv64", "-c"]), 2):
            outputs = []
            for flags in ([], [self.read]):
                result = call(DUET, "cc", *words, *flags, self.source, "-o", WORK / "output")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                outputs.append((WORK / "output").read_bytes())
            self.assertEqual(outputs[0], outputs[1], words)

    def test_programs_on_cores_are_linked_with_kept_objects(self):
        """As when they are compiled anew, which a search path of the user's makes them."""
        source = WORK / "kept.c"
        source.write_text("int main(void) { return 0; }\n")
        outputs, seconds = [], []
        for environment in (os.environ, os.environ | {"CPATH": str(WORK / "nothing")}):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            result = call(DUET, "cc", "--host", "riscv64", source, "-lOpenCL", "-o", WORK / "kept", env=environment)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
            outputs.append((WORK / "kept").read_bytes())
        self.assertEqual(outputs[0], outputs[1])
        self.assertLess(seconds[0], seconds[1])

    def test_a_changed_header_counts(self):
        prefix = WORK / "changed"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "share/duet").mkdir(parents=True)
        shutil.copy(DUET, prefix / "bin/duet")
        (prefix / "lib").symlink_to(pathlib.Path(BUILD) / "lib")
        (prefix / "share/duet/machines").symlink_to(SOURCE / "machines")
        shutil.copytree(SOURCE / "runtime/cuda/include", prefix / "share/duet/include")
        with open(prefix / "share/duet/include/cuda_runtime.h", "a") as header:
            header.write("#define OF_A_CHANGED_HEADER 1\n")
        program = WORK / "changed.cu"
        program.write_text("int main() { return OF_A_CHANGED_HEADER - 1; }\n")
        self.assertNotEqual(call(DUET, "cc", "-c", program, "-o", WORK / "changed.o").returncode, 0)
        self.assertEqual(call(prefix / "bin/duet", "cc", "-c", program, "-o", WORK / "changed.o").returncode, 0)


if __name__ == "__main__":
    main()
