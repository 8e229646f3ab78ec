"""Reads what Duet writes, with Python's standard library alone.

    import duet
    run = duet.run("duet-out")             # the folder of a run, of one of its processes, or of a sweep's run
    run.time_ps, run.machine, run.stats    # stats.json as it is
    for kernel in run.kernels:             # a dict each; "name" as the source has it, "symbol" as the compiler does
        print(kernel["name"], kernel["end_ps"] - kernel["start_ps"])
    run.kernels.frame()                    # a pandas DataFrame, where pandas is installed

    sweep = duet.sweep("sort-sweep")       # rows: run, program, status, each axis, each column, speedup
    sweep.rows.frame()
    sweep.run(3).kernels                   # run 3 of the sweep

A place that is no such folder raises duet.NotThere, whose text is one line.
"""
import json
import pathlib
import re
import subprocess


class NotThere(Exception):
    """No results where they were looked for."""


class Rows(list):
    """A list of dicts, of one kind."""

    def frame(self):
        """As a pandas DataFrame; members of members are columns as "counters.l2.read_hits"."""
        try:
            import pandas
        except ImportError:
            raise NotThere("frame() needs pandas: install it, or take the list itself") from None
        return pandas.DataFrame([flat(row) for row in self])

    def column(self, name):
        """The values under a name ("counters.l2.read_hits"), None where a row has none."""
        return [flat(row).get(name) for row in self]


def flat(row, before=""):
    """Members of members under names joined by dots."""
    result = {}
    for name, value in row.items():
        if isinstance(value, dict):
            result.update(flat(value, before + name + "."))
        else:
            result[before + name] = value
    return result


def _json(path, what):
    try:
        return json.loads(path.read_text())
    except OSError:
        raise NotThere(f"{path} cannot be read: {what}") from None
    except ValueError:
        raise NotThere(f"{path} is no JSON: make the run again") from None


class Run:
    """One process of a run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.stats = _json(self.folder / "stats.json", "give the folder of a run that has ended (`duet run --out FOLDER`)")
        if not str(self.stats.get("schema", "")).startswith(("duet.stats/", "duet.host_stats/")):
            raise NotThere(f"{self.folder / 'stats.json'} is not what `duet run` writes")
        self.machine = self.stats.get("machine")
        self.command = self.stats.get("command")
        account = self.stats.get("account")
        self.time_ps = account["time_ps"] if account else self.stats.get("simulated_ps")

    def _list(self, name):
        return Rows(_readable(self.stats.get(name, [])))

    @property
    def kernels(self):
        """Kernels one by one, in the order in which they completed."""
        return self._list("kernels")

    @property
    def kernel_groups(self):
        """The kernels beyond --records, equal ones together."""
        return self._list("kernel_groups")

    @property
    def copies(self):
        return self._list("copies")

    @property
    def copy_groups(self):
        return self._list("copy_groups")

    @property
    def calls(self):
        """CUDA calls by function."""
        return self._list("api")

    @property
    def components(self):
        """Each part of the machine with its counters."""
        return self._list("components")

    @property
    def advice(self):
        """As `duet advise` measured it, else as the run estimated it; changes of the machine have "hardware": True."""
        path = self.folder / "advice.json"
        source = _json(path, "") if path.exists() else self.stats
        return Rows(_readable([{**one, "hardware": key == "hardware_advice"} for key in ("advice", "hardware_advice") for one in source.get(key, [])]))

    @property
    def lines(self):
        """A line of the source a row, with its kernel; empty without --lines."""
        rows = Rows()
        for kernel in self.stats.get("lines") or []:
            beside = {name: value for name, value in kernel.items() if name != "lines"}
            rows += _readable([{**beside, **line} for line in kernel.get("lines", [])])
        return rows

    @property
    def statistics(self):
        """Every counter of the run by its name ("l2.read_hits")."""
        return dict(self.stats.get("counters", {}))

    @property
    def intervals(self):
        """With --interval: a row an interval."""
        return self._list("intervals")

    @property
    def processes(self):
        """All processes of the run, this one among them where it is the first."""
        runs = [self]
        while (self.folder / str(len(runs)) / "stats.json").exists():
            runs.append(Run(self.folder / str(len(runs))))
        return runs


class Sweep:
    """The results of `duet sweep`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.results = _json(self.folder / "results.json", "give the folder of a sweep (`duet sweep FILE --out FOLDER`)")
        self.axes, self.columns, self.baseline = (self.results[name] for name in ("axes", "columns", "baseline"))

    @property
    def rows(self):
        """A run a row, each axis and column under its own name."""
        return Rows({"run": row["run"], "program": row["program"], "status": row["status"], **row["axes"], **row["values"],
                     **({"speedup": row["speedup"]} if "speedup" in row else {}), "on_front": row["on_front"]} for row in self.results["rows"])

    def run(self, number):
        """The run of this number, from 1."""
        return Run(self.folder / "runs" / f"{number:04}")


def run(folder="duet-out"):
    return Run(folder)


def sweep(folder):
    return Sweep(folder)


_demangled = {}


def _readable(rows):
    """Copies whose mangled names are as the source has them, and stand under "symbol" too."""
    wanted = {row[key] for row in rows for key in ("name", "kernel") if str(row.get(key, "")).startswith("_Z")} - set(_demangled)
    if wanted:
        _demangled.update(_demangle(sorted(wanted)))
    result = []
    for row in rows:
        row = dict(row)
        for key in ("name", "kernel"):
            if row.get(key) in _demangled:
                row["symbol"], row[key] = row[key], _demangled[row[key]]
        result.append(row)
    return result


def _demangle(names):
    try:
        text = subprocess.run(["c++filt", "-p"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
        found = [re.sub(r"\(anonymous namespace\)::", "", line) for line in text.split("\n")[:len(names)]]
        if len(found) == len(names):
            return dict(zip(names, found))
    except (OSError, subprocess.CalledProcessError):
        pass
    return {name: _last_name(name) for name in names}


def _last_name(symbol):
    """The last plain name of a mangled one, where there is no c++filt: _ZN12_GLOBAL__N_16smoothEPf is smooth."""
    at, name = (3 if symbol.startswith("_ZN") else 2), symbol
    while match := re.match(r"\d+", symbol[at:]):
        at += match.end()
        name = symbol[at:at + int(match[0])]
        at += int(match[0])
    return name
