"""duet sweep on this machine: is nothing lost and nothing run twice, and what of the file counts?

Usage: local_test.py --duet DUET [--runs N] [TEST ...]; N, at night (tests/whole.py) 60 without it and by day 40, is a multiple of 20.
"""
import csv
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import sweeps
from whole import WHOLE, some

RUNS = 60 if WHOLE else 40
JOBS = 2
ROUNDS = 12 if WHOLE else 6


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(file))


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.programs = pathlib.Path(cls.temporary.name) / "programs"
        cls.programs.mkdir()
        sweeps.make_programs(DUET, cls.programs)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.out = pathlib.Path(self.temporary.name) / self.id().split(".")[-1]

    def file(self, text, name="sweep.toml"):
        (self.programs / name).write_text(text)
        return self.programs / name

    def sweep(self, file, *options, status=0, out=None):
        done = subprocess.run([DUET, "sweep", file, "--out", out or self.out, "--jobs", str(JOBS), *options], capture_output=True,
                              text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def unbroken(self, runs):
        """The folder of a sweep of so many runs that nobody cuts off, made by the first test that asks for it."""
        out = self.out.with_name(f"unbroken-{runs}")
        if not out.exists():
            self.sweep(self.file(sweeps.grid(runs), f"{out.name}.toml"), out=out)
        return out

    def start(self, file, *options):
        return subprocess.Popen([DUET, "sweep", file, "--out", self.out, "--jobs", str(JOBS), *options], stderr=subprocess.PIPE,
                                text=True)

    def script(self, name, text):
        path = self.programs / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    # The sweep alone, a child alone, a program alone, and all at once.
    def test_killed_three_times(self):
        file = self.file(sweeps.grid(RUNS), "killed.toml")
        unbroken = self.unbroken(RUNS)
        log = sweeps.Log(self.out)
        for part, which in enumerate(["sweep", "child", "program", "all"]):
            sweep = self.start(file)
            sweeps.wait_for(lambda: len(sweeps.finished(self.out)) >= RUNS * (part + 1) // 6, "runs end")
            log.moment()
            # Those that were seen: what lives a moment later may be the sweep alone.
            below, ended = sweeps.wait_for(lambda: self.chosen(sweep.pid, which), f"a {which} lives")
            sweeps.kill(ended)
            if which in ("child", "program"):  # the sweep goes on, until all are killed
                done = log.moment()
                sweeps.wait_for(lambda: len(sweeps.finished(self.out)) > done, "the sweep goes on")
                log.moment()
                sweeps.kill(sweeps.children_of(sweep.pid))
            sweep.communicate()
            self.assertEqual(sweep.returncode, -signal.SIGKILL)
            sweeps.wait_for(lambda: not any(map(self.lives, below)), "every process ends")
            log.moment()
        self.sweep(file)
        starts = log.check(most_cut_off=6 * JOBS)
        self.assertEqual(len(sweeps.finished(self.out)), RUNS)
        for name in ["results.csv", "pareto.csv"]:
            self.assertEqual((self.out / name).read_bytes(), (unbroken / name).read_bytes(), name)
        rows = rows_of(self.out / "results.csv")
        self.assertEqual([int(row["run"]) for row in rows], list(range(1, RUNS + 1)))
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertGreater(len({row["time_ps"] for row in rows}), 4)
        print(f"{RUNS} runs, {starts} starts, cut off {starts - RUNS}", file=sys.stderr)
        # A command more makes nothing.
        before = log.lines()
        self.assertIn("0 made now", self.sweep(file).stderr)
        self.assertEqual(log.lines(), before)

    # Of the sweep and what is below it one, the sweep or all, in no order.
    def test_killed_at_random_moments(self):
        seed = random.randrange(1 << 30)
        print(f"seed {seed}", file=sys.stderr)
        chance = random.Random(seed)
        file = self.file(sweeps.grid(40), "random.toml")
        unbroken = self.unbroken(40)
        log = sweeps.Log(self.out)
        for _ in range(ROUNDS):
            sweep = self.start(file, "-q")
            time.sleep(chance.uniform(0, 1))
            below = sweeps.children_of(sweep.pid)
            chance.shuffle(below)
            if (self.out / "log.txt").exists():
                log.moment()
            sweeps.kill(chance.choice([below[:1], below, [sweep.pid]]))
            time.sleep(chance.uniform(0, 0.2))
            sweeps.kill([sweep.pid])
            sweep.communicate()
            if (self.out / "log.txt").exists():
                log.moment()
        self.sweep(file)
        log.check(most_cut_off=ROUNDS * (JOBS + 1))
        for name in ["results.csv", "pareto.csv"]:
            self.assertEqual((self.out / name).read_bytes(), (unbroken / name).read_bytes(), name)
        self.assertEqual(list((self.out / "running").iterdir()), [])

    @staticmethod
    def chosen(sweep, which):
        """The sweep and all below it, and those of them to end; nothing where there is none of those."""
        below = sweeps.children_of(sweep)
        children = [one for one in below[1:] if sweeps.parent_of(one) == sweep]
        programs = [one for one in below[1:] if sweeps.parent_of(one) in children]
        ended = {"sweep": below[:1] if children else [], "child": children[:1], "program": programs[:1],
                 "all": below if children else []}[which]
        return (below, ended) if ended else None

    @staticmethod
    def lives(process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def test_an_edited_file_makes_what_is_new(self):
        text = '[[program]]\nname = "fill"\ncommand = {}\n[grid]\ngpu.sm.count = [{}]\n'
        self.sweep(self.file(text.format(sweeps.FILL, "2, 4")))
        before = (self.out / "results.csv").read_text().splitlines()
        done = self.sweep(self.file(text.format(sweeps.FILL, "1, 2, 4")))
        self.assertIn("3 of 3 runs done, 1 made now", done.stderr)
        rows = (self.out / "results.csv").read_text().splitlines()
        self.assertEqual([line.split(",", 1)[1] for line in rows[2:]], [line.split(",", 1)[1] for line in before[1:]])
        # By numbers the folders are the runs.
        for row in rows_of(self.out / "results.csv"):
            stats = json.loads((self.out / "runs" / f"{int(row['run']):04}" / "stats.json").read_text())
            self.assertEqual(int(row["time_ps"]), stats["account"]["time_ps"])
            machine = (self.out / "runs" / f"{int(row['run']):04}" / "machine.toml").read_text()
            self.assertIn(f"\n[gpu.sm]\ncount = {row['gpu.sm.count']} ", machine)
        # Another kernel is another program.
        (self.programs / "fill.ptx").write_text(sweeps.KERNEL + "// another\n")
        try:
            self.assertIn("3 made now", self.sweep(self.file(text.format(sweeps.FILL, "1, 2, 4"))).stderr)
        finally:
            (self.programs / "fill.ptx").write_text(sweeps.KERNEL)

    def test_columns_are_those_of_the_runs(self):
        columns = ["time_ps", "moments_ps", "totals.thread_instructions", "counters.l2.read_hits", "kernels.count",
                   "kernels[smooth].cycles.sum", "kernels[scale].time_ps.max", "kernels.stalls.memory.sum", "kernels.counters.l2.read_hits.sum",
                   "copies[host_to_device].bytes.sum", "api[cudaStreamSynchronize].calls.sum", "marks[finish].time_ps.last"]
        text = ('[[program]]\nname = "{}"\ncommand = ["./smooth"]\noptions = {}\n[[point]]\ngpu.sm.count = 3\n[[point]]\n'
                'machine = "llano"\nprogram = "{}"\n[results]\ncolumns = {}\n')
        self.sweep(self.file(text.format("one", "[]", "one", json.dumps(columns))))
        row, other = rows_of(self.out / "results.csv")
        self.assertEqual((other["machine"], other["gpu.sm.count"]), ("llano", "5"))
        stats = json.loads((self.out / "runs/0001/stats.json").read_text())
        kernels = stats["kernels"]
        smooth, scale = [k for k in kernels if "smooth" in k["name"]], [k for k in kernels if "scale" in k["name"]]
        self.assertEqual((len(smooth), len(scale)), (2, 2))
        expected = {
            "totals.thread_instructions": stats["totals"]["thread_instructions"],
            "counters.l2.read_hits": stats["counters"]["l2.read_hits"],
            "kernels.count": 4,
            "kernels[smooth].cycles.sum": sum(k["cycles"] for k in smooth),
            "kernels[scale].time_ps.max": max(k["end_ps"] - k["start_ps"] for k in scale),
            "kernels.stalls.memory.sum": sum(k["stalls"].get("memory", 0) for k in kernels),
            "kernels.counters.l2.read_hits.sum": sum(k["counters"].get("l2.read_hits", 0) for k in kernels),
            "copies[host_to_device].bytes.sum": sum(c["bytes"] for c in stats["copies"] if c["kind"] == "host_to_device"),
            "api[cudaStreamSynchronize].calls.sum": 2,
            "marks[finish].time_ps.last": [m for m in stats["marks"] if m["name"] == "finish"][-1]["time_ps"],
            "gpu.sm.count": 3,
            "machine": "gtx580",
        } | {f"moments_ps.{name}": value for name, value in stats["account"]["moments_ps"].items()}
        for name, value in expected.items():
            self.assertEqual(row[name], str(value), name)
        self.assertEqual(sum(int(row[name]) for name in row if name.startswith("moments_ps.")), int(row["time_ps"]))
        # Groups count as what is in them.
        grouped = self.out.with_name("grouped")
        self.sweep(self.file(text.format("one", '["--records", "1"]', "one", json.dumps(columns))), out=grouped)
        self.assertEqual(rows_of(grouped / "results.csv")[0], row)

    def test_the_front_holds_what_nothing_beats(self):
        rows, front = (rows_of(self.unbroken(40) / name) for name in ("results.csv", "pareto.csv"))

        def beats(a, b):
            mine, other = [(int(row["time_ps"]), int(row["gpu.sm.count"])) for row in (a, b)]
            return a["program"] == b["program"] and mine != other and mine[0] <= other[0] and mine[1] <= other[1]

        self.assertEqual(front, [row for row in rows if not any(beats(other, row) for other in rows)])
        self.assertTrue(0 < len(front) < len(rows))

    def test_what_fails_is_told_and_not_tried_again(self):
        self.script("fails.sh", 'echo "it is broken" >&2\nexit 3\n')
        self.script("crashes.sh", "kill -SEGV $$\n")
        text = ('[[program]]\nname = "broken"\ncommand = ["./fails.sh"]\n[[program]]\nname = "crash"\ncommand = ["./crashes.sh"]\n'
                '[[program]]\nname = "endless"\noptions = ["--max-cycles", "10"]\ncommand = {0}\n[[program]]\nname = "fill"\ncommand = {0}\n')
        file = self.file(text.format(sweeps.FILL))
        done = self.sweep(file, status=1)
        self.assertIn("1 of 4 runs done, 3 failed", done.stderr)
        rows = rows_of(self.out / "results.csv")
        self.assertEqual([row["status"] for row in rows], ["exit 3", "exit 139", "exit 124", "ok"])
        self.assertEqual([bool(row["time_ps"]) for row in rows], [False, False, False, True])
        failures = (self.out / "failures.txt").read_text()
        self.assertIn("0001 exit 3: it is broken\n", failures)
        self.assertRegex(failures, "0002 exit 139: .*signal 11")
        self.assertRegex(failures, "0003 exit 124: duet: .*--max-cycles")
        before = (self.out / "log.txt").read_text()
        self.sweep(file, status=1)
        self.assertEqual((self.out / "log.txt").read_text(), before)
        self.script("fails.sh", "exit 3\n")
        self.sweep(file, status=1)  # another program
        self.sweep(file, "--again", status=1)
        starts = [line.split()[1] for line in (self.out / "log.txt").read_text().splitlines() if line.startswith("start")]
        self.assertEqual(sorted(starts), ["0001"] * 3 + ["0002"] * 2 + ["0003"] * 2 + ["0004"])

    def test_one_at_a_time_and_ctrl_c(self):
        self.script("waits.sh", "sleep 60\n")
        file = self.file('[[program]]\ncommand = ["./waits.sh"]\n')
        sweep = self.start(file)
        sweeps.wait_for(lambda: len(sweeps.children_of(sweep.pid)) > 3, "the run goes on")
        done = self.sweep(file, status=125)
        self.assertIn("another duet sweep works in", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        below = sweeps.children_of(sweep.pid)
        began = time.monotonic()
        sweep.send_signal(signal.SIGINT)
        _, error = sweep.communicate(timeout=30)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(sweep.returncode, 128 + signal.SIGINT)
        self.assertIn("1 runs are missing: the same command goes on", error)
        sweeps.wait_for(lambda: not any(map(self.lives, below)), "every process ends")
        self.assertEqual(sweeps.finished(self.out), set())
        self.assertEqual(rows_of(self.out / "results.csv")[0]["status"], "")
        self.script("waits.sh", "exit 0\n")
        self.sweep(file)

    def test_bad_input_is_one_line_and_runs_nothing(self):
        program = f'[[program]]\nname = "fill"\ncommand = {sweeps.FILL}\n'
        grid = "[grid]\ngpu.sm.count = [2]\n"
        self.script("program.sh", "exit 0\n")
        (self.programs / "data").write_text("no program")
        for text, words in some([
            ("[[program]\n", ":1: "),
            ("", "there is no [[program]]"),
            (program + "[grids]\na = [1]\n", "unknown key 'grids'"),
            (program + program, "two programs are called 'fill'"),
            ('[[program]]\nname = "x"\n', "a program needs a command"),
            ('[[program]]\ncommand = ["./nowhere"]\n', "there is no program ./nowhere"),
            ('[[program]]\ncommand = ["nowhere-at-all"]\n', "there is no program nowhere-at-all"),
            ('[[program]]\ncommand = ["./data"]\n', "./data cannot be executed"),
            ('[[program]]\ncommand = "./program.sh"\n', "'command' must be a list of strings"),
            ('[[program]]\ncommand = ["./program.sh"]\ninputs = ["none"]\n', "inputs: there is no file none"),
            ('[[program]]\ncommand = ["./program.sh"]\noptions = ["--set", "gpu.sm.count=2"]\n', "--set is the sweep's own"),
            ('[[program]]\ncommand = ["./program.sh"]\noptions = ["--preexec", "sometimes"]\n', "--preexec"),
            ('[[program]]\ncommand = ["./program.sh"]\noptions = ["--preexec", "adaptive", "--functional"]\n', "--preexec needs the timed GPU"),
            ('[[program]]\ncommand = ["fill.ptx", "--grit", "8"]\n', "--grit"),
            (program + "[grid]\ngpu.sm.count = 2\n", "give its values as a list"),
            (program + "[grid]\ngpu.sm.count = [2, 2]\n", "2 is there twice"),
            (program + "[grid]\ngpu.sm.count = [1.5]\n", "a value is a whole number"),
            (program + "[grid]\ngpu.sm.cuont = [2]\n", "unknown key 'gpu.sm.cuont' (nearest: gpu.sm.count)"),
            (program + "[grid]\ngpu.sm.count = [2, 0]\n", "gpu.sm.count = 0 is outside"),
            (program + '[grid]\nmachine = ["gtx580", "gtx5800"]\n', "no machine 'gtx5800'"),
            (program + "[[point]]\ngpu.sm.count = 100000\n", "is outside"),
            (program + '[[point]]\nprogram = "other"\n', "there is no program 'other'"),
            ('base_sets = ["gpu.sm.count"]\n' + program, "write key=value"),
            (program + grid + '[results]\ncolumns = ["counters.dram.raeds"]\n', "no machine here counts dram.raeds"),
            (program + grid + '[results]\ncolumns = ["account.time"]\n', "account has time_ps"),
            (program + grid + '[results]\ncolumns = ["moments_ps.kernel"]\n', "the parts of moments_ps are"),
            (program + grid + '[results]\ncolumns = ["time"]\n', "a run has no such value"),
            (program + grid + '[results]\ncolumns = ["kernels.cycles"]\n', "kernels are many"),
            (program + grid + '[results]\ncolumns = ["kernels.cycle.sum"]\n', "kernels have no number 'cycle'"),
            (program + grid + '[results]\ncolumns = ["gpu_cycles", "gpu_cycles"]\n', "column 'gpu_cycles' is there twice"),
            (program + grid + '[results]\ncolumns = ["wall_seconds"]\n', "times.csv"),
            (program + grid + '[results]\npareto = ["time_ps:min"]\n', "two columns or axes"),
            (program + grid + '[results]\npareto = ["time_ps:min", "gpu.sm.count"]\n', "write COLUMN:min or COLUMN:max"),
            (program + grid + '[results]\npareto = ["time_ps:min", "gpu.l2.mshrs:min"]\n', "no such column or axis"),
            (program + '[grid]\nmachine = ["gtx580"]\n[results]\npareto = ["time_ps:min", "machine:min"]\n', "is no number"),
        ], 3):
            with self.subTest(words=words):
                done = self.sweep(self.file(text, "bad.toml"), status=125)
                self.assertIn(words, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertFalse(self.out.exists())
        self.assertIn("there is no file", self.sweep(self.programs / "none.toml", status=125).stderr)
        self.out.mkdir()
        (self.out / "mine").write_text("mine")
        self.assertIn("holds other files", self.sweep(self.file(program + grid), status=125).stderr)

    def test_a_dry_run_makes_nothing(self):
        done = self.sweep(self.file(sweeps.grid(20)), "--dry-run")
        self.assertIn("0001 fill machine=gtx580 gpu.sm.count=1 gpu.l2.mshrs=8\n", done.stdout)
        self.assertIn("20 runs: 0 done, 0 failed, 20 to make", done.stdout)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    DUET = arguments.pop(arguments.index("--duet") + 1)
    if "--runs" in arguments:
        RUNS = int(arguments.pop(arguments.index("--runs") + 1))
    unittest.main(argv=[sys.argv[0]] + [word for word in arguments if not word.startswith("--")])
