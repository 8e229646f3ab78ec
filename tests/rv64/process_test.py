#!/usr/bin/env python3
"""Static RV64 Linux programs by `duet run --host simulated --functional`. Arguments: BUILD_DIRECTORY SOURCE_DIRECTORY.
By day signals that end a program in one way; at night (tests/whole.py) in three."""
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, WORK, Fixture, call  # noqa: E402
from simulated_host import PROGRAMS, QEMU, RUN, compiled, in_folder, main  # noqa: E402
from whole import some  # noqa: E402


class Process(Fixture):
    def ends(self, *arguments, options=()):
        return in_folder("ends-folder", *RUN, *options, compiled("ends.c", "-fno-omit-frame-pointer"), *arguments)

    @unittest.skipUnless(QEMU, "without qemu-riscv64")
    def test_a_c_plus_plus_program_does_what_it_does_under_qemu(self):
        program = compiled("program.cpp")
        ours = in_folder("ours", *RUN, program, "one", "two three", "--out", text="some words\nto read")
        theirs = in_folder("theirs", QEMU, program, "one", "two three", "--out", text="some words\nto read")
        self.assertEqual(ours.stdout, theirs.stdout)
        self.assertEqual(ours.stderr, theirs.stderr)
        self.assertEqual((ours.returncode, theirs.returncode), (4, 4))

    @unittest.skipUnless(QEMU, "without qemu-riscv64")
    def test_threads_do_what_they_do_under_qemu(self):
        program = compiled("threads.cpp", "-fopenmp")
        theirs = in_folder("threads", QEMU, program, env={"OMP_NUM_THREADS": "4"})
        for threads in ("1", "4", "13"):
            ours = in_folder("threads", *RUN, program, env={"OMP_NUM_THREADS": threads})
            self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (3, theirs.stdout, ""))

    def test_threads_that_wait_for_each_other_are_a_deadlock(self):
        result = self.ends("deadlock-threads")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (124, 3))
        self.assertRegex(result.stderr, "every thread waits for another\n  thread 1000 at .*\n  thread 1001 at ")

    def test_a_lock_of_a_thread_that_has_ended(self):
        result = self.ends("robust")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "1 0 0\n1 0 0\n", ""))

    def test_a_thread_ends_the_process(self):
        self.assertEqual(self.ends("exit-thread", "9").returncode, 9)
        result = self.ends("segfault-thread")
        self.assertEqual(result.returncode, 139)
        self.assertIn("innermost+", result.stderr)

    def test_child_processes_are_refused_by_name(self):
        result = self.ends("fork")
        self.assertEqual((result.returncode, result.stdout), (0, "-1 Function not implemented\n"))
        self.assertIn("child processes are not simulated", result.stderr)

    def test_a_position_independent_program(self):
        program = compiled("position_independent.c", "-nostdlib", "-fPIE", "-Wl,-pie,--no-dynamic-linker")
        result = call(*RUN, program)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (5, "position independent\n", ""))

    def test_exit_statuses_are_passed_on(self):
        for way in ("exit", "_exit"):
            for status in ("0", "7", "255", "256"):
                result = self.ends(way, status)
                self.assertEqual((result.returncode, result.stderr), (int(status) % 256, ""))

    def test_signals_end_the_run_with_128_and_their_number(self):
        result = self.ends("abort")
        self.assertEqual(result.returncode, 134)
        self.assertIn("was ended by signal 6 (Aborted)", result.stderr)
        self.assertEqual(self.ends("raise", "15").returncode, 143)
        self.assertEqual(self.ends("raise", "17").returncode, 0)  # SIGCHLD does nothing
        result = self.ends("raise", "19")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (124, 1))
        self.assertIn("signal 19 (Stopped (signal)) has stopped it", result.stderr)

    def test_a_segmentation_fault_names_address_kind_and_functions(self):
        result = self.ends("segfault")
        self.assertEqual(result.returncode, 139)
        lines = result.stderr.splitlines()
        self.assertRegex(lines[0], r"segmentation fault: store to 0x123458 \(nothing is mapped there\) by 'sw .*', at pc 0x")
        for line, function in zip(lines[1:], ("innermost", "middle", "main")):
            self.assertRegex(line, rf"^  #\d 0x[0-9a-f]+ {function}\+")
        self.assertIn("signal 11", lines[-1])

    def test_other_faults(self):
        for way, status, what in (("read-only", 139, "does not allow it"), ("jump", 139, "no code at 0x5550"),
                                  ("illegal", 132, "illegal instruction 0xffffffff"), ("break", 133, "breakpoint"),
                                  ("misaligned", 135, "bus error")):
            result = self.ends(way)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(what, result.stderr)

    def test_an_unknown_system_call_is_named_once(self):
        result = self.ends("unknown", "425")
        self.assertEqual(result.stdout, "-1 38 -1\n")
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertRegex(result.stderr, r"system call 425 \(io_uring_setup\) at pc 0x[0-9a-f]+ is not simulated")
        self.assertIn("99999 (of no known name)", self.ends("unknown", "99999").stderr)
        self.assertIn("74 (signalfd4)", self.ends("unknown", "74").stderr)
        self.assertIn("futex operation 3 ", self.ends("futex", "3").stderr)
        self.assertEqual(self.ends("unknown", "293").stderr, "")  # rseq: programs only try it

    def test_waiting_for_nobody_is_a_deadlock(self):
        result = self.ends("deadlock")
        self.assertEqual((result.returncode, result.stdout), (124, "-1\n"))
        self.assertIn("deadlock: every thread waits for another\n  thread 1000 at futex 0x", result.stderr)

    def test_waiting_for_a_pipe_or_a_signal_that_never_comes_is_a_deadlock(self):
        result = self.ends("deadlock-pipe")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (124, 2))
        self.assertIn("thread 1000 at a pipe, pc 0x", result.stderr)
        result = self.ends("deadlock-pause")
        self.assertEqual(result.returncode, 124)
        self.assertIn("thread 1000 at a wait for a signal, pc 0x", result.stderr)

    @unittest.skipUnless(QEMU, "without qemu-riscv64")
    def test_signals_do_what_they_do_under_qemu(self):
        program = compiled("signals.c")
        for arguments in some(([], ["10"], ["9"]), 3):  # ends by SIGPIPE, by SIGUSR1, by SIGKILL
            theirs = in_folder("signals-folder", QEMU, program, *arguments)
            ours = in_folder("signals-folder", *RUN, program, *arguments)
            self.assertEqual(ours.stdout, theirs.stdout)
            self.assertEqual(ours.returncode, 128 - theirs.returncode if theirs.returncode < 0 else theirs.returncode)
        self.assertIn("signal 1, write -1, EPIPE 1", ours.stdout)
        again = in_folder("signals-folder", *RUN, program, *arguments)
        self.assertEqual((again.stdout, again.returncode), (ours.stdout, ours.returncode))

    def test_timeout(self):
        result = self.ends("loop", options=("--timeout", "0.5"))
        self.assertEqual(result.returncode, 124)
        self.assertIn("--timeout", result.stderr)

    def test_files_outside_the_current_folder_cannot_be_changed(self):
        self.assertEqual(self.ends("open", "inside.txt").stdout, "opened\n")
        outside = WORK / "outside.txt"
        outside.write_text("kept")
        link = WORK / "ends-folder" / "link.txt"
        link.symlink_to(outside)
        dangling = WORK / "ends-folder" / "dangling.txt"
        dangling.symlink_to(WORK / "nothing.txt")
        for path in (outside, "../outside.txt", "link.txt", "dangling.txt", "../nothing.txt", WORK / "nothing.txt"):
            self.assertEqual(self.ends("open", path).stdout, "Read-only file system\n", path)
        self.assertFalse((WORK / "nothing.txt").exists())
        self.assertEqual(self.ends("read", outside).stdout, "4 kept\n")
        self.assertEqual(self.ends("open", "/dev/null").stdout, "opened\n")
        self.assertEqual(self.ends("read", "/proc/self/maps").stdout, "-1 \n")

    def test_time_and_chance_are_those_of_every_run(self):
        first, second = self.ends("time"), self.ends("time")
        self.assertEqual(first.stdout, second.stdout)
        self.assertRegex(first.stdout, r"^946684800\.\d{9} 3600\n")

    def test_the_machine_needs_a_processor(self):
        result = call(DUET, "run", "--host", "simulated", compiled("ends.c"))
        self.assertEqual((result.returncode, result.stderr.count("\n")), (125, 1))
        self.assertIn("machine gtx580 has no [cpu]", result.stderr)
        result = call(*RUN, "--machine", "gtx580", compiled("ends.c"))
        self.assertEqual(result.returncode, 125)
        self.assertIn("--machine does nothing", result.stderr)


