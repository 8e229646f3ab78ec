"""Machines of odd shapes for tests of the timed core, so that every path of it is met: small and narrow windows, caches of a few
lines, caches that are not there, short and long ways to the directory. Where a cache has fewer than eight lines in a set, what comes
between LR and SC could put out their line: SC would fail, as it may, and not as in qemu."""
import pathlib

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "machines/xeon-e3-1245.toml"

NARROW = {"fetch_width": 1, "dispatch_width": 1, "issue_width": 1, "retire_width": 1, "load_ports": 1}
SMALL_CACHES = {"instruction_cache.sets": 1, "instruction_cache.ways": 2, "l1.sets": 1, "l1.ways": 2, "l1.misses": 1,
                "l2.sets": 1, "l2.ways": 8, "l2.misses": 2}

SHAPES = {
    "as it is": {},
    "one instruction": {"rob_entries": 1, "scheduler_entries": 1, "load_entries": 1, "store_entries": 1, **NARROW},
    "two instructions": {"rob_entries": 2, "scheduler_entries": 1, "load_entries": 1, "store_entries": 1, "store_prefetches": 0},
    "one load, one store": {"load_entries": 1, "store_entries": 1, "from_directory_cycles": 1},
    "small caches": SMALL_CACHES,
    "small caches, no L3": {**SMALL_CACHES, "l3.sets": 0, "from_directory_cycles": 40},
    "no L2": {"l2.sets": 0, "from_directory_cycles": 1, "to_directory_cycles": 1},
    "no L2, small caches": {"l2.sets": 0, "instruction_cache.sets": 1, "instruction_cache.ways": 2, "l1.sets": 1, "l1.ways": 8,
                            "l1.prefetcher": "next-line", "l1.prefetch_lines": 2, "from_directory_cycles": 40},
    "no L2 nor L3": {"l2.sets": 0, "l3.sets": 0, "l1.sets": 2, "l1.ways": 8, "line_bytes": 32, "write_combining.bytes": 32},
    "large": {"rob_entries": 1024, "scheduler_entries": 1024, "load_entries": 512, "store_entries": 512, "fetch_width": 16,
              "dispatch_width": 16, "issue_width": 32, "retire_width": 32, "load_ports": 16, "store_ports": 16, "line_bytes": 128},
}


def sets(shape):
    return [word for key, value in SHAPES[shape].items() for word in ("--set", f"cpu.{key}={value}")]


def arguments(shape):
    """Of rv64_bare_runner."""
    return ["--timed", str(MACHINE), *sets(shape)]
