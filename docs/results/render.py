#!/usr/bin/env python3
"""Writes the tables of docs/results: each block of a page is rendered from the data file that it names.

  <!-- table lustig2013-machines -->
  ...                                    everything here is replaced by the table of data/lustig2013-machines.json
  <!-- end -->

Usage: render.py            rewrites the blocks of all pages
       render.py --check    changes nothing; names each block that differs, exit status 1 where one does

A data file is {"command", "commit", "host", "date", "columns", "rows"}: which command measured it, at which commit, where, when. A cell
is text or a number. "transcribed": true where the rows were copied from the command's output by hand. A page may leave a data file out;
a data file that no page names is an error, as a page without its file is.
"""
import argparse
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
FIELDS = {"command": str, "commit": str, "host": str, "date": str, "columns": list, "rows": list}
BLOCK = re.compile(r"<!-- table ([\w-]+) -->\n(.*?)<!-- end -->", re.S)


def load(path):
    """The data file as an object; ends the program with one line where it is none."""
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}")
    for field, kind in FIELDS.items():
        if not isinstance(data.get(field), kind) or not data[field]:
            sys.exit(f"{path}: \"{field}\" has to be there")
    if not re.fullmatch(r"[0-9a-f]{8,40}", data["commit"]) or not re.fullmatch(r"\d{4}-\d\d-\d\d", data["date"]):
        sys.exit(f"{path}: \"commit\" has to be a commit, \"date\" a date")
    for row in data["rows"]:
        if len(row) != len(data["columns"]):
            sys.exit(f"{path}: a row of {len(row)} cells for {len(data['columns'])} columns: {row[0]}")
    return data


def table(name):
    data = load(FOLDER / "data" / (name + ".json"))

    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

    rows = "".join(line(row) for row in data["rows"])
    return (line(data["columns"]) + "|" + "---|" * len(data["columns"]) + "\n" + rows +
            f"\n[{name}.json](data/{name}.json), commit {data['commit']}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    different, named = [], set()
    for page in sorted(FOLDER.glob("*.md")):
        before = page.read_text()
        named |= set(re.findall(r"\(data/([\w-]+)\.json\)", before))
        for name, body in BLOCK.findall(before):
            named.add(name)
            if body != table(name):
                different.append(f"{page.name}: {name} is not what data/{name}.json says; docs/results/render.py writes it")
        after = BLOCK.sub(lambda block: f"<!-- table {block[1]} -->\n{table(block[1])}<!-- end -->", before)
        if before.count("<!-- table") != len(BLOCK.findall(before)):
            different.append(f"{page.name}: a block has no end")
        if not check and after != before:
            page.write_text(after)
    for path in sorted(FOLDER.glob("data/*.json")):
        load(path)
        if path.stem not in named:
            different.append(f"data/{path.name}: no page has it")
    if check:
        print("\n".join(different) or f"{len(named)} tables are those of their data")
        return 1 if different else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
