#!/usr/bin/env python3
"""`duet report`: results of runs that nobody was left to write.

Usage: report_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import time

from fixture import DUET, SOURCE, call, main, stats
from lifetime_test import PROGRAM, Runs


class Reports(Runs):
    def killed(self, *options):
        """The folder of a run that was killed after its first offload."""
        run = self.start(DUET, "run", "-q", *options, "--out", "results", self.compiled(PROGRAM), "until", "go")
        self.assertEqual(run.stdout.readline(), "ready\n")
        run.kill()
        run.wait()
        self.wait_until_all_have_ended()
        return self.cwd / "results"

    def report(self, *options):
        return call(DUET, "report", *options, "results", cwd=self.cwd)

    def test_what_a_killed_run_recorded(self):
        (self.cwd / "go").touch()
        call(DUET, "run", "-q", "--events", "--out", "results", self.compiled(PROGRAM), "until", "go", cwd=self.cwd)
        whole = stats(self.cwd / "results")
        self.assertIs(whole["complete"], True)
        (self.cwd / "go").unlink()
        folder = self.killed("--events")
        self.assertFalse((folder / "stats.json").exists())
        result = self.report()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("duet: results in results, of a run that was cut off: not complete\n", result.stderr)
        found = stats(folder)
        self.assertIs(found["complete"], False)
        self.assertEqual(found["kernels"], whole["kernels"][:1])
        self.assertEqual(found["copies"], whole["copies"][:2])
        self.assertEqual((found["machine"], found["command"]), (whole["machine"], whole["command"]))
        self.assertGreaterEqual(found["wall_seconds"], 0)
        self.assertTrue((folder / "events.json").exists())
        self.assertFalse((folder / ".duet").exists())
        again = self.report()
        self.assertEqual((again.returncode, again.stderr),
                         (125, "duet: results holds no journal of a run: nothing to report; its results are there already\n"))

    def test_a_process_that_had_not_begun(self):
        folder = self.killed()
        (folder / ".duet/process-1.journal").write_bytes(bytes(4096))
        self.assertEqual(self.report("-q").returncode, 0)
        self.assertEqual(len(stats(folder)["kernels"]), 1)
        self.assertFalse((folder / "1").exists())

    def test_a_run_that_goes_on_is_left_alone(self):
        run = self.start(DUET, "run", "-q", "--out", "results", self.compiled(PROGRAM), "until", "go")
        self.assertEqual(run.stdout.readline(), "ready\n")
        result = self.report()
        self.assertEqual((result.returncode, result.stderr),
                         (125, "duet: results belongs to a run that has not ended: it writes its results itself\n"))
        (self.cwd / "go").touch()
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(stats(self.cwd / "results")["kernels"]), 2)

    def test_a_killed_kernel_without_a_host_program(self):
        run = self.start(DUET, "run", "-q", "--out", "results", SOURCE / "tests/front_door/endless.ptx", "--kernel", "spin")
        journal = self.cwd / "results/.duet/process-0.journal"
        deadline = time.monotonic() + 20
        while not (journal.exists() and journal.read_bytes().count(b"spin")) and time.monotonic() < deadline:
            time.sleep(0.05)
        run.kill()
        run.wait()
        self.assertEqual(self.report("-q").returncode, 0)
        found = stats(self.cwd / "results")
        self.assertEqual([k["complete"] for k in found["kernels"]], [False])
        self.assertEqual(found["incomplete"], {"kernel": 1})

    def test_folders_without_a_run(self):
        for folder in ("results", "nowhere"):
            result = call(DUET, "report", folder, cwd=self.cwd)
            self.assertEqual((result.returncode, result.stderr), (125, f"duet: {folder} holds no journal of a run: nothing to report\n"))
            self.assertFalse((self.cwd / "nowhere").exists())


if __name__ == "__main__":
    main()
