#!/usr/bin/env python3
"""What all commands have in common: help, the status of a wrong command line, pipes whose reader has gone.

Usage: commands_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import json
import re
import subprocess

from fixture import DUET, call, main, stats
from lifetime_test import Runs

SMOOTH = "workloads/demo/smooth.cu"


class Commands(Runs):
    def duet(self, *words, status=0, **options):
        result = call(DUET, *words, cwd=self.cwd, **options)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def test_help_and_version_as_words(self):
        self.assertEqual(self.duet("help").stdout, self.duet("--help").stdout)
        self.assertEqual(self.duet("help", "run").stdout, self.duet("run", "--help").stdout)
        self.assertEqual(self.duet("help", "machines", "keys").stdout, self.duet("machines", "keys", "--help").stdout)
        self.assertEqual(self.duet("version").stdout, self.duet("--version").stdout)
        self.assertIn("unknown command 'nosuch'", self.duet("help", "nosuch", status=2).stderr)
        self.assertIn("unknown command 'machines nosuch'", self.duet("help", "machines", "nosuch", status=2).stderr)

    def test_a_wrong_command_line_is_2_and_one_line(self):
        commands = re.findall(r"^  ([a-z]+) {2,}", self.duet("--help").stdout.split("Subcommands:")[-1], re.M)
        self.assertGreater(len(commands), 14)
        lines = [[command, "--nosuch"] for command in commands if command not in ("cc", "nvcc", "help", "version")]
        lines += [[], ["nosuch"], ["run"], ["cc"], ["cc", "-o"], ["explain"], ["predict"], ["compare", "a"], ["advise"], ["report"], ["sweep"],
                  ["stats"], ["stats", "csv", "a"], ["machines", "nosuch"], ["machines", "show"], ["reference", "tcsh"], ["model"],
                  ["run", "--timeout", "soon", "./a"], ["run", "--interval", "soon", "./a"], ["run", "--host", "moon", "./a"],
                  ["run", "k.ptx", "--nosuch"], ["explain", ".", "--machine", "h100"]]
        for words in lines:
            with self.subTest(words):
                result = call(DUET, *words, cwd=self.cwd)
                self.assertEqual((result.returncode, result.stderr.count("\n"), result.stdout), (2, 1, ""), result.stderr)
                self.assertTrue(result.stderr.startswith("duet: "))
        self.assertIn("(see `duet machines keys --help`)", call(DUET, "machines", "keys", "--nosuch").stderr)

    def test_what_cannot_be_done_is_125(self):
        for words in (["run", "./nothing"], ["compare", "a", "b"], ["machines", "show", "gtx999"], ["sweep", "nothing.toml"], ["stats", "csv", "a", "b"]):
            self.duet(*words, status=125)

    def test_options_of_a_run_stand_in_groups(self):
        for words in (["run"], ["explain"], ["predict"], ["run", "k.ptx"]):
            text = self.duet(*words, "--help").stdout
            ungrouped = re.search(r"^Options:\n(.*?)\n\n", text, re.M | re.S)[1]
            self.assertEqual(re.findall(r"^  (-.*?)  ", ungrouped, re.M), ["-h,--help"])
            for group in ("Machine", "Results", "Limits", "A closer look", "Faults of the program"):
                self.assertIn(f"\n{group}:\n", text)

    def test_the_reader_of_a_pipe_has_gone(self):
        """Program and table go into a pipe nobody reads: results all the same, and no folder that the next run steps aside for."""
        program = self.compiled(SMOOTH)
        script = self.cwd / "loud.sh"
        script.write_text(f"#!/bin/sh\n{program}\ni=0\nwhile [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done\n")
        script.chmod(0o755)
        for words in (f"run {script}", f"predict {program}", f"explain {program}"):
            subprocess.run(["sh", "-c", f"{DUET} {words} 2>&1 | head -c 1"], cwd=self.cwd, capture_output=True, timeout=120)
            self.wait_until_all_have_ended()
            self.assertTrue(stats(self.cwd / "duet-out")["kernels"], words)
            self.assertFalse((self.cwd / "duet-out/.duet").exists(), words)
        result = self.duet("run", "-q", program)
        self.assertEqual(result.stderr, "")
        self.assertFalse((self.cwd / "duet-out-2").exists())


if __name__ == "__main__":
    main()
