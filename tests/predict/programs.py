#!/usr/bin/env python3
"""How far `duet predict` is from the simulator, and both from a real GPU: kernels of programs that others wrote, on several machines.

Usage: programs.py --corpus DIR [--duet PATH] [--work DIR] [--group looked_at|held_out|workloads ...] [--machine NAME ...]
                           [--only NAME ...] [--timeout SECONDS] [--json FILE] [--timed] [--sampled] [--real FILE]
       programs.py --corpus DIR --read FILE ... [--real FILE]       the tables of what --json wrote before
       programs.py --corpus DIR --read FILE ... --calibrate         the table of src/predict/interval.cpp, from looked_at
       programs.py --corpus DIR --draw      prints what the rule of held_out.toml draws

DIR holds the checkouts of ../judges/other_programs.toml. Groups: looked_at is the list of that file; held_out the one of held_out.toml,
drawn before the model was compared with anything; workloads are Duet's own. A run in time that takes more than SECONDS is cut off, and the
kernels that it has completed are compared; one that fails is left out. Runs in time are kept in the work folder, by machine and program; --timed makes only them.
Beside the prediction stand a roofline and Hong and Kim's model (src/predict/other_models.h). --real is what ../real_gpu/record.py recorded: the first
launches of each kernel name there, beside as many here on h100. --calibrate: split conformal prediction (Lei et al., JASA 2018) by what bounds a kernel.
Speed is of whole processes. What a run in time that was cut off would take is estimated, low, from the time of the kernels that it completed and of one more, where the
prediction came to the program's end. It is said with and without the program's own time, which both take alike. --sampled: the predictions are
`duet predict --sampled`.
Without DIR or nvcc one line says so and the exit status is 77.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "judges"))
import other_programs  # noqa: E402

MACHINES = ["gtx580", "gtx480", "h100", "gh200-shared"]


def draw(corpus: pathlib.Path) -> list[dict]:
    """The candidates of each suite of held_out.toml, in the order in which they are tried."""
    rule = tomllib.loads((ROOT / "tests/judges/other_programs.toml").read_text())
    held = tomllib.loads((HERE / "held_out.toml").read_text())
    listed = {(p["suite"], p["name"]) for p in rule["program"]}
    found = []
    for own in held["suite"]:
        suite = next(s for s in rule["suite"] if s["name"] == own["name"])
        eligible, _, _ = other_programs.draw(rule, suite, corpus)
        eligible = [name for name in eligible if (own["name"], name) not in listed]
        count = min(own["share"], len(eligible))
        for i in range(count):
            first = (2 * i + 1) * len(eligible) // (2 * count)
            found.append({"suite": own["name"], "first": eligible[first], "then": eligible[first + 1:first + 5]})
    return found


def arguments_of(folder: pathlib.Path) -> list[str]:
    """What the Makefile's `run` gives the program."""
    makefile = folder / "Makefile"
    if not makefile.exists():
        return []
    found = re.search(r"^run:.*\n\t(?:\$\(LAUNCHER\) *)?\./\S+ *(.*)$", makefile.read_text(errors="replace"), re.M)
    return found.group(1).split() if found else []


def build_drawn(suite: dict, name: str, corpus: pathlib.Path, work: pathlib.Path) -> tuple[pathlib.Path | None, list[str], str]:
    path = dict(other_programs.programs_of(suite, corpus))[name]
    folder = work / suite["name"] / name
    if not folder.exists():
        shutil.copytree(path, folder)
    binary = folder / "held_out.bin"
    words = arguments_of(folder)
    if binary.exists():
        return binary, words, ""
    places = {"suite": str(corpus / suite["checkout"]), "program": str(folder), "origin": str(path), "judges": ""}
    flags = [other_programs.fill(f, places) for f in suite.get("flags", [])]
    sources = [str(p.relative_to(folder)) for p in sorted(folder.glob("*")) if p.suffix in (".cu", ".cpp", ".c", ".cc")]
    command = other_programs.command_of_nvcc(sources, flags, binary)[0]
    try:
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, words, "the compiler takes more than 300 s"
    if made.returncode != 0:
        return None, words, next((line for line in (made.stdout + made.stderr).splitlines() if "error" in line), "the compiler fails")[:160]
    return binary, words, ""


