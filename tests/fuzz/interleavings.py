#!/usr/bin/env python3
"""Runs random interleavings of copies, kernels and changes of full/empty bits (interleavings.cu) against its reference interpreter.

Usage: interleavings.py --duet build/bin/duet --mode MODE --seeds A:B [--steps] [--granule BYTES] [--without HAZARD] [--set KEY=VALUE]...

MODE:
  general   all kinds of waiting, on a machine whose queues of triggered requests are looked into (gpu.full_empty.look_ahead) and
            that has a channel and copy engines for every stream: nothing is blocked that the reference would let go
  strict    the machine's own strictly ordered queues, with rounds that they cannot block
  smallest  as strict, with one entry in every queue, buffer and MSHR file between SMs or copy engines and DRAM
--steps: kernels whose warps take several words a lane, one after the other, and read back what they wrote.
--granule BYTES: gpu.full_empty.granule_bytes; everything ends with a granule.
--without HAZARD switches off what closes a hazard (gpu.full_empty.HAZARD = false, docs/design/full-empty.md); then the run has to fail.
Exit status: 0 when all rounds agree (or, with --without, when some do not), 1 otherwise.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "trust"), str(HERE.parent)]
import trust  # noqa: E402
from compile_once import compile_well  # noqa: E402

ONE_EACH = ["--set", "gpu.front_end.hardware_channels=16", "--set", "gpu.copy_engines.count=16"]
GENERAL = ["--set", "gpu.full_empty.look_ahead=65536", "--set", "gpu.full_empty.queues=4"]
# A command that waits holds these, so that others need some of their own.
OF_COMMANDS = ("hardware_channels", "queue_width", "queue_depth", "queue_commands", "reference_counters")


def smallest(duet, machine):
    options = trust.smallest_machine(duet, machine)
    pairs = [options[i:i + 2] for i in range(0, len(options), 2)]
    return [word for pair in pairs if not any(name in pair[1] for name in OF_COMMANDS) for word in pair]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", required=True)
    parser.add_argument("--mode", choices=("general", "strict", "smallest"), required=True)
    parser.add_argument("--seeds", required=True, metavar="A:B")
    parser.add_argument("--machine", default="gtx580")
    parser.add_argument("--without")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--granule", type=int)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    first, last = arguments.seeds.split(":")
    options = ["--machine", arguments.machine]
    options += smallest(arguments.duet, arguments.machine) if arguments.mode == "smallest" else []
    options += GENERAL if arguments.mode == "general" else []
    options += ONE_EACH
    if arguments.granule:
        options += ["--set", f"gpu.full_empty.granule_bytes={arguments.granule}"]
    options += [word for value in arguments.set for word in ("--set", value)]
    if arguments.without:
        options += ["--set", f"gpu.full_empty.{arguments.without}=false"]
    with tempfile.TemporaryDirectory(prefix="duet-fuzz-") as name:
        program = pathlib.Path(name) / "interleavings"
        compile_well(arguments.duet, [HERE / "interleavings.cu"], program)
        rounds = [str(program), first, last, "--class", "general" if arguments.mode == "general" else "strict"]
        rounds += ["--steps"] if arguments.steps else []
        rounds += ["--granule", str(arguments.granule)] if arguments.granule else []
        done = subprocess.run([arguments.duet, "run", "--quiet", "--out", f"{name}/out", *options, *rounds], capture_output=True,
                              text=True)
    print((done.stdout + done.stderr).strip())
    if not arguments.without:
        return 0 if done.returncode == 0 else 1
    failed = (done.returncode == 1 and "mismatches" in done.stdout) or done.returncode == 124
    print(f"without {arguments.without}: {'fails, as it has to' if failed else 'nothing is found'}")
    return 0 if failed else 1


if __name__ == "__main__":
    sys.exit(main())
