"""Litmus tests of a memory consistency model: the programs, their assembly, and which outcomes models allow.

A test is one line: threads are divided by "|", their accesses by ";". "x=1" stores, "r=x" loads. An outcome is what all loads
took, in the order in which they stand, and what the locations have at the end: all of them begin with 0.

A model is the order that it keeps between two accesses of a thread (preserved program order). An outcome is allowed if some total
order of all accesses keeps it, and gives each load the last store, in that order, of those that stand before it there or in its
thread. Source: The RISC-V Instruction Set Manual, volume I, version 20191213, chapter 14 (RVWMO: load value axiom, rules 1 to 7) and
appendix A; Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO", TPHOLs 2009. The tests' names are those of Alglave,
Maranget and Tautschnig, "Herding Cats", TOPLAS 2014; n5 and SB+rfi are in the paper on x86-TSO. No test has dependencies between
accesses, so RVWMO's rules 9 to 13 are left out.
"""
import functools
import itertools

TESTS = {
    "SB": "x=1; r=y | y=1; r=x",
    "MP": "x=1; y=1 | r=y; r=x",
    "LB": "r=x; y=1 | r=y; x=1",
    "CoRR": "x=1; x=2 | r=x; r=x",
    "CoWW": "x=1; x=2 | x=3",
    "CoWR (n5)": "x=1; r=x | x=2; r=x",
    "2+2W": "x=1; y=2 | y=1; x=2",
    "R": "x=1; y=1 | y=2; r=x",
    "S": "x=2; y=1 | r=y; x=1",
    "SB+rfi": "x=1; r=x; r=y | y=1; r=y; r=x",
    "MP+rfi": "x=2; y=1 | x=1; r=y; r=x",
    "WRC": "x=1 | r=x; y=1 | r=y; r=x",
    "IRIW": "x=1 | y=1 | r=x; r=y | r=y; r=x",
}
# What stands between two accesses, by the first of them; or how accesses are made.
VARIANTS = ("none", "w,w r,r", "rw,rw", "amo", "lr/sc")
LOCATIONS = "xy"


class Access:
    def __init__(self, text, thread, place):
        left, right = text.strip().split("=")
        self.is_load = left == "r"
        self.location = right if self.is_load else left
        self.value = None if self.is_load else int(right)
        self.thread = thread
        self.place = place


def threads_of(test):
    return [[Access(text, thread, place) for place, text in enumerate(line.split(";"))]
            for thread, line in enumerate(TESTS[test].split("|"))]


def ordered_by_variant(variant, first, second):
    """What the fences of a variant order, or its annotations .aqrl; the same in all models."""
    if variant in ("rw,rw", "amo", "lr/sc"):
        return True
    # Every fence that stands between the two; with more than one access between them some is enough.
    return variant == "w,w r,r" and first.is_load == second.is_load


def sequential(_variant, _first, _second):
    return True


def total_store_order(variant, first, second):
    return first.is_load or not second.is_load or ordered_by_variant(variant, first, second)


def rvwmo(variant, first, second):
    if first.location == second.location and not second.is_load:
        return True  # rule 1
    return ordered_by_variant(variant, first, second)


@functools.lru_cache(maxsize=None)
def order_of_types(types):
    """What cores keep where x and y lie in pages of these types ("w" write-back, "u" uncached, "d" device, of x and of y)."""
    type_of = dict(zip(LOCATIONS, types))

    def kept(variant, first, second):
        before, after = type_of[first.location], type_of[second.location]
        if before == "d" or ordered_by_variant(variant, first, second):
            return True
        if first.location == second.location and not second.is_load:
            return True
        if first.is_load:
            return not second.is_load or after != "u"
        # What waits for its line in the store buffer comes before what goes from there to a write-combining buffer.
        return before == "w" and not second.is_load and after != "d"
    return kept


def taken(load, order):
    """The store that a load takes its value from: None for the initial one."""
    at = order.index(load)
    before = [a for i, a in enumerate(order) if not a.is_load and a.location == load.location and
              (i < at or (a.thread == load.thread and a.place < load.place))]
    return before[-1] if before else None


