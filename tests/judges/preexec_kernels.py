#!/usr/bin/env python3
"""What pre-execution (docs/use/preexec.md) does to kernels of programs that others wrote, those of other_programs.toml: a row a kernel.

    preexec_kernels.py --duet build/bin/duet --corpus DIR --out FILE.json          runs what was not run, writes rows, causes and the rule
    preexec_kernels.py ... --only nn hotspot --starts cold                         some programs, one start
    preexec_kernels.py --out FILE.json --table FILE.md                             only the table of the rows of FILE.json

Each program runs on --machine with --preexec off and adaptive; with a last level that always hits (level[0].perfect), about the most that
prefetching into it could gain; and without pre-execution but each launch 37 ns later, which shows how much of a gain is chance. `warm`: the
program as it is, all launches. `cold`: the first launch of each kernel, when no cache holds any of its data (preexec_cold_start.cu, linked
in). Runs are kept in --work by what they depend on (the simulator's and the program's bytes, options), so that a second call goes on where
the first ended. A run over --timeout ends there, and the launches that all its variants completed count. Outputs of off and adaptive are
compared: verdict, copies to the host, text. Exit status 1: outputs differ, 77: no corpus or no nvcc.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tomllib

import other_programs
import preexec_rows
import preexec_rule
import preexec_table

HERE = pathlib.Path(__file__).resolve().parent
# Not run: what nothing could be learnt from, or only in hours.
NOT_RUN = {
    "cdpBezierTessellation": "refused: device-side launch",
    "BusSpeedDownload": "it has no kernel",
    "md5hash": "its one launch has 1.6e8 warp instructions, which the time limit cuts",
    "simpleCudaGraphs": "launches of 4e6 warp instructions, which the time limit cuts",
}
COLD_LAUNCHES = 1
COUNTED = ("passed", "ran", "timeout")  # verdicts of runs whose kernels are rows
VARIANTS = {
    "off": ["--preexec=off"],
    "adaptive": ["--preexec=adaptive"],
    "perfect": ["--preexec=off", "--set=level[0].perfect=true"],
    "later": ["--preexec=off", "--set=driver.launch.driver_ns=37"],
}
# For kernels that do not fit an SM of 2011: fewer registers, as a compiler can be told with -maxrregcount, and an SM twice as large for blocks of 1024 threads.
TO_FIT = {
    "cudaErrorLaunchOutOfResources": ["--registers=16"],
    "cudaErrorInvalidConfiguration": [f"--set=gpu.sm.{key}" for key in ("max_threads_per_block=1024", "max_threads=1536", "max_warps=48", "registers=16384")],
}
NEWER = ["--set=gpu.compute_capability_major=9", "--set=gpu.compute_capability_minor=0"]  # for programs that ask what the GPU is
# Lines of outputs that tell times, which pre-execution is there to change, and what memory the process has.
TIMES = re.compile(r"(?i)memory usage|time|second|\b[mun]?s\b|[MG]B/s|GFLOP|GOPS|bandwidth|throughput|edges/s|rate|words/|elapsed|speed|latency|MPixels|clock")


def sha(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def with_cold_start(program: dict) -> dict:
    """The program with preexec_cold_start.cu linked in. Where its copies are recorded already, they are not hashed too."""
    recorded = any("other_programs_copies.c" in source for source in program["sources"])
    flags = [word for symbol in ("__cudaLaunchKernel", "cudaLaunchKernel") for word in ("-Xlinker", f"--wrap={symbol}")]
    flags += ["-DNO_COPIES"] if recorded else ["-Xlinker", "--wrap=cudaMemcpy"]
    return {**program, "sources": [*program["sources"], "{judges}/preexec_cold_start.cu"], "flags": [*program.get("flags", []), *flags]}


def run_once(program: dict, binary: pathlib.Path, places: dict, start: str, variant: str, arguments: argparse.Namespace) -> pathlib.Path:
    """The folder of the run's results, from an earlier call where it is the same run."""
    sets = [*VARIANTS[variant], *program.get("options", []), *(f"--set={s}" for s in arguments.set), *(NEWER if program.get("machine") == "h100" else [])]
    key = {"duet": arguments.duet_hash, "binary": sha(binary), "arguments": program.get("arguments", []), "machine": arguments.machine_hash,
           "sets": sets, "start": start, "cold_launches": COLD_LAUNCHES if start == "cold" else 0, "timeout": arguments.timeout}
    kept = arguments.work / "runs" / program["suite"] / program["name"] / "-".join([start, variant, *program.get("options", [])])
    if (kept / "key.json").exists() and json.loads((kept / "key.json").read_text()) == key:
        return kept
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for name in ("copies.bin", "copies.txt"):
        (binary.parent / name).unlink(missing_ok=True)
    os.environ["DUET_COLD_LAUNCHES"] = str(key["cold_launches"])
    os.environ["DUET_COPIES"] = "copies.txt"
    options = argparse.Namespace(native=False, host="native", machine=arguments.machine, duet=arguments.duet, timeout=arguments.timeout,
                                 option=sets)
    result = other_programs.run({k: v for k, v in program.items() if k != "machine"}, binary, places, options)
    result["copies"] = sha(binary.parent / "copies.bin") + sha(binary.parent / "copies.txt")
    shutil.copy(binary.parent / "duet-output.txt", kept / "output.txt")
    found = sorted((binary.parent / "duet-results").rglob("stats.json"))
    result["processes"] = len(found)
    for name in ("stats.json", "machine.toml"):
        if found:
            shutil.copy(found[-1].parent / name, kept / name)
    (kept / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    (kept / "key.json").write_text(json.dumps(key, indent=1) + "\n")
    print(f"{program['suite']}/{program['name']} {start} {variant}: {result['verdict']} {result['seconds']} s {result['why']}", flush=True)
    return kept


def text_without_times(folder: pathlib.Path) -> list[str]:
    """Lines that tell no time; neither does what follows a line such as "GPU time in seconds:"."""
    lines = (folder / "output.txt").read_text(errors="replace").splitlines()
    before = ["", *lines]
    return [line for above, line in zip(before, lines) if not TIMES.search(line) and not line.startswith("duet:")
            and not (TIMES.search(above) and above.rstrip().endswith(":"))]


def compare(folders: dict[str, pathlib.Path]) -> str:
    """"equal", "cut short" (a time limit), "follows the timing" (it differs without pre-execution too), or what differs."""
    results = {variant: json.loads((folder / "result.json").read_text()) for variant, folder in folders.items()}
    off, adaptive = results["off"], results["adaptive"]
    if "timeout" in (off["verdict"], adaptive["verdict"]):
        return "cut short"
    if off["verdict"] != adaptive["verdict"]:
        return f"verdicts differ: {off['verdict']}, {adaptive['verdict']}"
    if off["copies"] != adaptive["copies"]:
        others = [results[variant]["copies"] for variant in ("perfect", "later") if variant in results and results[variant]["verdict"] == off["verdict"]]
        return "follows the timing" if any(copies != off["copies"] for copies in others) else "copies to the host differ"
    first, second = text_without_times(folders["off"]), text_without_times(folders["adaptive"])
    different = [pair for pair in zip(first, second) if pair[0] != pair[1]]
    return f"output differs: {different[:1]}" if different or len(first) != len(second) else "equal"


def examine(program: dict, suite: dict, arguments: argparse.Namespace) -> dict:
    """Builds and runs a program in all variants; what came of it, with its rows."""
    label = {"program": f"{program['suite']}/{program['name']}", "arguments": program.get("arguments", []), "rows": []}
    if program["name"] in NOT_RUN:
        return {**label, "skipped": NOT_RUN[program["name"]]}
    built = with_cold_start(program)
    try:
        binary, places, problem = other_programs.build(built, suite, arguments.corpus, arguments.work, arguments)
    except (OSError, KeyError) as missing:
        return {**label, "skipped": f"not there: {missing}"}
    if problem:
        return {**label, "skipped": "not built: " + next((line for line in problem.splitlines() if "error" in line), problem[:200])}
    outputs = {}
    for _ in TO_FIT:
        said = " ".join(json.loads((run_once(built, binary, places, "warm", "off", arguments) / "result.json").read_text())["duet_said"])
        built["options"] = [*built.get("options", []), *(word for error, words in TO_FIT.items() if error in said for word in words)]
    label["options"] = built["options"]
    for start in arguments.starts:
        folders = {variant: run_once(built, binary, places, start, variant, arguments) for variant in VARIANTS if variant in arguments.variants}
        results = {v: json.loads((f / "result.json").read_text()) for v, f in folders.items()}
        outputs[start] = {"compared": compare(folders), "verdict": results["off"]["verdict"],
                          "why": results["off"]["why"], "seconds": {v: r["seconds"] for v, r in results.items()}}
        if all(r["verdict"] in COUNTED for r in results.values()) and all((folder / "stats.json").exists() for folder in folders.values()):
            label["rows"] += preexec_rows.rows(label["program"], start, folders)
    return {**label, "outputs": outputs}


def report(found: dict, arguments: argparse.Namespace) -> int:
    """Rule, summary, table; the exit status."""
    found["rules"] = preexec_rule.both(preexec_table.all_rows(found))
    arguments.out.write_text(json.dumps(found, indent=1) + "\n")
    if arguments.table:
        arguments.table.write_text(preexec_table.table(found))
    print(preexec_table.summary(found))
    different = [(p["program"], start, o["compared"]) for p in found["programs"] for start, o in p.get("outputs", {}).items()
                 if o["compared"] not in ("equal", "cut short", "follows the timing")]
    for program, start, what in different:
        print(f"{program} ({start}): {what}")
    return 1 if different else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--corpus", type=pathlib.Path, help="the folder of the checkouts; without it the rows of --out are judged anew")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--table", type=pathlib.Path, help="the rows as Markdown")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("preexec-kernels-work"))
    parser.add_argument("--machine", default="fused")
    parser.add_argument("--set", nargs="*", default=[], help="further keys of the machine, KEY=VALUE")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--starts", nargs="*", choices=["cold", "warm"], default=["cold", "warm"])
    parser.add_argument("--without-bound", action="store_const", dest="variants", const=["off", "adaptive", "later"], default=list(VARIANTS),
                        help="no run with a last level that always hits, and no causes")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each run")
    arguments = parser.parse_args()
    if arguments.corpus is None:
        return report(json.loads(arguments.out.read_text()), arguments)
    rule = tomllib.loads((HERE / "other_programs.toml").read_text())
    missing = [s["checkout"] for s in rule["suite"] if not (arguments.corpus / s["checkout"]).is_dir()]
    if missing or shutil.which("nvcc") is None:
        print(f"skipped: {arguments.corpus} lacks {', '.join(missing)}" if missing else "skipped: there is no nvcc")
        return 77
    arguments.corpus, arguments.work = arguments.corpus.resolve(), arguments.work.resolve()
    arguments.compiler, arguments.host = "nvcc", "native"
    duet = shutil.which(arguments.duet)
    if duet is None:
        parser.error(f"there is no {arguments.duet}")
    arguments.duet, arguments.duet_hash = str(pathlib.Path(duet).resolve()), sha(pathlib.Path(duet))
    arguments.machine_hash = arguments.machine
    if os.sep in arguments.machine:
        arguments.machine = str(pathlib.Path(arguments.machine).resolve())
        arguments.machine_hash = sha(pathlib.Path(arguments.machine))
    suites = {s["name"]: s for s in rule["suite"]}
    programs = [p for p in rule["program"] if not arguments.only or p["name"] in arguments.only]
    examined = [examine(program, suites[program["suite"]], arguments) for program in programs]
    return report({"machine": arguments.machine_hash, "set": arguments.set, "timeout": arguments.timeout, "programs": examined}, arguments)


if __name__ == "__main__":
    sys.exit(main())
