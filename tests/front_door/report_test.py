#!/usr/bin/env python3
"""`duet report`: results of runs that nobody was left to write.

Usage: report_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import json
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
        self.assertEqual((again.returncode, again.stderr), (0, "duet: page in results/report.html\n"))
        self.assertIn("  critical path", again.stdout)

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
        (self.cwd / "empty").mkdir()
        (self.cwd / "refused").mkdir()
        (self.cwd / "refused/machine.toml").touch()
        for command in ("report", "advise"):
            for folder, line in (("nowhere", "is no folder: give what `duet run --out FOLDER` wrote"), ("empty", "is none that Duet wrote"),
                                 ("refused", "has no stats.json: no run has ended there")):
                result = call(DUET, command, folder, cwd=self.cwd)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (125, "", 1))
                self.assertIn(f"duet: {command}: {folder} {line}", result.stderr)
                self.assertFalse((self.cwd / "nowhere").exists())
                self.assertEqual(list((self.cwd / "empty").iterdir()), [])


class Finished(Runs):
    """Every folder that Duet writes can be looked at again."""

    def setUp(self):
        super().setUp()
        self.program = self.compiled("workloads/demo/smooth.cu")

    def duet(self, *words, status=0):
        result = call(DUET, *words, cwd=self.cwd)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def place(self, folder, name):
        """A JSON text in the page."""
        text = (self.cwd / folder / "report.html").read_text()
        return text.split(f'<script type="application/json" id="{name}">')[1].split("</script>")[0]

    def test_the_page_is_as_before(self):
        run = self.duet("run", "--out", "a", self.program)
        before = (self.cwd / "a/report.html").read_bytes()
        (self.cwd / "a/report.html").write_bytes(before.replace(b"<title>", b"<title>an earlier template: ", 1))
        result = self.duet("report", "a")
        self.assertEqual((self.cwd / "a/report.html").read_bytes(), before)
        self.assertEqual(result.stderr, "duet: page in a/report.html\n")
        self.assertIn(result.stdout, run.stderr)
        self.assertGreater(result.stdout.count("\n"), 20)
        self.duet("advise", "a")
        measured = self.place("a", "duet-advice")
        self.assertIn("duet.advice/1", measured)
        self.duet("report", "-q", "a")
        self.assertEqual(self.place("a", "duet-advice"), measured)

    def test_a_run_without_a_page_gets_one(self):
        self.duet("run", "-q", "--no-html", "--out", "a", self.program)
        self.assertNotEqual(self.duet("report", "a").stdout, "")
        self.assertEqual(json.loads(self.place("a", "duet-stats")), stats(self.cwd / "a"))
        self.assertEqual(self.duet("report", "-q", "--no-html", "a").stderr, "")
        self.assertIn("--records is for a run that was cut off", self.duet("report", "--records", "5", "a", status=125).stderr)
        self.duet("run", "-q", "--out", "a", self.program)  # what the report wrote is the run's
        self.assertNotIn("what", " ".join(self.names()))

    def test_each_process_of_a_script(self):
        script = self.cwd / "two.sh"
        script.write_text(f"#!/bin/sh\n{self.program}\n{self.program}\n")
        script.chmod(0o755)
        self.duet("run", "-q", "--out", "two", script)
        (self.cwd / "two/1/report.html").unlink()
        result = self.duet("report", "two")
        self.assertEqual(result.stdout.count("  critical path"), 2)
        self.assertTrue((self.cwd / "two/1/report.html").exists())
        self.assertEqual(self.duet("report", "two/1").stdout.count("  critical path"), 1)
        first, second = self.duet("advise", "two"), self.duet("advise", "two/1")
        self.assertEqual(first.stderr, "duet: advise: this is the first of 2 processes; for the others: duet advise two/1\n")
        self.assertEqual(second.stderr, "")
        advice = json.loads((self.cwd / "two/1/advice.json").read_text())
        for one in advice["advice"] + advice["hardware_advice"]:
            self.assertNotIn("failure", one)
        self.assertTrue((self.cwd / "two/1/what-if/1/1/stats.json").exists())  # the second process of the changed run
        self.duet("run", "-q", "--out", "two", self.program)
        self.assertFalse((self.cwd / "two/1").exists(), "the next run leaves what advise wrote")

    def test_predicted_and_explained_runs(self):
        predicted = self.duet("predict", "--rows", "3", "--json", "p.json", "--out", "p", self.program)
        self.assertIn(self.duet("report", "p").stdout, predicted.stdout)
        self.assertEqual(json.loads((self.cwd / "p/run.json").read_text())["options"], [])
        self.assertIn("has times of a model", self.duet("advise", "p", status=125).stderr)
        self.duet("explain", "-q", "--out", "e", self.program)
        self.assertIn("  critical path", self.duet("report", "e").stdout)
        self.duet("advise", "e")

    def test_a_sweep_and_its_runs(self):
        (self.cwd / "s.toml").write_text(f'[[program]]\nname = "smooth"\ncommand = ["{self.program}"]\n[grid]\ngpu.sm.count = [16, 4]\n')
        made = self.duet("sweep", "s.toml", "--baseline", "gpu.sm.count=4")
        page = (self.cwd / "s-sweep/report.html").read_bytes()
        (self.cwd / "s-sweep/report.html").unlink()
        result = self.duet("report", "s-sweep")
        self.assertEqual((result.stdout, (self.cwd / "s-sweep/report.html").read_bytes()), (made.stdout, page))
        self.assertIn("speedup", result.stdout)
        self.assertIn("  critical path", self.duet("report", "s-sweep/runs/0001").stdout)
        self.duet("advise", "s-sweep/runs/0001")
        self.assertEqual(self.duet("sweep", "s.toml", "-q").stderr, "")  # advice and page did not make it another run
        for command, words in (("advise", ["s-sweep"]), ("stats", ["csv", "s-sweep", "kernels"]), ("compare", ["s-sweep", "s-sweep"])):
            self.assertEqual(self.duet(command, *words, status=125).stderr.count("\n"), 1)
        self.assertIn("s-sweep/runs/0001", self.duet("advise", "s-sweep", status=125).stderr)


if __name__ == "__main__":
    main()
