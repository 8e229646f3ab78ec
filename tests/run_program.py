#!/usr/bin/env python3
"""Compiles and runs one entry of tests/programs/EXPECT.toml (or a workload) on Duet and compares what it does.

Usage: run_program.py BUILD_DIRECTORY SOURCE_DIRECTORY NAME
Exit status 0: as expected; 1: not, with the reason on one line; 2: no such entry.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

from compile_once import compile_once


def fail(reason: str, output: str = "") -> int:
    print(f"FAIL {reason}")
    if output:
        print(output)
    return 1


def main() -> int:
    build, source, name = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    folder = source / "tests/programs"
    runs = {run["name"]: run for run in tomllib.loads((folder / "EXPECT.toml").read_text())["run"]}
    if name not in runs:
        print(f"no entry '{name}' in EXPECT.toml")
        return 2
    run = runs[name]
    duet = str(build / "bin/duet")
    with tempfile.TemporaryDirectory(prefix="duet-test-") as work:
        program = f"{work}/{pathlib.Path(run['sources'][0]).stem}"
        inputs = []
        for path in (folder / s for s in run["sources"]):
            inputs.append(str(path))
            if path.suffix == ".c":  # the host's C compiler; duet cc links what comes of it
                inputs[-1] = f"{work}/{path.stem}.o"
                built = subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(source / "runtime/cuda/include"),
                                        "-c", str(path), "-o", inputs[-1]], capture_output=True, text=True, timeout=240)
                if built.returncode != 0:
                    return fail("the C compiler failed", built.stderr)
        compiled = compile_once(duet, [*inputs, *run.get("flags", [])], program, timeout=240)
        if compiled.returncode != 0:
            return fail("duet cc failed", compiled.stderr)
        if "warning" in compiled.stderr:
            return fail("duet cc warns", compiled.stderr)
        ran = subprocess.run([duet, "run", "--quiet", "--out", f"{work}/out", *run.get("options", []), program, *run.get("arguments", [])],
                             capture_output=True, text=True, timeout=240, cwd=work)
        if ran.returncode == 125 and run.get("may_be_unsupported") and ran.stderr.startswith("duet: "):
            print("named as unsupported:", ran.stderr.strip())
            return 0
        if ran.returncode != run["status"]:
            return fail(f"exit status {ran.returncode}, expected {run['status']}", ran.stdout + ran.stderr)
        if "stdout" in run:
            expected = (folder / run["stdout"]).read_text()
        else:
            expected = None
        if expected is not None and ran.stdout != expected:
            return fail("standard output differs", f"--- expected\n{expected}--- got\n{ran.stdout}")
        if expected is None and run["status"] == 0 and "PASS " not in ran.stdout:
            return fail("no PASS line", ran.stdout + ran.stderr)
        if "stderr" in run and ran.stderr.count(run["stderr"]) != 1:
            return fail(f"standard error does not hold {run['stderr']!r} once", ran.stderr)
        if not pathlib.Path(f"{work}/out/stats.json").is_file():
            return fail("no stats.json was left", ran.stderr)
    print("as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
