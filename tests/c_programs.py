"""C programs of a folder of tests, compiled by the system's compiler when a test first asks for one, and commands that find nothing which an
earlier run of Duet compiled.

    programs = CPrograms(SOURCE / "tests/opencl/programs", "-lOpenCL")
    done = programs.call(DUET, "run", programs.program("queues"))
"""
import os
import pathlib
import subprocess
import tempfile


class CPrograms:
    def __init__(self, folder, *libraries):
        self.folder, self.libraries = folder, libraries
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="duet-c-programs-"))

    def call(self, *command, **options):
        environment = {**options.pop("env", os.environ), "XDG_CACHE_HOME": str(self.work / "cache")}
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300, env=environment, **options)

    def program(self, name):
        binary = self.work / name
        if not binary.exists():
            done = self.call("cc", "-O1", "-Wall", "-Wextra", "-Werror", self.folder / f"{name}.c", "-o", binary, *self.libraries, "-lpthread", "-lm")
            assert done.returncode == 0, done.stderr
        return binary
