"""duet sweep --slurm on a Slurm of this test's own: the same results as here, whatever is killed meanwhile.

Usage: slurm_test.py --duet DUET [--runs N] [TEST ...]; N, 20 without it, is a multiple of 20. Exit status 77: no Slurm here.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import slurm_cluster
import sweeps

RUNS = 20


class Slurm(unittest.TestCase):
    def setUp(self):
        self.out = FOLDER / self.id().split(".")[-1]

    def start(self, file, *options, out=None):
        return subprocess.Popen([DUET, "sweep", file, "--out", out or self.out, "--slurm", *options], env=CLUSTER.environment,
                                stderr=subprocess.PIPE, text=True)

    def sweep(self, file, *options, status=0):
        process = self.start(file, *options)
        _, error = process.communicate(timeout=900)
        self.assertEqual(process.returncode, status, error)
        return error

    def ended(self):
        return len(sweeps.finished(self.out))

    # Tasks that wait or run; one that has ended is listed for a moment too.
    def tasks(self):
        return set(CLUSTER.command("squeue", "--noheader", "--array", "--states=PENDING,RUNNING", "--format=%i").stdout.split())

    def queued(self):
        return len(self.tasks())

    # The command, the task of a node, and the controller.
    def test_killed_three_times(self):
        file = FOLDER / "sweep.toml"
        # In each run there is time to be killed.
        file.write_text(sweeps.grid(RUNS).replace('["./smooth"', '["./slow.sh"'))
        local = FOLDER / "local"
        subprocess.run([DUET, "sweep", "-q", file, "--out", local], check=True, timeout=600)
        log = sweeps.Log(self.out)

        sweep = self.start(file)
        sweeps.wait_for(lambda: self.ended() >= RUNS // 6, "runs end")
        log.moment()
        sweep.kill()
        sweep.communicate()
        # Its tasks go on; who comes back waits for them.
        sweeps.wait_for(lambda: self.ended() >= RUNS // 3, "tasks go on")
        queued = self.queued()
        self.assertGreater(queued, 0)
        refused = subprocess.run([DUET, "sweep", file, "--out", self.out], env=CLUSTER.environment, capture_output=True, text=True)
        self.assertEqual(refused.returncode, 125)
        self.assertIn("Slurm still has tasks", refused.stderr)
        log.moment()
        sweep = self.start(file)
        time.sleep(1)
        self.assertLessEqual(self.queued(), queued)

        tasks = []
        sweeps.wait_for(lambda: tasks.extend(CLUSTER.tasks()) or tasks, "a task runs")
        log.moment()
        sweeps.kill(tasks)
        sweeps.wait_for(lambda: self.ended() >= RUNS * 2 // 3, "the sweep goes on")
        log.moment()
        CLUSTER.kill_controller()
        time.sleep(4)
        log.moment()
        CLUSTER.start_controller()
        end = time.monotonic() + 900
        while sweep.poll() is None and time.monotonic() < end:
            CLUSTER.resume()
            time.sleep(1)
        _, error = sweep.communicate(timeout=1)
        self.assertEqual(sweep.returncode, 0, error)

        starts = log.check(most_cut_off=len(tasks))
        for name in ["results.csv", "pareto.csv"]:
            self.assertEqual((self.out / name).read_bytes(), (local / name).read_bytes(), name)
        self.assertEqual(sweeps.finished(self.out), sweeps.finished(local))
        self.assertEqual([list((self.out / name).iterdir()) for name in ["running", "claims"]], [[], []])
        self.assertEqual({text.name: text.read_text() for text in (self.out / "slurm").iterdir()}, {})
        print(f"{RUNS} runs, {starts} starts, cut off {starts - RUNS}", file=sys.stderr)

    def test_ctrl_c_ends_the_tasks(self):
        file = FOLDER / "wait.toml"
        file.write_text('[[program]]\ncommand = ["./wait.sh"]\n')
        sweep = self.start(file, "--jobs", "1")
        sweeps.wait_for(CLUSTER.tasks, "the task runs")
        sweep.send_signal(signal.SIGINT)
        _, error = sweep.communicate(timeout=60)
        self.assertEqual(sweep.returncode, 128 + signal.SIGINT)
        self.assertIn("the same command goes on", error)
        sweeps.wait_for(lambda: self.queued() == 0 and not CLUSTER.tasks(), "the task ends", seconds=30)
        self.assertEqual(self.ended(), 0)

    def test_what_sbatch_refuses_is_one_line(self):
        file = FOLDER / "refused.toml"
        file.write_text(f'[[program]]\ncommand = {sweeps.FILL}\n')
        before = self.tasks()  # of other tests, which Slurm has not heard the end of
        error = self.sweep(file, "--slurm-options", "--partition=nowhere", status=125)
        self.assertIn("sbatch refuses the runs: sbatch: error: invalid partition specified: nowhere", error)
        self.assertEqual(len(error.splitlines()), 1)
        self.assertIn("the sweep says that itself", self.sweep(file, "--slurm-options", "--array=1", status=125))
        self.assertLessEqual(self.tasks(), before)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    DUET = pathlib.Path(arguments.pop(arguments.index("--duet") + 1)).resolve()
    if "--runs" in arguments:
        RUNS = int(arguments.pop(arguments.index("--runs") + 1))
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary) / "sweeps"
        FOLDER.mkdir()
        try:
            with slurm_cluster.Cluster(pathlib.Path(temporary) / "slurm") as CLUSTER:
                sweeps.make_programs(DUET, FOLDER)
                for name, text in [("slow.sh", 'sleep 0.3\nexec ./smooth "$@"\n'), ("wait.sh", "sleep 60\n")]:
                    (FOLDER / name).write_text("#!/bin/sh\n" + text)
                    (FOLDER / name).chmod(0o755)
                words = [word for word in arguments if not word.startswith("--")]
                passed = unittest.main(argv=[sys.argv[0]] + words, exit=False).result.wasSuccessful()
        except slurm_cluster.NoSlurm as why:
            print(f"skipped: {why}")
            sys.exit(77)
    sys.exit(0 if passed else 1)
