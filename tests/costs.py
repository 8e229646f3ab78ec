#!/usr/bin/env python3
"""What do the day's tests cost? Runs them one after the other and counts the processor time, user and system, of all their processes: on a
machine that others use, too, the sum says what `make test` takes. Tests of the label `night` are left out.

    costs.py BUILD                           all, 20 minutes and more: the sum of each group, and the dearest tests
    costs.py BUILD -R '^report' --top 50     some, by name
    costs.py BUILD --write before.json       for later
    costs.py BUILD --against before.json     what changed since
"""
import argparse
import collections
import ctypes
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
LINGER_SECONDS = 10  # for what a test left running


def entries(build):
    """{name: {what ctest knows of the test}}, its properties as one mapping."""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout)
    tests = {}
    for test in listed["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        tests[test["name"]] = {"command": test.get("command"), **properties}
    return tests


def wait_for_all(process, deadline):
    """The test's status. Its orphans are ours to wait for; those that stay longer are not counted."""
    status = None
    while True:
        try:
            pid, ended = os.waitpid(-1, 0 if status is None else os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == process:
            status = os.waitstatus_to_exitcode(ended)
            deadline += time.monotonic()
        elif pid == 0:
            if time.monotonic() > deadline:
                return status
            time.sleep(0.02)


def measure(test):
    """Runs one test: {status, processor seconds, seconds, the end of what it wrote}. In a process of its own, for getrusage's sake."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with os.fdopen(reader) as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        return json.loads(text)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would the tests' programs
    environment = os.environ | dict(pair.split("=", 1) for pair in test.get("ENVIRONMENT", []))
    start = time.monotonic()
    with open(os.memfd_create("output"), "w+b") as output:
        process = subprocess.Popen(test["command"], env=environment, cwd=test.get("WORKING_DIRECTORY"), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        status = wait_for_all(process.pid, LINGER_SECONDS)
        seconds = time.monotonic() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        output.seek(max(0, output.seek(0, os.SEEK_END) - 4000))
        tail = output.read().decode(errors="replace")
    skipped = status == test.get("SKIP_RETURN_CODE") or any(re.search(words, tail) for words in test.get("SKIP_REGULAR_EXPRESSION", []))
    os.write(writer, json.dumps({"status": status, "skipped": skipped, "cpu": used.ru_utime + used.ru_stime, "wall": seconds,
                                 "tail": "" if status == 0 or skipped else tail}).encode())
    os._exit(0)


def measure_all(tests, chosen):
    """{name: measured}."""
    measured = {}
    for name in chosen:
        if not tests[name]["command"]:
            sys.exit(f"costs.py: {name} is not built: build everything first")
        measured[name] = measure(tests[name])
        one = measured[name]
        said = "skipped" if one["skipped"] else "passed" if one["status"] == 0 else f"FAILED\n{one['tail']}"
        print(f"{one['cpu']:8.2f} s  {name}  {said}", file=sys.stderr, flush=True)
    return measured


def group(name):
    return re.split(r"[._]", name, maxsplit=1)[0] if not name.startswith("front_door") else "front_door"


def table(measured, before, top):
    def row(name, seconds, earlier, rest=""):
        change = "" if before is None else f"{earlier:9.1f}" if earlier is not None else f"{'new':>9}"
        return f"{seconds:9.1f}{change}  {name}{rest}"
    head = "  seconds" + ("" if before is None else "   before") + "  "
    sums, counts, earlier = collections.Counter(), collections.Counter(), collections.Counter()
    for name, one in measured.items():
        sums[group(name)] += one["cpu"]
        counts[group(name)] += 1
    for name, one in (before or {}).items():
        earlier[group(name)] += one["cpu"]
    print(head + "group")
    for name, seconds in sums.most_common():
        print(row(name, seconds, earlier.get(name), f" ({counts[name]} tests)"))
    print(row("all", sum(sums.values()), sum(earlier[name] for name in sums)))
    print("\n" + head + "test")
    for name, one in sorted(measured.items(), key=lambda pair: -pair[1]["cpu"])[:top]:
        print(row(name, one["cpu"], (before or {}).get(name, {}).get("cpu")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("-R", "--tests", default="", help="tests whose names this expression finds")
    parser.add_argument("--top", type=int, default=25, help="how many single tests to list")
    parser.add_argument("--write", metavar="FILE", help="keep what was measured")
    parser.add_argument("--against", metavar="FILE", help="compare with what --write kept")
    options = parser.parse_args()
    tests = entries(options.build)
    chosen = [name for name, test in tests.items() if re.search(options.tests, name) and "night" not in test.get("LABELS", [])]
    if not chosen:
        sys.exit(f"costs.py: no test of {options.build} has a name with '{options.tests}'")
    before = None
    if options.against:
        with open(options.against) as file:
            before = json.load(file)
    measured = measure_all(tests, chosen)
    table(measured, before, options.top)
    if options.write:
        with open(options.write, "w") as file:
            json.dump(measured, file, indent=1)
    sys.exit(any(one["status"] != 0 and not one["skipped"] for one in measured.values()))


if __name__ == "__main__":
    main()