def keeps_coherent_reads(thread, order, sources):
    """RVWMO's rule 2: loads of one location that take different stores, with no store of their own between them."""
    for first, second in itertools.combinations([a for a in thread if a.is_load], 2):
        if first.location != second.location or sources[first] is sources[second]:
            continue
        between = any(not a.is_load and a.location == first.location and first.place < a.place < second.place for a in thread)
        if not between and order.index(first) > order.index(second):
            return False
    return True


def outcomes_allowed(threads, variant, model):
    """Of all orders of the accesses that keep what `model` keeps of each thread."""
    accesses = [a for thread in threads for a in thread]
    kept = [(a, b) for thread in threads for a, b in itertools.combinations(thread, 2) if model(variant, a, b)]
    outcomes = set()
    for order in itertools.permutations(accesses):
        place = {a: i for i, a in enumerate(order)}
        if any(place[a] > place[b] for a, b in kept):
            continue
        sources = {a: taken(a, order) for a in accesses if a.is_load}
        if not all(keeps_coherent_reads(thread, order, sources) for thread in threads):
            continue
        values = [sources[a].value if sources[a] else 0 for a in accesses if a.is_load]
        for location in LOCATIONS:
            stores = [a.value for a in order if not a.is_load and a.location == location]
            values.append(stores[-1] if stores else 0)
        outcomes.add(tuple(values))
    return frozenset(outcomes)


@functools.lru_cache(maxsize=None)
def allowed(test, variant, model):
    return outcomes_allowed(threads_of(test), variant, model)


def access_lines(access, variant, loads):
    """Assembly; a0 and a1 have the addresses of x and y, t0 to t2 the values 1 to 3."""
    address = f"(a{LOCATIONS.index(access.location)})"
    if access.is_load:
        to = f"a{4 + loads}"
        return {"amo": [f"amoor.d.aqrl {to}, zero, {address}"], "lr/sc": [f"lr.d.aqrl {to}, {address}"]}.get(
            variant, [f"ld {to}, 0{address}"])
    value = f"t{access.value - 1}"
    if variant == "amo":
        return [f"amoswap.d.aqrl zero, {value}, {address}"]
    if variant == "lr/sc":
        return ["1:", f"lr.d.aqrl t3, {address}", f"sc.d.aqrl t3, {value}, {address}", "bnez t3, 1b"]
    return [f"sd {value}, 0{address}"]


def assembly():
    """Functions kernel(x, y, results), and the table `litmus_tests` of runner.c."""
    lines = [".option norelax", ".text"]
    table = [".data", ".align 3", ".globl litmus_tests", "litmus_tests:"]
    strings = []
    for number, test in enumerate(TESTS):
        for kind, variant in enumerate(VARIANTS):
            threads = threads_of(test)
            for thread, accesses in enumerate(threads):
                loads = 0
                lines += [".align 2", f"kernel_{number}_{kind}_{thread}:", "li t0, 1", "li t1, 2", "li t2, 3"]
                for place, access in enumerate(accesses):
                    lines += access_lines(access, variant, loads)
                    loads += access.is_load
                    if place + 1 == len(accesses):
                        continue
                    if variant == "rw,rw":
                        lines.append("fence rw, rw")
                    elif variant == "w,w r,r":
                        lines += ["fence w, w", "fence r, r"]
                lines += [f"sd a{4 + i}, {8 * i}(a2)" for i in range(loads)] + ["ret"]
            functions = [f"kernel_{number}_{kind}_{thread}" for thread in range(len(threads))] + ["0"] * (4 - len(threads))
            loads = [sum(a.is_load for a in thread) for thread in threads] + [0] * (4 - len(threads))
            table += [f".dword name_{number}_{kind}"] + [f".dword {f}" for f in functions] + [f".dword {n}" for n in loads]
            strings.append(f'name_{number}_{kind}: .asciz "{test}/{variant}"')
    return "\n".join(lines + table + [".dword 0"] + strings) + "\n"
