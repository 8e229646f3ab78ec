#!/usr/bin/env python3
"""Runs 40 programs that others wrote, drawn by a rule, and says of each: passed, ran (nothing to
compare with), refused, waived (the program itself declines the machine), wrong, failed or timeout.

Usage: other_programs.py --corpus DIR [--duet PATH] [--only NAME ...] [--work DIR] [--timeout SECONDS] [--json FILE]
                         [--machine NAME]
       other_programs.py --corpus DIR --draw       only the drawing: eligible programs, k, what is drawn
       other_programs.py --corpus DIR --build      builds only
       other_programs.py --corpus DIR --native     runs the binaries without Duet (on a machine with a GPU)
       other_programs.py --corpus DIR --compiler cc               builds with `duet cc` instead of nvcc
       other_programs.py --corpus DIR --host simulated            the same for simulated cores, and runs there, on lustig2013

DIR holds the checkouts cuda-samples, rodinia, PolyBench-GPU, HeCBench and shoc; other_programs.toml says which commits, the rule and
the drawn programs. Without DIR, or without nvcc, nothing is judged: one line says so and the exit status is 77.
Exit status 1: a program is wrong, fewer passed than the list asks for, or the list is not what the rule draws.
Inputs are written by other_programs_inputs.py; nothing of the suites is copied into the repository.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE_NAMES = {".cu", ".cuh", ".h", ".hpp", ".hh", ".cpp", ".cc", ".cxx", ".c", ".inl"}


def programs_of(suite: dict, corpus: pathlib.Path) -> list[tuple[str, pathlib.Path]]:
    """The programs of a suite, alphabetically without regard to case: name and path (a folder, or a lone .cu file)."""
    root = corpus / suite["checkout"]
    found = {}
    for pattern in suite["programs"]:
        for path in root.glob(pattern):
            has_cuda = path.suffix == ".cu" if path.is_file() else any(path.rglob("*.cu"))
            if has_cuda:
                found[path.stem if path.is_file() else path.name] = path
    return sorted(found.items(), key=lambda item: (item[0].lower(), item[0]))


def what_excludes(path: pathlib.Path, excluded: dict[str, str]) -> str | None:
    """The name of the first pattern of the rule that a source or build file of the program matches."""
    files = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.is_file())
    texts = [f.read_text(errors="replace") for f in files if f.suffix in SOURCE_NAMES or f.name in ("Makefile", "CMakeLists.txt")]
    for name, pattern in excluded.items():
        expression = re.compile(pattern)
        if any(expression.search(text) for text in texts):
            return name
    return None


def draw(rule: dict, suite: dict, corpus: pathlib.Path) -> tuple[list[str], int, dict[str, str]]:
    """Eligible names in order, k, and why the others are not eligible."""
    eligible, reasons = [], {}
    for name, path in programs_of(suite, corpus):
        reason = what_excludes(path, rule["excluded"])
        if reason is None:
            eligible.append(name)
        else:
            reasons[name] = reason
    return eligible, len(eligible) // suite["share"], reasons


def check_list(rule: dict, suites: list[dict], programs: list[dict], corpus: pathlib.Path, verbose: bool) -> list[str]:
    """What differs between the list and what the rule draws, replacements followed."""
    complaints = []
    for suite in suites:
        eligible, k, reasons = draw(rule, suite, corpus)
        drawn = [eligible[i * k - 1] for i in range(1, suite["share"] + 1)] if k else []
        replaced = {r["name"]: r["reason"] for r in rule.get("replaced", []) if r["suite"] == suite["name"]}
        if verbose:
            print(f"{suite['name']}: {len(eligible)} eligible, {len(reasons)} not, every {k}-th: {' '.join(drawn)}")
            for name, reason in reasons.items():
                print(f"  not eligible: {name}: {reason}")
        final = []
        for first in drawn:
            name = first
            while name in replaced or name in final or name in drawn and name != first:
                following = eligible.index(name) + 1
                name = eligible[following % len(eligible)]
            final.append(name)
        listed = [p["name"] for p in programs if p["suite"] == suite["name"]]
        if sorted(listed) != sorted(final):
            complaints.append(f"{suite['name']}: the rule gives {sorted(final)}, the list has {sorted(listed)}")
    return complaints


def fill(text: str, places: dict[str, str]) -> str:
    for key, value in places.items():
        text = text.replace("{" + key + "}", value)
    return text


def command_of_nvcc(sources: list[str], flags: list[str], binary: pathlib.Path) -> list[list[str]]:
    return [["nvcc", "-cudart", "shared", "-arch=sm_75", "-O2", "-w", *sources, "-o", str(binary), *flags]]


def commands_of_duet_cc(duet: str, host: str, sources: list[str], flags: list[str], binary: pathlib.Path) -> list[list[str]]:
    """`duet cc` compiles what is CUDA and links; GCC compiles the rest, with the same headers."""
    headers = HERE.parent.parent / "runtime/cuda/include"
    # Words of nvcc's; and Duet's headers have cudaThreadSynchronize.
    not_for_clang = ("--extended-lambda", "-rdc=true", "-lcudadevrt", "-DcudaThreadSynchronize=cudaDeviceSynchronize")
    flags = [flag for flag in flags if flag not in not_for_clang]
    prefix = "riscv64-linux-gnu-" if host == "simulated" else ""
    commands, inputs = [], []
    for source in sources:
        inputs.append(source)
        if source.endswith(".cu"):
            continue
        inputs[-1] = f"{binary}.{len(inputs)}.o"
        compiler = [prefix + "gcc"] if source.endswith(".c") else [prefix + "g++"]
        commands.append([*compiler, "-O2", "-w", "-I", str(headers), *flags, "-c", source, "-o", inputs[-1]])
    commands.append([duet, "cc", "--host", "riscv64" if host == "simulated" else "native", "-arch=sm_75", "-w", *inputs, "-o", str(binary), *flags])
    return commands


def build(program: dict, suite: dict, corpus: pathlib.Path, work: pathlib.Path,
          arguments: argparse.Namespace) -> tuple[pathlib.Path, dict[str, str], str]:
    """Copies the program's folder, writes its inputs, compiles. Returns binary, placeholders and, if it failed, the compiler's words."""
    path = dict(programs_of(suite, corpus))[program["name"]]
    origin = path.parent if path.is_file() else path
    folder = work / suite["name"] / program["name"]
    if not folder.exists():
        shutil.copytree(origin, folder)
    places = {"suite": str(corpus / suite["checkout"]), "program": str(folder), "origin": str(origin), "judges": str(HERE)}
    base = folder / program.get("folder", ".")
    for line in program.get("inputs", []):
        subprocess.run([sys.executable, str(HERE / "other_programs_inputs.py"), *fill(line, places).split()], cwd=base, check=True)
    binary = base / "other_program.bin"
    if binary.exists():
        return binary, places, ""
    flags = [fill(f, places) for f in [*suite.get("flags", []), *program.get("flags", [])]]
    sources = []
    for pattern in program["sources"]:
        pattern = fill(pattern, places)
        sources += [pattern] if pattern.startswith("/") else sorted(str(p.relative_to(base)) for p in base.glob(pattern))
    commands = (command_of_nvcc(sources, flags, binary) if arguments.compiler == "nvcc"
                else commands_of_duet_cc(arguments.duet, arguments.host, sources, flags, binary))
    for command in commands:
        compiled = subprocess.run(command, cwd=base, capture_output=True, text=True)
        if compiled.returncode != 0:
            return binary, places, compiled.stdout + compiled.stderr
    return binary, places, ""


def judge(program: dict, status: int, output: str) -> tuple[str, str]:
    """Verdict and the line that explains it."""
    named = [line for line in re.findall(r"duet: .*", output) if "spills are not simulated" not in line]  # only a note
    first_error = named[0] if named else ""
    if status == 124:
        return "timeout", first_error
    if status == 125 or named and (status != 0 or program["check"] == "ran"):
        return "refused", first_error
    if status == 2 and re.search("(?i)waiv|requires|not support|does not", output):  # EXIT_WAIVED of cuda-samples
        return "waived", " | ".join(line for line in output.splitlines() if re.search("(?i)waiv|requires|not support|does not", line))[:200]
    if status not in program.get("status", [0]):
        return "failed", first_error or f"exit status {status}: " + " | ".join(output.strip().splitlines()[-2:])
    if "fails" in program and re.search(program["fails"], output, re.M):
        return "wrong", " | ".join(line for line in output.splitlines() if re.search(program["fails"], line))[:300]
    if program["check"] == "ran":
        return "ran", ""
    if program["check"] == "self":
        if re.search(program["passes"], output, re.M):
            return "passed", ""
        return "wrong", "no line matches " + program["passes"]
    raise ValueError(program["check"])


def compare_reference(program: dict, places: dict[str, str], base: pathlib.Path, output: str) -> tuple[str, str]:
    """Runs the reference script, which reads the program's output on standard input and says on its last line what differs."""
    command = [fill(word, places) for word in program["reference"]]
    compared = subprocess.run([sys.executable, str(HERE / "other_programs_references.py"), *command], cwd=base, input=output,
                              capture_output=True, text=True)
    lines = (compared.stdout + compared.stderr).strip().splitlines()
    return ("passed", lines[-1] if lines else "") if compared.returncode == 0 else ("wrong", lines[-1] if lines else "")


