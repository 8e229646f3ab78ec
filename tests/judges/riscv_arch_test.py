#!/usr/bin/env python3
"""riscv-arch-test (I, M, A, F, D, C, Zifencei of RV64) on Duet, its signatures compared with those of qemu-riscv64.

Usage: riscv_arch_test.py --runner rv64_bare_runner [--source FOLDER] [--jobs N] [--only PATTERN] [--every N]

FOLDER is a checkout of https://github.com/riscv-non-isa/riscv-arch-test of the kind that has riscv-test-suite/ (its main branch of
2024), by default $RISCV_ARCH_TEST. The suite brings no signatures of its own: it wants a reference, and here that is qemu. Tests run
in user mode (tests/rv64/arch_test); those that install a trap handler in machine mode are left out, and counted. A line a suite, and
a line for each test that fails. Exit status: 1 if one does, 77 without the folder, the cross compiler or qemu-riscv64.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = HERE.parent / "rv64" / "arch_test"
# The tests of F and D that both widths share lie with those of RV32.
SUITES = {"I": ["rv64i_m/I"], "M": ["rv64i_m/M"], "A": ["rv64i_m/A"], "F": ["rv64i_m/F", "rv32i_m/F"], "D": ["rv64i_m/D", "rv32i_m/D"],
          "C": ["rv64i_m/C"], "Zifencei": ["rv64i_m/Zifencei"]}
COMPILER = "riscv64-linux-gnu-gcc"
QEMU = "qemu-riscv64"
TIMEOUT_SECONDS = 300


def kind_of(text):
    """'user', 'machine' (installs a trap handler there), or 'other' (not for RV64)."""
    isa = re.search(r'RVTEST_ISA\("([^"]*)"\)', text)
    if isa is None or "RV64" not in isa.group(1):
        return "other"
    return "machine" if "rvtest_mtrap_routine=True" in text else "user"


def check(test, source, runner):
    """Nothing, or how the test failed."""
    defines = sorted(set(re.findall(r"def (\w+)=True", test.read_text(errors="replace"))) | {"TEST_CASE_1"})
    with tempfile.TemporaryDirectory(prefix="duet-arch-test-") as folder:
        program = pathlib.Path(folder) / "test"
        suite = source / "riscv-test-suite"
        # fencei writes into its own code.
        line = [COMPILER, "-march=rv64gc_zifencei", "-mabi=lp64d", "-static", "-nostdlib", "-nostartfiles", "-mcmodel=medany", "-fno-pie",
                "-Wl,--no-relax", "-Wl,--omagic", "-Wl,-e,rvtest_entry_point", "-DXLEN=64", "-DFLEN=64", *(f"-D{name}=True" for name in defines),
                "-I", str(ENVIRONMENT), "-I", str(suite / "env"), str(test), "-o", str(program)]
        built = subprocess.run(line, capture_output=True, text=True)
        if built.returncode != 0:
            return f"does not compile: {built.stderr.strip()[:300]}"
        signatures = []
        for command in ([runner], [QEMU]):
            try:
                done = subprocess.run([*command, str(program)], capture_output=True, timeout=TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                return f"{command[0]}: no end within {TIMEOUT_SECONDS} s"
            if done.returncode != 0 or not done.stdout:
                return f"{command[0]}: status {done.returncode} {done.stderr.decode(errors='replace').strip()[:200]}"
            signatures.append(done.stdout)
    ours, theirs = signatures
    if ours == theirs:
        return None
    at = next((i for i in range(min(len(ours), len(theirs))) if ours[i] != theirs[i]), min(len(ours), len(theirs)))
    at -= at % 8
    return f"signature at byte {at}: {ours[at:at + 8].hex()}, qemu {theirs[at:at + 8].hex()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--source", default=os.environ.get("RISCV_ARCH_TEST", ""))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="tests whose path has this")
    parser.add_argument("--every", type=int, default=1, help="one test in N")
    options = parser.parse_args()
    source = pathlib.Path(options.source)
    if not options.source or not (source / "riscv-test-suite/rv64i_m").is_dir() or not shutil.which(COMPILER) or not shutil.which(QEMU):
        print(f"riscv_arch_test.py: skipped, needs riscv-arch-test (--source or $RISCV_ARCH_TEST), {COMPILER} and {QEMU}")
        return 77
    failures = 0
    for name, folders in SUITES.items():
        tests = [test for folder in folders for test in sorted((source / "riscv-test-suite" / folder / "src").glob("*.S"))]
        tests = [test for test in tests if options.only in str(test)][::options.every]
        kinds = [kind_of(test.read_text(errors="replace")) for test in tests]
        chosen = [test for test, kind in zip(tests, kinds) if kind == "user"]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            complaints = list(pool.map(lambda test: check(test, source, options.runner), chosen))
        for test, complaint in zip(chosen, complaints):
            if complaint:
                print(f"{name} {test.name}: {complaint}")
        bad = sum(complaint is not None for complaint in complaints)
        print(f"{name}: {len(chosen) - bad} of {len(chosen)} pass; {kinds.count('machine')} need machine mode, {kinds.count('other')} are not "
              "for RV64", flush=True)
        failures += bad
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
