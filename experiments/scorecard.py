"""What the scripts that turn scorecards (`duet reproduce PAPER --json`) into tables of docs/results have in common.

  score = scorecard.load("score.json")
  scorecard.write("yang2012-claims", "duet reproduce yang2012 --controls", commit, *scorecard.claims([score]))
"""
import datetime
import json
import pathlib

DATA = pathlib.Path(__file__).resolve().parents[1] / "docs/results/data"


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def number(value):
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def claims(scores):
    """Columns and rows: each claim with what each of the scorecards' machines gives, and the first one's controls, where it has them."""
    def measured(row):
        return "not run" if row["measured"] is None else f"{number(row['measured'])} {row['unit']}".strip()

    def control(row):
        own = row.get("control")
        return "" if own is None else "fails" if own["fails"] else "does not fail"

    controls = any("control" in row for row in scores[0]["rows"])
    columns = ["row", "claim", "paper", *(cell for score in scores for cell in (f"`{score['machine']}`", "")), *(["control"] if controls else [])]
    rows = []
    for same in zip(*(score["rows"] for score in scores)):
        assert len({(row["id"], row["claim"]) for row in same}) == 1, same
        cells = [cell for row in same for cell in (measured(row), row["verdict"])]
        rows.append([same[0]["id"], same[0]["claim"], number(same[0]["paper"]), *cells, *([control(same[0])] if controls else [])])
    return columns, rows


def write(name, command, commit, columns, rows):
    """docs/results/data/NAME.json. `commit`: the one whose Duet measured."""
    data = {"command": command, "commit": commit, "host": "any: simulated time does not depend on it",
            "date": datetime.date.today().isoformat(), "columns": columns, "rows": rows}
    (DATA / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
