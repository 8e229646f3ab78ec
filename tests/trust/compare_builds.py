#!/usr/bin/env python3
"""Compares what builds of Duet measure: results and statistics, which depend on neither compiler nor optimisation nor a refactoring.
Usage: compare_builds.py DUET OTHER_DUET... [--quick]

Every value that the first build reports must be the same in the others; values that only the others report are counted and named once.
With --quick, gtx580, gtx480 and the functional GPU run seven of the workloads; otherwise every machine and mode runs all of them, with and
without full/empty bits, beside copies, under a shuffled tick order."""
import argparse
import concurrent.futures
import sys

import trust

QUICK = ("vecadd", "matmul", "hist", "copyk", "reduce", "BlackScholes", "BFS")
MACHINES = (("--machine", "gtx580"), ("--machine", "gtx480"), ("--functional",))
MORE_MACHINES = (("--machine", "llano"), ("--machine", "h100"), ("--machine", "h100", "--functional"), ("--machine", "gtx580", "--shuffle", "7"))
# Source, arguments: what trust.PROGRAMS has no room for.
VARIANTS = [(f"lustig2013/{name}.cu", ["--variant", variant, *trust.PROGRAMS[name][1]])
            for name in ("vectorAdd", "matrixMul", "histogram64", "BlackScholes", "BFS", "HotSpot", "FIBLookup")
            for variant in ("overlap-start", "overlap-finish", "full-overlap")]
EXTENSIONS = [("lustig2013/extensions/reuse.cu", ["--way", "kernel-end", "--frames", "4"]), ("lustig2013/extensions/override.cu", ["--size", "16384"]),
              ("lustig2013/extensions/hand_over.cu", ["--values", "16"]), ("probe/streams.cu", [])]


def flat(value, path=""):
    """Path and value of every leaf. Components go by their names, in whichever order they are listed."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            name = inner.get("name", i) if path == "components" else i
            yield from flat(inner, f"{path}[{name}]")
    elif isinstance(value, str) and path.endswith((".inlined", ".file")):
        yield path, value.rsplit("/", 1)[-1]  # each build has headers of its own
    else:
        yield path, value


def jobs(quick):
    for options in MACHINES if quick else MACHINES + MORE_MACHINES:
        for name in (*trust.BARE_KERNELS, *trust.PROGRAMS):
            if not quick or name in QUICK:
                yield name, options, (lambda runner, name=name, options=options:
                                      runner.bare_kernel(name, *options) if name in trust.BARE_KERNELS else runner.program(name, *options))
    if quick:
        return
    for machine in ("gtx580", "llano"):
        for source, arguments in VARIANTS + EXTENSIONS:
            options = ("--machine", machine)
            yield f"{source} {' '.join(arguments)}", options, (lambda runner, source=source, arguments=arguments, options=options:
                                                              runner.run(*options, runner.compiled(source), *arguments))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("duet", nargs="+")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if len(options.duet) < 2:
        parser.error("name two builds or more")
    runners = [trust.Runner(duet) for duet in options.duet]
    compared = values = differing = 0
    new = set()
    with concurrent.futures.ThreadPoolExecutor(1) as others:
        for name, machine, job in jobs(options.quick):
            # Two at a time: the first build, and the others one after another.
            pending = others.submit(lambda: [job(runner) for runner in runners[1:]])
            first = job(runners[0])
            ours = dict(flat(first[3] or {}))
            for runner, result in zip(runners[1:], pending.result()):
                compared += 1
                theirs = dict(flat(result[3] or {}))
                values += len(ours)
                new |= {path.split("[")[0] for path in theirs.keys() - ours.keys()}
                wrong = [path for path in ours if ours[path] != theirs.get(path)]
                same = first[:3] == result[:3] and first[4:] == result[4:]
                if first[3] is not None and same and not wrong:
                    continue
                differing += 1
                print(f"{name} {' '.join(machine)}: {runner.duet} differs (status {first[0]}, {result[0]}) {result[2]}")
                for path in wrong[:20]:
                    print(f"  {path}: {ours[path]} against {theirs.get(path)}")
    if new:
        print(f"only in the others: {', '.join(sorted(new)[:40])}{' and more' if len(new) > 40 else ''}")
    print(f"compare_builds: {compared} runs, {values} values, {differing} runs differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
