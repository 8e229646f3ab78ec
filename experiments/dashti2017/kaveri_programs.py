"""Programs of workloads/dashti2017/kaveri on simulated cores, for the experiments beside this file.

    with kaveri_programs.Programs(duet, "bandwidth") as programs:
        programs.run("kaveri", "hsa-fine", "--bytes", 4096, sets=("--set", "link.latency_ns=80"))    # what it printed, by name
"""
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "workloads/dashti2017/kaveri"


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


class Programs:
    """One program, in OpenCL and in HSA; a method's name says which."""

    def __init__(self, duet, name):
        self.duet, self.name = pathlib.Path(duet).resolve(), name

    def __enter__(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)
        source = SOURCE / f"{self.name}.c"
        call([self.duet, "cc", "--host", "riscv64", "-O2", source, "-o", self.folder / "cl", "-lOpenCL"])
        call([self.duet, "cc", "--host", "riscv64", "-O2", "-DFRAMEWORK_HSA", source, "-o", self.folder / "hsa", "-lhsa-runtime64"])
        call([self.duet, "hsacc", SOURCE / f"{self.name}.cl", "-o", self.folder / f"{self.name}.hsaco"])
        return self

    def __exit__(self, *_):
        self.kept.cleanup()

    def run(self, machine, method, *words, sets=()):
        hsa = method.startswith("hsa")
        out = call([self.duet, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", machine, *sets, "--out", self.folder / "out",
                    self.folder / ("hsa" if hsa else "cl"), "--method", method, *words, "--code", self.folder if hsa else SOURCE])
        return {name: float(value) for name, value in (line.split() for line in out.splitlines())}
