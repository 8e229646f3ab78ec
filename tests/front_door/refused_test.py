#!/usr/bin/env python3
"""A run that is refused: what an earlier run left in its folder is never taken for its results.

Usage: refused_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
from fixture import DUET, SOURCE, call, main
from lifetime_test import Runs

PTX = SOURCE / "tests/front_door/endless.ptx"
EARLIER = (PTX, "--kernel", "one_block_fails", "--grid", "1", "--block", "32")  # quick, and its results are kept


class Refused(Runs):
    def run_in_folder(self, *arguments):
        return call(DUET, "run", "-q", "--out", "results", *arguments, cwd=self.cwd)

    def earlier_run(self):
        self.run_in_folder("--events", *EARLIER)
        self.assertLessEqual({".duet-files", "events.json", "machine.toml", "stats.json"}, set(self.names("results")))
        (self.cwd / "results/notes.txt").write_text("the user's")

    def refused(self, contains, *arguments, status=125):
        result = self.run_in_folder(*arguments)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (status, 1), result.stderr)
        self.assertIn(contains, result.stderr)

    def test_before_anything_runs_it_takes_away_what_an_earlier_run_left(self):
        for contains, *arguments in (("nearest: gpu.sm.count", "--set", "gpu.sm.cont=1", "./a"),
                                     ("is not a power of two", "--set", "gpu.l1.sets=48", "./a"),
                                     ("known are", "--machine", "gtx999", "./a"),
                                     ("cannot read nothing.ptx", "nothing.ptx")):
            self.earlier_run()
            self.refused(contains, *arguments)
            self.assertEqual([path.name for path in (self.cwd / "results").iterdir()], ["notes.txt"], contains)

    def test_with_its_machine_where_the_command_was_wrong(self):
        for contains, *arguments in (("cannot run './nothing-here'", "./nothing-here"),
                                     ("has no kernel 'nothing'", PTX, "--kernel", "nothing"),
                                     ("no number of this type", PTX, "--kernel", "wait_for_flag", "--arg", "i32:x")):
            self.earlier_run()
            self.refused(contains, *arguments)
            self.assertEqual(self.names("results"), [".duet-files", "machine.toml", "notes.txt"], contains)

    def test_it_leaves_no_folder(self):
        self.refused("nearest: gpu.sm.count", "--set", "gpu.sm.cont=1", "./a")
        self.assertEqual(self.names(), [])
        (self.cwd / "results").mkdir()
        self.refused("nearest: gpu.sm.count", "--set", "gpu.sm.cont=1", "./a")
        self.assertEqual((self.names(), self.names("results")), (["results"], []))

    def test_a_line_that_is_no_command_touches_nothing(self):
        self.earlier_run()
        before = {path.name: path.stat().st_mtime_ns for path in (self.cwd / "results").rglob("*")}
        for contains, *arguments in (("run what?",), ("unknown option --machne", "--machne", "x", "./a"),
                                     ("is not a number above 0", "--timeout", "soon", "./a"),
                                     ("--check-races needs the timed GPU", "--check-races", "--functional", "./a"),
                                     ("--arguments", PTX, "--arguments", "3")):
            self.refused(contains, *arguments, status=125 if "timed GPU" in contains else 2)
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in (self.cwd / "results").rglob("*")}, before)


if __name__ == "__main__":
    main()
