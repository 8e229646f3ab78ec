#!/usr/bin/env python3
"""`duet run --check`: each seeded fault is found as what it is, and the same program without it is silent.

Usage: check_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats
from whole import some

# Case: kinds that are found, and words that stand in their text and facts. A case with sm_70 is compiled for that.
FAULTS = {
    "missing_barrier": ("shared_race", "'tile'", "write by thread", "read by thread", "of block (0,0,0)", "faults.cu:"),
    "write_after_read": ("shared_race", "read by thread", "write by thread (127,0,0)"),
    "two_writers": ("shared_race", "write by thread (0,0,0)", "write by thread (64,0,0)"),
    "one_store_meets": ("shared_race", "write by thread (0,0,0)", "write by thread (1,0,0)"),
    "loop_without_second_barrier": ("shared_race", "'tile'"),
    "wrong_named_barrier": ("shared_race", "'tile'"),
    "arrive_after": ("shared_race", "'tile'"),
    "bytes_too": ("shared_race", "'tile'"),
    "plain_and_atomic": ("shared_race", "atomic by thread", "'count'"),
    "dynamic_array": ("shared_race", "'tile_of_launch'"),
    "warps_of_sm_70": ("shared_race", "'tile'"),
    "past_the_end": ("out_of_bounds", "ends 4 bytes past the end of cudaMalloc #1 (400 bytes"),
    "before_the_begin": ("out_of_bounds", "4 bytes before cudaMalloc #1 (400 bytes"),
    "grid_too_large": ("out_of_bounds", "thread (104,0,0) of block (7,0,0)"),
    "far_away": ("out_of_bounds", "read by thread (0,0,0)"),
    "null_pointer": ("out_of_bounds", "at 0x0 of global memory"),
    "host_pointer": ("out_of_bounds", "write by thread (0,0,0)"),
    "misaligned": ("misaligned", "of 4 bytes"),
    "used_after_free": ("use_after_free", "12 bytes into cudaMalloc #1 (400 bytes", "which was released"),
    "shared_beyond": ("out_of_bounds", "of shared memory", "the block has 64 bytes of it"),
    "local_beyond": ("out_of_bounds", "of local memory"),
    "two_faults": ("out_of_bounds", "ends 4 bytes past", "ends 404 bytes past"),
    "atomic_beyond": ("out_of_bounds", "atomic by thread (0,0,0)"),
    "global_unwritten": ("uninitialised_global", "cudaMalloc #1 (1024 bytes", "read by thread"),
    "global_partly_written": ("uninitialised_global", "+ 800", "thread (72,0,0) of block (1,0,0)"),
    "copied_unwritten": ("uninitialised_global", "cudaMalloc #3"),
    "atomic_unwritten": ("uninitialised_global", "atomic by thread"),
    "shared_unwritten": ("uninitialised_shared", "'tile' + ", "read by thread"),
    "local_unwritten": ("uninitialised_local", "read by thread (0,0,0)"),
    "copy_out_unwritten": ("uninitialised_copy", "copy device to host"),
    "surface_half_written": ("uninitialised_copy", "cudaMallocArray #1", "+ 256"),
    "divergent_barrier": ("divergent_barrier", "reached by thread", "not reached here by thread"),
    "early_exit": ("barrier_after_exit", "thread (100,0,0)"),
    "wrong_mask": ("lane_mask", "0xfff0", "not in its own mask"),
    "mask_of_ended": ("lane_mask", "names lane 16, which has ended"),
    "kernel_kernel": ("command_race", "write by thread", "stream 1", "stream 2", "faults.cu:"),
    "kernel_kernel_read": ("command_race", "read by thread", "write by thread"),
    "copy_in_kernel": ("command_race", "write by copy host to device", "write by thread"),
    "copy_out_kernel": ("command_race", "read by copy device to host", "write by thread"),
    "fill_kernel": ("command_race", "write by fill"),
    "host_changed": ("host_buffer_changed", "copy host to device", "written by the host"),
    "leaked_memory": ("leak", "1000 bytes of cudaMalloc"),
    "leaked_at_reset": ("leak", "1000 bytes of cudaMalloc"),
    "leaked_stream": ("leak", "1 of stream"),
    "leaked_event": ("leak", "1 of event"),
    "leaked_host_memory": ("leak", "1000 bytes of cudaMallocHost"),
    "ignored_call": ("api_error", "cudaSetDevice failed with cudaErrorInvalidDevice"),
    "ignored_launch": ("api_error", "cudaErrorInvalidConfiguration", "kernel 'store_all'"),
}
# Of tests/programs: what needs more than a compiler to run or ends otherwise; and what has findings that are true: a kernel
# in a non-blocking stream right behind a pageable cudaMemcpy (graphs, memory_pools), an array half of which nobody writes.
OTHERS = {"assert", "device_reset", "exit_codes", "fork_child", "driver_api", "driver_interop", "driver_versions", "independent_threads", "graphs", "memory_pools", "occupancy"}
SM_70 = {"warps_of_sm_70", "wrong_mask", "mask_of_ended"}


class Check(Fixture):
    def findings(self, words, *options, name="run", status=0):
        sm_70 = words[-1] in SM_70
        program = self.compiled("tests/check/faults.cu", *(["-arch", "sm_70"] if sm_70 else []))
        out = WORK / f"out-check-{'-'.join(words)}-{name}"
        result = call(DUET, "run", "-q", "--no-html", "--check", "all", "--out", out, *options, program, *words)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return stats(out)["check"]["findings"], result.stderr

    def each_fault(self, faults, *options):
        for case, (kind, *words) in faults:
            with self.subTest(case):
                found, text = self.findings([case], *options)
                self.assertTrue(found, "nothing was found")
                kinds = {finding["kind"] for finding in found}
                self.assertIn(kind, kinds, text)
                # Who reads before the other one writes reads what nobody has written, too.
                self.assertLessEqual(kinds, {kind, "uninitialised_shared"} if kind == "shared_race" else {kind}, text)
                for word in words:
                    self.assertIn(word, text)
                self.assertIn(f"duet: check {found[0]['check']}: {found[0]['text']}", text)
                self.assertIn(f"{len(found)} findings", text)

    def test_each_fault(self):
        self.each_fault(FAULTS.items(), "--functional")

    def test_each_fault_in_time(self):
        self.each_fault(some(FAULTS.items(), 4))

    def test_without_the_fault(self):
        in_time = some(FAULTS, 4)
        for case in FAULTS:
            for options in ([], ["--functional"]) if case in in_time else (["--functional"],):
                with self.subTest(case + "".join(options)):
                    found, text = self.findings(["fixed", case], *options)
                    self.assertEqual(found, [], text)

    def test_clean_programs(self):
        programs = [path for path in sorted((SOURCE / "tests/programs").glob("*.cu"))
                    if path.stem not in OTHERS and not path.stem.startswith(("errors_", "full_empty_"))]
        programs += sorted((SOURCE / "workloads/lustig2013").glob("*.cu"))
        self.assertGreaterEqual(len(programs), 50)
        for source in some(programs, 5):
            with self.subTest(source.stem):
                program = self.compiled(source.relative_to(SOURCE))
                out = WORK / "out-check-clean"
                result = call(DUET, "run", "-q", "--no-html", "--functional", "--check", "memory,races,init,sync", "--out", out, program)
                self.assertEqual((result.returncode, stats(out)["check"]["findings"]), (0, []), result.stderr)

    def test_the_exit_status(self):
        self.findings(["missing_barrier"], "--functional", "--check-exit", "9", status=9)
        self.findings(["fixed", "missing_barrier"], "--functional", "--check-exit", "9", status=0)

    def test_only_what_was_asked_for(self):
        program = self.compiled("tests/check/faults.cu")
        out = WORK / "out-check-only"
        result = call(DUET, "run", "-q", "--functional", "--check", "init,leaks", "--out", out, program, "two_writers")
        self.assertEqual((result.returncode, stats(out)["check"]), (0, {"checks": "init,leaks", "findings": []}), result.stderr)

    def test_no_check(self):
        for words, status, line in ((["--check", "speed"], 2, "'speed' is no check"), (["--check-exit", "3"], 125, "--check-exit needs --check"),
                                    (["--check", "races", "--two-threads"], 125, "leave out --two-threads")):
            result = call(DUET, "run", *words, "true")
            self.assertEqual(result.returncode, status)
            self.assertIn(line, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)


if __name__ == "__main__":
    main()
