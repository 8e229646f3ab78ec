#!/usr/bin/env python3
"""Host instructions per API call, counted by callgrind in the program's process: a launch, a launch that is waited for, a query; of CUDA and of OpenCL.
Usage: calls.py [--duet PATH] [--record]

Each is counted in two runs with different numbers of calls; the difference leaves out all that happens once. Fails (1) where a call needs
over 5 % more than calls.json says; --record writes that file anew, and the commit says why. Skipped (77) where valgrind is missing.
By day one of each way that a call goes; at night (tests/whole.py) all."""

import pathlib
import subprocess
import sys
import tempfile

import callgrind

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402
from whole import WHOLE  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "calls.json"
TOLERANCE = 0.05
FEW, MANY = 200, 700
# Name in the record, kind of call, options of duet run.
OPENCL = (("OpenCL argument", "argument", ()), ("OpenCL launch", "launch", ()), ("OpenCL launch, functional", "launch", ("--functional",)),
          ("OpenCL launch and wait", "launch_and_wait", ()))
CASES = (("attribute", "attribute", ()), ("launch", "launch", ()), ("launch, functional", "launch", ("--functional",)),
         ("launch and wait", "launch_and_wait", ()), ("launch and wait, functional", "launch_and_wait", ("--functional",)),
         ("launch and wait, h100", "launch_and_wait", ("-m", "h100")),
         ("launch and wait, h100, functional", "launch_and_wait", ("-m", "h100", "--functional")))
BY_DAY = ("attribute", "launch", "launch and wait, functional", "OpenCL launch, functional")


def count(duet, program, options, kind, calls):
    """Host instructions of the program's process, and how many calls it made."""
    line = [duet, "run", "-q", "--no-lines", "--out", f"{program}.run", *options, "--", *callgrind.COMMAND, program, kind, str(calls)]
    return callgrind.count(line)[0], calls


def main():
    options = callgrind.parser(__doc__).parse_args()
    callgrind.skip_without("valgrind")
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        compile_well(options.duet, [HERE / "calls.cu"], f"{folder}/calls")
        subprocess.run(["cc", "-O1", str(HERE / "calls_opencl.c"), "-o", f"{folder}/calls_opencl", "-lOpenCL"], check=True)
        # Its kernel's text is compiled here, and found again afterwards.
        subprocess.run([options.duet, "run", "-q", "--no-html", "--out", f"{folder}/first", f"{folder}/calls_opencl", "launch", "1"], check=True)
        for cases, program in ((CASES, f"{folder}/calls"), (OPENCL, f"{folder}/calls_opencl")):
            for name, kind, extra in (case for case in cases if WHOLE or options.record or case[0] in BY_DAY):
                measured[name] = round(callgrind.per_unit([count(options.duet, program, extra, kind, calls) for calls in (FEW, MANY)]))
    callgrind.judge(RECORD, "host_instructions_per_call", measured, TOLERANCE, options.record)


if __name__ == "__main__":
    main()
