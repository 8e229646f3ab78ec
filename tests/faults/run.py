#!/usr/bin/env python3
"""Seeded faults (faults.toml): does `make test` catch each of them?

    run.py BUILD [NAME...] [--jobs N] [--all-tests]    a line a fault, and a summary; exit status 1 where one is not caught
    run.py --dry-run                                   the table alone: each text once, each file there, two faults a room

BUILD is a Ninja build of this checkout with its tests. For each fault: its text is changed, the targets that its tests need are
built, its tests run (with --all-tests all but those of the night), and the file is restored, also on Ctrl-C and SIGTERM. A fault
that makes a test hang is caught. Before the first fault the same tests have to pass. The build that follows the last fault makes
everything right again.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LEAST = 2  # faults a room
KEYS = {"name", "file", "old", "new", "what", "caught_by"}
# They see that the text differs, whatever it does.
BLIND = r"^(faults\.table|format)$"
# Without a limit of its own a test has two minutes.
TIMEOUT = "120"


class Refused(Exception):
    """A line that says what is wrong, where, and what to do."""


def rooms():
    return {path.name for part in ("src", "runtime") for path in (ROOT / part).iterdir() if path.is_dir()}


def room_of(fault):
    return pathlib.PurePosixPath(fault["file"]).parts[1]


def wrong_entry(fault):
    """What is wrong with an entry; nothing where it can be applied."""
    if set(fault) - {"targets"} != KEYS:
        return f"an entry has {', '.join(sorted(KEYS))} and may have targets"
    parts = pathlib.PurePosixPath(fault["file"]).parts
    if len(parts) < 3 or parts[0] not in ("src", "runtime"):
        return f"{fault['file']} is in no room of src/ or runtime/"
    path = ROOT / fault["file"]
    if not path.is_file():
        return f"there is no file {fault['file']}"
    count = path.read_text().count(fault["old"])
    if not fault["old"] or count != 1:
        return f"{fault['file']} has the text {count} times, and has to have it once: {fault['old']!r}"
    if fault["old"] == fault["new"]:
        return "it changes nothing"
    if not fault["name"].startswith(room_of(fault) + "."):
        return f"its name has to begin with its room, {room_of(fault)}"
    try:
        re.compile(fault["caught_by"])
    except re.error as error:
        return f"caught_by is no regular expression: {error}"
    return None


def wrong_lines(faults):
    names = [fault.get("name", "?") for fault in faults]
    for fault, name in zip(faults, names):
        if names.count(name) != 1:
            yield f"faults.toml: {name}: the name is there twice"
        elif wrong := wrong_entry(fault):
            yield f"faults.toml: {name}: {wrong}"
    for room in sorted(rooms()):
        found = sum(name.startswith(room + ".") for name in names)
        if found < LEAST:
            yield f"faults.toml: room {room} has {found} faults: give it {LEAST}"


def output_of(command):
    """Exit status and all output. What is interrupted ends its own children."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        text, _ = process.communicate()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return process.returncode, text


class Build:
    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs

    def check(self):
        cache = self.folder / "CMakeCache.txt"
        if not (self.folder / "build.ninja").is_file() or not cache.is_file():
            raise Refused(f"{self.folder} is no Ninja build: make one with `cmake --preset release -B {self.folder} -DDUET_TESTS=ON`")
        source = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache.read_text(), re.M)
        if source is None or pathlib.Path(source[1]).resolve() != ROOT:
            raise Refused(f"{self.folder} is a build of {source[1] if source else 'nothing'}, not of {ROOT}: give another one")

    def make(self, targets):
        """The first line of an error; nothing where all was built."""
        status, text = output_of(["ninja", "-C", self.folder, f"-j{self.jobs}", *targets])
        if status == 0:
            return None
        lines = text.splitlines()
        return next((line for line in lines if "error" in line), next((line for line in lines if "FAILED" in line), lines[-1]))

    def failures(self, tests):
        """Names of the tests that fail, up to the first of them, and of those that are skipped. `tests` is a regular expression, or
        nothing for all."""
        chosen = ["-R", tests] if tests else []
        status, text = output_of(["ctest", "--test-dir", self.folder, *chosen, "-E", BLIND, "-LE", "night", "--stop-on-failure",
                                  "--no-tests=error", "--timeout", TIMEOUT])
        if "No tests were found" in text:
            raise Refused(f"{self.folder} has no test '{tests}': configure it with -DDUET_TESTS=ON")
        ended = re.findall(r"^\s*\d+ - (\S+) \(([^)]*)\)", text.partition("The following tests FAILED:")[2], re.M)
        missing = [name for name, how in ended if how in ("Not Run", "BAD_COMMAND") or name.endswith("_NOT_BUILT")]
        if missing:
            raise Refused(f"{missing[0]} has not been built: add what it needs to `targets`, or leave these out")
        if status != 0 and not ended:
            raise Refused(f"ctest ended with status {status}: {text.strip().splitlines()[-1]}")
        skipped = re.findall(r"^\s*\d+ - (\S+) \(Skipped\)", text, re.M)
        return [name for name, _ in ended], skipped


