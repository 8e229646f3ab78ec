#!/usr/bin/env python3
"""Programs with one known flaw each: does the advice name it first, and does the fix save what it says?

Usage: flaws.py [--duet PATH] [--held-out] [--machines gtx580,h100] [--only NAME ..] [--write FILE] [--expect FILE]

The programs are those of flaws.cu, at hand when the rules were made, or with --held-out those of held_out.cu, written without a look at
the rules. Of its last three nothing is to be named.

Each program is run with its flaw, advised (`duet advise`), and run without it. A table on the terminal, a row for each machine and flaw:

  rule       of docs/reference/advice-rules.md that names the flaw
  rank       of that rule: in the run's own list, and in that of `duet advise`; no: it is in neither
  predicted  what `duet advise` says that the change saves: measured on a changed machine (m), or estimated (e)
  saved      the run with the flaw less the run without it

--write FILE keeps the rows as data of a page (docs/results/render.py), beside what it has of other flaws and machines. --expect FILE reads such a table: exit status 1 where a rank is
worse now, or items add up to more than the run.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# The rule that names each flaw.
RULES = {
    "uncoalesced": "uncoalesced", "array_of_structs": "uncoalesced", "bank_conflicts": "bank_conflicts", "atomics": "atomics",
    "l2": "l2_thrash", "constant_memory": "constant_reads", "local_memory": "local_memory", "managed_memory": "host_memory",
    "mapped_memory": "host_memory", "doubles": "double_precision", "registers": "occupancy", "shared_memory": "occupancy",
    "block_size": "occupancy", "partial_warps": "partial_warps", "divergence": "divergence", "barriers": "barriers", "tail": "tail",
    "small_grid": "small_grid", "pageable": "pageable_copies", "tiny_copies": "small_copies", "no_overlap": "overlap",
    "issue_order": "issue_order", "serial_kernels": "serial_kernels", "launch_bound": "launch_bound",
    "synchronization": "synchronization", "malloc_in_loop": "allocations",
}
HELD_OUT = {
    "heat_rows": "uncoalesced", "iir_shared": "bank_conflicts", "video_pageable": "pageable_copies", "ragged_upload": "small_copies",
    "tiles_one_stream": "overlap", "depth_first": "issue_order", "row_softmax": "launch_bound", "cell_walk": "occupancy",
    "cell_force": "occupancy", "resample": "occupancy", "materials": "divergence", "monte_carlo": "atomics", "spmv_long_row": "tail",
    "slices_wave": "tail", "nbody_small": "small_grid", "thresholds": "l2_thrash", "string_sync": "synchronization",
    "sobel_block32": "occupancy", "matrix5": "occupancy", "gamma_lut": "constant_reads", "particles_aos": "uncoalesced",
    "options_double": "double_precision", "sort16": "local_memory", "probe_managed": "host_memory", "filters_mapped": "host_memory",
    "blur_scratch": "allocations", "row_scan": "barriers", "channels_serial": "small_grid", "kmeans_reupload": "copied_again",
    "clean_triad": "nothing", "clean_compute": "nothing", "clean_stencil": "nothing",
}
COLUMNS = ["flaw", "machine", "rule", "rank: run, advise", "run, us", "predicted, us", "saved by the fix, us", "predicted / saved", "first where it is not"]


def run(duet, machine, program, flaw, which, folder):
    out = folder / f"{machine}-{flaw}-{which}"
    command = [duet, "run", "--quiet", "--no-html", "--machine", machine, "--out", out, program, flaw, which]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{machine} {flaw} {which}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return out, json.loads((out / "stats.json").read_text())


def rank(rule, items):
    return next((place for place, one in enumerate(items, 1) if one["rule"] == rule), None)


def value(one):
    return one.get("measured_ps", one["saves_ps"])


def measure(arguments, machine, program, flaw, folder):
    """One row as an object."""
    rule = (HELD_OUT if arguments.held_out else RULES)[flaw]
    out, stats = run(arguments.duet, machine, program, flaw, "bad", folder)
    subprocess.run([str(arguments.duet), "advise", str(out)], check=True, capture_output=True)
    items = json.loads((out / "advice.json").read_text())["advice"]
    _, good = run(arguments.duet, machine, program, flaw, "good", folder)
    whole = stats["account"]["time_ps"]
    return {"flaw": flaw, "machine": machine, "rule": rule, "rank_of_run": rank(rule, stats["advice"]), "rank": rank(rule, items),
            "item": next((one for one in items if one["rule"] == rule), None), "run_ps": whole,
            "saved_ps": whole - good["account"]["time_ps"], "items": [[one["rule"], value(one), one.get("at_most", False)] for one in items],
            "too_much": [name for name, list_of in (("run", stats["advice"]), ("advise", items)) if sum(map(value, list_of)) > whole]}


def cells(row):
    item, saved = row["item"], row["saved_ps"]
    predicted = f"{value(item) / 1e6:,.1f} {'m' if 'measured_ps' in item else 'e'}" if item else "-"
    ratio = f"{value(item) / saved:.2f}" if item and saved > 0 else "-"
    others = ", ".join(f"{rule} {'at most ' * at_most}{ps / 1e6:,.1f}" for rule, ps, at_most in row["items"] if rule != row["rule"])
    return [row["flaw"], row["machine"], f"`{row['rule']}`", f"{row['rank_of_run'] or 'no'}, {row['rank'] or 'no'}", f"{row['run_ps'] / 1e6:,.1f}",
            predicted, f"{saved / 1e6:,.1f}", ratio, "" if row["rank"] == 1 else others or "nothing"]


def write(path, rows):
    """Rows of other flaws and machines stay."""
    kept = {(row[0], row[1]): row for row in json.loads(path.read_text())["rows"]} if path.exists() else {}
    kept |= {(row[0], row[1]): row for row in rows}
    rows = sorted(kept.values(), key=lambda row: (row[1], [*RULES, *HELD_OUT].index(row[0])))
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=HERE, check=True, capture_output=True, text=True).stdout.strip()
    options = "--held-out " if "held-out" in path.name else ""
    data = {"command": f"tests/advise/flaws.py {options}--write docs/results/data/{path.name}", "commit": commit, "host": "any: times are simulated",
            "date": datetime.date.today().isoformat(), "columns": COLUMNS, "rows": rows}
    body = ",\n  ".join(json.dumps(row) for row in data.pop("rows"))
    path.write_text(json.dumps(data, indent=1)[:-2] + f',\n "rows": [\n  {body}\n ]\n}}\n')


def worse(before, now):
    """Ranks that are worse now than in a table."""
    known = {(row[0], row[1]): row[3] for row in before}
    place = lambda text: [99 if word == "no" else int(word) for word in text.split(", ")]
    return [f"{row[0]} on {row[1]}: rank {row[3]}, it was {known[row[0], row[1]]}"
            for row in now if (row[0], row[1]) in known and any(a > b for a, b in zip(place(row[3]), place(known[row[0], row[1]])))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="duet")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--machines", default="gtx580,h100")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--expect", type=pathlib.Path)
    arguments = parser.parse_args()
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        source = "held_out" if arguments.held_out else "flaws"
        program = folder / source
        subprocess.run([str(arguments.duet), "cc", "-O2", str(HERE / f"{source}.cu"), "-o", str(program)], check=True)
        print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
        for machine in arguments.machines.split(","):
            for flaw in arguments.only or (HELD_OUT if arguments.held_out else RULES):
                row = measure(arguments, machine, program, flaw, folder)
                problems += [f"{flaw} on {machine}: items of {name} add up to more than the run" for name in row["too_much"]]
                rows.append(cells(row))
                print("| " + " | ".join(rows[-1]) + " |", flush=True)
    if arguments.write:
        write(arguments.write, rows)
    if arguments.expect:
        problems += worse(json.loads(arguments.expect.read_text())["rows"], rows)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems and arguments.expect else 0


if __name__ == "__main__":
    sys.exit(main())
