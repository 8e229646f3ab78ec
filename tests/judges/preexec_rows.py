"""Rows and causes of preexec_kernels.py: pure functions of stats.json files.

    rows("rodinia/nn", "cold", {"off": FOLDER, "adaptive": FOLDER, "perfect": FOLDER})     a dict for each kernel
    cause(row)                                                                              why it gains, or not: the first line that holds
"""
import itertools
import json
import math
import pathlib
import re
import subprocess
import tomllib

GAIN = 0.02  # what counts as a gain or a loss
COLD_KERNEL = "cold_caches"


def launches(stats: dict, start: str) -> dict[str, list[dict]]:
    """Completed launches by name, in the order of their commands. Of a cold start: those right behind cold_caches."""
    found, before = {}, ""
    for kernel in sorted(stats["kernels"], key=lambda k: k["command"]):
        name = kernel["name"]
        if kernel["complete"] and COLD_KERNEL not in name and (start != "cold" or COLD_KERNEL in before):
            found.setdefault(name, []).append(kernel)
        before = name
    return found


def readable(names: list[str]) -> dict[str, str]:
    """Names as in the source, without parameters where that tells them apart."""
    def filtered(options: list[str]) -> list[str]:
        out = subprocess.run(["c++filt", *options], input="\n".join(names), capture_output=True, text=True).stdout.splitlines()
        return [re.sub(r"^void ", "", text) for text in out]

    short, long = filtered(["-p"]), filtered([])
    return {name: text if short.count(text) == 1 else whole for name, text, whole in zip(names, short, long)}


def total(kernels: list[dict], counter: str) -> int:
    return sum(k["counters"].get(counter, 0) for k in kernels)


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def l3_reads(kernels: list[dict]) -> dict[str, int]:
    """Reads of the GPU. The level counts them apart only while cores read too."""
    apart = {what: total(kernels, f"l3.gpu_read_{what}") for what in ("hits", "merges", "misses")}
    return apart if any(apart.values()) else {what: total(kernels, f"l3.read_{what}") for what in ("hits", "merges", "misses")}


def hit_share(kernels: list[dict]) -> float:
    reads = l3_reads(kernels)
    return share(reads["hits"], sum(reads.values()))


def duration(kernels: list[dict]) -> int:
    return sum(k["end_ps"] - k["start_ps"] for k in kernels)


def dram_busy(kernels: list[dict], machine: dict) -> float:
    """Part of the time in which DRAM's buses move data."""
    dram = machine["gpu"]["dram"]
    cycles = duration(kernels) * dram["command_clock_khz"] / 1e9 * dram["channels"]
    return share(total(kernels, "dram.data_bus_busy_cycles"), cycles)


def channels_in_use(kernels: list[dict], machine: dict) -> float:
    """Part of DRAM's channels over which the threads that run at a time lie, with 4 bytes each next to each other."""
    sm, dram = machine["gpu"]["sm"], machine["gpu"]["dram"]
    running = max(min(k["occupancy"] * sm["max_warps"] * sm["warp_width"] * sm["count"], math.prod(k["grid"]) * math.prod(k["block"])) for k in kernels)
    return min(1.0, running * 4 / dram["interleave_bytes"] / dram["channels"])


def program_of(kernels: list[dict]) -> dict:
    """What the pre-execution programs of the launches did."""
    parts = [k["preexecution"] for k in kernels if "preexecution" in k]
    reasons = {}
    for line in parts[0]["not_prefetched"] if parts else []:
        reason = line.split(": ", 1)[1]
        reasons[reason] = reasons.get(reason, 0) + 1
    fills, used = total(kernels, "l3.processor_fills"), total(kernels, "l3.processor_fills_used")
    return {"accesses": parts[0]["accesses"] if parts else 0, "covered": parts[0]["covered"] if parts else 0, "reasons": reasons,
            "no_program": next((p["no_program"] for p in parts if p.get("no_program")), ""),
            "programs_started": sum(p["started_ps"] is not None for p in parts),
            "program_instructions": sum(p["instructions"] for p in parts), "program_loads": sum(p["loads"] for p in parts),
            "suppressed_loads": sum(p["suppressed_loads"] for p in parts),
            "fills": fills, "used": used, "gone": total(kernels, "l3.processor_fills_unused"), "accuracy": share(used, fills)}


def shape(kernels: list[dict], machine: dict) -> dict:
    """What is known of the launches without pre-execution: before they run (occupancy, waves) or early in them (the others)."""
    sm = machine["gpu"]["sm"]
    blocks = sum(math.prod(k["grid"]) for k in kernels)
    threads = math.prod(kernels[0]["block"])
    resident = sum(max(1, round(k["occupancy"] * sm["max_warps"] / math.ceil(math.prod(k["block"]) / sm["warp_width"]))) for k in kernels)
    memory = sum(total(kernels, f"sm.{what}") for what in ("global_loads", "global_stores", "atomics"))
    instructions = sum(k["warp_instructions"] for k in kernels)
    slots = {name: sum(k["stalls"][name] for k in kernels) for name in kernels[0]["stalls"]}
    return {"launches": len(kernels), "blocks": blocks, "threads_per_block": threads, "occupancy": kernels[0]["occupancy"],
            "waves": share(blocks, resident * sm["count"]), "channels_in_use": channels_in_use(kernels, machine), "instructions": instructions, "memory_instructions": memory,
            "requests": total(kernels, "sm.memory_transactions"),
            "requests_per_memory_instruction": share(total(kernels, "sm.memory_transactions"), memory),
            "memory_instructions_per_instruction": share(memory, instructions),
            "slots": {name: share(value, sum(slots.values())) for name, value in slots.items()},
            "shared_with_others": any(a["start_ps"] < b["end_ps"] and b["start_ps"] < a["end_ps"] for a, b in itertools.pairwise(kernels))}


