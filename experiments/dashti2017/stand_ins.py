#!/usr/bin/env python3
"""How much Figure 11's large arrays on kaveri depend on numbers that are not published: each halved and doubled, one at a time, as
docs/results/data/dashti2017-kaveri-stand-ins.json.

    experiments/dashti2017/stand_ins.py --duet build/bin/duet --commit 4d142d1b && docs/results/render.py

workloads/dashti2017/kaveri/bandwidth.c at 8 MB on simulated cores: the write bandwidth of OpenCL 2.0 and of HSA as a share of OpenCL 1.2's."""
import argparse
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))
import scorecard  # noqa: E402
from kaveri_programs import Programs  # noqa: E402

KEYS = ("link.payload_mb_per_s_to_host", "link.latency_ns", "translation.tlb_entries", "translation.tlb_misses", "translation.l2_tlb_entries",
        "translation.l2_tlb_cycles", "translation.table_walkers", "translation.table_walk_ns", "translation.iommu_entries", "translation.iommu_ns",
        "translation.iommu_walkers", "translation.iommu_walk_cache_entries")
METHODS = ("cl-1.2", "svm-fine", "hsa-fine")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    machine = tomllib.loads((ROOT / "machines/kaveri.toml").read_text())
    with Programs(options.duet, "bandwidth") as programs:

        def shares(*sets):
            """Of OpenCL 2.0 and HSA."""
            times = [programs.run("kaveri", method, "--bytes", 8 << 20, "--launches", 2, sets=sets)["launch_ns"] for method in METHODS]
            return ", ".join(scorecard.number(times[0] / time) for time in times[1:])

        rows = [["as it is", "", shares(), ""]]
        for key in KEYS:
            section, own = key.split(".")
            value = machine[section][own]
            rows.append([f"`{key}`", str(value), *(shares("--set", f"{key}={max(1, value * times // 2)}") for times in (1, 4))])
            print(*rows[-1], flush=True)
    scorecard.write("dashti2017-kaveri-stand-ins", "experiments/dashti2017/stand_ins.py --duet build/bin/duet", options.commit,
                    ["stand-in", "value", "halved: OpenCL 2.0, HSA", "doubled"], rows)


if __name__ == "__main__":
    main()
