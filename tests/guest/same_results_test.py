#!/usr/bin/env python3
"""CUDA programs give the same output and the same exit status on the native host and on simulated cores.

Usage: same_results_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [--list FILE] [NAME ...]
NAME: programs of SAME.toml, which says what its entries mean; without any, all. By day every third run of a program; at night (tests/whole.py)
all. Each program is compiled twice (`duet cc`, `duet cc --host
riscv64`) and run on lustig2013, natively and with `--host simulated`. A line a program; the exit status is 1 if any differs, 77 without the
cross compiler.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_once  # noqa: E402
from whole import some  # noqa: E402

MACHINE = "lustig2013"
HOSTS = ("native", "simulated")
COMPILERS = {"native": ("gcc", "g++"), "simulated": ("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-g++")}


def built(duet: str, source: pathlib.Path, program: dict, host: str, folder: pathlib.Path) -> pathlib.Path:
    """The program for that host. Raises RuntimeError with the compiler's words."""
    inputs = []
    for path in (source / s for s in program["sources"]):
        inputs.append(str(path))
        if path.suffix != ".cu":
            c, cpp = COMPILERS[host]
            inputs[-1] = str(folder / f"{path.stem}.o")
            command = [c if path.suffix == ".c" else cpp, "-O2", "-fopenmp", "-I", str(source / "runtime/cuda/include"), "-c",
                       str(path), "-o", inputs[-1]]
            succeeded(subprocess.run(command, capture_output=True, text=True, timeout=300))
    binary = folder / program["name"]
    words = [*inputs, *program.get("flags", [])]
    succeeded(compile_once(duet, words if host == "native" else ["--host", "riscv64", *words], binary, timeout=300))
    return binary


def succeeded(compilation: subprocess.CompletedProcess) -> None:
    if compilation.returncode != 0 or "warning" in compilation.stderr:
        raise RuntimeError(" ".join(map(str, compilation.args)) + "\n" + compilation.stderr)


def ran(duet: str, program: dict, host: str, binary: pathlib.Path, arguments: list[str]) -> tuple[int, str, str]:
    command = [duet, "run", "--quiet", "--machine", MACHINE, "--host", host, "--out", str(binary.parent / "out"), *program.get("options", []),
               str(binary), *arguments]
    done = subprocess.run(command, capture_output=True, timeout=900, cwd=binary.parent, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def compared(program: dict, result: tuple[int, str, str], folder: pathlib.Path) -> dict:
    """What must be the same, by a name for it."""
    status, output, said = result
    without = re.compile(program["without"]) if "without" in program else None
    lines = [line for line in output.splitlines() if without is None or not without.search(line)]
    parts = {"exit status": status, "output": "\n".join(lines).replace(str(folder), "")}
    if program.get("words"):
        own = [line for line in said.replace(str(folder), "").splitlines() if line.startswith("duet: ")]
        parts["Duet's words"] = "\n".join(re.sub(r"0x[0-9a-f]+", "0x", line) for line in own)
    return parts


def judged(duet: str, source: pathlib.Path, program: dict, work: pathlib.Path) -> list[str]:
    """What is wrong with it; empty: nothing."""
    folders = {host: work / host for host in HOSTS}
    for folder in folders.values():
        folder.mkdir(parents=True)
    if "refused" in program:
        binary = built(duet, source, program, "simulated", folders["simulated"])
        status, _, said = ran(duet, program, "simulated", binary, [])
        return [] if program["refused"] in said and status != 0 else [f"not refused: exit status {status}, {said.strip()}"]
    binaries = {host: built(duet, source, program, host, folders[host]) for host in HOSTS}
    wrong = []
    for arguments in some(program.get("runs", [[]]), 3):
        results = {host: ran(duet, program, host, binaries[host], arguments) for host in HOSTS}
        native, simulated = (compared(program, results[host], folders[host]) for host in HOSTS)
        for what in native:
            if native[what] == simulated[what]:
                continue
            wrong.append(f"{' '.join(arguments)}: {what}\n--- native\n{native[what]}\n--- simulated\n{simulated[what]}\n"
                         f"--- native said\n{results['native'][2]}\n--- simulated said\n{results['simulated'][2]}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "SAME.toml")
    arguments = parser.parse_intermixed_args()
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("riscv64-linux-gnu-g++ is not installed")
        return 77
    duet = str(arguments.build.resolve() / "bin/duet")
    programs = tomllib.loads(arguments.list.read_text())["program"]
    unknown = set(arguments.names) - {program["name"] for program in programs}
    if unknown:
        print("not in the list:", *sorted(unknown))
        return 2
    failed = 0
    for program in programs:
        if arguments.names and program["name"] not in arguments.names:
            continue
        with tempfile.TemporaryDirectory(prefix="duet-same-") as work:
            try:
                wrong = judged(duet, arguments.source.resolve(), program, pathlib.Path(work))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                wrong = [str(error)]
        print(f"{program['name']}: {'differs' if wrong else 'refused' if 'refused' in program else 'the same'}", flush=True)
        for text in wrong:
            print("  " + text.replace("\n", "\n  "), flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
