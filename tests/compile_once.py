#!/usr/bin/env python3
"""Tests of one run of CTest that compile the same program the same way compile it once: the first one compiles, the others copy.

What is shared lies in the folder that $DUET_TEST_PROGRAMS names. CTest's fixture `programs` (tests/CMakeLists.txt) empties it before the first
test and removes it behind the last, so nothing outlasts a run. A test that is started by hand compiles for itself.

    compile_once.py DUET OUTPUT WORDS...      `DUET cc WORDS... -o OUTPUT`
"""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def compile_once(duet, words, output, **options):
    """The finished process of `duet cc words -o output`, with its texts; options go to subprocess.run."""
    words = [str(word) for word in words]
    command = [str(duet), "cc", *words]

    def compiled(path):
        return subprocess.run([*command, "-o", str(path)], capture_output=True, text=True, **options)

    folder = os.environ.get("DUET_TEST_PROGRAMS")
    if not folder or any(tempfile.gettempdir() + "/" in word for word in words):  # of the test's own
        return compiled(output)
    os.makedirs(folder, exist_ok=True)
    shared = pathlib.Path(folder) / hashlib.sha256("\0".join(command).encode()).hexdigest()
    said = shared.with_suffix(".stderr")
    with open(shared.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            made = compiled(output)
            if made.returncode == 0 and made.stdout == "":
                shutil.copy(output, shared)
                said.write_text(made.stderr)
            return made
    shutil.copy(shared, output)
    return subprocess.CompletedProcess([*command, "-o", str(output)], 0, "", said.read_text())


def compile_well(*arguments, **options):
    """As compile_once(); RuntimeError with the compiler's words where it fails."""
    done = compile_once(*arguments, **options)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)


def main():
    duet, output, *words = sys.argv[1:]
    done = compile_once(duet, words, output)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
