#!/usr/bin/env python3
"""The time of each kernel of a run as bars; of a sweep the time of each program over its first axis.

Usage: plot_kernels.py FOLDER [IMAGE]. IMAGE is kernels.png without another name. Needs matplotlib."""
import sys

import duet


def of_sweep(axes, sweep):
    key = sweep.axes[0]
    for program in dict.fromkeys(row["program"] for row in sweep.rows):
        rows = [row for row in sweep.rows if row["program"] == program and row["time_ps"] is not None]
        axes.plot([row[key] for row in rows], [row["time_ps"] * 1e-6 for row in rows], marker="o", label=program)
    axes.set_xlabel(key)
    axes.set_ylabel("time of the run, us")
    axes.legend()


def of_run(axes, run):
    times = {}
    for kernel in run.kernels:
        times[kernel["name"]] = times.get(kernel["name"], 0) + (kernel["end_ps"] - kernel["start_ps"]) * 1e-6
    axes.barh(list(times), list(times.values()))
    axes.invert_yaxis()
    axes.set_xlabel(f"time on {run.machine}, us")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        try:
            found, draw = duet.sweep(sys.argv[1]), of_sweep
        except duet.NotThere:
            found, draw = duet.run(sys.argv[1]), of_run
    except duet.NotThere as error:
        sys.exit(f"plot_kernels.py: {error}")
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_kernels.py: matplotlib is missing: install python3-matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(layout="constrained")
    draw(axes, found)
    image = sys.argv[2] if len(sys.argv) == 3 else "kernels.png"
    figure.savefig(image)
    print(image)


if __name__ == "__main__":
    main()
