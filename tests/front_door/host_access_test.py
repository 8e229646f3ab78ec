#!/usr/bin/env python3
"""The host touches device memory, or a copy names host memory that is not there: one line says what, where and what to do.

Usage: host_access_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
from fixture import DUET, WORK, Fixture, call, main

SEGMENTATION_FAULT = 128 + 11
PAGE = 4096


class HostAccess(Fixture):
    def run_case(self, how, status=SEGMENTATION_FAULT):
        program = self.compiled("tests/front_door/host_access.cu")
        result = call(DUET, "run", "-q", "--out", WORK / f"host-access-{how}", program, how)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        host, *output = result.stdout.splitlines()
        lines = [line for line in result.stderr.splitlines() if "signal 11" not in line and "results in" not in line]
        return int(host, 16), output, lines

    def named(self, how, *parts):
        host, _, lines = self.run_case(how)
        self.assertEqual(len(lines), 1, lines)
        for part in ("duet: ", *parts):
            self.assertIn(part, lines[0])
        return host, lines[0]

    def test_device_memory(self):
        device = "cudaMalloc #2 (16384 bytes at 0x20000002000)"
        for how, *parts in (("read", "reads 0x20000002064", f"byte 100 of {device}", "cudaMemcpy", "cudaMallocManaged"),
                            ("write", "writes 0x20000002064", f"byte 100 of {device}"),
                            ("memset", "writes 0x20000002000", f"byte 0 of {device}"),
                            ("before", "reads 0x1fffffffff8", "device memory, 8 bytes before cudaMalloc #1 (100 bytes at 0x20000000000)"),
                            ("past", "reads 0x2000000006e", "device memory, 10 bytes past the end of cudaMalloc #1 (100 bytes at 0x20000000000)")):
            with self.subTest(how):
                self.named(how, "device memory", *parts)

    def test_a_copy_from_host_memory_that_is_not_there(self):
        host, line = self.named("copy_in", "cudaMemcpy reads 16384 bytes of host memory", "nothing is mapped there", "check the pointer and the size")
        self.assertIn(f"at {host:#x}, but byte {3 * PAGE} ({host + 3 * PAGE:#x}) may not be read", line)
        host, line = self.named("copy_async", "cudaMemcpyAsync reads 64 bytes of host memory")
        self.assertIn(f"byte 0 ({host + 3 * PAGE:#x})", line)

    def test_a_copy_to_host_memory_that_may_not_be_written(self):
        host, line = self.named("copy_out", "cudaMemcpy writes 16384 bytes of host memory", "its pages forbid it")
        self.assertIn(f"at {host:#x}, but byte {2 * PAGE} ({host + 2 * PAGE:#x}) may not be written", line)

    def test_what_is_none_of_it_ends_as_ever(self):
        for how in ("elsewhere", "raise"):
            with self.subTest(how):
                self.assertEqual(self.run_case(how)[2], [])

    def test_a_handler_of_the_program_is_called_after_the_line(self):
        _, output, lines = self.run_case("own_handler", status=0)
        self.assertEqual(output, ["handled"])
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("byte 0 of cudaMalloc #2", lines[0])

    def test_copies_that_are_refused_or_fit(self):
        # The program ends when its bytes are staged, before they arrive.
        _, printed, lines = self.run_case("fits", status=0)
        self.assertEqual(printed, ["cudaSuccess"])
        self.assertRegex("\n".join(lines), r"^duet: 1 command had not completed when the program ended: copy 1 [^\n]*$")
        self.assertEqual(self.run_case("released", status=0)[1:], (["cudaErrorInvalidValue"], []))


if __name__ == "__main__":
    main()