def targets_of(faults, all_tests):
    """Of all these faults; none: the whole build."""
    if all_tests or not all("targets" in fault for fault in faults):
        return []
    return sorted({target for fault in faults for target in fault["targets"]})


def check_unchanged(faults):
    files = sorted({fault["file"] for fault in faults})
    changed = subprocess.run(["git", "-C", ROOT, "diff", "--name-only", "HEAD", "--", *files], capture_output=True, text=True, check=True)
    if changed.stdout:
        raise Refused(f"{', '.join(changed.stdout.split())}: commit these changes first, or take them back")


def check_passes(build, faults, all_tests):
    if error := build.make(targets_of(faults, all_tests)):
        raise Refused(f"without a fault the build fails: {error}")
    tests = "|".join(sorted({fault["caught_by"] for fault in faults}))  # CMake's expressions have nine groups at most
    failed, _ = build.failures("" if all_tests else tests)
    if failed:
        raise Refused(f"without a fault {failed[0]} fails: mend it first")


def result_of(build, fault, all_tests):
    """Whether the fault is caught, and words."""
    path = ROOT / fault["file"]
    right = path.read_bytes()
    try:
        path.write_bytes(right.replace(fault["old"].encode(), fault["new"].encode()))
        if error := build.make(targets_of([fault], all_tests)):
            return False, f"does not compile: {error}"
        failed, skipped = build.failures("" if all_tests else fault["caught_by"])
    finally:
        path.write_bytes(right)
        os.utime(path)  # newer than what was built of the fault
    if failed:
        return True, f"caught by {failed[0]}"
    return False, "NOT CAUGHT" + (f" (skipped: {', '.join(skipped)})" if skipped and not all_tests else "")


def run(faults, arguments):
    check_unchanged(faults)
    build = Build(arguments.build.resolve(), arguments.jobs)
    build.check()
    check_passes(build, faults, arguments.all_tests)
    caught = 0
    for fault in faults:
        is_caught, words = result_of(build, fault, arguments.all_tests)
        caught += is_caught
        print(f"{fault['name']}: {words}", flush=True)
    print(f"{caught} of {len(faults)} faults caught")
    return 0 if caught == len(faults) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", nargs="?", type=pathlib.Path)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--jobs", type=int, default=1, help="of the build")
    parser.add_argument("--all-tests", action="store_true", help="run all tests but those of the night, not only those of caught_by")
    parser.add_argument("--dry-run", action="store_true", help="check the table alone")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    faults = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    wrong = list(wrong_lines(faults))
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    try:
        if unknown := set(arguments.names) - {fault["name"] for fault in faults}:
            raise Refused(f"faults.toml has no fault {', '.join(sorted(unknown))}")
        if arguments.dry_run:
            print(f"{len(faults)} faults in {len(rooms())} rooms")
            return 0
        if arguments.build is None:
            raise Refused("give a build folder, or --dry-run")
        return run([fault for fault in faults if not arguments.names or fault["name"] in arguments.names], arguments)
    except Refused as refused:
        print(f"run.py: {refused}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
