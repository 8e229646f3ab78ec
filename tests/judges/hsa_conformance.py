#!/usr/bin/env python3
"""The tests of HSA-Runtime-Conformance under Duet, each in a process of its own: which of them pass?

Usage: hsa_conformance.py --source DIR [--duet PATH] [--machine M] [--suite NAME] [--only WORD] [--limit SECONDS] [--build DIR] [--all] [--write FILE]

DIR is a checkout of the HSA Foundation's HSA-Runtime-Conformance. Its own CMake files build the suites (kept in --build DIR), with the headers of
libhsa-runtime-dev and the library check. Its kernels are BRIG, for which there is no finalizer: `duet hsacc` makes files of the same names from
hsa_conformance_kernels/. A line a test that does not pass: "failed" with the check that did, "refused" with Duet's word, "slow" (more than --limit
seconds); "contradicts" and "needs" with the reason that hsa_conformance.toml gives. Tests are those of the programs, more than test.lst names. Images run
where --suite says so, since no call of them is there.
DIR is $HSA_CONFORMANCE if not said; without it, or without check, one line says so and the exit status is 77; 1: a test failed.
--write leaves a row a suite as a data file.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(FOLDER.parents[1] / "experiments"))
import data_file  # noqa: E402
from limited import call  # noqa: E402

VERDICTS = ("passed", "failed", "refused", "contradicts", "needs", "slow")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
FAILURE = re.compile(r"^(?:\.\./)*(\S+?):(\d+):[FE]:\w+:\w+:\d+: (.*)$", re.MULTILINE)
SAID = re.compile(r"^duet: (.*)$", re.MULTILINE)
REFUSED = re.compile(r"^duet: (\w+ is not supported.*|.*the code object is BRIG.*)$", re.MULTILINE)
# Today's check wants a message where the suite gives none.
CHECK_OF_THEN = """#include <check.h>
#undef ck_assert
#undef ck_assert_msg
#define ck_assert(condition) ck_assert_msg(condition, "%s", #condition)
#define ck_assert_msg(condition, ...) do { if (condition) mark_point(); else ck_abort_msg("" __VA_ARGS__); } while (0)
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command[:4]))} ..: {(done.stderr or done.stdout).strip()[-2000:]}")


def tests_of(source, suite):
    """Those that its program has: its list for CMake leaves some out, and misspells others."""
    return re.findall(r"^\s*ADD_TEST\((\w+)\)", next((source / "src").rglob(f"{suite}.c")).read_text(), re.MULTILINE)


def build(source, folder, suites):
    """The suites' programs, by the checkout's own CMake files; their names and tests."""
    (folder / "check_of_then.h").write_text(CHECK_OF_THEN)
    if not (folder / "build.ninja").exists():
        run("cmake", "-Wno-dev", "-G", "Ninja", "-S", source, "-B", folder, "-DHSA_INCLUDE_DIR=/usr/include/hsa", f"-DHSA_LIBRARY_DIR={LIBRARIES}",
            "-DCMAKE_BUILD_TYPE=Judge", f"-DCMAKE_C_FLAGS_JUDGE=-w -fcommon -include {folder}/check_of_then.h",
            "-DCMAKE_C_STANDARD_LIBRARIES=-lsubunit")
    there = list(dict.fromkeys(re.findall(r":(\w+)$", (folder / "test.lst").read_text(), re.MULTILINE)))
    chosen = [suite for suite in there if (suite in suites if suites else "image" not in suite)]
    if not chosen:
        sys.exit(f"no such suite: {', '.join(there)}")
    run("ninja", "-C", folder, "-j1", *chosen)
    return {suite: tests_of(source, suite) for suite in chosen}


def compile_kernels(duet, folder):
    for kernel in sorted((FOLDER / "hsa_conformance_kernels").glob("*.cl")):
        run(duet, "hsacc", kernel, "-o", folder / f"{kernel.stem}.brig", "--symbols", "&__*", "-cl-std=CL2.0")


def source_line(source, place, line):
    """What the check that failed says, from the file of that name."""
    found = next(iter(sorted((source / "src").rglob(pathlib.PurePath(place).name))), None)
    lines = found.read_text().splitlines() if found else []
    return lines[int(line) - 1].strip() if int(line) <= len(lines) else ""


def judge(source, status, output):
    if status is None:
        return "slow", ""
    if status == 0 and re.search(r"^100%: Checks: [1-9]\d*, Failures: 0, Errors: 0$", output, re.MULTILINE):
        return "passed", ""
    failure, refused, said = FAILURE.search(output), REFUSED.search(output), SAID.search(output)
    if refused:
        return "refused", refused[1]
    if not failure:
        return "failed", said[1] if said else f"status {status}"
    place, line, message = failure.groups()
    words = f"{pathlib.PurePath(place).name}:{line}: {message.strip()}: {source_line(source, place, line)}"
    return "failed", f"{words} [{said[1]}]" if said else words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("HSA_CONFORMANCE"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--machine", default="mi300a")
    parser.add_argument("--suite", action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", type=data_file.target)
    arguments = parser.parse_args()
    source = arguments.source and pathlib.Path(arguments.source).resolve()
    if not source or not (source / "src/core").is_dir():
        print("skipped: needs a checkout of HSA-Runtime-Conformance (--source DIR)")
        return 77
    if not all(pathlib.Path(file).exists() for file in ("/usr/include/check.h", "/usr/include/hsa/hsa.h")) or not shutil.which("ninja"):
        print("skipped: needs apt-get install check libsubunit-dev libhsa-runtime-dev ninja-build")
        return 77
    reasons = {kind: {test: reason for reason, tests in one.items() for test in tests}
               for kind, one in tomllib.loads((FOLDER / "hsa_conformance.toml").read_text()).items()}
    rows = []
    with tempfile.TemporaryDirectory(prefix="duet-hsa-conformance-") as out:
        folder = (arguments.build or pathlib.Path(out, "build")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        duet = arguments.duet.resolve()
        suites = build(source, folder, arguments.suite)
        compile_kernels(duet, folder)
        for suite, tests in suites.items():
            for test in tests:
                if arguments.only not in test:
                    continue
                command = ["env", f"CK_RUN_CASE={test}", f"CK_DEFAULT_TIMEOUT={2 * arguments.limit}", duet, "run", "--quiet", "--no-html",
                           "--machine", arguments.machine, "--out", f"{out}/{suite}-{test}", folder / suite]
                verdict, words = judge(source, *call(command, folder, arguments.limit, merged=True)[:2])
                for kind in ("contradicts", "needs"):
                    if verdict != "passed" and test in reasons[kind]:
                        verdict, words = kind, f"{reasons[kind][test]}: {words}"
                rows.append((suite, test, verdict))
                if arguments.all or verdict != "passed":
                    print(f"{suite:18} {test:44} {verdict:11} {words}".rstrip(), flush=True)
    table = data_file.Table(["suite", "tests", *VERDICTS])
    for suite in dict.fromkeys(row[0] for row in rows):
        mine = [verdict for one, _, verdict in rows if one == suite]
        table.row(suite, len(mine), *(mine.count(verdict) for verdict in VERDICTS))
    if arguments.write:
        table.write(arguments.write, simulated=False)
    return int(any(row[2] == "failed" for row in rows) or not rows)


if __name__ == "__main__":
    sys.exit(main())
