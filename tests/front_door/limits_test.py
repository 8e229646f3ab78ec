#!/usr/bin/env python3
"""Runs that do not end by themselves: --max-cycles, --timeout, signals, machines that can make no progress, and the progress line.

Usage: limits_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from fixture import DUET, SOURCE, WORK, Fixture, call_places_in_ptx as call, main, stats
from whole import some

PTX = SOURCE / "tests/front_door/endless.ptx"
GPUS = ((), ("--functional",))


class Endless(Fixture):
    def bare(self, kernel):
        return [PTX, "--kernel", kernel, "--grid", "4", "--block", "96"] + (
            ["--arg", "buffer:4"] if kernel == "wait_for_flag" else [])

    def program(self, kernel, how="wait"):
        return [self.compiled("tests/front_door/endless.cu"), kernel, how]

    def out(self):
        return WORK / f"out-{self.id()}"

    def one_line(self, result, *contains):
        lines = [line for line in result.stderr.splitlines() if line.startswith("duet: ")]
        self.assertEqual(len(lines), 1, result.stderr)
        for part in contains:
            self.assertIn(part, lines[0])
        return lines[0]

    def facts(self, result, *contains):
        """What follows that line: a fact a line, indented; each of `contains` is in one of them."""
        lines = result.stderr.splitlines()
        at = [i for i, line in enumerate(lines) if line.startswith("duet: ")][0]
        facts = [line for line in lines[at + 1:] if line.startswith("  ")]
        for part in contains:
            self.assertTrue([fact for fact in facts if part in fact], f"no '{part}' in\n{result.stderr}")
        return facts

    def unfinished(self, kernel):
        """The kernel that was cut off, which is the last one and the only one marked so."""
        found = stats(self.out())
        self.assertEqual([k["name"] for k in found["kernels"] if not k["complete"]], [found["kernels"][-1]["name"]])
        last = found["kernels"][-1]
        self.assertIn(kernel, last["name"])
        self.assertGreater(last["warp_instructions"], 0)
        self.assertGreater(last["end_ps"], last["start_ps"])
        return found, last


class MaxCycles(Endless):
    def check(self, what, kernel, cycles=20000, *options):
        for gpu in GPUS:
            result = call(DUET, "run", "-q", "--out", self.out(), *gpu, "--max-cycles", cycles, *options, *what)
            self.assertEqual(result.returncode, 124, result.stderr)
            self.one_line(result, f"stopped after {cycles} cycles", "--max-cycles", f"in kernel '{kernel}'", "raise the limit")
            self.facts(result, f"kernel '{kernel}' (command ", " warp instructions, ", "  SM ", "(endless")
            found, last = self.unfinished(kernel)
            self.assertEqual(found["totals"]["gpu_cycles"], cycles)
        return found, last

    def test_a_bare_kernel_that_spins(self):
        self.check(self.bare("spin"), "spin")

    def test_a_bare_kernel_that_waits_for_a_flag(self):
        self.check(self.bare("wait_for_flag"), "wait_for_flag")

    def test_a_program_that_spins(self):
        found, last = self.check(self.program("spin"), "spin")
        self.assertEqual(last["completed_blocks"], 1)
        self.assertEqual([k["complete"] for k in found["kernels"]], [True, False])

    def test_a_program_that_waits_for_a_flag(self):
        self.check(self.program("wait_for_flag"), "wait_for_flag")

    def test_a_program_that_polls(self):
        self.check(self.program("spin", "poll"), "spin")

    def test_one_cycle(self):
        result = call(DUET, "run", "-q", "--out", self.out(), "--max-cycles", 1, *self.bare("spin"))
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertEqual(stats(self.out())["totals"]["gpu_cycles"], 1)

    def test_the_limit_is_not_reached_one_cycle_above(self):
        command = [DUET, "run", "-q", "--out", self.out()]
        kernel = self.program("nothing")
        self.assertEqual(call(*command, *kernel).returncode, 3)
        cycles = stats(self.out())["totals"]["gpu_cycles"]
        whole = stats(self.out())
        self.assertEqual(call(*command, "--max-cycles", cycles, *kernel).returncode, 124)
        self.assertEqual(call(*command, "--max-cycles", cycles + 1, *kernel).returncode, 3)
        limited = stats(self.out())
        for found in (whole, limited):
            del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
        self.assertEqual(whole, limited)

    def test_the_place_is_the_same_in_every_run(self):
        seen = []
        for seed in ("0", "0", "5"):
            call(DUET, "run", "-q", "--out", self.out(), "--max-cycles", 12345, "--shuffle", seed, *self.bare("wait_for_flag"))
            found = stats(self.out())
            del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
            seen.append(found)
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])

    def test_the_table_names_what_is_unfinished(self):
        result = call(DUET, "run", "--out", self.out(), "--max-cycles", 1000, *self.bare("all_but_the_first"))
        self.assertIn("unfinished: kernel 'all_but_the_first', 1000 cycles", result.stderr)
        self.assertIn("1 of 4 blocks complete", result.stderr)

    def test_the_line_says_what_else_would_answer(self):
        for command, options, others in (("run", (), "`duet predict`, --sample or --functional"), ("run", ("--functional",), "`duet predict --sampled`"),
                                         ("run", ("--check", "memory"), "--functional"), ("run", ("--sample",), "`duet predict`"),
                                         ("run", ("--kernels", "spin"), "`duet predict`"), ("run", ("--check", "memory", "--functional"), None)):
            for what in (self.bare("spin"), self.program("spin")):
                result = call(DUET, command, "-q", "--out", self.out(), *options, "--max-cycles", 1000, *what)
                [line] = [line for line in result.stderr.splitlines() if line.startswith("duet: stopped after")]
                self.assertTrue(line.endswith(f", or take less: {others}" if others else "only needs longer"), line)
        self.one_line(call(DUET, "run", "-q", "--out", self.out(), "--timeout", "0.3", *self.program("spin")), "--sample or --functional")

    def test_zero_is_refused(self):
        self.one_line(call(DUET, "run", "--max-cycles", 0, PTX), "--max-cycles", "not a number above 0")
        self.assertEqual(call(DUET, "run", "--max-cycles", 0, PTX).returncode, 2)


class Timeout(Endless):
    def check(self, what, kernel):
        for gpu in some(GPUS, 2):
            for limit in ("0.5", "2", "8"):  # a computer under load has not come to the kernel at the first
                started = time.monotonic()
                result = call(DUET, "run", "-q", "--out", self.out(), *gpu, "--timeout", limit, *what)
                self.assertLess(time.monotonic() - started, float(limit) + 3)
                if "no kernel was running" not in result.stderr:
                    break
            self.assertEqual(result.returncode, 124, result.stderr)
            self.one_line(result, f"stopped after {limit} s", "--timeout", "raise the limit", f"in kernel '{kernel}'")
            self.facts(result, f"kernel '{kernel}' (command ", " warp instructions, ", "  SM ")
            self.unfinished(kernel)

    def test_a_bare_kernel_that_spins(self):
        self.check(self.bare("spin"), "spin")

    def test_a_bare_kernel_that_waits_for_a_flag(self):
        self.check(self.bare("wait_for_flag"), "wait_for_flag")

    def test_a_program_that_spins(self):
        self.check(self.program("spin"), "spin")

    def test_a_program_that_polls(self):
        self.check(self.program("wait_for_flag", "poll"), "wait_for_flag")

    def test_a_host_that_makes_no_call(self):
        result = call(DUET, "run", "-q", "--out", self.out(), "--timeout", "0.5", "--clock", "wall",
                      *self.program("nothing", "sleep"))
        self.assertEqual(result.returncode, 124, result.stderr)
        self.one_line(result, "not inside a CUDA call", "stopped after 0.5 s")
        self.assertEqual([k["complete"] for k in stats(self.out())["kernels"]], [True])

    def test_a_call_that_gets_no_processor(self):
        """A program that stands still inside a call: it is given longer, and told apart from one outside of calls."""
        run = subprocess.Popen([DUET, "run", "-q", "--out", self.out(), "--timeout", "4", *map(str, self.program("spin"))],
                               stderr=subprocess.PIPE, text=True)
        time.sleep(2.5)
        process = run.pid
        for _ in range(2):  # its keeper, and that one's child
            with open(f"/proc/{process}/task/{process}/children") as file:
                [process] = map(int, file.read().split())
        os.kill(process, signal.SIGSTOP)
        started = time.monotonic()
        result = subprocess.CompletedProcess(run.args, None, stderr=run.communicate()[1])
        self.assertGreater(time.monotonic() - started, 10)
        self.assertEqual(run.returncode, 124, result.stderr)
        self.one_line(result, "stopped after 4 s", "did not come out of a CUDA call")

    def test_a_script_and_all_its_processes(self):
        script = WORK / "endless.sh"
        line = " ".join(str(word) for word in self.program("spin"))
        script.write_text(f"#!/bin/sh\n{line}\n{line}\nsleep 100\n")
        script.chmod(0o755)
        started = time.monotonic()
        result = call(DUET, "run", "-q", "--out", self.out(), "--timeout", "0.5", "--", script)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(result.returncode, 124, result.stderr)
        self.unfinished("spin")

    def test_no_limit_reached(self):
        result = call(DUET, "run", "-q", "--out", self.out(), "--timeout", "60", *self.program("nothing"))
        self.assertEqual((result.returncode, result.stderr), (3, ""))


class Signals(Endless):
    def check(self, what, number, kernel, group=False):
        for gpu in some(GPUS, 2):
            process = subprocess.Popen([str(w) for w in [DUET, "run", "-q", "--out", self.out(), *gpu, *what]], cwd=WORK,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True)
            time.sleep(1.5)  # it has told where it stands by then
            if group:
                os.killpg(process.pid, number)
            else:
                os.kill(process.pid, number)
            errors = process.communicate(timeout=20)[1]
            self.assertEqual(process.returncode, 128 + number, errors)
            self.assertIn(f"signal {number}", errors)
            if str(what[0]).endswith(".ptx"):  # a program ends as the signal says; Duet itself tells what it was busy with
                self.assertIn(f"signal {number} in kernel '{kernel}'\n  kernel '{kernel}' (command ", errors)
            self.unfinished(kernel)

    def test_interrupt_of_a_program(self):
        self.check(self.program("spin"), signal.SIGINT, "spin")

    def test_interrupt_of_the_whole_group(self):
        self.check(self.program("spin"), signal.SIGINT, "spin", group=True)

    def test_termination_of_a_program(self):
        self.check(self.program("wait_for_flag"), signal.SIGTERM, "wait_for_flag")

    def test_interrupt_of_a_bare_kernel(self):
        self.check(self.bare("spin"), signal.SIGINT, "spin")

    def test_termination_of_a_bare_kernel(self):
        self.check(self.bare("wait_for_flag"), signal.SIGTERM, "wait_for_flag")


class NoProgress(Endless):
    def check(self, what, line, *contains):
        for gpu in GPUS:
            result = call(DUET, "run", "-q", "--out", self.out(), *gpu, *what)
            self.assertEqual(result.returncode, 124, result.stderr)
            kernel = contains[0]
            self.one_line(result, "the machine can make no progress: kernel '" + kernel + "' waits at a barrier that not all of its threads "
                          "reach")
            self.facts(result, f"warp 0 of block (0,0,0) of kernel '{kernel}' waits {line}", f"kernel '{kernel}' (command ", *contains)
            self.unfinished(kernel)

    def line_of(self, text):
        return 1 + PTX.read_text().splitlines().index(text)

    def test_a_barrier_that_half_of_the_block_never_reaches(self):
        line = f"at barrier 3 (32 of 64 threads have arrived, endless.ptx:{self.line_of('  bar.sync 3, 64;')})"
        self.check(self.bare("half_a_barrier"), line, "half_a_barrier")

    def test_warps_at_different_barriers(self):
        line = f"at barrier 0 (32 of 64 threads have arrived, endless.ptx:{self.line_of('  bar.sync %barrier, 64;')})"
        self.check(self.bare("crossed_barriers"), line, "crossed_barriers")

    def test_a_program(self):
        self.check(self.program("half_a_barrier"), "at barrier 3 (32 of 64 threads have arrived, endless", "half_a_barrier",
                   "0 of 2 blocks complete")

    def test_a_failed_kernel_does_not_wait_for_its_other_blocks(self):
        for gpu in GPUS:
            result = call(DUET, "run", "-q", "--out", self.out(), *gpu, *self.bare("one_block_fails"))
            self.assertEqual(result.returncode, 125, result.stderr)
            what = self.one_line(result)  # a run of one kernel needs no other line for what that means
            self.assertRegex(what, rf"trap by thread \(.* of block \(0,0,0\), endless.ptx:{self.line_of('  trap;')}$")
            self.assertEqual(result.stderr, what + "\n")
            self.assertEqual(len(stats(self.out())["faults"]), 1)

    def test_a_program_that_polls_is_ended_by_its_limit(self):
        # Nothing happens any more, but time goes on with the calls of the program.
        result = call(DUET, "run", "-q", "--out", self.out(), "--max-cycles", 100000, *self.program("half_a_barrier", "poll"))
        self.assertEqual(result.returncode, 124, result.stderr)
        self.one_line(result, "stopped after 100000 cycles", "in kernel 'half_a_barrier'; the machine stands still: kernel 'half_a_barrier' "
                      "waits at a barrier")
        self.facts(result, " waits at barrier 3 (32 of 64 threads have arrived, endless")


class Progress(Endless):
    def on_terminal(self, *command, env=None):
        """Everything that a terminal gets, and the exit status."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([str(c) for c in command], stdin=follower, stdout=follower, stderr=follower, cwd=WORK,
                                   start_new_session=True)
        os.close(follower)
        text = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the last writer has closed it
                break
            if not piece:
                break
            text += piece
        os.close(leader)
        return text.decode(), process.wait()

    def screen(self, text):
        """What remains visible, line by line: carriage returns and "erase to the end of the line" are carried out."""
        lines, line, column = [], "", 0
        for token in re.findall(r"\x1b\[K|[\s\S]", text):
            if token == "\x1b[K":
                line = line[:column]
            elif token == "\r":
                column = 0
            elif token == "\n":
                lines.append(line)
                line, column = "", 0
            else:
                line = line[:column] + token + line[column + 1:]
                column += 1
        return lines + [line]

    def check(self, *what):
        text, status = self.on_terminal(DUET, "run", "--out", self.out(), "--timeout", "1.5", *what)
        self.assertEqual(status, 124, text)
        drawn = re.findall(r"\r(duet: [^\r]*us simulated[^\r]*)\x1b\[K\r", text)
        self.assertGreaterEqual(len(drawn), 3)
        self.assertLess(len(drawn), 12)
        self.assertRegex(drawn[-1], r"kernel spin \d/4 blocks, [0-9.]+ [kMG]? ?warp instruct")
        self.assertNotIn("us simulated, kernel", "\n".join(self.screen(text)))
        self.assertIn("unfinished: kernel 'spin'", text)

    def test_a_bare_kernel(self):
        self.check(*self.bare("spin"))

    def test_a_program(self):
        self.check(*self.program("spin"))

    def test_quiet(self):
        text, status = self.on_terminal(DUET, "run", "-q", "--out", self.out(), "--timeout", "0.7", *self.program("spin"))
        self.assertEqual(status, 124)
        self.assertNotIn("\x1b", text)

    def test_no_terminal(self):
        result = call(DUET, "run", "--out", self.out(), "--timeout", "0.7", *self.program("spin"))
        self.assertNotIn("\x1b", result.stderr)
        self.assertNotIn("\r", result.stderr)


if __name__ == "__main__":
    main()