def row(program: str, kernel: str, start: str, machine: dict, of: dict[str, list[dict]]) -> dict:
    """The row of one kernel: `of` has its launches without pre-execution ("off") and with ("adaptive"), and may have those of the other variants."""
    off, adaptive = of["off"], of["adaptive"]
    made = {"program": program, "kernel": kernel, "start": start, **shape(off, machine), **program_of(adaptive)}
    made |= {f"{variant}_us": duration(of[variant]) / 1e6 for variant in ("off", "adaptive", "perfect") if variant in of}
    made |= {name: share(duration(off), duration(of[variant])) - 1
             for name, variant in (("gain", "adaptive"), ("bound", "perfect"), ("chance", "later")) if variant in of}
    made |= {"l3_reads": sum(l3_reads(off).values()), "l3_reads_missed": l3_reads(off)["misses"],
             "hit_before": hit_share(off), "hit_after": hit_share(adaptive),
             "joined_after": share(l3_reads(adaptive)["merges"], sum(l3_reads(adaptive).values())),
             "dram_busy_before": dram_busy(off, machine), "dram_busy_after": dram_busy(adaptive, machine),
             "dram_transfers": share(total(adaptive, "dram.reads") + total(adaptive, "dram.writes"),
                                     total(off, "dram.reads") + total(off, "dram.writes")),
             "row_conflicts": share(total(adaptive, "dram.row_conflicts"), total(off, "dram.row_conflicts")),
             "instructions_differ": sum(k["warp_instructions"] for k in adaptive) != sum(k["warp_instructions"] for k in off)}
    return made


def rows(program: str, start: str, folders: dict[str, pathlib.Path]) -> list[dict]:
    """A row for each kernel, over the launches that all variants completed."""
    stats = {variant: json.loads((folder / "stats.json").read_text()) for variant, folder in folders.items()}
    machine = tomllib.loads((folders["off"] / "machine.toml").read_text())
    by_variant = {variant: launches(found, start) for variant, found in stats.items()}
    names = [n for n in by_variant["off"] if all(n in found for found in by_variant.values())]
    called, made = readable(names), []
    for name in names:
        count = min(len(found[name]) for found in by_variant.values())
        made.append(row(program, called[name], start, machine, {variant: found[name][:count] for variant, found in by_variant.items()}))
        made[-1]["cause"] = cause(made[-1]) if "bound" in made[-1] else ""
    return made


# Name, condition, what it says. The first that holds is the cause.
CAUSES = [
    ("no global access", lambda r: r["accesses"] == 0, "the kernel has none"),
    ("not covered", lambda r: r["covered"] == 0, "no access has a program; the reasons are in the row"),
    ("lines found", lambda r: r["gain"] > GAIN and r["used"] >= 0.05 * r["l3_reads_missed"], "a gain, and the GPU used 5 % or more as many lines as it misses without"),
    ("another order", lambda r: r["gain"] > GAIN, "a gain without that: warps and DRAM's requests fell into another order"),
    ("data are near", lambda r: abs(r["gain"]) < GAIN and r["l3_reads_missed"] < 0.02 * r["requests"], "without pre-execution L3 misses for less than 2 % of its requests"),
    ("misses cost little", lambda r: abs(r["gain"]) < GAIN and r["bound"] < GAIN, "with an L3 that always hits it would gain less than 2 %"),
    ("over too soon", lambda r: r["fills"] < 0.05 * r["l3_reads_missed"] and r["off_us"] < 20 * r["launches"],
     "a launch takes less than 20 us, and the program brings less than 5 % of the lines that miss"),
    ("program too slow", lambda r: r["fills"] < 0.05 * r["l3_reads_missed"], "longer launches, and the program brings less than 5 % of the lines that miss"),
    ("gone before use", lambda r: r["accuracy"] < 0.5 and r["gone"] > 0.3 * r["fills"], "less than half of its lines are used, 30 % or more are gone before"),
    ("wrong lines", lambda r: r["accuracy"] < 0.5, "less than half of its lines are used by the launch's end"),
    ("rows closed", lambda r: r["gain"] < -GAIN and r["row_conflicts"] > 1.3,
     "a loss, and DRAM closes open rows 30 % more often: the core's requests come between the GPU's"),
    ("DRAM is full", lambda r: r["dram_busy_before"] > 0.8, "without pre-execution DRAM moves data for more than 80 % of the time"),
    ("more transfers", lambda r: r["gain"] < -GAIN and r["dram_transfers"] > 1.05, "a loss, and DRAM moves 5 % more or more"),
    ("in the way", lambda r: r["gain"] < -GAIN, "a loss without any of these: its requests delay the GPU's"),
    ("few lines", lambda r: r["used"] < 0.2 * r["l3_reads_missed"], "its lines are used, but are less than 20 % of those that miss"),
    ("small effect", lambda r: True, "its lines are used, 20 % or more of those that miss, and the kernel waits for something else"),
]


def cause(row: dict) -> str:
    return next(name for name, holds, _ in CAUSES if holds(row))


def outcome(row: dict) -> str:
    return "gains" if row["gain"] > GAIN else "hurt" if row["gain"] < -GAIN else "none"


def percent(value: float, digits: int = 1) -> str:
    return f"{100 * value:.{digits}f}"
