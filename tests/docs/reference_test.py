#!/usr/bin/env python3
"""Do the pages that are written when Duet is built have everything once: keys, statistics, forms of PTX instructions?

A key that a machine of ours has and the page lacks, a statistic that is declared twice, a form that no row counts would be found.
Usage: reference_test.py BUILD_FOLDER"""
import collections
import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]


def duet(*words):
    return subprocess.run([BUILD / "bin/duet", *words], check=True, capture_output=True, text=True, timeout=120).stdout


def twice(names):
    return [name for name, times in collections.Counter(names).items() if times > 1]


class Reference(unittest.TestCase):
    def page(self, name, *words):
        """What the command writes; the build has a page of that title, too."""
        now = duet(*words, "--markdown")
        built = (BUILD / "share/doc/duet/reference" / name).read_text()
        self.assertEqual(built.split("\n")[0], now.split("\n")[0])
        return now

    def test_each_key_once(self):
        keys = re.findall(r"^\| `([^`]+)` \|", self.page("keys.md", "machines", "keys"), re.M)
        self.assertGreater(len(keys), 300)
        self.assertEqual(twice(keys), [])
        for machine in sorted((ROOT / "machines").glob("*.toml")):
            # [gpu.sm] and `count = 16` are gpu.sm.count; each [[level]] is level[N], [link] is link[N].
            table = ""
            for line in duet("machines", "show", machine.stem).split("\n"):
                if head := re.match(r"\[+([\w.]+)\]+", line):
                    table = re.sub(r"^(level|link|method)\b", r"\1[N]", head[1]) + "."
                elif key := re.match(r"(\w+) *=", line):
                    self.assertTrue(table + key[1] in keys, f"{machine.stem} has {table + key[1]}, the page has not")

    def test_each_statistic_once(self):
        page = self.page("statistics.md", "statistics")
        names = []
        for heads, rows in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page, re.M | re.S):
            for kind in re.findall(r"`([^`]+)`", heads):
                names += [kind + "." + name for name in re.findall(r"^\| `([^`]+)` \|", rows, re.M)]
        self.assertGreater(len(names), 200)
        self.assertEqual(twice(names), [])
        for line in duet("statistics").split("\n"):
            if re.match(r"[a-z]\w*\.\w+ ", line):
                self.assertTrue(line.split()[0] in names, f"the page lacks {line}")

    def test_each_form_is_counted(self):
        page = self.page("ptx-coverage.md", "ptx", "coverage")
        forms = [line.split("\t") for line in (ROOT / "tests/ptx/coverage.tsv").read_text().split("\n") if line and line[0] != "#"]
        rows = re.findall(r"^\| ([\w.]+) \| ([^|]*) \| (\d*) \| (\d*) \|", page, re.M)
        self.assertEqual(twice(row[:2] for row in rows), [])
        self.assertEqual(sum(int(row[2] or 0) for row in rows), sum(form[3] == "tested" for form in forms))
        self.assertEqual(sum(int(row[3] or 0) for row in rows), sum(form[3] == "refused" for form in forms))


if __name__ == "__main__":
    unittest.main()