def programs(arguments: argparse.Namespace) -> list[dict]:
    rule = tomllib.loads((ROOT / "tests/judges/other_programs.toml").read_text())
    by_name = {s["name"]: s for s in rule["suite"]}
    found = []
    if "looked_at" in arguments.group:
        options = argparse.Namespace(compiler="nvcc", duet=arguments.duet, host="native")
        for program in rule["program"]:
            if arguments.only and program["name"] not in arguments.only:
                continue
            binary, places, problem = other_programs.build(program, by_name[program["suite"]], arguments.corpus, arguments.work, options)
            if problem == "":
                words = [other_programs.fill(word, places) for word in program.get("arguments", [])]
                found.append({"group": "looked_at", "name": f"{program['suite']}/{program['name']}", "command": [str(binary), *words], "folder": binary.parent})
    if "held_out" in arguments.group:
        for program in tomllib.loads((HERE / "held_out.toml").read_text()).get("program", []):
            if arguments.only and program["name"] not in arguments.only:
                continue
            binary, words, problem = build_drawn(by_name[program["suite"]], program["name"], arguments.corpus, arguments.work / "held_out")
            if binary is not None:
                found.append({"group": "held_out", "name": f"{program['suite']}/{program['name']}", "command": [str(binary), *program.get("arguments", words)], "folder": binary.parent})
    if "workloads" in arguments.group:
        folder = arguments.work / "workloads"
        folder.mkdir(parents=True, exist_ok=True)
        for source in sorted([*(ROOT / "workloads/lustig2013").glob("*.cu"), *(ROOT / "workloads/demo").glob("*.cu")]):
            if arguments.only and source.stem not in arguments.only:
                continue
            binary = folder / source.stem
            if not binary.exists():
                subprocess.run([arguments.duet, "cc", "-O2", str(source), "-o", str(binary)], check=True)
            found.append({"group": "workloads", "name": f"duet/{source.stem}", "command": [str(binary)], "folder": folder})
    return found


