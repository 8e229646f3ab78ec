#!/usr/bin/env python3
"""`duet cc` as a compiler of other things than programs. Usage: compile_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats

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


if __name__ == "__main__":
    main()
