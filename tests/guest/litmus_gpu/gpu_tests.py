"""Litmus tests between threads of the CPU and of the GPU: the programs, their source, and which outcomes models allow.

A test is one line as in tests/rv64/litmus/tests.py; each thread begins with who executes it: "cpu x=1; r=y | gpu y=1; r=x". GPU threads
are warps of one block. x and y lie in mapped pinned memory. An outcome is what all loads took, in the order in which they stand, and
what the locations have at the end.

The models, each as the order that it keeps between two accesses of a thread:
- programs may count on RVWMO for the CPU's threads (The RISC-V Instruction Set Manual, volume I, version 20191213, chapter 14) and on
  the PTX memory model for the GPU's (PTX ISA 8, chapter 8; Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX
  Memory Consistency Model", ASPLOS 2019): volatile accesses are relaxed ones of .sys scope, of which only those of one location are
  ordered; __threadfence_system() is fence.sc.sys. That fence and RISC-V's order what stands on both of their sides for all.
- the machine keeps more: total store order in the CPU's threads, and what PCI Express keeps of the GPU's (Base Specification 2.0,
  table 2-24): writes stay in order, and reads pass no write. Reads may pass each other, and writes may pass reads.
"""
import functools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "rv64" / "litmus"), str(HERE.parents[1])]
import tests as cpu_tests  # noqa: E402
from compile_once import compile_once, kept_text  # noqa: E402

TESTS = {
    "SB": "cpu x=1; r=y | gpu y=1; r=x",
    "MP to GPU": "cpu x=1; y=1 | gpu r=y; r=x",
    "MP to CPU": "gpu x=1; y=1 | cpu r=y; r=x",
    "LB": "cpu r=x; y=1 | gpu r=y; x=1",
    "CoRR on GPU": "cpu x=1; x=2 | gpu r=x; r=x",
    "CoRR on CPU": "gpu x=1; x=2 | cpu r=x; r=x",
    "CoWW": "cpu x=1; x=2 | gpu x=3",
    "CoWR": "cpu x=1; r=x | gpu x=2; r=x",
    "2+2W": "cpu x=1; y=2 | gpu y=1; x=2",
    "R, GPU reads": "cpu x=1; y=1 | gpu y=2; r=x",
    "R, CPU reads": "gpu x=1; y=1 | cpu y=2; r=x",
    "S to GPU": "cpu x=2; y=1 | gpu r=y; x=1",
    "S to CPU": "gpu x=2; y=1 | cpu r=y; x=1",
    "WRC": "gpu x=1 | cpu r=x; y=1 | cpu r=y; r=x",
    "WRC by GPU": "cpu x=1 | gpu r=x; y=1 | cpu r=y; r=x",
    "IRIW, CPU reads": "gpu x=1 | gpu y=1 | cpu r=x; r=y | cpu r=y; r=x",
    "IRIW, GPU reads": "cpu x=1 | cpu y=1 | gpu r=x; r=y | gpu r=y; r=x",
    "IRIW, both read": "cpu x=1 | gpu y=1 | cpu r=x; r=y | gpu r=y; r=x",
}
# Whose threads have a fence between their accesses.
VARIANTS = {"none": (), "cpu": ("cpu",), "gpu": ("gpu",), "both": ("cpu", "gpu")}
AGENTS = ("cpu", "gpu")
MOST_THREADS = 4


class Access(cpu_tests.Access):
    def __init__(self, text, thread, place, agent):
        super().__init__(text, thread, place)
        self.agent = agent


def threads_of(test):
    threads = []
    for number, line in enumerate(TESTS[test].split("|")):
        agent, accesses = line.strip().split(" ", 1)
        threads.append([Access(text, number, place, agent) for place, text in enumerate(accesses.split(";"))])
    return threads


def sequential(_variant, _first, _second):
    return True


def programs_model(variant, first, second):
    """RVWMO and PTX: nothing but one location, and fences."""
    if first.agent in VARIANTS[variant]:
        return True
    return first.location == second.location and not second.is_load


