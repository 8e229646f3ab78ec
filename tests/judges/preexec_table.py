"""Tables of preexec_kernels.py, as Markdown: table(found), summary(found)."""
import statistics

import preexec_rows
import preexec_rule

HEADS = ["program", "kernel", "start", "launches", "us", "gain", "chance", "bound", "covered", "lines", "used", "L3 hits", "occupancy", "requests", "DRAM", "cause"]


def all_rows(found: dict) -> list[dict]:
    return [row for program in found["programs"] for row in program["rows"]]


def cells(row: dict) -> list[str]:
    percent = preexec_rows.percent
    return [row["program"], f"`{row['kernel']}`", row["start"], f"{row['launches']:,}", f"{row['off_us']:,.1f}",
            f"{100 * row['gain']:+.1f}", f"{100 * row['chance']:+.1f}", f"{100 * row['bound']:+.1f}", f"{row['covered']} of {row['accesses']}", f"{row['fills']:,}",
            percent(row["accuracy"], 0) if row["fills"] else "-", f"{percent(row['hit_before'], 0)}, {percent(row['hit_after'], 0)}",
            f"{row['occupancy']:.2f}", f"{row['requests_per_memory_instruction']:.1f}", f"{percent(row['dram_busy_before'], 0)}", row["cause"]]


def table(found: dict) -> str:
    lines = [HEADS, ["---"] * len(HEADS), *(cells(row) for row in all_rows(found))]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def of_start(rows: list[dict], start: str) -> str:
    count = {name: sum(preexec_rows.outcome(r) == name for r in rows) for name in ("gains", "none", "hurt")}
    worst, best = min(rows, key=lambda r: r["gain"]), max(rows, key=lambda r: r["gain"])
    causes = {}
    for row in rows:
        key = preexec_rows.outcome(row), row["cause"]
        causes[key] = causes.get(key, 0) + 1
    clear = {name: sum(preexec_rows.outcome(r) == name and abs(r["gain"]) > abs(r["chance"]) for r in rows) for name in ("gains", "hurt")}
    lines = [f"{start}: {len(rows)} kernels of {len({r['program'] for r in rows})} programs: {count['gains']} gain more than 2 %, {count['none']} neither,"
             f" {count['hurt']} hurt; mean {100 * statistics.fmean(r['gain'] for r in rows):+.2f} %, median {100 * statistics.median(r['gain'] for r in rows):+.2f} %",
             f"  by more than launches that are a little later change them: {clear['gains']} gain, {clear['hurt']} are hurt;"
             f" of the latter change alone {sum(abs(r['chance']) > preexec_rows.GAIN for r in rows)} change by more than 2 %"]
    lines += [f"  {name} {row['program']} {row['kernel']} {100 * row['gain']:+.1f} %: {row['cause']}" for name, row in (("best", best), ("worst", worst))]
    lines += [f"  {outcome}: {number} {cause}" for (outcome, cause), number in sorted(causes.items(), key=lambda item: (item[0][0], -item[1]))]
    return "\n".join(lines)


def of_rule(name: str, rule: dict) -> str:
    lines = [f"rule ({name}): {rule['words']}"]
    for half in ("taught", "judged"):
        result = rule[half]
        yes, no = (", ".join(f"{n} {what}" for what, n in result["confusion"][said].items()) for said in ("yes", "no"))
        gains = ", ".join(f"{how} {100 * result[how]:+.2f} %" for how in ("with rule", "always", "never", "oracle"))
        lines.append(f"  {half} on {result['rows']} rows: yes: {yes}; no: {no}; mean gain {gains}")
    return "\n".join(lines)


def summary(found: dict) -> str:
    rows = all_rows(found)
    lines = [of_start([r for r in rows if r["start"] == start], start) for start in ("cold", "warm") if any(r["start"] == start for r in rows)]
    lines += [of_rule(name, rule) for name, rule in preexec_rule.both(rows).items()]
    lines += [f"not run: {p['program']}: {p['skipped']}" for p in found["programs"] if "skipped" in p]
    return "\n".join(lines)
