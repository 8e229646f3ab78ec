#!/usr/bin/env python3
"""The five kernels on gtx480 and on GPGPU-Sim by turns, on the same machine in the same minutes: what one is faster than the other.
Usage: beside_peer.py --peer COMMAND [--duet PATH] [--rounds N] [--only KERNEL]...

COMMAND KERNEL N has to run that kernel (../../workloads/micro/kernels.cu as PTX for sm_20, buffers of random numbers, launches as in
kernels.py) on GPGPU-Sim 4.2 with the configuration SM2_GTX480 in PTX mode, and to end with status 0; its whole wall time counts, as that of
`duet run` does. A round is five runs of duet, one of the peer, and five of duet; the ratio is the peer's time over duet's median. Prints
medians and the range of ratios. Wants an idle machine."""

import argparse
import shlex
import statistics
import subprocess
import tempfile
import time

import kernels

SIZES = {"vecadd": 65536, "matmul": 128, "hist": 262144, "copyk": 1048576, "reduce": 1048576}
BLOCKS, RUNS = 60, 5


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--duet", default=str(kernels.ROOT / "build/bin/duet"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=SIZES)
    options = parser.parse_args()
    print("%-8s %8s %9s %9s %8s   %s" % ("kernel", "n", "duet ms", "peer ms", "ratio", "range"))
    with tempfile.TemporaryDirectory() as folder:
        ptx = kernels.compile_kernels(options.duet, folder)
        for name in options.only or SIZES:
            n = SIZES[name]
            own = kernels.command(options.duet, ptx, folder, name, n, n, BLOCKS, "--machine", "gtx480")
            rounds = []
            for _ in range(options.rounds):
                before = [seconds(own) for _ in range(RUNS)]
                peer = seconds([*shlex.split(options.peer), name, str(n)])
                after = [seconds(own) for _ in range(RUNS)]
                rounds.append((statistics.median(before + after), peer))
            ratios = sorted(peer / duet for duet, peer in rounds)
            print("%-8s %8d %9.1f %9.0f %8.1f   %.1f - %.1f" %
                  (name, n, statistics.median(r[0] for r in rounds) * 1e3, statistics.median(r[1] for r in rounds) * 1e3,
                   statistics.median(ratios), ratios[0], ratios[-1]), flush=True)


if __name__ == "__main__":
    main()
