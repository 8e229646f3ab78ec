"""What the tests of trust share: the workloads at small sizes, how to run them, and what of a run must repeat."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "tests"))
from compile_once import compile_well  # noqa: E402

# Name: source, arguments. Sizes at which the timed GPU needs about a second, most of them with a last block that is not full.
PROGRAMS = {
    "vectorAdd": ("lustig2013/vectorAdd.cu", ["--size", "9999"]),
    "matrixMul": ("lustig2013/matrixMul.cu", ["--size", "64"]),
    "histogram64": ("lustig2013/histogram64.cu", ["--size", "40000"]),
    "BlackScholes": ("lustig2013/BlackScholes.cu", ["--size", "3000"]),
    "BFS": ("lustig2013/BFS.cu", ["--size", "1000"]),
    "HotSpot": ("lustig2013/HotSpot.cu", ["--size", "32"]),
    "FIBLookup": ("lustig2013/FIBLookup.cu", ["--size", "300"]),
    "smooth": ("demo/smooth.cu", []),
    "micro-vecadd": ("micro/micro.cu", ["vecadd", "9999"]),
    "micro-matmul": ("micro/micro.cu", ["matmul", "48"]),
    "micro-hist": ("micro/micro.cu", ["hist", "9999"]),
    "micro-copyk": ("micro/micro.cu", ["copyk", "19999"]),
    "micro-reduce": ("micro/micro.cu", ["reduce", "19999"]),
}

# Kernel: grid, block, arguments. A buffer is dumped after the run, whatever it is for.
BARE_KERNELS = {
    "vecadd": ("40", "256", ["buffer:39996=random_f32", "buffer:39996=random_f32", "buffer:39996", "i32:9999"]),
    "matmul": ("3,3", "16,16", ["buffer:9216=random_f32", "buffer:9216=random_f32", "buffer:9216", "i32:48"]),
    "hist": ("7", "256", ["buffer:39996=random_u32", "buffer:1024", "i32:9999"]),
    "copyk": ("7", "256", ["buffer:39996=random_f32", "buffer:39996", "i32:9999"]),
    "reduce": ("7", "256", ["buffer:39996=random_f32", "buffer:28", "i32:9999"]),
}

# Not here: kernels whose bytes, or whose work, depend on the order of events. None of those above does.


class Runner:
    """Compiles and runs with one build of duet."""

    def __init__(self, duet):
        self.duet = str(pathlib.Path(duet).resolve())
        self.folder_ = tempfile.TemporaryDirectory(prefix="duet-trust-")
        self.folder = pathlib.Path(self.folder_.name)
        self.compiled_ = {}

    def compiled(self, source, *flags):
        if (source, flags) not in self.compiled_:
            output = self.folder / f"{len(self.compiled_)}-{pathlib.Path(source).stem}{'.ptx' if '-ptx' in flags else ''}"
            compile_well(self.duet, [ROOT / "workloads" / source, *flags], output, timeout=120)
            self.compiled_[source, flags] = output
        return self.compiled_[source, flags]

    def run(self, *arguments, timeout=280):
        """Exit status, standard output, standard error, and the statistics without what is wall time."""
        command = [self.duet, "run", "--quiet", "--out", str(self.folder / "out"), *map(str, arguments)]
        (self.folder / "out/stats.json").unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=self.folder)
        file = self.folder / "out/stats.json"
        return done.returncode, done.stdout, done.stderr, repeatable(json.loads(file.read_text())) if file.exists() else None

    def program(self, name, *options):
        source, arguments = PROGRAMS[name]
        return self.run(*options, self.compiled(source), *arguments)

    def bare_kernel(self, name, *options):
        """As run(), and the bytes of every buffer."""
        grid, block, arguments = BARE_KERNELS[name]
        command = [*options, self.compiled("micro/kernels.cu", "-ptx"), "--kernel", name, "--grid", grid, "--block", block]
        dumps = []
        for i, argument in enumerate(arguments):
            command += ["--arg", argument]
            if argument.startswith("buffer:"):
                dumps.append(self.folder / f"buffer-{i}")
                dumps[-1].unlink(missing_ok=True)
                command += ["--dump", f"{i}={dumps[-1]}"]
        result = self.run(*command)
        return *result, [dump.read_bytes() if dump.exists() else None for dump in dumps]


def repeatable(stats):
    """All of stats.json except wall time, what follows from it, and where the program lies."""
    del stats["wall_seconds"], stats["totals"]["warp_instructions_per_second"], stats["command"]
    return stats


def smallest_machine(duet, machine):
    """--set options that give every queue, buffer, credit, window and MSHR of a machine its smallest size. The keys come from the
    machine itself, so a new one takes part by its name."""
    text = subprocess.run([duet, "machines", "show", machine], capture_output=True, text=True, check=True).stdout
    pattern = re.compile(r"queue|entries|mshr|credit|window|outstanding|pending|buffer|depth|counters|collector|hardware_channels")
    # Bytes, not places: it has to hold the commands of one launch. How many queues there are is another machine.
    kept = {"gpu.front_end.push_buffer_bytes", "gpu.full_empty.queues"}
    # Fetched together, so never more than instruction_buffer holds; and a limit that is off by itself.
    also = {"gpu.sm.fetch_instructions", "gpu.sm.memory_requests"}
    options, section = [], ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line[1:line.index("]")] + "."
            continue
        if "=" not in line or line.startswith("#"):
            continue
        key = section + line.split("=")[0].strip()
        value = line.split("=", 1)[1].split("#")[0].strip()
        if key in also or (key not in kept and value.isdigit() and pattern.search(key.rsplit(".", 1)[-1])):
            options += ["--set", f"{key}=1"]
    return options
