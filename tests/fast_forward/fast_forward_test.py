#!/usr/bin/env python3
"""`duet run --skip-kernels, --kernels, --count-kernels`: are the right launches fast-forwarded, are all results right, are caches warm
behind them, is bad input one line?

Usage: fast_forward_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats
from whole import WHOLE

# Of tests/programs: what is refused (full/empty bits), needs more than a compiler, or ends otherwise.
OTHERS = {"assert", "exit_codes", "fork_child", "driver_api", "driver_interop", "independent_threads"}
# A program for each feature that fast-forwarding has to do with; at night (tests/whole.py) all programs.
FEATURES = {"atomics_global", "cooperative_launch", "device_heap", "dynamic_parallelism", "graphs", "managed", "mapped", "printf", "shared_memory",
            "streams_events", "textures", "BFS"}
OPTIONS = (("--skip-kernels", "1"), ("--count-kernels", "1"), ("--kernels", "no kernel has this name"))


def name_of(kernel):
    return next(name for name in ("fill", "twice", "sum_up") if name in kernel["name"])


class FastForward(Fixture):
    def run_flags(self, *options, name):
        result = call(DUET, "run", "-q", "--no-html", "--out", WORK / name, *options, self.compiled("tests/fast_forward/flags.cu"))
        self.assertEqual((result.returncode, result.stdout), (0, "PASS\n"), result.stderr)
        return sorted(stats(WORK / name)["kernels"], key=lambda kernel: kernel["command"])

    def test_which(self):
        for options, in_time in (((), "fill fill" + 10 * " twice" + " sum_up sum_up"),
                                 (("--skip-kernels", "12"), "sum_up sum_up"),
                                 (("--kernels", "^twice", "--skip-kernels", "8"), "twice twice"),
                                 (("--kernels", "fill|sum", "--count-kernels", "3"), "fill fill sum_up"),
                                 (("--skip-kernels", "1", "--count-kernels", "2"), "fill twice"),
                                 (("--kernels", "x"), "")):
            with self.subTest(options):
                kernels = self.run_flags(*options, name="which")
                self.assertEqual(" ".join(name_of(k) for k in kernels if "fast_forwarded" not in k), in_time)
                for kernel in kernels:
                    self.assertEqual(sum(kernel["stalls"].values()) == 0, "fast_forwarded" in kernel)
                    self.assertGreater(kernel["warp_instructions"], 0)

    def test_none_runs_beside_another_in_time(self):
        kernels = self.run_flags("--kernels", "twice", "--skip-kernels", "3", "--count-kernels", "4", name="alone")
        spans = [(k["start_ps"], k["end_ps"], "fast_forwarded" in k) for k in kernels]
        for start, end, forwarded in spans:
            for other_start, other_end, other in spans:
                self.assertTrue(forwarded == other or end <= other_start or other_end <= start, (start, other_start))

    def test_what_kernels_launch_goes_on_as_they_do(self):
        """The host's launches are counted, and theirs are not."""
        result = call(DUET, "run", "-q", "--no-html", "--out", WORK / "launched", "--skip-kernels", "2", self.compiled("tests/programs/dynamic_parallelism.cu"))
        self.assertEqual(result.returncode, 0, result.stderr)
        kernels = sorted(stats(WORK / "launched")["kernels"], key=lambda kernel: kernel["command"])
        self.assertEqual(["fast_forwarded" in kernel for kernel in kernels], 2 * [True] + 4 * [False])

    def test_results(self):
        programs = [path for path in sorted((SOURCE / "tests/programs").glob("*.cu"))
                    if path.stem not in OTHERS and not path.stem.startswith(("errors_", "full_empty_"))]
        programs.append(SOURCE / "workloads/lustig2013/BFS.cu")
        self.assertGreaterEqual(len(programs), 45)
        if not WHOLE:  # a program a feature
            programs = [path for path in programs if path.stem in FEATURES]
            self.assertEqual(len(programs), len(FEATURES))
        for number, source in enumerate(programs):
            with self.subTest(source.stem):
                program = self.compiled(source.relative_to(SOURCE))
                result = call(DUET, "run", "-q", "--no-html", "--trace-detail", "none", "--out", WORK / "results",
                              *OPTIONS[number % len(OPTIONS)], program)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_warm(self):
        """Kernels behind fast-forwarded ones take about as long as in a run that has all of them in time."""
        program = self.compiled("workloads/lustig2013/BFS.cu")

        def kernels(*options):
            result = call(DUET, "run", "-q", "--no-html", "--out", WORK / "warm", *options, program)
            self.assertEqual(result.returncode, 0, result.stderr)
            return stats(WORK / "warm")["kernels"]

        def misses(kernel):
            return kernel["counters"].get("l2.read_misses", 0)

        whole, behind = kernels(), kernels("--skip-kernels", "6")
        self.assertTrue(all("fast_forwarded" in k for k in behind[:6]) and "fast_forwarded" not in behind[6])
        for number in (6, 8):  # of the kernel that reads the graph
            self.assertLess(misses(behind[number]), 20 + misses(whole[number]))
            time, in_whole = (k["end_ps"] - k["start_ps"] for k in (behind[number], whole[number]))
            self.assertLess(abs(time - in_whole) / in_whole, 0.15)

    def test_what_kernels_touched_is_warm(self):
        """No copy has brought this data. With --check it is not known what the kernels touched: the control."""
        misses = {}
        for name, options in (("whole", ()), ("warm", ("--kernels", "twice", "--skip-kernels", "9")),
                              ("cold", ("--kernels", "twice", "--skip-kernels", "9", "--check", "memory"))):
            last = [k for k in self.run_flags(*options, name=name) if name_of(k) == "twice"][-1]
            self.assertNotIn("fast_forwarded", last)
            misses[name] = last["counters"].get("l2.read_misses", 0)
        self.assertLessEqual(misses["warm"], misses["whole"] + 20, misses)
        self.assertGreater(misses["cold"], misses["warm"] + 100, misses)

    def test_checks_go_on(self):
        program = self.compiled("tests/check/faults.cu")
        result = call(DUET, "run", "-q", "--no-html", "--check", "races", "--kernels", "none", "--out", WORK / "checked", program,
                      "missing_barrier")
        self.assertIn("race in shared memory", result.stderr)

    def test_bad_input(self):
        program = self.compiled("tests/fast_forward/flags.cu")
        for options, words in ((("--kernels", "(["), "is no regular expression"), (("--count-kernels", "0"), "--count-kernels"),
                               (("--skip-kernels", "many"), "--skip-kernels"), (("--skip-kernels", "1", "--functional"), "leave out one of them"),
                               (("--skip-kernels", "1", "--two-threads"), "leave out --two-threads"),
                               (("--skip-kernels", "1", "--check-races"), "--check-races has to see all")):
            with self.subTest(options):
                result = call(DUET, "run", "-q", "--out", WORK / "bad", *options, program)
                self.assertEqual(result.returncode, 2 if words in ("--count-kernels", "--skip-kernels") else 125)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(words, result.stderr)
        tracked = self.compiled("tests/programs/full_empty_hand_over.cu")
        result = call(DUET, "run", "-q", "--machine", "lustig2013", "--skip-kernels", "1", "--out", WORK / "bad", tracked)
        self.assertEqual(result.returncode, 125)
        self.assertIn("fast-forwarded kernels know no full/empty bits", result.stderr)


if __name__ == "__main__":
    main()
