#!/usr/bin/env python3
"""The tables of docs/results/dashti2017.md, from the scorecard.

    duet reproduce dashti2017 --work runs --controls --json score.json
    experiments/dashti2017/tables.py --commit 4d142d1b score.json && docs/results/render.py

--commit: the one whose Duet measured. A scorecard of `--only D-F11,D-F12,D-F13,D-F15,D-T2` gives the tables of dashti2017-kaveri.md, one without
these rows those of tk1, one with all both."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import scorecard  # noqa: E402
from scorecard import number  # noqa: E402

METHODS = ["default", "hostalloc", "managed", "sharedalloc"]
KAVERI = ("D-F11", "D-F12", "D-F13", "D-F15", "D-T2")


def bandwidth(score):
    """A row a size; a column an access, a side and a method."""
    points = score["figures"]["3"]
    columns = [(by, access, method) for access in ("write", "read") for by in ("cpu", "gpu") for method in ("default", "hostalloc")]
    sizes = sorted({point["bytes"] for point in points})
    rates = {(point["by"], point["access"], point["method"], point["bytes"]): point["gb_per_s"] for point in points}
    rows = [[f"{size // 1024}", *(number(rates.get((*column, size))) for column in columns)] for size in sizes]
    return ["KB", *(f"{access}s, {by}, {method}" for by, access, method in columns)], rows


def lines(score):
    """A row a number of threads, us."""
    points = {(p["method"], p["index"], p["entry_bytes"], p["threads"]): p["us"] for p in score["figures"]["5"]}
    kinds = sorted({key[:3] for key in points}, key=lambda kind: (kind[0], kind[1] == "first", kind[2]))
    rows = [[threads, *(number(points[(*kind, threads)]) for kind in kinds)] for threads in sorted({key[3] for key in points})]
    names = {("own", 8): "four a line", ("own", 32): "one a line", ("first", 8): "all on one"}
    return ["threads", *(f"{method}, {names[index, entry]}" for method, index, entry in kinds)], [[str(cell) for cell in row] for row in rows]


def in_l1(score):
    """A row a number of threads: hostalloc over managed, times."""
    us = {(p["method"], p["in_l1"], p["threads"]): p["us"] for p in score["figures"]["6"]}
    return ["threads", "L2 alone", "L1 and L2"], [[str(threads), *(number(us["hostalloc", l1, threads] / us["managed", l1, threads]) for l1 in (False, True))]
                                                  for threads in sorted({key[2] for key in us})]


def programs(score):
    """A row a program of Figure 4: default's us, and the other methods over it."""
    own = {(p["program"], p["method"]): p for p in score["figures"]["4"]}
    methods = ["hostalloc", "hostalloc-cache", "managed", "sharedalloc"]
    parts = ["kernel", "whole"]
    return ["program", *(column for part in parts for column in (f"{part} us", *methods))], [
        [name, *(cell for part in parts for cell in (number(own[name, "default"][f"{part}_us"]),
                                                     *(number(own[name, method][f"{part}_over_default"]) for method in methods)))]
        for name in dict.fromkeys(program for program, _ in own)]


def halves(score):
    own = {point["method"]: point["us"] for point in score["figures"]["7"]}
    return ["method", "ms", "sharedalloc is faster, times"], [[method, number(own[method] / 1000), number(own[method] / own["sharedalloc"])]
                                                              for method in METHODS]


def outside(score):
    """A row a number of accesses outside the lock, us."""
    return ["accesses outside", "hostalloc us", "sharedalloc us"], [[str(point["outside"]), number(point["hostalloc_us"]), number(point["sharedalloc_us"])]
                                                                    for point in score["figures"]["9"]]


def part(score, of_kaveri):
    """The scorecard with the rows of one machine."""
    return {**score, "machine": "kaveri" if of_kaveri else score["machine"], "rows": [row for row in score["rows"] if (row["id"] in KAVERI) == of_kaveri]}


def frameworks(score):
    """Figure 11: a row a size, GB/s."""
    rates = {(p["bytes"], p["method"]): p.get("gb_per_s") for p in score["figures"]["11"]}
    methods = list(dict.fromkeys(method for _, method in rates))
    return ["KB", *methods], [[f"{size // 1024}", *(number(rates[size, method]) for method in methods)] for size in sorted({key[0] for key in rates})]


def one_word(score):
    """Figure 12: a row a number of work-items, us."""
    times = {(p["threads"], p["method"]): p.get("us") for p in score["figures"]["12"]}
    methods = list(dict.fromkeys(method for _, method in times))
    return ["work-items", *methods], [[str(threads), *(number(times[threads, method]) for method in methods)] for threads in sorted({key[0] for key in times})]


def padding(score):
    """Figures 13 and 14: a row an entry's bytes, us."""
    times = {(p["entry_bytes"], p["every"], p["method"]): p.get("us") for p in score["figures"]["13"]}
    columns = list(dict.fromkeys((every, method) for _, every, method in times))
    names = {1: "all", 2: "every other"}
    return ["entry", *(f"{names[every]}, {method}" for every, method in columns)], [
        [str(entry), *(number(times[entry, *column]) for column in columns)] for entry in sorted({key[0] for key in times})]


def processor(score):
    """Table 2: a row a framework."""
    return ["method", "million loads a second", "interrupts a second"], [
        [p["method"], number(p["loads_per_s"] / 1e6), number(p["interrupts_per_s"])] for p in score["figures"]["table 2"]]


def applications(score):
    """Figure 15: a row a program and a method, us."""
    first = {}
    rows = []
    for p in score["figures"]["15"]:
        whole = first.setdefault(p["program"], p["whole_us"])
        rows.append([p["program"], p["method"], number(p["kernels_us"]), number(p["whole_us"]), number(p["whole_us"] / whole)])
    return ["program", "method", "kernels us", "whole us", "over cl-1.2"], rows


def choices(score):
    """What moves by more than a tenth."""
    rows = []
    for choice in score["choices"]:
        of, other = choice["value"], choice["alternative"]
        for experiment, values in of["values"].items():
            for quantity, value in values.items():
                if quantity.endswith("_less"):
                    continue  # of two that have rows of their own the lesser
                changed = other["values"].get(experiment, {}).get(quantity)
                if changed is not None and abs(changed - value) > 0.1 * abs(value):
                    rows.append([choice["question"], f"{experiment}, {quantity.replace('_', ' ')}", f"{of['side']}: {number(value)}",
                                 f"{other['side']}: {number(changed)}"])
    return ["question", "quantity", "value", "alternative"], rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", required=True)
    parser.add_argument("score", type=pathlib.Path)
    options = parser.parse_args()
    score = scorecard.load(options.score)
    own, kaveri = part(score, False), part(score, True)
    tables = {}
    if kaveri["rows"]:
        tables = {"kaveri-claims": scorecard.claims([kaveri]), "kaveri-frameworks": frameworks(score), "kaveri-word": one_word(score),
                  "kaveri-padding": padding(score), "kaveri-processor": processor(score), "kaveri-applications": applications(score)}
    if own["rows"]:
        tables |= {"claims": scorecard.claims([own]), "bandwidth": bandwidth(score), "applications": programs(score), "lines": lines(score),
                   "in-l1": in_l1(score), "halves": halves(score), "outside": outside(score)}
    if own["rows"] and score["choices"]:
        tables["choices"] = choices(score)
    for name, table in tables.items():
        scorecard.write(f"dashti2017-{name}", "duet reproduce dashti2017 --controls; experiments/dashti2017/tables.py", options.commit, *table)


if __name__ == "__main__":
    main()
