#!/usr/bin/env python3
"""Draws the pictures of docs/results: lines of a data file's columns over its rows, as SVG.

    chart.py data/yang2012-interleave.json ../images/yang2012-interleave.svg --columns mean BSc VD TMV MC --title "Gain in %"

A row is a place on the x axis, in the order of the file; a cell's number is what it begins with ("16.8 %" is 16.8)."""
import argparse
import html
import json
import pathlib
import re

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 360, 52, 110, 36, 56
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#7f7f7f", "#17becf", "#bcbd22"]


def number(cell) -> float:
    return float(re.match(r"-?[\d.]+", str(cell))[0])


def ticks(low: float, high: float) -> list[float]:
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000) if (high - low) / step <= 8)
    first = int(low // step)
    return [step * i for i in range(first, int(high // step) + 2)]


def draw(data: dict, columns: list[str], title: str) -> str:
    series = {name: [number(row[data["columns"].index(name)]) for row in data["rows"]] for name in columns}
    labels = [str(row[0]).replace("`", "") for row in data["rows"]]
    marks = ticks(min(0, *(min(values) for values in series.values())), max(max(values) for values in series.values()))
    low, high = marks[0], marks[-1]

    def x(i: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (i / max(1, len(labels) - 1))

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', f'<text x="{LEFT}" y="20" font-size="14">{html.escape(title)}</text>']
    for mark in marks:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" stroke="{"#444444" if mark == 0 else "#dddddd"}"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:g}</text>')
    for i, label in enumerate(labels):
        for line, words in enumerate(label.split(", ")):
            out.append(f'<text x="{x(i):.1f}" y="{HEIGHT - BOTTOM + 18 + 14 * line}" text-anchor="middle">{html.escape(words)}</text>')
    lowest = 0.0  # of the names so far, from the top down
    for (name, values), colour in sorted(zip(series.items(), COLOURS), key=lambda one: -one[0][1][-1]):
        width = 3 if name == "mean" else 1.5
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{" ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))}"/>')
        lowest = max(y(values[-1]) + 4, lowest + 13)
        out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{lowest:.1f}" fill="{colour}">{html.escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--columns", nargs="+", required=True)
    parser.add_argument("--title", required=True)
    options = parser.parse_args()
    options.picture.write_text(draw(json.loads(options.data.read_text()), options.columns, options.title))


if __name__ == "__main__":
    main()
