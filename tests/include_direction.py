#!/usr/bin/env python3
"""Checks that includes of src/ and runtime/ point down, between rooms and between the folders of a room, and that no word of an API stands
in the part of runtime/ that every API shares.

    include_direction.py SOURCE_DIRECTORY     one line for each violation; exit status 1 where there is one
    include_direction.py --self-test          seeds violations in a tree of its own: each must be found

A room includes itself and rooms of a lower rank; rooms of one rank never see each other. In a room of FOLDERS a folder includes
itself and the folders of its own or a lower rank; "." is the room's own files. A file may have a rank of its own, by its name in the room.
"""
import pathlib
import re
import sys
import tempfile

RANK = {"base": 0, "sim": 1, "config": 1, "report": 1, "explain": 2, "model": 2, "memory": 2, "ptx": 2, "rv64": 2,
        "advise": 2.5, "check": 2.5, "gpu": 3, "cpu": 3, "link": 3, "preexec": 3, "predict": 3.5, "sample": 3.5, "driver": 4, "host": 5, "machine": 6,
        "reproduce": 7, "sweep": 7, "cli": 8}
FOLDERS = {
    "machine": {"rules": 0, "levels": 1, "host": 2, "build": 3,
                ".": 4, "watch/standstill.h": 4, "watch/standstill.cpp": 4,
                "watch": 5, "cores_for_gpu": 5, "time_models": 5,
                "features.h": 6, "features.cpp": 6, "run_options.cpp": 6, "device_calls": 6, "watch/run_watch.h": 6, "watch/run_watch.cpp": 6,
                "process.h": 6, "process.cpp": 6, "process_records.cpp": 6},
    "report": {"journal": 0, ".": 1, "results": 1, "json": 2, "compare": 2, "timeline": 3, "terminal": 3, "pages": 4},
    "cli": {".": 0, "options": 0, "beside": 1, "run": 2, "lists": 2, "compile": 2, "results": 3},
}
# Rooms of runtime/; all of them are above src/. core/ knows no API: neither by an include nor by a name in code or comments.
RUNTIME_RANK = {"guard": 0, "child": 0, "openmp": 0, "nvrtc": 1, "process": 1, "core": 2, "cuda": 3, "opencl": 3, "hsa": 3, "cuda_driver": 4, "guest": 5}
NO_API = {"core"}
API_WORD = re.compile(r"\b_*(cuda[A-Z]\w*|cuda_\w+|duet_unsupported|cu[A-Z]\w*|CU[a-z]\w*|CUDA_\w+|cl[A-Z]\w*|CL_\w+)")
# The driver interface is no user of the runtime interface: it calls none of its functions.
NO_CALL = {"cuda_driver": re.compile(r"\bcuda(?!Error_t)[A-Z]\w*\(")}
# The command line names what it starts.
EXCEPT = {"cli/main.cpp", "cli/subcommands.cpp"}
# What stands on base/ alone, and is used by the command line as well: `duet cc k.cl`, `duet hsacc k.cl`.
OF_RUNTIME = {"cli": ("opencl/compiler/", "hsa/code_object/")}


def folder_of(room, path):
    """The folder of FOLDERS in which a file of a room lies."""
    return path.parts[1] if len(path.parts) > 2 else "."


def rank_in_room(folders, path):
    """The rank of a file among the folders of its room; above all where its folder has none."""
    return folders.get("/".join(path.parts[1:]), folders.get(folder_of(path.parts[0], path), 99))


