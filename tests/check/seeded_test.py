#!/usr/bin/env python3
"""`duet run --check` on seeded.cu: each faulty kernel has findings of its kind at its lines and no others, and kernels
that only look faulty have none; functional and timed, in each order of ticks.

Usage: seeded_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats

FILE = "tests/check/seeded.cu"
SEEDS = ("1", "2", "3")
# An unordered read may also come before the only write, and find nothing.
BESIDE_RACES = {"uninitialised_shared"}
LAUNCHES = {name: number for number, line in enumerate((SOURCE / FILE).read_text().splitlines(), 1) for name in re.findall(r"RUN\((\w+)<<<", line)}


def expected():
    """Of each kernel: the kind, and the lines."""
    kernel, found = None, collections.OrderedDict()
    for number, line in enumerate((SOURCE / FILE).read_text().splitlines(), 1):
        if name := re.search(r"__global__ void (\w+)", line):
            kernel = name[1]
        if (mark := re.search(r"// !(\w+)", line)) and kernel:
            kind, lines = found.setdefault(kernel, (mark[1], []))
            assert kind == mark[1], line
            lines.append(number)
    return found


class Seeded(Fixture):
    def findings(self, words, *options):
        program = self.compiled(FILE, "-arch", "sm_70")
        out = WORK / ("out-seeded-" + "-".join([words, *options]).replace("--", ""))
        result = call(DUET, "run", "-q", "--no-html", "--check", "memory,races,init,sync", "--out", out, *options, program, words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return stats(out)["check"]["findings"]

    def faults(self, *options):
        faults = expected()
        self.assertGreaterEqual(len(faults), 35)
        of_kernel = collections.defaultdict(list)
        for finding in self.findings("faults", *options):
            of_kernel[re.search(r"kernel '(\w+)'", finding["text"])[1]].append(finding)
        for kernel, (kind, lines) in faults.items():
            with self.subTest(kernel, options=options):
                kinds = {finding["kind"] for finding in of_kernel[kernel]}
                self.assertIn(kind, kinds)
                self.assertLessEqual(kinds, {kind} | (BESIDE_RACES if kind.endswith("race") else set()))
                facts = [fact for one in of_kernel[kernel] if one["kind"] == kind for fact in one["facts"]]
                told = "\n".join(fact for fact in facts if not fact.startswith("launched at "))
                launches = {fact for fact in facts if fact.startswith("launched at ")}
                self.assertTrue(all(f"seeded.cu:{LAUNCHES[kernel]}" in fact for fact in launches) and launches, launches)
                self.assertEqual({int(line) for line in re.findall(r"seeded\.cu:(\d+)\b", told)}, set(lines))
        self.assertLessEqual(of_kernel.keys(), faults.keys())

    def clean(self, *options):
        self.assertEqual(self.findings("clean", *options), [], options)

    def test_faults(self):
        self.faults("--functional")

    def test_faults_in_time(self):
        self.faults("--shuffle", SEEDS[0])

    def test_clean(self):
        self.clean("--functional")

    def test_clean_in_time(self):
        self.clean("--shuffle", SEEDS[0])

    def test_each_order_of_ticks(self):  # night
        for way in ([], ["--functional"]):
            for seed in SEEDS:
                self.faults(*way, "--shuffle", seed)
                self.clean(*way, "--shuffle", seed)


if __name__ == "__main__":
    main()
