#!/usr/bin/env python3
"""Programs that tests compile alike are compiled once, and again when something changes of which they are made: their sources and all that
these include, Duet's headers, what makes `duet cc`, or a package of the system. `duet` itself may change: a program is linked with it when it runs.

They are kept in the folder that $DUET_TEST_PROGRAMS names, one of the build folder (tests/CMakeLists.txt). A test that is started by hand
compiles for itself. A text that a test writes and wants kept, compiled, is one of kept_text().

    compile_once.py DUET OUTPUT WORDS...      `DUET cc WORDS... -o OUTPUT`
    compile_once.py --forget FOLDER           removes what no test has asked for in a week
"""
import fcntl
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What makes `duet cc`, and what it takes into a program.
COMPILER = ["src/base", "src/cli/compile", "src/config/installation.cpp", "src/config/installation.h", "runtime/cuda/include", "runtime/openmp"]
PACKAGES = pathlib.Path("/var/lib/dpkg/status")  # changes with each of them: compilers, and the system's headers
WEEK = 7 * 24 * 3600
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


@functools.cache
def compiler(duet):
    """A number that changes with what compiles."""
    number = hashlib.sha256()
    for path in (*(ROOT / name for name in COMPILER), pathlib.Path(duet).resolve().parents[1] / "lib/duet/guest"):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                number.update(f"{file}\0".encode() + file.read_bytes() + b"\0")
    if PACKAGES.exists():
        number.update(str(PACKAGES.stat().st_mtime_ns).encode())
    return number.digest()


def read_all(sources, folders):
    """The sources and what they include, as far as it lies beside them or in the folders: [(path, content)]. Conditions are not evaluated."""
    found = {}
    waiting = list(sources)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = path.read_bytes()
        for name in INCLUDE.findall(found[path]):
            name = name.decode(errors="replace")
            waiting += [place.resolve() for folder in (path.parent, *folders) if (place := folder / name).is_file()]
    return sorted(found.items())


def identity(command):
    """The file name of what a command makes, or None where a word of it names a file that is the test's own."""
    words = command[2:]
    if any(tempfile.gettempdir() + "/" in word for word in words):
        return None
    files = [pathlib.Path(word) for word in words if not word.startswith("-") and ("/" in word or "." in word)]
    if not files or any(not file.is_absolute() or not file.is_file() for file in files):
        return None
    folders = [pathlib.Path(word[2:] or following) for word, following in zip(words, [*words[1:], ""]) if word.startswith("-I")]
    number = hashlib.sha256(compiler(command[0]))
    for part in [*map(str.encode, command), *(part for path, content in read_all(files, folders) for part in (str(path).encode(), content))]:
        number.update(len(part).to_bytes(8, "little") + part)
    return number.hexdigest()


def compile_once(duet, words, output, **options):
    """The finished process of `duet cc words -o output`, with its texts; options go to subprocess.run."""
    command = [str(duet), "cc", *map(str, words)]

    def compiled():
        return subprocess.run([*command, "-o", str(output)], capture_output=True, text=True, **options)

    folder = os.environ.get("DUET_TEST_PROGRAMS")
    name = identity(command) if folder else None
    if not name:
        return compiled()
    os.makedirs(folder, exist_ok=True)
    kept = pathlib.Path(folder) / name
    said = kept.with_suffix(".stderr")
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            made = compiled()
            if made.returncode == 0 and made.stdout == "":
                shutil.copy(output, kept)
                said.write_text(made.stderr)
            return made
        for path in (kept, said):
            os.utime(path)
        shutil.copy(kept, output)
        return subprocess.CompletedProcess([*command, "-o", str(output)], 0, "", said.read_text())


def compile_well(*arguments, **options):
    """As compile_once(); RuntimeError with the compiler's words where it fails."""
    done = compile_once(*arguments, **options)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)


def kept_text(name, text, folder):
    """A file of that name and text, for compile_once() to read or include: beside the programs that are kept, or in `folder` where none are."""
    kept = os.environ.get("DUET_TEST_PROGRAMS")
    if kept:
        folder = pathlib.Path(kept) / (hashlib.sha256(f"{name}\0{text}".encode()).hexdigest() + ".text")
        os.makedirs(folder, exist_ok=True)
        os.utime(folder)
    path = pathlib.Path(folder) / name
    if not path.exists():
        made = path.with_name(f"{name}.{os.getpid()}")
        made.write_text(text)
        made.rename(path)
    return path


def forget(folder):
    """Beside what is old, what is left of a run that was ended in the middle of a copy: without its .stderr it is made again anyway."""
    for path in pathlib.Path(folder).glob("*"):
        if path.stat().st_mtime < time.time() - WEEK:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main():
    if sys.argv[1] == "--forget":
        forget(sys.argv[2])
        return
    duet, output, *words = sys.argv[1:]
    done = compile_once(duet, words, output)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
