#!/usr/bin/env python3
"""What all commands have in common: help, the status of a wrong command line, pipes whose reader has gone.

Usage: commands_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios

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

    def test_json_on_standard_output_is_alone_there(self):
        program = self.compiled(SMOOTH)
        script = self.cwd / "two.sh"
        script.write_text(f"#!/bin/sh\n{program}\n{program}\n")
        script.chmod(0o755)
        self.duet("run", "-q", "--out", "a", program)
        self.duet("explain", "-q", "--out", "e", program)
        (self.cwd / "s.toml").write_text(f'[[program]]\nname = "smooth"\ncommand = ["{program}"]\n[grid]\ngpu.sm.count = [16, 4]\n')
        for words, of in ((["run", "{}", program], "duet.stats/1"), (["run", "{}", "-q", program], "duet.stats/1"), (["run", "{}", script], list),
                          (["predict", "{}", program], "duet.prediction/1"), (["explain", "{}", program], "duet.explanation/1"),
                          (["explain", "e", "{}"], "duet.explanation/1"), (["explain", "{}", "e"], "duet.explanation/1"),
                          (["compare", "a", "e", "{}"], "duet.comparison/1"), (["advise", "a", "{}"], "duet.advice/1"),
                          (["sweep", "s.toml", "{}"], "duet.sweep/1"), (["stats", "csv", "a", "kernels", "{}"], list),
                          (["stats", "describe", "{}"], list), (["statistics", "{}"], list), (["machines", "{}"], list),
                          (["machines", "show", "gtx580", "{}"], list), (["machines", "diff", "gtx580", "gtx480", "{}"], list),
                          (["machines", "keys", "{}"], list), (["model", "--machine", "gtx580", "{}"], "duet.model/1"),
                          (["reproduce", "lustig2013", "--list", "{}"], list)):
            with self.subTest(words):
                at = words.index("{}")
                result = self.duet(*words[:at], "--json", "-", *words[at + 1:])
                printed = json.loads(result.stdout)
                if of is list:
                    self.assertTrue(isinstance(printed, list) and printed)
                else:
                    self.assertEqual(printed["schema"], of)
                if words[0] in ("run", "predict", "explain") and "e" not in words:
                    self.assertIn("PASS", result.stderr)
                self.assertFalse((self.cwd / "-").exists())
                with_file = self.duet(*words[:at], "--json", "it.json", *words[at + 1:])
                self.assertIs(type(json.loads((self.cwd / "it.json").read_text())), type(printed))
                if "-q" not in words:
                    self.assertNotEqual(with_file.stdout, "")
        self.assertEqual(json.loads(self.duet("run", "--json", "-", program).stdout)["kernels"], stats(self.cwd / "a")["kernels"])
        self.assertNotIn("--json", (self.cwd / "duet-out/run.json").read_text())
        self.assertIn("is a program", self.duet("predict", "--json", program, "x", status=2).stderr)
        self.assertIn("nowhere/x.json", self.duet("machines", "--json", "nowhere/x.json", status=125).stderr)

    def test_keys_list_the_names_that_they_take(self):
        keys = {key["key"]: key for key in json.loads(self.duet("machines", "keys", "--json", "-").stdout)}
        self.assertEqual(keys["gpu.sm.scheduler"]["values"], '"gto", "lrr"')
        free = {name for name, key in keys.items() if key["values"] == "text"}
        words = {"calls", "at_copy", "at_launch", "at_end", "at_synchronize"}  # lists, which tests/unit/machine refuses word by word
        self.assertEqual({name.split(".")[-1] for name in free}, {"name", "description", "address_fields"} | words)

    def test_the_size_of_l2_is_a_key(self):
        def sizes(*sets):
            words = [word for one in sets for word in ("--set", one)]
            keys = {key["key"]: key["value"] for key in json.loads(self.duet("machines", "show", "gtx580", *words, "--json", "-").stdout)}
            return [keys["gpu.l2." + name] for name in ("sets", "ways")]

        self.assertEqual(sizes(), [64, 8])  # of each of 12 slices
        self.assertEqual(sizes("gpu.l2.bytes=1572864"), [128, 8])
        self.assertEqual(sizes("gpu.l2.bytes=1179648"), [64, 12])  # no power of two of sets
        self.assertEqual(sizes("gpu.l2.bytes=1572864", "gpu.l2.ways=16"), [64, 16])
        for value, line in (("1000000", "it is 983040 or 1081344"), ("big", "whole number of B"), ("0", "whole number of B")):
            self.assertIn(line, self.duet("machines", "show", "gtx580", "--set", "gpu.l2.bytes=" + value, status=125).stderr)
        self.assertIn("gpu.l2.sets", self.duet("machines", "keys", "gpu.l2.bytes").stdout)
        program = self.compiled(SMOOTH)
        (self.cwd / "s.toml").write_text(f'[[program]]\nname = "smooth"\ncommand = ["{program}"]\n[grid]\ngpu.l2.bytes = [1572864, 786432]\n')
        self.duet("sweep", "-q", "s.toml", "--baseline", "gpu.l2.bytes=786432")
        rows = json.loads((self.cwd / "s-sweep/results.json").read_text())["rows"]
        self.assertEqual([row["axes"]["gpu.l2.bytes"] for row in rows], [786432, 1572864])

    def test_rows_name_kernels_as_a_programmer_does(self):
        self.duet("run", "-q", "--out", "a", self.compiled(SMOOTH))
        rows = list(csv.DictReader(io.StringIO(self.duet("stats", "csv", "a", "kernels").stdout)))
        self.assertEqual({row["name"] for row in rows}, {"smooth", "scale"})
        self.assertEqual([row["symbol"] for row in rows], [kernel["name"] for kernel in stats(self.cwd / "a")["kernels"]])

    def test_advice_wraps_at_the_terminal(self):
        """Down to 50 columns, under its first word; without a terminal a line is a line."""
        program = self.compiled(SMOOTH)
        plain = self.duet("run", "--out", "a", program).stderr
        advice = plain[plain.index("  changes of the machine"):]
        self.assertGreater(max(map(len, advice.split("\n"))), 100)
        for columns, widest in ((100, 100), (50, 50), (20, 50)):
            leader, follower = pty.openpty()
            fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            subprocess.run([DUET, "run", "--out", "a", str(program)], cwd=self.cwd, stdout=subprocess.DEVNULL, stderr=follower, timeout=60)
            os.close(follower)
            text = b""
            try:
                while piece := os.read(leader, 65536):
                    text += piece
            except OSError:  # the last writer has closed it
                pass
            os.close(leader)
            text = text.decode().replace("\r\n", "\n")
            narrow = text[text.index("  changes of the machine"):].split("\nduet: results")[0]
            self.assertLessEqual(max(map(len, narrow.split("\n"))), widest)
            self.assertEqual(narrow.split(), advice.split("\nduet: results")[0].split())
            self.assertIn("\n     ", narrow)

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