def run(program: dict, binary: pathlib.Path, places: dict[str, str], arguments: argparse.Namespace) -> dict:
    base = binary.parent
    command = [str(binary), *(fill(word, places) for word in program.get("arguments", []))]
    results = base / "duet-results"
    shutil.rmtree(results, ignore_errors=True)
    if not arguments.native:
        host = ["--host", "simulated"] if arguments.host == "simulated" else []
        machine = arguments.machine if host else program.get("machine", arguments.machine)
        command = [arguments.duet, "run", *host, "--quiet", "--machine", machine, "--out", str(results), "--timeout", str(arguments.timeout),
                   *arguments.option, *command]
    began = time.monotonic()
    try:
        ran = subprocess.run(command, cwd=base, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                             timeout=arguments.timeout + 60)
        status, output = ran.returncode, ran.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as expired:
        status, output = 124, (expired.stdout or b"").decode(errors="replace")
    seconds = time.monotonic() - began
    (base / "duet-output.txt").write_text(output)
    verdict, why = judge({**program, "check": "ran"} if program["check"] == "reference" else program, status, output)
    if program["check"] == "reference" and verdict == "ran":
        verdict, why = compare_reference(program, places, base, output)
    instructions = kernels = 0
    for stats in results.rglob("stats.json"):
        try:
            found = json.loads(stats.read_text())
        except ValueError:
            continue
        instructions += found["totals"]["warp_instructions"]
        kernels += len(found["kernels"]) + sum(group["launches"] for group in found["kernel_groups"])
    return {"verdict": verdict, "why": why, "warp_instructions": instructions, "kernels": kernels, "seconds": round(seconds, 1),
            "status": status, "duet_said": sorted(set(re.findall(r"duet: .*", output)))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("other-programs-work"))
    parser.add_argument("--machine", help="for programs that name none; the list's machine if not given")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--option", nargs="*", default=[], help="further options of `duet run`, such as --option=--functional")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--compiler", choices=["nvcc", "cc"], default="nvcc")
    parser.add_argument("--host", choices=["native", "simulated"], default="native")
    arguments = parser.parse_args()
    rule = tomllib.loads((HERE / "other_programs.toml").read_text())
    if arguments.host == "simulated":
        arguments.compiler = "cc"
    arguments.machine = arguments.machine or ("lustig2013" if arguments.host == "simulated" else rule["machine"])
    suites, programs = rule["suite"], rule.get("program", [])
    missing = [s["checkout"] for s in suites if not (arguments.corpus / s["checkout"]).is_dir()]
    if missing:
        print(f"skipped: {arguments.corpus} lacks the checkouts {', '.join(missing)}")
        return 77
    arguments.corpus, arguments.work = arguments.corpus.resolve(), arguments.work.resolve()
    complaints = check_list(rule, suites, programs, arguments.corpus, arguments.draw)
    for complaint in complaints:
        print(complaint)
    if arguments.draw or complaints:
        return 1 if complaints else 0
    for compiler in ["nvcc"] if arguments.compiler == "nvcc" else ["riscv64-linux-gnu-g++"] if arguments.host == "simulated" else []:
        if shutil.which(compiler) is None:
            print(f"skipped: there is no {compiler}")
            return 77
    if os.sep in arguments.duet:
        arguments.duet = str(pathlib.Path(arguments.duet).resolve())
    by_name = {s["name"]: s for s in suites}
    results, totals = [], {}
    nothing_ran = {"why": "", "warp_instructions": 0, "kernels": 0, "seconds": 0.0}
    for program in programs:
        label = f"{program['suite']}/{program['name']}"
        if arguments.only and program["name"] not in arguments.only:
            continue
        binary, places, problem = build(program, by_name[program["suite"]], arguments.corpus, arguments.work, arguments)
        if problem:
            (arguments.work / program["suite"] / program["name"] / "build.txt").write_text(problem)
            errors = [line for line in problem.splitlines() if "error" in line or "undefined" in line]
            row = {**nothing_ran, "verdict": "unbuilt", "why": errors[0] if errors else problem[:200]}
        elif arguments.build:
            row = {**nothing_ran, "verdict": "built"}
        else:
            row = run(program, binary, places, arguments)
        results.append({"name": label, **row})
        totals[row["verdict"]] = totals.get(row["verdict"], 0) + 1
        print(f"{label:36} {row['verdict']:8} {row['kernels']:6} kernels {row['warp_instructions']:12} warp-instructions"
              f" {row['seconds']:6.1f} s  {row['why']}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(totals.items())), f"- of {len(results)}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"programs": results, "totals": totals}, indent=1) + "\n")
    if arguments.build:
        return 1 if totals.get("unbuilt") else 0
    whole = not arguments.only
    return 1 if totals.get("wrong") or (whole and totals.get("passed", 0) < rule["passed_at_least"]) else 0


if __name__ == "__main__":
    sys.exit(main())
