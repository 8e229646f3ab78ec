#!/usr/bin/env python3
"""libFuzzer on the readers of untrusted input: fat binaries, PTX, machine files, RV64 instructions and programs. Each has to end in a result or one line of error.

Usage: readers.py FOLDER_OF_TARGETS [--seconds N] [--reader NAME]... [--keep FOLDER]

Starts from tests/fuzz/corpus/READER, tests/ptx/forms and machines, which stay as they are; what a run adds goes to --keep (default: nowhere).
An input that fails is left in the current folder and named. Exit status: 0 when none does."""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEEDS = {"fat_binary": [], "ptx": [ROOT / "tests/ptx/forms"], "ptx_link": [], "machine_file": [ROOT / "machines"], "rv64_decode": [], "rv64_elf": []}


def run(reader, arguments):
    with tempfile.TemporaryDirectory(prefix="duet-fuzz-") as folder:
        new = pathlib.Path(arguments.keep, reader) if arguments.keep else pathlib.Path(folder, "new")
        new.mkdir(parents=True, exist_ok=True)
        command = [str(pathlib.Path(arguments.targets) / f"fuzz_{reader}"), str(new), str(HERE / "corpus" / reader), *map(str, SEEDS[reader]),
                   f"-max_total_time={arguments.seconds}", "-timeout=10", "-rss_limit_mb=2048", "-max_len=20000", "-print_final_stats=1",
                   f"-artifact_prefix={reader}-"]
        dictionary = HERE / "corpus" / (reader.split("_link")[0] + ".dict")
        command += [f"-dict={dictionary}"] if dictionary.exists() else []
        done = subprocess.run(command, capture_output=True, text=True, env={"TMPDIR": folder, "ASAN_OPTIONS": "detect_leaks=0"})
    units = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("stat::number_of_executed_units")]
    return reader, done.returncode, units[0] if units else "?", done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--reader", action="append", choices=SEEDS)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for reader, status, units, text in pool.map(lambda name: run(name, arguments), arguments.reader or SEEDS):
            print(f"{reader}: {units} inputs, {'no failure' if status == 0 else 'FAILED'}")
            if status != 0:
                print(text[-6000:])
            failed |= status != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
