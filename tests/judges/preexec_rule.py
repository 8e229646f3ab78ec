#!/usr/bin/env python3
"""Whether to pre-execute a kernel at all, from what is known before it runs or early in it; and what such a rule is worth.

    learn(rows)           two conditions, from every second kernel: those that give it the largest mean gain
    judge(rows, rule)     on the other kernels: confusion, mean gain with the rule, always, never, and if one knew (oracle)
    preexec_rule.py --machines fused-2012.json mi300a.json --commit C --out docs/results/data/preexec-machines.json
                          the rule of docs/results/preexec-pays.md on the rows of several machines, of preexec_kernels.py
    preexec_rule.py duet-out/stats.json     what the rule of docs/results/preexec-kernels.md says of each kernel of a run without pre-execution on `fused`

Kernels are in the order of other_programs.toml and, in a program, of their first launches; the first, third, ... teach. Cold and warm rows
of a kernel are on the same side. A condition compares a feature with a quartile of the teaching rows, so that little can be fitted.
"""
import argparse
import datetime
import itertools
import json
import pathlib
import statistics

from preexec_rows import GAIN, duration, l3_reads, launches, outcome, readable

MISSES = "L3's misses of the GPU a us"
CHANNELS = "part of DRAM's channels in use"
PAYS = {"feature": CHANNELS, "at_least": False, "threshold": 1 / 3}  # docs/results/preexec-pays.md; chosen with its rows in view, 0.2 to 0.6 do as well
DECIDED = {"feature": MISSES, "at_least": False, "threshold": 45.0}  # docs/results/preexec-kernels.md; 45 lines a us are 15 % of what DRAM of fused moves

# Feature, whether it is known before the kernel runs (or early in it), and how it comes from a row.
FEATURES = {
    "share of accesses covered": ("before", lambda r: r["covered"] / r["accesses"] if r["accesses"] else 0),
    "occupancy": ("before", lambda r: r["occupancy"]),
    "blocks of a launch": ("before", lambda r: r["blocks"] / r["launches"]),
    "waves of blocks": ("before", lambda r: r["waves"]),
    "memory instructions an instruction": ("early", lambda r: r["memory_instructions_per_instruction"]),
    "requests a memory instruction": ("early", lambda r: r["requests_per_memory_instruction"]),
    MISSES: ("early", lambda r: r["l3_reads_missed"] / r["off_us"]),
    CHANNELS: ("machine", lambda r: r["channels_in_use"]),  # not learnt from rows of one machine
}


def split(rows: list[dict]) -> tuple[list[dict], list[dict]]:
    """Rows of every second kernel, and of the others."""
    order = list(dict.fromkeys((r["program"], r["kernel"]) for r in rows))
    place = {kernel: number for number, kernel in enumerate(order)}
    halves = ([], [])
    for row in rows:
        halves[place[row["program"], row["kernel"]] % 2].append(row)
    return halves


def holds(condition: dict, row: dict) -> bool:
    value = FEATURES[condition["feature"]][1](row)
    return value >= condition["threshold"] if condition["at_least"] else value < condition["threshold"]


def says_yes(rule: list[dict], row: dict) -> bool:
    return row["covered"] > 0 and all(holds(condition, row) for condition in rule)


def mean_gain(rule: list[dict], rows: list[dict]) -> float:
    """The mean gain of all rows, if those run ahead to which the rule says yes."""
    return statistics.fmean(r["gain"] if says_yes(rule, r) else 0 for r in rows) if rows else 0.0


def conditions(rows: list[dict], when: tuple[str, ...]) -> list[dict]:
    made = []
    for feature, (known, value) in FEATURES.items():
        if known in when:
            quartiles = sorted(set(statistics.quantiles([value(r) for r in rows], n=4)))
            made += [{"feature": feature, "at_least": side, "threshold": threshold} for threshold in quartiles for side in (True, False)]
    return made


def learn(rows: list[dict], when: tuple[str, ...] = ("before", "early")) -> list[dict]:
    """The best rule of at most two conditions; of equally good ones that of fewer, and the first."""
    if len(rows) < 4:
        return []
    known = conditions(rows, when)
    rules = [[], *([c] for c in known), *(list(pair) for pair in itertools.combinations(known, 2) if pair[0]["feature"] != pair[1]["feature"])]
    return max(rules, key=lambda rule: (round(mean_gain(rule, rows), 6), -len(rule)))