class BadPrograms(Fixture):
    def refused(self, data, what):
        path = WORK / "bad"
        path.write_bytes(data)
        result = call(*RUN, path)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(what, result.stderr)

    def changed(self, *changes):
        data = bytearray(compiled("ends.c").read_bytes())
        for form, offset, value in changes:
            struct.pack_into(form, data, offset, value)
        return bytes(data)

    def first_segment(self):
        data = compiled("ends.c").read_bytes()
        table = struct.unpack_from("<Q", data, 32)[0]
        count = struct.unpack_from("<H", data, 56)[0]
        return next(table + 56 * i for i in range(count) if struct.unpack_from("<I", data, table + 56 * i)[0] == 1)

    def test_other_files(self):
        self.refused(b"#!/bin/sh\n", "no ELF program")
        self.refused(b"", "no ELF program")
        self.refused(pathlib.Path(DUET).read_bytes(), "a program for x86-64, not for RV64")
        result = call("riscv64-linux-gnu-gcc", PROGRAMS / "ends.c", "-o", WORK / "dynamic")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.refused((WORK / "dynamic").read_bytes(), "dynamically linked")
        self.assertIn("No such file", call(*RUN, WORK / "absent").stderr)
        self.assertEqual(call(*RUN, WORK).returncode, 125)

    def test_truncated_and_hostile_files(self):
        whole = compiled("ends.c").read_bytes()
        for bytes_left, what in ((30, "ELF header"), (100, "program headers"), (5000, "truncated: segment")):
            self.refused(whole[:bytes_left], what)
        segment = self.first_segment()
        self.refused(self.changed(("<Q", segment + 40, 1 << 62)), "at most")  # bytes in memory
        self.refused(self.changed(("<Q", segment + 8, 2 ** 64 - 4096)), "truncated")  # offset in the file
        self.refused(self.changed(("<Q", segment + 16, 2 ** 64 - 4096)), "beyond the addresses")
        self.refused(self.changed(("<Q", segment + 32, 2 ** 64 - 1)), "truncated")  # bytes in the file
        self.refused(self.changed(("<Q", 24, 0)), "entry point 0x0 is no code")
        self.refused(self.changed(("<Q", 32, 2 ** 64 - 8)), "program headers")
        self.refused(self.changed(("<H", 56, 0)), "no segments")
        self.refused(self.changed(("<H", 16, 1)), "object file")
        self.refused(self.changed(("<B", 4, 1)), "RV32")
        self.refused(self.changed(("<B", 5, 2)), "big-endian")

    def test_a_damaged_symbol_table_only_costs_names(self):
        for value in (0, 2 ** 64 - 64, 1 << 20):
            path = WORK / "no-symbols"
            path.write_bytes(self.changed(("<Q", 40, value)))
            path.chmod(0o755)
            result = call(*RUN, path, "segfault")
            self.assertEqual(result.returncode, 139)
            self.assertIn("(no symbol)", result.stderr)


if __name__ == "__main__":
    main()
