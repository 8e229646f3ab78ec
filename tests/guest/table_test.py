#!/usr/bin/env python3
"""Every function that the native runtime has is served on the simulated host, or stands here with the reason why it is not; and of OpenCL's
every one that programs find in its loader.

Usage: table_test.py BUILD_DIRECTORY SOURCE_DIRECTORY
"""
import ctypes.util
import pathlib
import re
import subprocess
import sys

REFUSED = {
    "cudaGetDriverEntryPoint": "answers a function of the driver interface, which is not served",
    "cudaGetDriverEntryPointByVersion": "the same",
    "cudaLibraryLoadFromFile": "reads a file for the program, which has files of its own (--root)",
}


def functions_of(library):
    """Names that it exports. Weak ones are stubs of what does not exist."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout
    return {words[2].split("@")[0] for words in map(str.split, symbols.splitlines()) if words[1] == "T"}


def opencl_faults(build, source):
    """Of a name of the loader: no stub in programs, or served by none. What Duet has or lacks is served by being in entries.h."""
    loader = ctypes.util.find_library("OpenCL")
    folder = next((path for path in map(pathlib.Path, ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")) if loader and (path / loader).exists()), None)
    entries = set(re.findall(r"X\((cl\w+)\)", (source / "runtime/opencl/api/entries.h").read_text()))
    native = {name for name in functions_of(folder / loader) if name.startswith("cl")} if folder else entries
    own = set(re.findall(r"^void\* (cl\w+)\(", (source / "runtime/guest/library/duet_guest_opencl.cpp").read_text(), re.M))
    stubs = set(re.findall(r"^STUB (\w+)$", (build / "lib/duet/guest/opencl_stubs.inc").read_text(), re.M))
    by_hand = set(re.findall(r"^(?:BOXES|EXTENTS|BY)\((\w+)", (source / "runtime/guest/served_opencl.def").read_text(), re.M))
    if len(native) < 100 or len(own) != 2:
        return [f"only {len(native)} functions found in {loader}, {len(own)} in duet_guest_opencl.cpp"]
    return [f"{name} has no stub in programs" for name in sorted(native - stubs - own)] + \
           [f"{name} is not in entries.h" for name in sorted((stubs | by_hand) - entries)]


def main() -> int:
    build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    native = functions_of(build / "lib/duet/cuda/libcudart.so.13")
    if len(native) < 250:
        print(f"only {len(native)} functions found in libcudart.so.13")
        return 1
    served = set(re.findall(r"^(?:PLAIN|NODE|BY)\((\w+)", (source / "runtime/guest/served.def").read_text(), re.M))
    library = (source / "runtime/guest/library/duet_guest.cpp").read_text()
    own = set(re.findall(r"^[\w *]+[ *](\w+)\([^;{]*\) \{", library, re.M))  # functions that programs have themselves
    served |= own
    with_stub = own | set((source / "runtime/cuda/exports.txt").read_text().split()) | set((source / "runtime/guest/duet_names.txt").read_text().split())
    wrong = []
    for name in sorted(native):
        plain = re.sub(r"_pt[sd][sz]$", "", name)
        if plain in REFUSED:
            continue
        if plain not in served:
            wrong.append(f"{name} is not served")
        elif name not in with_stub:
            wrong.append(f"{name} has no stub in programs")
    wrong += [f"{name} is served, and listed as refused" for name in REFUSED if name in served]
    wrong += opencl_faults(build, source)
    print("\n".join(wrong) or f"{len(native)} functions, {len(REFUSED)} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
