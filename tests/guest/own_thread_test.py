#!/usr/bin/env python3
"""Functions of the program in streams run on a thread of their own, in time; the host may poll without calling CUDA.
Usage: own_thread_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, SOURCE, WORK, Fixture, call, main  # noqa: E402
from compile_once import compile_once  # noqa: E402


class OwnThread(Fixture):
    def run_with(self, *arguments):
        program = WORK / "own_thread"
        if not program.exists():
            made = compile_once(DUET, ["--host", "riscv64", SOURCE / "tests/guest/programs/own_thread.cu"], program)
            self.assertEqual(made.returncode, 0, made.stderr)
        return call(DUET, "run", "--quiet", "--host", "simulated", "--machine", "lustig2013", program, *arguments)

    def test_polling_and_a_lock(self):
        result = self.run_with()
        self.assertEqual((result.returncode, result.stdout), (0, "polled: 17\nanother thread, after the release; time has passed\n"),
                         result.stderr)

    def test_a_function_that_never_ends(self):
        result = self.run_with("deadlock")
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertIn("the machine can make no progress", result.stderr)
        self.assertIn("host function (command 1, stream 0): the program executes it", result.stderr)


if __name__ == "__main__":
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("riscv64-linux-gnu-g++ is not installed")
        shutil.rmtree(WORK, ignore_errors=True)
        sys.exit(77)
    main()
