#!/usr/bin/env python3
"""The HSA examples of CLOC under Duet: those that call the runtime themselves, and those whose host code snack.sh generates. Do their own checks pass?

Usage: hsa_cloc.py --source DIR [--duet PATH] [--machine M] [--only WORD] [--limit SECONDS] [--write FILE]

DIR is a checkout of CLOC. Sources are as they are, but vecsum's vector is a hundredth as long. snack.sh and its generator are CLOC's own; where they call
cloc.sh, AMD's compiler, a script of that name calls `duet hsacc`. A line a program: "passed" when it prints what its check or its text says, "wrong" and
what it printed, "needs" and what is not there. DIR is $HSA_CLOC if not said; without it, or without headers, one line says so and the exit status is 77;
1: a program is wrong. --write leaves a row a verdict as a data file.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
import data_file  # noqa: E402
from limited import call  # noqa: E402

VERDICTS = ("passed", "wrong", "needs")


@dataclasses.dataclass
class Program:
    name: str
    folder: str
    compiler: str  # with the sources' names; its kernels are code objects, or linked in by snack.sh
    expected: str  # a regular expression
    code_objects: tuple = ()
    snack: tuple = ()  # arguments of each call
    words: tuple = ()
    edits: tuple = ()  # file, from, to
    needs: str = ""


HELLO = r"Decoded +:Hello HSA World\n(.*\n)*Decoded twice :Hello HSA World\n"
PROGRAMS = (
    Program("vector_copy", "hsa/vector_copy", "gcc -std=c99 vector_copy.c", "Passed validation", code_objects=("vector_copy.brig",)),
    Program("vector_copy_async", "hsa/vector_copy_async", "gcc -std=c99 vector_copy.c", "Passed validation", code_objects=("vector_copy.brig",)),
    Program("vector_copy_codeobject_rocm", "hsa/vector_copy_codeobject_rocm", "g++ -std=c++11 vector_copy_codeobject.cpp", "passed validation",
            code_objects=("vector_copy_codeobject.hsaco",)),
    Program("snack vector_copy", "snack/vector_copy", "g++ vector_copy.o VectorCopy.cpp", "passed validation", snack=("-c vector_copy.cl",)),
    Program("snack helloworld, C", "snack/helloworld", "gcc hw.o HelloWorld.c", HELLO, snack=("-c hw.cl",)),
    Program("snack helloworld, C++", "snack/helloworld", "g++ hw.o HelloWorld.cpp", "^Hello HSA World$", snack=("-c hw.cl",)),
    Program("snack fortran", "snack/fortran", "", "", needs="sizes by value: its Fortran passes malloc_global the address of 64"),
    Program("snack multiple_cl_files", "snack/multiple_cl_files", "gcc hw.o hw2.o HelloWorld.c", HELLO, snack=("-c hw.cl", "-c -noglobs hw2.cl")),
    Program("snack csquares", "snack/csquares", "g++ CSquares.o CSquares.cpp", "^PASSED$", snack=("-c CSquares.cl",)),
    Program("snack matmul", "snack/matmul", "gcc -O3 matmulKernels.o matmul.c -lbsd", "simple_sgemm_tn:Data matches(.*\n)*.*tiled_sgemm_tt:Data matches",
            snack=("-c matmulKernels.cl",), words=("64", "64", "64")),
    Program("snack async_vecsum", "snack/async_vecsum", "g++ -O3 sumKernel.o vecsum.cpp",
            r"Sum result += +(-?\d+)\n(.*\n)*.*Result value += +\1\n(.*\n)*.*Result value += +\1\n(.*\n)*.*Result value += +\1\n",
            snack=("-c sumKernel.cl",), edits=(("vecsum.cpp", "#define VECLEN 102500000", "#define VECLEN 1025000"),)),
    Program("snack test_hsail_lib", "snack/test_hsail_lib", "", "", needs="a library in HSAIL, for which there is no assembler"),
)


def refuse(words, done):
    raise RuntimeError(f"{words}: {(done.stderr or done.stdout).strip()[-300:]}")


def step(words, folder, environment):
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        refuse(pathlib.PurePath(words[0]).name, done)


def build(program, source, duet, folder):
    """The program in a copy of its folder."""
    shutil.copytree(source / "examples" / program.folder, folder, dirs_exist_ok=True)
    for file, before, after in program.edits:
        text = (folder / file).read_text()
        assert before in text, (file, before)
        (folder / file).write_text(text.replace(before, after))
    tools = folder / "cloc_path"
    tools.mkdir()
    (tools / "snk_genw.sh").symlink_to(source / "bin/snk_genw.sh")
    scripts = {"cloc.sh": f'for last; do :; done\nexec {duet} hsacc "$last" -o "${{last%.cl}}.hsaco"',
               "gcc": f'exec {shutil.which("gcc")} -fcommon "$@"'}  # gcc's default of then
    for name, text in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    environment = {**os.environ, "CLOC_PATH": str(tools), "HSA_RT": "/usr", "PATH": f"{tools}:{source / 'bin'}:{os.environ['PATH']}"}
    for output in program.code_objects:
        step([str(duet), "hsacc", pathlib.PurePath(output).stem + ".cl", "-o", output], folder, environment)
    for words in program.snack:
        step([str(source / "bin/snack.sh"), "-mcpu", "fiji", *words.split()], folder, environment)
    step([*program.compiler.split(), "-w", "-I/usr/include/hsa", "-I.", "-o", "program", "-lhsa-runtime64"], folder, environment)


def judge(program, source, duet, machine, limit, folder):
    if program.needs:
        return "needs", program.needs
    missing = [tool for tool in (program.compiler.split()[0], "hexdump") if not shutil.which(tool)]
    if missing:
        return "needs", f"{missing[0]} on this computer"
    try:
        build(program, source, duet, folder)
    except RuntimeError as error:
        return "wrong", str(error)
    run = [duet, "run", "--quiet", "--no-html", "--machine", machine, "--out", folder / "out", folder / "program", *program.words]
    status, output, _ = call(run, folder, limit, merged=True)
    if status is None:
        return "wrong", f"it took more than {limit:g} s"
    if status == 0 and re.search(program.expected, output, re.MULTILINE):
        return "passed", ""
    return "wrong", f"status {status}: {output.strip()[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=os.environ.get("HSA_CLOC"))
    parser.add_argument("--duet", type=pathlib.Path, default="build/bin/duet")
    parser.add_argument("--machine", default="mi300a")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--write", type=data_file.target)
    arguments = parser.parse_args()
    source = arguments.source and pathlib.Path(arguments.source).resolve()
    if not source or not (source / "bin/snack.sh").is_file():
        print("skipped: needs a checkout of CLOC (--source DIR)")
        return 77
    if not pathlib.Path("/usr/include/hsa/hsa.h").exists():
        print("skipped: needs apt-get install libhsa-runtime-dev")
        return 77
    found = {verdict: [] for verdict in VERDICTS}
    for program in PROGRAMS:
        if arguments.only not in program.name:
            continue
        with tempfile.TemporaryDirectory(prefix="duet-hsa-cloc-") as folder:
            verdict, words = judge(program, source, arguments.duet.resolve(), arguments.machine, arguments.limit, pathlib.Path(folder))
        found[verdict].append(f"{program.name}: {words}" if verdict == "needs" else program.name)
        print(f"{program.name:28} {verdict:7} {words}".rstrip(), flush=True)
    table = data_file.Table(["verdict", "programs"])
    for verdict in VERDICTS:
        table.row(verdict, ", ".join(found[verdict]) or "none")
    if arguments.write:
        table.write(arguments.write, simulated=False)
    return int(bool(found["wrong"]) or not any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
