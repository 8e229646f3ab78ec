#!/usr/bin/env python3
"""The tables of docs/results/yang2012.md, from the scorecards of both machines.

    duet reproduce yang2012 --work runs --controls --json 2012.json
    duet reproduce yang2012 --work runs --controls --machine fused --json fused.json
    tests/claims/yang2012_tables.py --commit c18859be 2012.json fused.json && docs/results/render.py

--commit: the one whose Duet measured. The first scorecard's machine is the one that rows are judged on. Of one scorecard alone the tables have its name."""
import argparse
import datetime
import json
import pathlib

DATA = pathlib.Path(__file__).resolve().parents[2] / "docs/results/data"
BENCHMARKS = ["BSc", "VD", "FFT", "MM", "Con", "TMV", "BS", "MC", "MV"]


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def measured(row: dict) -> str:
    return "not run" if row["measured"] is None else f"{number(row['measured'])} {row['unit']}".strip()


def control(row: dict) -> str:
    own = row.get("control")
    return "" if own is None else "fails" if own["fails"] else "does not fail"


def claims(scores: list[dict]) -> tuple[list[str], list[list[str]]]:
    controls = any("control" in row for row in scores[0]["rows"])
    columns = ["row", "claim", "paper", *(cell for score in scores for cell in (f"`{score['machine']}`", "")), *(["control"] if controls else [])]
    rows = []
    for pair in zip(*(score["rows"] for score in scores)):
        assert len({(row["id"], row["claim"]) for row in pair}) == 1, pair
        cells = [cell for row in pair for cell in (measured(row), row["verdict"])]
        rows.append([pair[0]["id"], pair[0]["claim"], number(pair[0]["paper"]), *cells, *([control(pair[0])] if controls else [])])
    return columns, rows


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
    scores = [json.loads(path.read_text()) for path in options.scores]
    own = "" if len(scores) > 1 else "-" + scores[0]["machine"].removeprefix("fused-")
    tables = {f"claims{own}": claims(scores), **{f"figures-{score['machine'].removeprefix('fused-')}": figures(score) for score in scores}}
    for name, (columns, rows) in tables.items():
        data = {"command": "duet reproduce yang2012 --controls --machine MACHINE; tests/claims/yang2012_tables.py", "commit": options.commit,
                "host": "any: simulated time does not depend on it", "date": datetime.date.today().isoformat(), "columns": columns, "rows": rows}
        (DATA / f"yang2012-{name}.json").write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
