"""tests/preexec/programs.md: what `duet preexec` makes of four kernels, beside the paper's figures.

  programs_page.py --duet build/bin/duet > tests/preexec/programs.md
  programs_page.py --duet build/bin/duet --compare tests/preexec/programs.md    # in a test
"""
import argparse
import difflib
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEAD = """# Pre-execution programs of four kernels

Made by `tests/preexec/programs_page.py` from what `duet cc -ptx FILE.cu` and `duet preexec FILE.ptx --kernel NAME` print; a test compares. Each
program's beginning (types, `FETCH`, `RUNNING`, what the program is told, Figure 5's `update_skip_factor`) and end (one environment call) are the same for
all and left out. A comment behind each access leads to source and PTX. Names of parameters are those of the PTX: clang writes `NAME_param_0` and so on.
"""

PAGES = [
    ("VecAdd: Figure 3", "workloads/yang2012/VecAdd.cu", "vec_add", """
The figure's function is `A[n] + B[n] + C[n]`, loads of the two operands and of the place that is written. Here each has the kernel's own guard `i < N`
(which the figure leaves out with the kernel's), and addresses are computed as PTX does, with a sign extension from 32 bits. The loops are the figure's:
`j` over blocks that run at a time, `i` over their threads, `k` (here `b`) over a batch, eight calls in a row, their sum. What is added: the word that
ends the program is polled once a batch (`stopped`), and threads beyond the concurrent blocks are left out (`clamped`; `--preexec-set thread_ids`). A guard
that compares a number which grows with the thread is asked of the first and the last of eight threads (`_runs`); where both pass it, `_always` fetches for
all, as in the figure.
"""),
    ("Transpose matrix-vector multiplication: Figure 9", "workloads/yang2012/TMV.cu", "tmv_figure9", """
The kernel loop becomes `memory_fetch_for_thread_loop_1(n, m1)`: thread id and iterator are its parameters, as in the figure; both operands are fetched,
the matrix's row by `n`, the vector's element by `m1` alone. What follows the loop, the store, is a second function with a loop of its own: the figure's
"partial" program does not have it. The figure goes by 8 in `m` and names eight calls for eight threads; here the 8 iterations are a loop that the
compiler unrolls, so that the last ones of a loop of any length are right. Its bound comes from the kernel's condition, once for all threads.
"""),
    ("BitonicSort", "workloads/yang2012/BitonicSort.cu", "bitonic_divide", """
No loop: the LWST form of Figure 3. The address comes from an unsigned division of the id by a parameter, which PTX does by 0 too without a fault:
`divide_u32`. The comparison that decides whether the pair is swapped depends on data that no address needs, and is left out: both stores'
places are fetched. They are the loads' places, and once in the core's L1 they cost no request.
"""),
    ("A search in a graph", "tests/preexec/search.cu", "expand", """
Addresses that depend on data, three loads deep: queue, first edge, edge, distance. Each of these loads is made for real and its value used. The inner loop's bounds
are data too, so it is a loop of this one thread, 65,536 iterations at most and none when the kernel has ended (`RUNNING`). That there is an edge at all, and
whether the atomic found a node that nobody had, are guards that depend on data and that no address needs: they are taken as true. The place in the next queue is the result of an atomic, and is not prefetched (`duet preexec --report` says so:
"not prefetched because its address needs the result of an atomic").
"""),
]


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=120).stdout


def program(duet, source, kernel):
    """From the first function that fetches to the last driver loop."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / (pathlib.Path(source).stem + ".ptx")
        run(duet, "cc", "-ptx", source, "-o", ptx)
        c = run(duet, "preexec", ptx, "--kernel", kernel).replace(folder + "/", "")
    begin = c.index("static inline u64 memory_fetch_for_thread")
    include = str(pathlib.Path(duet).resolve().parents[1] / "share/duet/include") + "/"
    return c[begin:c.index("void duet_preexecute")].rstrip().replace(include, "").replace(f"{ROOT}/", "")


def kernel_of(source, kernel):
    """The kernel's own lines: from `__global__` to the brace that closes it."""
    lines = (ROOT / source).read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if "__global__" in line and (kernel + "(" in line or kernel + "(" in lines[i + 1]))
    last = next(i for i in range(first, len(lines)) if lines[i] == "}")
    return "\n".join(lines[first:last + 1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--duet", required=True)
    parser.add_argument("--compare", type=pathlib.Path)
    arguments = parser.parse_args()
    duet = str(pathlib.Path(arguments.duet).resolve())
    page = HEAD
    for title, source, kernel, text in PAGES:
        page += f"\n## {title}\n\n`{source}`, kernel `{kernel}`:\n\n```c\n{kernel_of(source, kernel)}\n```\n{text}\n```c\n{program(duet, source, kernel)}\n```\n"
    if not arguments.compare:
        print(page, end="")
        return 0
    difference = list(difflib.unified_diff(arguments.compare.read_text().splitlines(), page.splitlines(), str(arguments.compare), "now", lineterm=""))
    print("\n".join(difference) or "the page is what duet preexec prints")
    return bool(difference)


if __name__ == "__main__":
    sys.exit(main())
