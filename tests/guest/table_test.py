#!/usr/bin/env python3
"""Every function that the native runtime has is served on the simulated host, or stands here with the reason why it is not.

Usage: table_test.py BUILD_DIRECTORY SOURCE_DIRECTORY
"""
import pathlib
import re
import subprocess
import sys

REFUSED = {
    "cudaGetDriverEntryPoint": "answers a function of the driver interface, which is not served",
    "cudaGetDriverEntryPointByVersion": "the same",
    "cudaLibraryLoadFromFile": "reads a file for the program, which has files of its own (--root)",
}


def main() -> int:
    build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    symbols = subprocess.run(["nm", "-D", "--defined-only", str(build / "lib/duet/cuda/libcudart.so.13")], capture_output=True, text=True,
                             check=True).stdout
    # Weak ones are stubs of what does not exist.
    native = {words[2].split("@")[0] for words in map(str.split, symbols.splitlines()) if words[1] == "T"}
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
    print("\n".join(wrong) or f"{len(native)} functions, {len(REFUSED)} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
