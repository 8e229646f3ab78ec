#!/usr/bin/env python3
"""Is a program that compile_once.py keeps made again when, and only when, something changes of which it is made?"""
import os
import pathlib
import stat
import tempfile
import time
import unittest

import compile_once

# Writes what it is given and how often it has been called.
COMPILER = """#!/bin/sh
folder=$(dirname "$0")
echo . >> "$folder/../calls"
for word; do last=$word; done
cat "$folder/../lib/duet/guest/stubs" "$2" > "$last"
echo "a warning" >&2
"""


class CompileOnce(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        # Sources in the folder for temporary files are a test's own.
        self.addCleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = str(self.folder / "tmp")
        for name in ("tmp", "source", "headers", "bin", "lib/duet/guest"):
            (self.folder / name).mkdir(parents=True)
        self.duet = self.folder / "bin/duet"
        self.duet.write_text(COMPILER)
        self.duet.chmod(self.duet.stat().st_mode | stat.S_IXUSR)
        self.write("lib/duet/guest/stubs", "stubs\n")
        self.write("source/a.cu", '#include "near.h"\n#  include <far.h>\n#include <cstdio>\nint main() {}\n')
        self.write("source/near.h", "")
        self.write("headers/far.h", '#include "farther.h"\n')
        self.write("headers/farther.h", "")
        self.kept = self.folder / "kept"
        os.environ["DUET_TEST_PROGRAMS"] = str(self.kept)
        self.addCleanup(os.environ.pop, "DUET_TEST_PROGRAMS")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def made(self, *flags, source="source/a.cu"):
        """How many compilations one more wish takes."""
        calls = self.folder / "calls"
        before = calls.read_text().count(".") if calls.exists() else 0
        compile_once.compiler.cache_clear()  # as a process of its own
        output = self.folder / "program"
        done = compile_once.compile_once(self.duet, [self.folder / source, f"-I{self.folder / 'headers'}", *flags], output)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "a warning\n"))
        self.assertEqual(output.read_text(), (self.folder / "lib/duet/guest/stubs").read_text() + (self.folder / source).read_text())
        return calls.read_text().count(".") - before

    def test_the_same_is_compiled_once(self):
        self.assertEqual([self.made(), self.made(), self.made("-O3"), self.made("-O3"), self.made()], [1, 0, 1, 0, 0])

    def test_what_it_is_made_of(self):
        self.made()
        for name in ("source/a.cu", "source/near.h", "headers/far.h", "headers/farther.h", "lib/duet/guest/stubs"):
            self.write(name, (self.folder / name).read_text() + "// more\n")
            self.assertEqual([self.made(), self.made()], [1, 0], name)

    def test_a_source_of_the_tests_own(self):
        self.write("tmp/a.cu", "int main() {}\n")
        self.assertEqual([self.made(source="tmp/a.cu"), self.made(source="tmp/a.cu")], [1, 1])

    def test_a_text_that_is_kept(self):
        def text(end):
            return compile_once.kept_text("a.cu", f"int main() {{}}\n{end}", self.folder / "tmp")
        self.assertEqual([self.made(source=text("")), self.made(source=text("// more\n")), self.made(source=text(""))], [1, 1, 0])
        self.assertTrue(str(text("")).startswith(str(self.kept)))
        old = time.time() - 2 * compile_once.WEEK
        for path in self.kept.iterdir():
            os.utime(path, (old, old))
        text("")
        compile_once.forget(self.kept)
        self.assertEqual(list(self.kept.iterdir()), [text("").parent])
        os.environ["DUET_TEST_PROGRAMS"] = ""
        self.assertEqual(text(""), self.folder / "tmp/a.cu")

    def test_by_hand(self):
        os.environ["DUET_TEST_PROGRAMS"] = ""
        self.assertEqual([self.made(), self.made()], [1, 1])

    def test_what_nobody_asked_for_is_forgotten(self):
        self.made()
        old = time.time() - 2 * compile_once.WEEK
        for path in self.kept.iterdir():
            os.utime(path, (old, old))
        self.assertEqual(self.made(), 0)  # asked for: it stays
        compile_once.forget(self.kept)
        self.assertEqual(self.made(), 0)
        for path in self.kept.iterdir():
            os.utime(path, (old, old))
        compile_once.forget(self.kept)
        self.assertEqual((list(self.kept.iterdir()), self.made()), ([], 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
