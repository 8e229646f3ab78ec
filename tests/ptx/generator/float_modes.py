"""Single precision with every combination of rounding, .ftz and .sat; min and max with .NaN and .xorsign.abs; set of
floats with every comparison and result type; forms without a rounding modifier."""

from . import exact
from .emit import canonical
from .exact import F32, F64, is_nan, is_subnormal
from .floats import FORMATS, MODES, operand_sets, permuted, rounding_pairs

COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
ONE = F32.bias << 23


def settled(function, row):
    """The operands, or ones where rounding lifts a subnormal result to the smallest normal number or the other way round
    (.ftz does not say which step comes first)."""
    results = [function(*(exact.flush(x, F32) for x in row), F32, mode) for mode in MODES]
    edge = any(x & ~F32.sign == 1 << 23 for x in results) and any(is_subnormal(x, F32) for x in results)
    return (ONE,) * len(row) if edge else row


def flushed(function, mode, ftz, sat, row):
    if ftz:
        row = [exact.flush(x, F32) for x in row]
    result = function(*row, F32, mode)
    result = exact.flush(result, F32) if ftz else result
    return exact.saturate(result, F32) if sat else result


def arithmetic(suite):
    a, b = operand_sets(F32)["special"]
    c = permuted(F32, 11, 7)
    smallest = 1 << 23
    a = [smallest + 5, smallest, smallest | F32.sign, smallest + 9] + a[4:]
    b = [smallest | F32.sign, 0x3F000000, 0x3E800000, smallest + 2 | F32.sign] + b[4:]
    for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("mad", 3)):
        function = exact.fma if op == "mad" else getattr(exact, op)
        for kind, lists in (("special", (a, b, c)), ("rounding", rounding_pairs(F32) + (permuted(F32, 11, 7),))):
            rows = [settled(function, row) for row in zip(*lists[:count])]
            inputs = [("f32", list(column)) for column in zip(*rows)]
            registers = ", ".join(("%a", "%b", "%c")[:count])
            forms = [(mode, ftz, sat) for mode in (["", *MODES] if count == 2 else MODES) for ftz in ("", ".ftz") for sat in ("", ".sat")]
            suite.forms("%s.f32.modes.%s" % (op, kind), inputs,
                        [("%s%s%s%s.f32 {d}, %s;" % (op, mode and "." + mode, ftz, sat, registers), "f32",
                          [flushed(function, mode or "rn", ftz, sat, row) for row in rows]) for mode, ftz, sat in forms])
    rows = [settled(exact.div, row) for row in zip(a, b)]
    suite.forms("div.ftz.modes", [("f32", list(v)) for v in zip(*rows)],
                [("div.%s.ftz.f32 {d}, %%a, %%b;" % mode, "f32", [flushed(exact.div, mode, True, False, row) for row in rows])
                 for mode in MODES])
    reciprocal = lambda x, f, mode: exact.div(ONE, x, f, mode)
    for op, function in (("rcp", reciprocal), ("sqrt", exact.sqrt)):
        rows = [settled(function, (x,)) for x in a]
        suite.forms("%s.ftz.modes" % op, [("f32", [x for x, in rows])],
                    [("%s.%s.ftz.f32 {d}, %%a;" % (op, mode), "f32", [flushed(function, mode, True, False, row) for row in rows])
                     for mode in MODES])
    x, y = operand_sets(F64)["special"]
    suite.forms("double.no_rounding", [("f64", x), ("f64", y)],
                [("%s.f64 {d}, %%a, %%b;\n%s" % (op, canonical("{d}", "f64")), "f64", [getattr(exact, op)(*v, F64) for v in zip(x, y)])
                 for op in ("add", "sub", "mul")], source="without a modifier the rounding is to nearest even")


def extremes(suite):
    f = F32
    a, b = operand_sets(f)["special"]
    a = [0, f.sign, f.nan, f.nan | f.sign, 3, f.sign | 3] + a[6:]
    b = [f.sign, 0, f.sign | 3, 5, f.sign, 0] + b[6:]
    flush = lambda x, ftz: exact.flush(x, f) if ftz else x
    suite.forms("min_max.f32", [("f32", a), ("f32", b)],
                [("%s%s%s%s.f32 {d}, %%a, %%b;" % (op, ftz, nan, xorsign), "f32",
                  [exact.extreme(flush(x, ftz), flush(y, ftz), f, op == "max", bool(nan), bool(xorsign)) for x, y in zip(a, b)])
                 for op in ("min", "max") for ftz in ("", ".ftz") for nan in ("", ".NaN") for xorsign in ("", ".xorsign.abs")],
                version="7.2", target="sm_86")


def comparisons(suite):
    for t, f in FORMATS.items():
        a, b = permuted(f, 1, 0), permuted(f, 5, 2)
        b = [a[i] if i % 4 == 0 else x for i, x in enumerate(b)]
        a, b = [1, f.sign | 1, 0, 3] + a[4:], [0, 0, f.sign | 2, 3] + b[4:]
        for ftz in ("", ".ftz") if f is F32 else ("",):
            flush = lambda x: exact.flush(x, f) if ftz else x
            truth = {op: [exact.compare(flush(x), flush(y), f, op) for x, y in zip(a, b)] for op in COMPARISONS}
            if ftz:
                suite.forms("setp.ftz.f32", [(t, a), (t, b)],
                            [("setp.%s.ftz.f32 %%p, %%a, %%b;\nselp.u32 {d}, 1, 0, %%p;" % op, "u32", [int(v) for v in truth[op]])
                             for op in COMPARISONS])
            for result, yes in (("u32", 0xFFFFFFFF), ("s32", 0xFFFFFFFF), ("f32", ONE)):
                suite.forms("set%s.%s.%s" % (ftz, result, t), [(t, a), (t, b)],
                            [("set.%s%s.%s.%s {d}, %%a, %%b;" % (op, ftz, result, t), result, [yes if v else 0 for v in truth[op]])
                             for op in COMPARISONS])
        truth = {op: [exact.compare(x, y, f, op) for x, y in zip(a, b)] for op in ("eq", "lt")}
        combined(suite, t, a, b, truth)


JOINS = {"and": lambda x, y: x and y, "or": lambda x, y: x or y, "xor": lambda x, y: x != y}


def combined(suite, t, a, b, truth):
    """setp with both results and a predicate joined to each: p = cmp JOIN c, q = !cmp JOIN c."""
    side = [i >> 1 & 1 for i in range(32)]
    rows = [("setp.%s.%s.%s %%p|%%q, %%a, %%b, %%r;\nselp.u32 {d}, 1, 0, %%p;\n@%%q add.u32 {d}, {d}, 2;" % (op, join, t), "u32",
             [int(f(bool(x), bool(c))) + 2 * int(f(not x, bool(c))) for x, c in zip(truth[op], side)])
            for op in ("eq", "lt") if op in truth for join, f in JOINS.items()]
    suite.forms("setp.join." + t, [(t, a), (t, b), ("u32", side)], rows, before=".reg .pred %r;\nsetp.ne.u32 %r, %c, 0;")


def generate(suite):
    for part in (arithmetic, extremes, comparisons):
        part(suite)
