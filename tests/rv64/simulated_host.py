"""What the tests of programs on the simulated host share. Arguments of each: BUILD_DIRECTORY SOURCE_DIRECTORY."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
import fixture  # noqa: E402
from fixture import DUET, SOURCE, WORK, call  # noqa: E402

RUN = [DUET, "run", "--host", "simulated", "--functional"]
PROGRAMS = SOURCE / "tests/rv64/programs"
QEMU = shutil.which("qemu-riscv64")


def compiled(source, *flags):
    compiler = "riscv64-linux-gnu-g++" if source.endswith(".cpp") else "riscv64-linux-gnu-gcc"
    program = WORK / (pathlib.Path(source).stem + "".join(flags))
    if not program.exists():
        result = call(compiler, "-O1", "-static", *flags, PROGRAMS / source, "-o", program)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
    return program


def in_folder(name, *command, text="", env=None):
    folder = WORK / name
    folder.mkdir(exist_ok=True)
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=280, cwd=folder,
                          input=text, env={"DUET_TEST_VARIABLE": "a value", "PATH": "/bin", **(env or {})})


def main():
    if shutil.which("riscv64-linux-gnu-g++") is None:
        print("riscv64-linux-gnu-g++ is not installed")
        shutil.rmtree(WORK, ignore_errors=True)
        sys.exit(77)
    fixture.main()
