#!/usr/bin/env python3
"""Records what a real GPU takes: kernels of programs that others wrote, and chains of dependent operations.

    record.py --pack --corpus DIR --work DIR --out pack.tar.xz     here: programs built, with their inputs, and CUPTI
    record.py --run pack.tar.xz --out h100.json                    on the machine with the GPU; needs Python and gcc's run time only

Programs are those of ../predict/programs.py (looked_at and held_out) and streams.cu, built by nvcc for sm_75, with PTX: the driver compiles it for
its GPU. Each runs ROUNDS times with CUPTI injected (kernel_times.c). Of each kernel name the first MOST launches of a run count; a launch's time is the
median over the runs. Chains are those of ../probes/kernels.py, measured as ../probes/run.py does it, by %clock.
Programs of MEASURED print what they find, a line each. beside.py runs them on a simulated GPU.
What --run writes is tests/golden/h100.json; ../predict/programs.py --real compares with it.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, MOST, SECONDS = 3, 200, 10
MOST_BYTES = 24 << 20    # of one input file
# Name and what the compiler needs besides.
MEASURED = {"device_launches": ["-rdc=true", "-lcudadevrt"], "device_heap": [], "shared": [], "widths": []}
SOURCES = {".cu", ".cuh", ".cpp", ".c", ".cc", ".h", ".hpp", ".o", ".md", ".png", ".jpg", ".pdf", ".docx"}


def build_measured(name, folder):
    program = folder / name
    subprocess.run(["nvcc", "-cudart", "shared", "-gencode", "arch=compute_75,code=compute_75", "-gencode", "arch=compute_90,code=sm_90", "-O2", "-w",
                    str(HERE / f"{name}.cu"), *MEASURED[name], "-o", str(program)], check=True)
    return program


def values_of(text):
    lines = [line.rsplit(": ", 1) for line in text.splitlines() if ": " in line]
    return {what: float(value) for what, value in lines}


def pack(arguments):
    sys.path.insert(0, str(HERE.parent / "predict"))
    import programs
    options = argparse.Namespace(corpus=arguments.corpus.resolve(), work=arguments.work.resolve(), group=["looked_at", "held_out"], only=[], duet="duet")
    library = arguments.cuda / "lib64" if (arguments.cuda / "lib64/libcupti.so.13").exists() else arguments.cuda / "lib"
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "pack"
        root.mkdir()
        listed = []
        streams = root / "duet-streams"
        streams.mkdir()
        subprocess.run(["nvcc", "-cudart", "shared", "-arch=sm_75", "-O2", str(HERE / "streams.cu"), "-o", str(streams / "streams")], check=True)
        listed.append({"name": "duet/streams", "command": ["./streams"], "folder": "duet-streams"})
        for name in MEASURED:
            build_measured(name, root)
        for program in programs.programs(options):
            folder = pathlib.Path(program["folder"])
            name = program["name"].replace("/", "-")
            # What it reads lies in its folder, or beside it.
            top = folder
            while top.parent.parent != options.work and top.parent.parent != options.work / "held_out" and top != top.parent:
                top = top.parent
            for path in top.rglob("*"):
                if not path.is_file() or path.suffix in SOURCES or path.stat().st_size > MOST_BYTES or "duet-results" in path.parts:
                    continue
                to = root / name / path.relative_to(top)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, to)
            words = [word.replace(str(top), "{top}") for word in program["command"]]
            listed.append({"name": program["name"], "command": words, "folder": str(pathlib.Path(name) / folder.relative_to(top))})
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-I", str(arguments.cuda / "include"), str(HERE / "kernel_times.c"), "-o", str(root / "kernel_times.so"),
                        str(library / "libcupti.so.13")], check=True)
        for name in ["libcupti.so.13", "libcudart.so.13"]:
            shutil.copy2(library / name, root / name)
        shutil.copy2(HERE.parent / "probes/kernels.py", root / "kernels.py")
        (root / "programs.json").write_text(json.dumps(listed, indent=1))
        with tarfile.open(arguments.out, "w:xz") as tar:
            tar.add(root, "pack")
    print(f"{len(listed)} programs, {arguments.out.stat().st_size >> 20} MiB")


def times_of(path):
    """Times in us of the first launches of each name, in the order in which they began."""
    launches = []
    for line in path.read_text(errors="replace").splitlines():
        words = line.split(" ", 7)
        launches.append((int(words[0]), int(words[1]), words[7]))
    found = {}
    for start, end, name in sorted(launches):
        mine = found.setdefault(name, [])
        if len(mine) < MOST:
            mine.append((end - start) / 1000)
    return found


def run_program(program, root):
    folder = root / program["folder"]
    top = root / pathlib.Path(program["folder"]).parts[0]
    command = [word.replace("{top}", str(top)) for word in program["command"]]
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{root}:{os.environ.get('LD_LIBRARY_PATH', '')}", "CUDA_INJECTION64_PATH": str(root / "kernel_times.so")}
    runs, status = [], None
    for round_ in range(ROUNDS):
        times = root / "times.txt"
        times.unlink(missing_ok=True)
        try:
            status = subprocess.run(command, cwd=folder, env={**environment, "KERNEL_TIMES": str(times)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, timeout=SECONDS).returncode
        except subprocess.TimeoutExpired:
            status = 124
        if status != 0 or not times.exists():
            break
        runs.append(times_of(times))
    kernels = {}
    for name in runs[0] if runs else []:
        lists = [run[name] for run in runs if name in run]
        kernels[name] = [round(statistics.median(values), 3) for values in zip(*lists)]
    return status, kernels


class Driver:
    """As much of the driver API as the chains need."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.name, self.version = name.value.decode(), version.value
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *words):
        status = getattr(self.cuda, name)(*words)
        if status != 0:
            raise RuntimeError(f"{name}: error {status}")

    def memory(self, size):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        self.call("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return pointer

    def cycles(self, kernels, ptx, memory, iterations, threads):
        """What the chain's thread 0 leaves in `out`, of the second launch."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx.replace("sm_20", "sm_75").replace(kernels.CONSTANT, "").encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"chain")
        out = self.memory(64)
        values = [out, memory, ctypes.c_uint32(iterations)]
        pointers = (ctypes.c_void_p * 3)(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        for _ in range(2):
            self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, pointers, None)
            self.call("cuCtxSynchronize")
        found = ctypes.c_uint32()
        self.call("cuMemcpyDtoH_v2", ctypes.byref(found), out, ctypes.c_size_t(4))
        self.call("cuMemFree_v2", out)
        self.call("cuModuleUnload", module)
        return found.value


# name: kernel of kernels.py, threads, lines of the ring. Left out: what NVIDIA's assembler makes shorter (sums, logic, reciprocals of reciprocals), and the
# constant that points to itself, which it refuses.
CHAINS = {
    "int mul": ("int mul", 1, 1), "int mad": ("int mad", 1, 1),
    "fp add": ("fp add", 1, 1), "fp fma": ("fp fma", 1, 1), "to integer and back": ("to integer and back", 1, 1),
    "double fma": ("double fma", 1, 1), "scaled root": ("scaled root", 1, 1),
    "shared load": ("shared load", 1, 1), "shared load, 32 words of a bank": ("shared load, one bank", 32, 1),
    "shared atomic, 32 lanes, one word": ("shared atomic", 32, 1), "L1 hit": ("L1 hit", 1, 1),
    "L2 hit, past L1": ("L2 hit", 1, 1), "L2 hit, through L1": ("L2 hit, through L1", 1, 1 << 13), "atomic": ("global atomic", 1, 1),
    "atomic, 32 lanes, one word": ("global atomic", 32, 1), "atomic, 32 lanes, 32 words": ("global atomic, a lane a word", 32, 1),
    "DRAM, through L1": ("L2 hit, through L1", 1, 1 << 20),
}


def chains(root):
    sys.path.insert(0, str(root))
    import kernels
    driver, found = Driver(), {}
    memory = driver.memory(128 << 20)
    for name, (kernel, threads, ring) in CHAINS.items():
        try:
            cells = {(length, often): driver.cycles(kernels, kernels.chain(kernel, length, ring), memory, often, threads) for length in (16, 48) for often in (4, 12)}
            found[name] = round((cells[48, 12] - cells[48, 4] - cells[16, 12] + cells[16, 4]) / 256, 2)
        except RuntimeError as why:
            found[name] = None
            print(f"{name}: {why}", file=sys.stderr)
    return {"gpu": driver.name, "cuda": driver.version}, found


def run(arguments):
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(arguments.run) as tar:
            tar.extractall(temporary, filter="fully_trusted")
        root = pathlib.Path(temporary) / "pack"
        result = {"programs": {}}

        def keep():
            programs = ",\n".join(
                f"  {json.dumps(name)}: {{\"kernels\": {{\n" + ",\n".join(f"   {json.dumps(kernel)}: {json.dumps(times)}" for kernel, times in found["kernels"].items()) + "\n  }}"
                for name, found in sorted(result["programs"].items()))
            head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in sorted(result.items()) if key not in ("programs", "measured"))
            measured = ",\n".join(f"  {json.dumps(name)}: {{\n" + ",\n".join(f"   {json.dumps(what)}: {value:g}" for what, value in found.items()) + "\n  }"
                                  for name, found in result["measured"].items())
            head += ' "measured": {\n' + measured + "\n },\n"
            arguments.out.write_text("{\n" + head + ' "programs": {\n' + programs + "\n }\n}\n")

        about, result["chains"] = chains(root)
        environment = {**os.environ, "LD_LIBRARY_PATH": f"{root}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        result["measured"] = {name: values_of(subprocess.run([root / name], env=environment, capture_output=True, text=True, check=True).stdout) for name in MEASURED}
        asked = ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm,clocks.max.mem", "--format=csv,noheader,nounits"]
        driver, sm, memory = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip().split(", ")
        result |= {**about, "driver": driver, "most_sm_mhz": int(sm), "most_memory_mhz": int(memory), "rounds": ROUNDS, "most_launches": MOST}
        keep()
        print(f"chains: {time.monotonic() - began:.0f} s: {result['chains']}", flush=True)
        for program in json.loads((root / "programs.json").read_text()):
            if time.monotonic() - began > arguments.seconds:
                print("out of time", flush=True)
                break
            status, kernels = run_program(program, root)
            print(f"{time.monotonic() - began:5.0f} s {program['name']:36} {status} {len(kernels)} kernels", flush=True)
            if status == 0 and kernels:
                result["programs"][program["name"]] = {"kernels": kernels}
            keep()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", action="store_true")
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--cuda", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=1e9, help="no program is begun later")
    arguments = parser.parse_args()
    pack(arguments) if arguments.pack else run(arguments)


if __name__ == "__main__":
    main()