def run(arguments: argparse.Namespace, program: dict, machine: str, predict: bool) -> dict | None:
    """Kernels by command number, with their time."""
    out = arguments.work / "results" / machine / (program["name"].replace("/", "-") + ("-predicted" if predict else "-timed"))
    kept = out.with_suffix(".json")
    if kept.exists() and not predict:
        return json.loads(kept.read_text())
    shutil.rmtree(out, ignore_errors=True)
    words = [arguments.duet, *(["predict", *(["--sampled"] if arguments.sampled else [])] if predict else ["run"]), "--quiet", "--no-html", "--trace-detail", "none", "--records", "20000",
             "--machine", machine, "--timeout", str(arguments.timeout), "--out", str(out), *program["command"]]
    began = time.monotonic()
    ran = subprocess.run(words, cwd=program["folder"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace")
    seconds = time.monotonic() - began
    kernels, instructions, simulated, others, bounds, longest, own = [], 0, 0, {}, {}, 0, 0
    for stats in sorted(out.rglob("stats.json")):
        found = json.loads(stats.read_text())
        simulated += found["simulated_seconds"]
        instructions += found["totals"]["warp_instructions"]
        kernels += [[k["command"], k["name"], (k["end_ps"] - k["start_ps"]) / 1e6, k["warp_instructions"]] for k in found["kernels"] if k["complete"]]
    for prediction in sorted(out.rglob("prediction.json")):
        found = json.loads(prediction.read_text())
        own += found.get("program_seconds", 0)
        for kernel in found["kernels"]:
            sums = others.setdefault(kernel["name"], [0.0, 0.0, 0.0])
            for i, name in enumerate(["time_us", "roofline_us", "hong_kim_us"]):
                sums[i] += kernel[name]
            low, high = kernel.get("interval_us", [0, 0])
            share = max(kernel["time_us"], 1e-9)
            longest = max(longest, kernel["time_us"] / kernel["launches"])
            bounds[kernel["name"]] = [kernel["bound"], len(kernel["doubts"]), low / share, high / share]
    result = {"longest_us": longest, "own_seconds": own, "others": others, "bounds": bounds, "status": ran.returncode, "kernels": kernels, "instructions": instructions, "simulated_us": simulated * 1e6, "seconds": seconds,
              "said": [line for line in ran.stderr.splitlines() if "duet:" in line][:2]}
    shutil.rmtree(out, ignore_errors=True)
    if not predict:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(result))
    return result


def ranks(values: list[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2
        i = j + 1
    return result


def rank_correlation(a: list[float], b: list[float]) -> float:
    """Spearman's."""
    if len(a) < 2:
        return math.nan
    x, y = ranks(a), ranks(b)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    top = sum((p - mx) * (q - my) for p, q in zip(x, y))
    bottom = math.sqrt(sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y))
    return top / bottom if bottom else math.nan


def summary(errors: list[float]) -> str:
    if not errors:
        return "none"
    sorted_errors = sorted(abs(e) for e in errors)
    at = lambda share: sorted_errors[min(len(sorted_errors) - 1, int(share * len(sorted_errors)))]
    return (f"{len(errors)}: mean {100 * sum(sorted_errors) / len(sorted_errors):.1f} %, median {100 * at(0.5):.1f} %, "
            f"p90 {100 * at(0.9):.1f} %, worst {100 * sorted_errors[-1]:.1f} %, mean of the signed {100 * sum(errors) / len(errors):+.1f} %")


def errors_of(rows: list[dict], index: int) -> list[float]:
    """Of kernels by name; index 2: the prediction, 3: the roofline, 4: Hong and Kim."""
    return [sums[index] / sums[1] - 1 for row in rows for sums in row["kernels"].values() if sums[1] > 0 and sums[index] > 0]


def correlation_of(rows: list[dict], index: int) -> float:
    pairs = [(sums[1], sums[index]) for row in rows for sums in row["kernels"].values() if sums[index] > 0]
    return rank_correlation([a for a, _ in pairs], [b for _, b in pairs])


CONFIDENCE = 0.9
LEAST = 30  # kernels of a class; with fewer it has that of all


def ratios(rows: list[dict]) -> list[tuple]:
    """Of each kernel of a program and machine: what bounds it, its doubts, the simulator's time over the predicted one."""
    return [(*row["bounds"][name][:2], sums[1] / sums[2]) for row in rows for name, sums in row["kernels"].items() if sums[1] > 0 and sums[2] > 0 and name in row["bounds"]]


def quantiles(values: list[float]) -> tuple[float, float]:
    """Between which a further one is with CONFIDENCE, half of the rest on either side."""
    values, n = sorted(values), len(values)
    rank = math.ceil((n + 1) * (1 - (1 - CONFIDENCE) / 2))
    return values[max(n - rank, 0)], values[min(rank, n) - 1]


def calibrate(rows: list[dict]) -> None:
    found = ratios([row for row in rows if row["group"] == "looked_at"])
    classes = {}
    for bound, doubts, ratio in found:
        classes.setdefault("doubts" if doubts else bound, []).append(ratio)
    sure = [ratio for _, doubts, ratio in found if not doubts]
    every = sorted(ratio for *_, ratio in found)
    print(f'    {{"doubts", {len(every)}, {every[0]:.2f}, {every[-1]:.2f}}},  // the furthest of all: there are too few of them')
    for name, values in sorted(classes.items(), key=lambda item: -len(item[1])):
        if len(values) >= LEAST and name != "doubts":
            print(f'    {{"{name}", {len(values)}, {quantiles(values)[0]:.2f}, {quantiles(values)[1]:.2f}}},')
    print(f'    {{"", {len(sure)}, {quantiles(sure)[0]:.2f}, {quantiles(sure)[1]:.2f}}},  // all without doubts')


def within(rows: list[dict]) -> str:
    """The share of kernels whose time in the simulator lies in the interval that was given."""
    found = [row["bounds"][name][2] <= sums[1] / sums[2] <= row["bounds"][name][3] for row in rows for name, sums in row["kernels"].items()
             if sums[1] > 0 and sums[2] > 0 and row.get("bounds", {}).get(name, [0, 0, 0, 0])[3] > 0]
    return f"{100 * sum(found) / len(found):.0f} % of {len(found)}" if found else "none"


LENGTHS = [(0.1, 1), (1, 10), (10, 100), (100, 1000), (1000, math.inf)]  # seconds of a run in time


def speed(rows: list[dict]) -> None:
    """How many times less the prediction takes than the run in time, by how long that takes."""
    found = []
    for row in rows:
        if row["predicted_status"] == 124:
            continue
        share = max(row["all_us"] / (row["timed_us"] + row["longest_us"]), 1.0) if row["cut"] else 1.0
        timed, predicted, own = row["timed_seconds"] * share, row["predicted_seconds"], row["own_seconds"]
        found.append((timed, timed / predicted, max(timed - own, 0.01) / max(predicted - own, 0.01), row["cut"], row["program"]))
    mean = lambda values: math.exp(sum(math.log(v) for v in values) / len(values))
    for low, high in LENGTHS:
        mine = [row for row in found if low <= row[0] < high]
        if mine:
            print(f"    runs in time of {low} to {high} s: {len(mine)}, {sum(row[3] for row in mine)} of them estimated; the prediction takes {mean([r[1] for r in mine]):.1f} times less "
                  f"({min(r[1] for r in mine):.1f} to {max(r[1] for r in mine):.1f}), without the program's own time {mean([r[2] for r in mine]):.1f}")


def tables(rows: list[dict], arguments: argparse.Namespace) -> None:
    models = [("predict", 2), ("roofline", 3), ("Hong-Kim", 4)]
    for group in dict.fromkeys(row["group"] for row in rows):
        for machine in dict.fromkeys(row["machine"] for row in rows):
            mine = [r for r in rows if r["group"] == group and r["machine"] == machine]
            if not mine:
                continue
            print(f"{group} {machine}: programs {summary([r['predicted_us'] / r['timed_us'] - 1 for r in mine])}")
            print(f"    kernels within their interval: {within(mine)}")
            speed(mine)
            for name, index in models:
                print(f"    kernels, {name:8} {summary(errors_of(mine, index))}; rank correlation {correlation_of(mine, index):.3f}")
        # Which machine is the faster one, for each program that completed on several.
        by_program = {}
        for row in rows:
            if row["group"] == group and not row["cut"]:
                by_program.setdefault(row["program"], []).append(row)
        ranked = [(rank_correlation([r["timed_us"] for r in mine], [r["predicted_us"] for r in mine]), program)
                  for program, mine in by_program.items() if len(mine) == len(arguments.machine) > 1]
        if ranked:
            print(f"{group}: rank correlation of {len(arguments.machine)} machines, {len(ranked)} programs: mean {sum(r for r, _ in ranked) / len(ranked):.3f}, "
                  f"1 for {sum(r > 0.999 for r, _ in ranked)}, least {min(ranked)}")
    if arguments.real is None:
        return
    real = json.loads(arguments.real.read_text())
    found = {"simulator": [], "predict": [], "roofline": [], "Hong-Kim": []}
    for row in rows:
        if row["machine"] != "h100" or row["program"] not in real["programs"]:
            continue
        for name, times in real["programs"][row["program"]]["kernels"].items():
            sums, launches = row["kernels"].get(name), row["launches"].get(name, [])
            count = min(len(times), len(launches))
            if count == 0:
                continue
            there, here, guess = sum(times[:count]), sum(t for t, _ in launches[:count]), sum(p for _, p in launches[:count])
            label = f"{row['program']} {name}"
            found["simulator"].append((there, here, label))
            found["predict"].append((there, guess, label))
            for model, index in models[1:]:
                if sums[index] > 0:
                    found[model].append((there, sums[index] * guess / sums[2], label))
    print(f"beside a real {real['gpu']}:")
    for model, pairs in found.items():
        print(f"    {model:9} kernels {summary([b / a - 1 for a, b, _ in pairs])}; rank correlation {rank_correlation([a for a, _, _ in pairs], [b for _, b, _ in pairs]):.3f}")
    if arguments.kernels:
        for there, here, label in sorted(found["simulator"], key=lambda p: p[1] / p[0]):
            print(f"      {100 * (here / there - 1):+7.1f} %  {there:12.1f} us there  {label[:110]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("predict-work"))
    parser.add_argument("--group", nargs="*", default=["looked_at", "held_out", "workloads"])
    parser.add_argument("--machine", nargs="*", default=MACHINES)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--sampled", action="store_true")
    parser.add_argument("--kernels", action="store_true", help="a line for each kernel name too")
    parser.add_argument("--real", type=pathlib.Path)
    parser.add_argument("--read", type=pathlib.Path, nargs="*")
    parser.add_argument("--calibrate", action="store_true")
    arguments = parser.parse_args()
    if arguments.read and arguments.calibrate:
        calibrate([row for path in arguments.read for row in json.loads(path.read_text())])
        return 0
    if arguments.read:
        tables([row for path in arguments.read for row in json.loads(path.read_text())], arguments)
        return 0
    if not arguments.corpus.is_dir() or shutil.which("nvcc") is None:
        print(f"skipped: there is no {arguments.corpus}, or no nvcc")
        return 77
    arguments.corpus, arguments.work = arguments.corpus.resolve(), arguments.work.resolve()
    if os.sep in arguments.duet:
        arguments.duet = str(pathlib.Path(arguments.duet).resolve())
    if arguments.draw:
        for candidate in draw(arguments.corpus):
            print(candidate["suite"], candidate["first"], *candidate["then"])
        return 0
    rows = []
    for program in programs(arguments):
        for machine in arguments.machine:
            timed = run(arguments, program, machine, False)
            if arguments.timed:
                print(f"{program['name']:34} {machine:12} {timed['status']:4} {len(timed['kernels']):6} kernels {timed['seconds']:7.1f} s {timed['said']}", flush=True)
                continue
            if timed["status"] not in (0, 124):
                print(f"{program['name']:34} {machine:12} fails with status {timed['status']}: {timed['said']}", flush=True)
                continue
            if not timed["kernels"]:
                print(f"{program['name']:34} {machine:12} no kernels in time: {timed['said']}", flush=True)
                continue
            predicted = run(arguments, program, machine, True)
            times = {k[0]: k for k in predicted["kernels"]}
            pairs = [(k[1], k[2], times[k[0]][2]) for k in timed["kernels"] if k[0] in times and times[k[0]][1] == k[1]]
            if not pairs:
                print(f"{program['name']:34} {machine:12} nothing to compare: {predicted['said']}", flush=True)
                continue
            total, guess = sum(p[1] for p in pairs), sum(p[2] for p in pairs)
            by_name, launches = {}, {}
            for name, t, p in pairs:
                sums = by_name.setdefault(name, [0, 0.0, 0.0, 0.0, 0.0])
                sums[0] += 1
                sums[1] += t
                sums[2] += p
                if len(launches.setdefault(name, [])) < 200:
                    launches[name].append([t, p])
            for name, sums in by_name.items():
                whole_us, *others = predicted["others"].get(name, [0.0, 0.0, 0.0])
                for i, other in enumerate(others):
                    sums[3 + i] = other * sums[2] / whole_us if whole_us else 0.0
            rows.append({"program": program["name"], "group": program["group"], "machine": machine, "timed_us": total, "predicted_us": guess, "kernels": by_name, "launches": launches, "bounds": predicted["bounds"],
                         "timed_seconds": timed["seconds"], "predicted_seconds": predicted["seconds"], "cut": timed["status"] == 124,
                         "predicted_status": predicted["status"], "all_us": sum(sums[0] for sums in predicted["others"].values()), "longest_us": predicted["longest_us"], "own_seconds": predicted["own_seconds"],
                         "whole": None if timed["status"] == 124 else (timed["simulated_us"], predicted["simulated_us"])})
            whole = rows[-1]["whole"]
            print(f"{program['name']:34} {machine:12} {len(pairs):6} kernels {total:12.1f} us, predicted {guess:12.1f}: {100 * (guess / total - 1):+7.1f} %"
                  f"{'' if whole is None else f'; program {100 * (whole[1] / whole[0] - 1):+6.1f} %'}; {timed['seconds']:.1f} s, {predicted['seconds']:.1f} s", flush=True)
            if arguments.kernels:
                for name, (count, t, p, *_) in by_name.items():
                    print(f"      {name[:60]:60} x{count:5} {t:12.1f} {p:12.1f} {100 * (p / t - 1):+7.1f} %")
    tables(rows, arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