def machine_model(variant, first, second):
    """Total store order and PCI Express."""
    if first.agent in VARIANTS[variant]:
        return True
    if first.agent == "cpu":
        return first.is_load or not second.is_load
    return first.location == second.location or not first.is_load


def machine_model_combined(variant, first, second):
    """The same where x and y lie in write-combined memory: the CPU's threads keep what they keep of uncached pages."""
    if first.agent == "cpu" and first.agent not in VARIANTS[variant]:
        return cpu_tests.order_of_types("uu")("none", first, second)
    return machine_model(variant, first, second)


@functools.lru_cache(maxsize=None)
def allowed(test, variant, model):
    return cpu_tests.outcomes_allowed(threads_of(test), variant, model)


def gpu_body(accesses, fence):
    lines, loads = [], 0
    for place, access in enumerate(accesses):
        if access.is_load:
            lines.append(f"results[{loads}] = *{access.location};")
            loads += 1
        else:
            lines.append(f"*{access.location} = {access.value};")
        if fence and place + 1 < len(accesses):
            lines.append("__threadfence_system();")
    return " ".join(lines)


def cpu_body(accesses, fence):
    """One statement of assembly, so that nothing comes between."""
    lines, loads = [], 0
    for place, access in enumerate(accesses):
        address = f"0(%[{access.location}])"
        if access.is_load:
            lines.append(f"ld %[r{loads}], {address}")
            loads += 1
        else:
            lines.append(f"sd %[v{access.value}], {address}")
        if fence and place + 1 < len(accesses):
            lines.append("fence rw, rw")
    text = "\\n".join(lines)
    results = ", ".join(f'[r{i}] "=&r"(results[{i}])' for i in range(loads))
    return (f'__asm__ volatile("{text}" : {results} : [x] "r"(x), [y] "r"(y), [v1] "r"(1L), [v2] "r"(2L), [v3] "r"(3L) : "memory");')


def source():
    """What runner.cu includes: gpu_kernel(test, variant, thread, x, y, results), and the table `litmus_tests`."""
    cpu, gpu, table = [], [], []
    for number, test in enumerate(TESTS):
        threads = threads_of(test)
        for kind, (variant, fenced) in enumerate(VARIANTS.items()):
            functions, loads, gpu_threads = [], [], 0
            for thread, accesses in enumerate(threads):
                agent = accesses[0].agent
                loads.append(str(sum(a.is_load for a in accesses)))
                if agent == "gpu":
                    gpu.append(f"case {(number * len(VARIANTS) + kind) * MOST_THREADS + thread}: {gpu_body(accesses, agent in fenced)} break;")
                    functions.append("nullptr")
                    gpu_threads |= 1 << thread
                else:
                    name = f"cpu_{number}_{kind}_{thread}"
                    cpu.append(f"static void {name}(Word* x, Word* y, long* results) {{ {cpu_body(accesses, agent in fenced)} }}")
                    functions.append(name)
            functions += ["nullptr"] * (MOST_THREADS - len(threads))
            loads += ["0"] * (MOST_THREADS - len(threads))
            table.append(f'{{"{test}/{variant}", {{{", ".join(functions)}}}, {{{", ".join(loads)}}}, {gpu_threads}, {len(threads)}}},')
    return "\n".join(["__device__ void gpu_kernel(int kernel, Word* x, Word* y, long* results) {", "switch (kernel) {", *gpu, "}", "}",
                      "#ifndef __CUDA_ARCH__", *cpu, "static const Test litmus_tests[] = {", *table, "};", "#endif", ""])


def build(duet, folder, *names):
    """The programs of these names in the folder, for the simulated host."""
    texts = kept_text("kernels.inc", source(), folder).parent
    for name in names:
        done = compile_once(duet, ["--host", "riscv64", "-O2", f"-I{texts}", HERE / f"{name}.cu"], folder / name)
        if done.returncode != 0:
            sys.exit(done.stderr)
    return [folder / name for name in names]
