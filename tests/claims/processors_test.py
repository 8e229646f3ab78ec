#!/usr/bin/env python3
"""The processor's programs of lustig2013 (workloads/lustig2013/cpu): right results natively, under qemu and on the simulated host, with one
thread and with several; three times each; and their own check finds a wrong result: each program is compiled once more with a mistake in it
(MISTAKES). Usage: processors_test.py DUET
By day every fourth program; at night (tests/whole.py) all."""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from whole import some  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "workloads/lustig2013/cpu"
RV64 = "riscv64-linux-gnu-g++"
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fopenmp"]
# Small inputs; and what is written instead of what.
MISTAKES = {
    "vectorAdd": (["--size", "1000"], "c[i] = a[i] + b[i];", "c[i] = a[i] - b[i];"),
    "matrixMul": (["--size", "32"], "for (std::size_t k = 0;", "for (std::size_t k = 1;"),
    "histogram64": (["--size", "4096"], "word >> 10 & 63u", "word >> 11 & 63u"),
    "BlackScholes": (["--size", "500"], "Real(1.781477937)", "Real(1.791477937)"),
    "BFS": (["--size", "300"], None, None),
    "HotSpot": (["--size", "32"], "row == 0 ? here", "row == 1 ? here"),
    "FIBLookup": (["--size", "200", "--deep", "50"], "address & 255u", "address & 127u"),
}


def compiled(compiler, source, options, program):
    subprocess.run([compiler, *FLAGS, *options, str(source), "-o", str(program)], check=True, capture_output=True, text=True)
    return str(program)


def times(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == "", (command, done.returncode, done.stderr)
    words = done.stdout.split()
    assert words[::2] == ["fresh_ns", "warm_ns", "cold_ns"] and all(int(ns) > 0 for ns in words[1::2]), (command, done.stdout)
    return [int(ns) for ns in words[1::2]]


def with_mistake(name, folder):
    """The sources once more, with the mistake."""
    copy = folder / ("wrong-" + name)
    shutil.copytree(FOLDER.parents[1], copy / "workloads", ignore=shutil.ignore_patterns("*.cu"))
    source = copy / "workloads/lustig2013/cpu" / (name + ".cpp")
    text = source.read_text()
    _, right, wrong = MISTAKES[name]
    if wrong is None:  # the search of one thread is in graph.h, and the other one judges it
        source, right, wrong = copy / "workloads/lustig2013/graph.h", "cost[queue[head]] + 1;", "cost[queue[head]] + 2;"
        text = source.read_text()
    assert text.count(right) == 1, (name, right)
    source.write_text(text.replace(right, wrong))
    return compiled("g++", copy / "workloads/lustig2013/cpu" / (name + ".cpp"), ["-O1"], copy / "program")


def check(duet, folder, name):
    small = MISTAKES[name][0]
    native = compiled("g++", FOLDER / (name + ".cpp"), ["-O2"], folder / ("native-" + name))
    times([native])  # at the default size, that of lustig2013 Table 3
    for threads in ("0", "1", "3"):
        times([native, *small, "--threads", threads])
    wrong = subprocess.run([with_mistake(name, folder), *small], capture_output=True, text=True)
    assert wrong.returncode == 1 and wrong.stderr.startswith(name + ": ") and wrong.stderr.count("\n") == 1, (name, wrong)
    for bad in (["--size"], ["--size", "0"], ["--size", "-1"], ["--size", "8x"], ["--nothing", "1"], ["--threads", "999"]):
        refused = subprocess.run([native, *bad], capture_output=True, text=True)
        assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and "usage" in refused.stderr, (name, bad, refused)
    if shutil.which(RV64) is None:
        return
    program = compiled(RV64, FOLDER / (name + ".cpp"), ["-O2", "-static", "-Wl,--no-warnings"], folder / ("rv64-" + name))
    if shutil.which("qemu-riscv64"):
        times(["qemu-riscv64", program, *small])
    simulated = [duet, "run", "--quiet", "--host", "simulated"]
    for threads in ("0", "3"):
        times([*simulated, "--functional", program, *small, "--threads", threads])


def main():
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda program: check(sys.argv[1], pathlib.Path(name), program), some(MISTAKES, 4)))


if __name__ == "__main__":
    main()
