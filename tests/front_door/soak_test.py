#!/usr/bin/env python3
"""Many runs side by side, half of them on a folder each and half on the default one, half of them killed at a random moment: nothing
that was recorded is lost, no process is left behind, and no two runs share a folder.

Usage: soak_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [RUNS [SEED]]. Twenty runs take seconds; by hand, take 200."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
DUET = BUILD / "bin/duet"
SECONDS = 3  # in which runs are killed
PATIENCE = 60 + RUNS


def processes(folder):
    """All that work in the folder: runs, their keepers, their commands and what those started, with their names."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder):
                found[int(entry.name)] = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            pass
    return found


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"soak: after {PATIENCE} s {what}")
        time.sleep(0.05)


class Run:
    """One `duet run`: what it is, and what it has said."""

    def __init__(self, number, program, work, shared, end):
        self.number, self.shared, self.end = number, shared, end
        self.folder = work / f"own-{number}"  # of the results
        self.texts = [work / f"{number}.{name}" for name in ("out", "err")]
        options = ["--clock", "wall", "--timeout", str(3 * PATIENCE)]  # they wait in real time; should this test itself be killed, they end
        options += [] if shared else ["--out", self.folder.name]
        with open(self.texts[0], "wb") as out, open(self.texts[1], "wb") as err:
            self.process = subprocess.Popen([DUET, "run", "-q", *options, program, "loop", "go", str(number)], cwd=work, stdout=out, stderr=err)
        self.moment = time.monotonic() + random.uniform(0, SECONDS)
        self.work = work

    def offloads(self):
        """As many as it said; the last line may be cut off."""
        return max([0] + [int(line) for line in self.texts[0].read_text().split("\n")[:-1]])

    def began(self):
        return self.offloads() > 0 or self.process.poll() is not None

    def kill(self):
        """Duet by SIGKILL or SIGTERM, or its program by SIGKILL, which is not there in its first moments."""
        if self.end == "program":
            for process, words in processes(self.work).items():
                if words[-4:-1] == [b"loop", b"go", str(self.number).encode()] and words[0].endswith(b"/program"):
                    os.kill(process, signal.SIGKILL)
                    return True
            return self.process.poll() is not None
        self.process.send_signal(signal.SIGKILL if self.end == "duet" else signal.SIGTERM)
        return True

    def find_folder(self):
        if self.shared:
            taken = re.search(r"results of this run go to (duet-out-\d+)", self.texts[1].read_text())
            self.folder = self.work / (taken[1] if taken else "duet-out")

    def check(self):
        """What is wrong with what it left, and the number of kernels that it left."""
        self.find_folder()
        said, status = self.offloads(), self.process.wait()
        expected = {None: (0,), "duet": (-signal.SIGKILL,), "term": (128 + signal.SIGTERM, -signal.SIGTERM),
                    "program": (128 + signal.SIGKILL,)}[self.end]
        if status not in expected:
            return f"status {status}: {self.texts[1].read_text()}", 0
        if said == 0:  # killed before its first offload was complete
            return None, 0
        if self.end == "duet":
            report = subprocess.run([DUET, "report", "-q", self.folder], capture_output=True, text=True, timeout=PATIENCE)
            if report.returncode != 0:
                return f"duet report: {report.stderr}", 0
        found = json.loads((self.folder / "stats.json").read_text())
        kernels = len(found["kernels"]) + sum(group["count"] for group in found.get("kernel_groups", []))
        if not found["command"].endswith(f"loop go {self.number}"):
            return f"{self.folder.name} holds the results of '{found['command']}'", kernels
        if kernels < said or (self.end is None and kernels != said):
            return f"said {said} offloads, recorded {kernels}", kernels
        return None, kernels


def main():
    random.seed(SEED)
    work = pathlib.Path(tempfile.mkdtemp(prefix="duet-soak-"))
    program = work / "program"
    compile_well(DUET, [SOURCE / "tests/front_door/lifetime.cu"], program)
    runs = []
    try:
        for number in range(RUNS):
            end = random.choice(("duet", "program", "term")) if number % 4 < 2 else None
            runs.append(Run(number, program, work, number % 2 == 0, end))
        waiting = [run for run in runs if run.end is not None]

        def kill_those_whose_moment_has_come():
            # On the shared folder only when all runs have theirs: that of a run that has ended is free for the next one.
            all_began = all(run.began() for run in runs)
            for run in waiting[:]:
                if all_began and run.shared and run.moment < all_began_at[0]:
                    run.moment = all_began_at[0] + random.uniform(0, SECONDS)
                if time.monotonic() >= run.moment and (all_began or not run.shared) and run.kill():
                    waiting.remove(run)
            if not all_began:
                all_began_at[0] = time.monotonic()
            return not waiting and all_began

        all_began_at = [time.monotonic()]
        wait_for(kill_those_whose_moment_has_come, "not all runs had begun")
        (work / "go").touch()
        wait_for(lambda: all(run.process.poll() is not None for run in runs), "runs had not ended")
        wait_for(lambda: not processes(work), "processes were left: " + str(processes(work)))
        wrong, kernels, folders = [], 0, {}
        for run in runs:
            problem, recorded = run.check()
            kernels += recorded
            if problem:
                wrong.append(f"run {run.number} ({run.end or 'not killed'}): {problem}")
            if recorded:
                folders.setdefault(run.folder, []).append(run.number)
        wrong += [f"{folder.name} belongs to runs {numbers}" for folder, numbers in folders.items() if len(numbers) > 1]
        ends = {end: sum(run.end == end for run in runs) for end in ("duet", "program", "term")}
        print(f"soak: {RUNS} runs (seed {SEED}), {sum(ends.values())} killed: duet by SIGKILL {ends['duet']}, by SIGTERM {ends['term']}, "
              f"programs by SIGKILL {ends['program']}; {len(folders)} folders with {kernels} kernels, no process left")
        for line in wrong:
            print("soak:", line)
        return 1 if wrong else 0
    finally:
        for run in runs:
            run.process.kill()
        wait_for(lambda: not processes(work), "processes were left: " + str(processes(work)))
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
