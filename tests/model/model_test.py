#!/usr/bin/env python3
"""duet model: files, machines and runs. A run that was made with this Duet goes through the model without a difference, a number of
stats.json that was changed is found, and what cannot be is one line.

Usage: model_test.py DUET [unittest options]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

DUET = ""
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def call(*words, status=0, cwd=None):
    done = subprocess.run([DUET, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=cwd)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Model(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = cls.folder / "tasks"
        compile_well(DUET, [SOURCE / "tests/explain/tasks.cu"], cls.program)
        call("explain", "-q", "--no-html", "--out", cls.folder / "run", cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def refused(self, words, *parts, status=125):
        done = call("model", *words, status=status)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stdout, "")


class Files(Model):
    def test_each_example_runs_to_its_end(self):
        for depth in range(1, 5):
            out = self.folder / f"d{depth}.json"
            text = call("model", SOURCE / f"workloads/hu2016/d{depth}.toml", "--json", out).stdout
            self.assertIn("\nfinished after ", text)
            result = json.loads(out.read_text())
            self.assertEqual((result["schema"], result["depth"], result["execution"]["finished"]), ("duet.model/1", depth, True))
            self.assertEqual(text, call("model", SOURCE / f"workloads/hu2016/d{depth}.toml").stdout, "twice the same")

    def test_steps(self):
        text = call("model", SOURCE / "workloads/hu2016/d2.toml", "--steps", 7).stdout
        self.assertIn("cut off after 7 steps", text)

    def test_what_is_no_model_is_one_line(self):
        bad = self.folder / "bad.toml"
        bad.write_text('[[level]]\nlevel = 0\n[[list]]\nlevel = 1\nname = "p"\n[[script]]\nlist = "p"\nname = "s"\nkind = "PS_C"\n')
        self.refused([bad], f"{bad}:6: ", "level 0 has no PE_C array")
        bad.write_text("[[level]]\nlevel = 0\nlevel = 1\n")
        self.refused([bad], f"{bad}:3: ")
        self.refused([self.folder / "none.toml"], "none.toml")
        self.refused([], "give one of", status=2)
        self.refused([SOURCE / "workloads/hu2016/d1.toml", "--host"], "--machine")


class Machines(Model):
    def test_tables_of_both_views(self):
        cuda = call("model", "--machine", "gtx580").stdout
        for words in ("d = 2", "[PE_C]^1 = SM", "PS_D^1 = data-move PBS", "TU^1 = GigaThread engine", "WaitRefCnt", "16 queues of 16 task groups"):
            self.assertIn(words, cuda)
        opencl = call("model", "--machine", "gtx580", "--view", "opencl", "--host", "--set", "gpu.sm.count=3").stdout
        for words in ("d = 3", "compute unit", "1 array of 3 PEs", "wavefront scheduler", "host memory"):
            self.assertIn(words, opencl)
        self.refused(["--machine", "cortex-a15"], "has no GPU: --host")
        self.refused(["--machine", "nothing"], "no machine 'nothing'")


class Replays(Model):
    def replay(self, change=None, status=0, name="copy"):
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder / "run", folder)
        if change is not None:
            stats = json.loads((folder / "stats.json").read_text())
            change(stats)
            (folder / "stats.json").write_text(json.dumps(stats))
        out = folder / "replay.json"
        text = call("model", "--replay", folder, "--json", out, status=status).stdout
        return text, json.loads(out.read_text())

    def test_a_run_goes_through(self):
        stats = json.loads((self.folder / "run/stats.json").read_text())
        text, result = self.replay()
        self.assertEqual((result["violations"], result["differences"]), ([], []), text)
        self.assertEqual(result["counts"]["blocks"], stats["counters"]["front_end.blocks"])
        self.assertEqual(result["counts"]["commands"], stats["counters"]["driver.commands"])
        self.assertEqual(result["counts"]["kernels"], len(stats["kernels"]))
        self.assertGreater(result["counts"]["warps"], 0)
        self.assertGreater(result["operations"], 4 * result["counts"]["warps"])

    def test_each_number_that_differs_is_found(self):
        def first(which, key, by=1):
            return lambda stats: stats[which][0].update({key: stats[which][0][key] + by})

        def counter(key):
            return lambda stats: stats["counters"].update({key: stats["counters"][key] + 1})

        changes = {"kernel #1": first("kernels", "start_ps"), "completed_blocks": first("kernels", "completed_blocks"),
                   "copy #1": first("copies", "start_ps", -1)}
        changes |= {key: counter(key) for key in ("driver.commands", "front_end.commands", "front_end.tasks", "front_end.blocks",
                                                  "copy_engine.moves", "copy_engine.bytes")}
        for words, change in changes.items():
            with self.subTest(words):
                text, result = self.replay(change, status=1)
                self.assertEqual(len(result["differences"]), 1, text)
                self.assertIn(words, result["differences"][0]["what"])

    def test_a_machine_that_holds_less_breaks_rules(self):
        folder = self.folder / "smaller"
        shutil.copytree(self.folder / "run", folder)
        machine = folder / "machine.toml"
        lines = machine.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("max_blocks"))
        lines[at] = "max_blocks = 1"
        machine.write_text("\n".join(lines) + "\n")
        text = call("model", "--replay", folder, status=1).stdout
        self.assertIn("capacity at ", text)
        self.assertIn("task instance on PE", text)

    def test_functional_runs_go_through(self):
        call("explain", "-q", "--no-html", "--functional", "--out", self.folder / "functional", self.program)
        text = call("model", "--replay", self.folder / "functional").stdout
        self.assertIn(", 0 violations", text)
        self.assertIn("level 0: 0 warps", text)

    def test_what_is_no_run_is_one_line(self):
        self.refused(["--replay", self.folder / "nothing"], "no folder of a run")
        call("run", "-q", "--no-html", "--out", self.folder / "plain", self.program)
        self.refused(["--replay", self.folder / "plain"], "has no explain.journal", "duet explain --out")


class Dispatch(Model):
    """gpu.front_end.dispatch: what a warp takes is free when it ends."""

    def kernel(self, program, how, *words, rows="32"):
        out = self.folder / f"dispatch-{how}"
        text = call("run", "-q", "--no-html", "--out", out, "--set", f"gpu.front_end.dispatch={how}", *words, program, rows).stdout
        self.assertIn("PASS mandelbrot", text)
        kernel = json.loads((out / "stats.json").read_text())["kernels"][0]
        return kernel["end_ps"] - kernel["start_ps"], kernel

    def test_one_dispatcher_starts_blocks_earlier_and_keeps_the_rules(self):
        program = self.folder / "mandelbrot"
        compile_well(DUET, ["-O2", SOURCE / "workloads/hu2016/mandelbrot.cu"], program)
        apart, kernel = self.kernel(program, "per_level")
        self.assertEqual((kernel["blocks_per_sm"], kernel["occupancy_limit"]), (1, "warps"))
        together, other = self.kernel(program, "cross_level", "--check", "model")
        self.assertLess(together, 0.9 * apart)
        self.assertEqual(kernel["warp_instructions"], other["warp_instructions"])
        # Blocks of one warp have nothing to give earlier.
        self.assertEqual(self.kernel(program, "per_level", rows="1")[0], self.kernel(program, "cross_level", rows="1")[0])


class Checks(Model):
    def test_check_model_is_silent_and_changes_nothing(self):
        call("run", "-q", "--no-html", "--out", self.folder / "bare", self.program)
        done = call("run", "-q", "--no-html", "--check", "model", "--check-exit", 9, "--out", self.folder / "checked", self.program)
        self.assertIn("checked model: 0 findings", done.stderr)
        bare, checked = (json.loads((self.folder / name / "stats.json").read_text()) for name in ("bare", "checked"))
        for key in ("kernels", "copies", "counters", "account", "simulated_seconds"):
            self.assertEqual(bare[key], checked[key], key)
        self.assertEqual(checked["check"], {"checks": "model", "findings": []})

    def test_two_threads_are_refused(self):
        done = call("run", "--check", "model", "--two-threads", self.program, status=125)
        self.assertIn("leave out --two-threads", done.stderr)


if __name__ == "__main__":
    DUET = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