def in_words(rule: list[dict]) -> str:
    parts = [f"{c['feature']} {'at least' if c['at_least'] else 'below'} {c['threshold']:.3g}" for c in rule]
    return " and ".join(parts) or "always, where an access is covered"


def judge(rows: list[dict], rule: list[dict]) -> dict:
    table = {"yes": {"gains": 0, "none": 0, "hurt": 0}, "no": {"gains": 0, "none": 0, "hurt": 0}}
    for row in rows:
        table["yes" if says_yes(rule, row) else "no"][outcome(row)] += 1
    gains = [r["gain"] for r in rows]
    return {"rows": len(rows), "confusion": table, "with rule": mean_gain(rule, rows), "always": statistics.fmean(gains) if gains else 0.0, "never": 0.0,
            "oracle": statistics.fmean(max(0.0, g) for g in gains) if gains else 0.0}


def both(rows: list[dict]) -> dict:
    """The rule from what is known before a launch alone, and with what is known early; each learnt on one half, judged on both."""
    teach, test = split(rows)
    found = {}
    for name, when in (("before", ("before",)), ("before or early", ("before", "early"))):
        rule = learn(teach, when)
        found[name] = {"rule": rule, "words": in_words(rule), "taught": judge(teach, rule), "judged": judge(test, rule)}
    return found


def of_machine(name: str, rows: list[dict], rule: list[dict]) -> list[str]:
    """A row of the table: the sign is right where the rule says yes to a gain of over 2 %, or no to what gains less."""
    count = {what: sum(outcome(r) == what for r in rows) for what in ("gains", "none", "hurt")}
    right = sum(says_yes(rule, r) == (outcome(r) == "gains") for r in rows)
    return [name, str(len(rows)), f"{count['gains']}, {count['none']}, {count['hurt']}", f"{100 * statistics.fmean(r['gain'] for r in rows):+.1f}",
            f"{100 * statistics.median(r['gain'] for r in rows):+.1f}", str(sum(abs(r["chance"]) > GAIN for r in rows)), str(sum(says_yes(rule, r) for r in rows)),
            str(right), f"{100 * mean_gain(rule, rows):+.1f}"]


def machines(options: argparse.Namespace) -> None:
    """Of the kernels that all files have."""
    found = {path: json.loads(path.read_text()) for path in options.machines}
    rows = {path: [r for p in f["programs"] for r in p["rows"]] for path, f in found.items()}
    shared = set.intersection(*({(r["program"], r["kernel"], r["start"]) for r in own} for own in rows.values()))
    columns = ["", "kernels", "gain > 2 %, neither, hurt > 2 %", "mean gain, %", "median", "chance alone > 2 %", "the rule says yes", "its sign is right", "mean gain by it, %"]
    table = [of_machine(f"`{found[path]['machine']}`", [r for r in own if (r["program"], r["kernel"], r["start"]) in shared], [PAYS]) for path, own in rows.items()]
    for row in [columns, *table]:
        print("  ".join(row))
    if options.out:
        programs = " ".join(sorted({program.split("/")[1] for program, _, _ in shared}))
        options.out.write_text(json.dumps({"command": f"tests/judges/preexec_kernels.py --starts cold --without-bound --timeout 40 --machine M --only {programs}; "
                                                      "tests/judges/preexec_rule.py --machines",
                                           "commit": options.commit, "host": "any: simulated time does not depend on it", "date": datetime.date.today().isoformat(),
                                           "columns": columns, "rows": table}, indent=1) + "\n")


def of_run(stats: pathlib.Path) -> None:
    found = launches(json.loads(stats.read_text()), "warm")
    names = readable(list(found))
    for name, kernels in found.items():
        misses = l3_reads(kernels)["misses"] / (duration(kernels) / 1e6)
        print(f"{'ahead' if misses < DECIDED['threshold'] else 'alone'}  {misses:8.1f} misses a us  {len(kernels):6} launches  {names[name]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stats", nargs="?", type=pathlib.Path)
    parser.add_argument("--machines", nargs="+", type=pathlib.Path)
    parser.add_argument("--commit")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    if (options.stats is None) == (options.machines is None) or (options.out and not options.commit):
        parser.error("give stats.json, or --machines, with --commit for --out")
    if options.machines:
        machines(options)
    else:
        of_run(options.stats)


if __name__ == "__main__":
    main()