def violations(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        file = path.relative_to(root / "src")
        room = file.parts[0]
        folders = FOLDERS.get(room)
        if room not in RANK:
            yield f"src/{file}: room '{room}' is not in the house"
            continue
        if folders and folder_of(room, file) not in folders:
            yield f"src/{file}: folder '{folder_of(room, file)}' has no rank in {room}/"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#include "([a-z0-9_]+/[^"]+)"', line)
            if not match:
                continue
            other = pathlib.PurePath(match[1])
            if other.parts[0] != room:
                if str(other).startswith(OF_RUNTIME.get(room, "/")):
                    continue
                if RANK.get(other.parts[0], RANK[room]) >= RANK[room]:
                    yield f"src/{file}:{number}: {room}/ must not include {other.parts[0]}/"
            elif folders and str(file) not in EXCEPT:
                if rank_in_room(folders, other) > rank_in_room(folders, file):
                    yield f"src/{file}:{number}: {room}/{folder_of(room, file)} must not include {other}"


def runtime_violations(root):
    for path in sorted((root / "runtime").rglob("*")):
        file = path.relative_to(root / "runtime")
        room = file.parts[0]
        if path.suffix not in (".h", ".cpp") or file.parts[:2] == ("cuda", "include") or file.parts[:2] == ("guest", "library"):
            continue
        if room not in RUNTIME_RANK:
            yield f"runtime/{file}: room '{room}' is not in the house"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#include "([a-z0-9_]+)/', line)
            if match and match[1] != room and RUNTIME_RANK.get(match[1], -1) >= RUNTIME_RANK[room]:
                yield f"runtime/{file}:{number}: {room}/ must not include {match[1]}/"
            if room in NO_API and (word := API_WORD.search(line)):
                yield f"runtime/{file}:{number}: {room}/ knows no API: {word[0]}"
            if room in NO_CALL and (call := NO_CALL[room].search(line)):
                yield f"runtime/{file}:{number}: {room}/ must not call {call[0]})"


def self_test():
    """A tree with one include a file: those that point up are found, and no other one."""
    seeds = {"sim/up.cpp": "gpu/sm/sm.h", "gpu/sm/down.cpp": "sim/engine.h", "memory/beside.cpp": "ptx/kernel.h",
             "machine/rules/up.cpp": "machine/build/board.h", "machine/build/down.cpp": "machine/rules/policies.h",
             "machine/host/up.cpp": "machine/system.h", "machine/watch/up.cpp": "machine/process.h", "machine/system.cpp": "machine/watch/standstill.h",
             "machine/process.cpp": "machine/features.h", "machine/system.h": "machine/features.h", "report/json/up.cpp": "report/pages/page.h",
             "machine/new_folder/file.cpp": "base/units.h", "new_room/file.cpp": "base/units.h",
             "cli/compile/down.cpp": "opencl/compiler/compiler.h", "cli/compile/up.cpp": "opencl/api/entries.h"}
    wanted = {"sim/up.cpp", "memory/beside.cpp", "machine/rules/up.cpp", "machine/host/up.cpp", "machine/watch/up.cpp", "machine/system.h", "report/json/up.cpp",
              "machine/new_folder/file.cpp", "new_room/file.cpp", "cli/compile/up.cpp"}
    runtime_seeds = {"core/up.cpp": '#include "cuda/session/session.h"', "core/type.cpp": "cudaError_t error;", "core/handle.h": "struct CUstream_st;",
                     "core/comment.h": "// As clFinish does.", "core/down.cpp": '#include "process/program.h"', "core/words.h": "// CUDA's rules; cudart",
                     "process/up.h": '#include "core/status.h"', "cuda/down.cpp": '#include "core/status.h"', "cuda/name.cpp": "cudaError_t error;",
                     "cuda_driver/call.cpp": "return cudaFree(pointer);", "cuda_driver/name.cpp": "DUET_PER_THREAD(cudaFree, _ptsz)",
                     "cuda/up.cpp": '#include "cuda_driver/driver_api.h"', "new_api/file.cpp": '#include "core/status.h"'}
    wanted |= {"runtime/" + name for name in ("core/up.cpp", "core/type.cpp", "core/handle.h", "core/comment.h", "process/up.h", "cuda/up.cpp", "cuda_driver/call.cpp", "new_api/file.cpp")}
    with tempfile.TemporaryDirectory() as folder:
        for name, include in seeds.items():
            file = pathlib.Path(folder) / "src" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'#include "{include}"\n')
        for name, line in runtime_seeds.items():
            file = pathlib.Path(folder) / "runtime" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(line + "\n")
        found = {re.match(r"src/([^:]+):", line)[1] for line in violations(pathlib.Path(folder))}
        found |= {re.match(r"(runtime/[^:]+):", line)[1] for line in runtime_violations(pathlib.Path(folder))}
    for name in sorted(found ^ wanted):
        print(f"{name}: {'found, and is right' if name in found else 'not found'}")
    return 1 if found != wanted else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    found = [*violations(root), *runtime_violations(root)]
    print("\n".join([*found, f"{len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
