#!/usr/bin/env python3
"""`duet cc` as a compiler of other things than programs. Usage: compile_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import pathlib
import resource
import shutil

from fixture import BUILD, DUET, SOURCE, WORK, Fixture, call, main, stats

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
        self.assertLess(min(self.seconds() for _ in range(3)), 0.8 * min(self.seconds(self.read) for _ in range(3)))

    def test_outputs_are_the_same(self):
        for words in (["-ptx"], ["-c"], ["--host", "riscv64", "-c"]):
            outputs = []
            for flags in ([], [self.read]):
                result = call(DUET, "cc", *words, *flags, self.source, "-o", WORK / "output")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                outputs.append((WORK / "output").read_bytes())
            self.assertEqual(outputs[0], outputs[1], words)

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
