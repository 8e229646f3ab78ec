#!/usr/bin/env python3
"""The tables of docs/results/yang2012.md, from the scorecards of both machines.

    duet reproduce yang2012 --work runs --controls --json 2012.json
    duet reproduce yang2012 --work runs --controls --machine fused --json fused.json
    experiments/yang2012/tables.py --commit c18859be 2012.json fused.json && docs/results/render.py

--commit: the one whose Duet measured. The first scorecard's machine is the one that rows are judged on. Of one scorecard alone the tables have its name."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import scorecard  # noqa: E402
from scorecard import number  # noqa: E402

BENCHMARKS = ["BSc", "VD", "FFT", "MM", "Con", "TMV", "BS", "MC", "MV"]


def range_of(gains: list[float]) -> str:
    return f" ({min(gains):.0f} to {max(gains):.0f})" if len(gains) > 1 else ""


def figures(score: dict) -> tuple[list[str], list[list[str]]]:
    columns = ["", "IPC", "adaptive", "profiled", "factor", "L3 always hits", "hits, off", "hits, adaptive", "used", "instructions"]
    of, rows = score["figures"], []
    for name in BENCHMARKS:
        own = of["10"][name]
        rows.append([name, f"{own['no-preex']['ipc']:.1f}", f"{own['adaptive_gain_percent']:.1f}{range_of(own['adaptive_gains_of_starts'])}",
                     f"{own['profiled_gain_percent']:.1f}{range_of(own['profiled_gains_of_starts'])}", str(own["skip_factor"]),
                     f"{own['perfect_gain_percent']:.0f}", f"{of['11'][name]['no-preex']:.1f}", f"{of['11'][name]['adaptive']:.1f}",
                     f"{of['12'][name]['accuracy_percent']:.1f}", f"{of['13'][name]['adaptive']:.2f}"])
    return columns, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", required=True)
    parser.add_argument("scores", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    scores = [scorecard.load(path) for path in options.scores]
    own = "" if len(scores) > 1 else "-" + scores[0]["machine"].removeprefix("fused-")
    tables = {f"claims{own}": scorecard.claims(scores), **{f"figures-{score['machine'].removeprefix('fused-')}": figures(score) for score in scores}}
    for name, table in tables.items():
        scorecard.write(f"yang2012-{name}", "duet reproduce yang2012 --controls --machine MACHINE; experiments/yang2012/tables.py", options.commit, *table)


if __name__ == "__main__":
    main()
