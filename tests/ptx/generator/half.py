"""f16, bf16 and pairs of them: arithmetic with .ftz and .sat, min and max with .NaN and .xorsign.abs, setp and set with
every comparison, abs, neg. A pair is two independent operations."""

import random

from . import exact
from .exact import BF16, F16, is_nan, is_subnormal, value
from .floats import permuted

FORMATS = {"f16": F16, "bf16": BF16}
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
HOME = {"version": "7.8", "target": "sm_90"}


def operands(f, kind, count):
    """`count` lists of 32 patterns, special ones or random ones of similar magnitude."""
    if kind == "special":
        return [permuted(f, step, start) for step, start in ((1, 0), (5, 2), (11, 7))][:count]
    draw = random.Random("%s %d" % (f.name, count))
    one = f.bias << f.fraction_bits
    near = lambda: (one + draw.randrange(-3 << f.fraction_bits, 3 << f.fraction_bits)) | draw.choice((0, f.sign))
    return [[near() for _ in range(32)] for _ in range(count)]


def flush_all(f, ftz, *values):
    return [exact.flush(x, f) if ftz else x for x in values]


def finish(x, f, ftz, sat):
    x = exact.flush(x, f) if ftz else x
    return exact.saturate(x, f) if sat else x


def pairs(low, high):
    return [x | y << 16 for x, y in zip(low, high)]


def both(function, f, *inputs):
    """The results of a pair's two halves as one pattern each lane; inputs are lists of pairs."""
    return pairs([function(*(v & 0xFFFF for v in row)) for row in zip(*inputs)],
                 [function(*(v >> 16 for v in row)) for row in zip(*inputs)])


def on_pairs(values):
    """Pairs that hold a list twice: in order below, turned by 7 above."""
    return pairs(values, values[7:] + values[:7])


def each_width(t):
    """(type of the instruction, what makes its operands, what computes its results)."""
    f = FORMATS[t]
    plain = lambda function, *inputs: [function(*row) for row in zip(*inputs)]
    yield t, (lambda values: values), plain
    yield t + "x2", on_pairs, lambda function, *inputs: both(function, f, *inputs)


def lifted(function, f, row):
    """Whether rounding lifts a subnormal result to the smallest normal number: .ftz does not say which step comes first."""
    result = function(*row)
    return result & ~f.sign == 1 << f.fraction_bits and not is_nan(result, f) and not all(
        is_subnormal(x, f) or value(x, f).denominator == 1 for x in row if not exact.is_inf(x, f) and not is_nan(x, f))


def arithmetic(suite):
    for t, f in FORMATS.items():
        for kind in ("special", "random"):
            for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
                function = lambda *v, op=op: getattr(exact, op)(*v, f)
                lists = operands(f, kind, count)
                rows = list(zip(*lists))
                one = f.bias << f.fraction_bits
                rows = [(one,) * count if lifted(function, f, row) else row for row in rows]
                lists = [list(column) for column in zip(*rows)]
                for name, arrange, apply in each_width(t):
                    inputs = [arrange(values) for values in lists]
                    registers = ", ".join(("%a", "%b", "%c")[:count])
                    options = [(r, ftz, sat) for r in (("", ".rn") if op != "fma" else (".rn",))
                               for ftz in (("", ".ftz") if t == "f16" else ("",)) for sat in (("", ".sat") if t == "f16" else ("",))]
                    suite.forms("%s.%s.%s" % (op, name, kind), [(name, values) for values in inputs],
                                [("%s%s%s%s.%s {d}, %s;" % (op, r, ftz, sat, name, registers), name,
                                  apply(lambda *v: finish(function(*flush_all(f, ftz, *v)), f, ftz, sat), *inputs))
                                 for r, ftz, sat in options], **HOME)


def extremes(suite):
    for t, f in FORMATS.items():
        a, b = operands(f, "special", 2)
        a = [0, f.sign, f.nan, f.nan | f.sign] + a[4:]
        b = [f.sign, 0, f.sign | 3, 5] + b[4:]
        for name, arrange, apply in each_width(t):
            inputs = [arrange(a), arrange(b)]
            rows = []
            for op, largest in (("min", False), ("max", True)):
                for ftz in ("", ".ftz") if t == "f16" else ("",):
                    for nan in ("", ".NaN"):
                        for xorsign in ("", ".xorsign.abs"):
                            rows.append(("%s%s%s%s.%s {d}, %%a, %%b;" % (op, ftz, nan, xorsign, name), name,
                                         apply(lambda x, y: exact.extreme(*flush_all(f, ftz, x, y), f, largest, bool(nan), bool(xorsign)),
                                               *inputs)))
            suite.forms("min_max." + name, [(name, values) for values in inputs], rows, **HOME)
            # The ISA leaves the NaN that abs and neg of a NaN give open.
            numbers = arrange([f.bias if is_nan(x, f) else x for x in a])
            suite.forms("abs_neg." + name, [(name, numbers)],
                        [("%s%s.%s {d}, %%a;" % (op, ftz, name), name,
                          apply(lambda x: function(exact.flush(x, f) if ftz else x), numbers))
                         for op, function in (("abs", lambda x: x & ~f.sign), ("neg", lambda x: x ^ f.sign))
                         for ftz in (("", ".ftz") if t == "f16" else ("",))], **HOME)


def comparisons(suite):
    for t, f in FORMATS.items():
        a, b = operands(f, "special", 2)
        b = [a[i] if i % 4 == 0 else x for i, x in enumerate(b)]
        a, b = [1, f.sign | 1, 0, 3] + a[4:], [0, 0, f.sign | 2, 3] + b[4:]
        for ftz in ("", ".ftz") if t == "f16" else ("",):
            truth = {op: [exact.compare(*flush_all(f, ftz, x, y), f, op) for x, y in zip(a, b)] for op in COMPARISONS}
            suite.forms("setp%s.%s" % (ftz, t), [(t, a), (t, b)],
                        [("setp.%s%s.%s %%p, %%a, %%b;\nselp.u32 {d}, 1, 0, %%p;" % (op, ftz, t), "u32", [int(v) for v in truth[op]])
                         for op in COMPARISONS], **HOME)
            one = f.bias << f.fraction_bits
            for result, yes in ((t, one), ("u16", 0xFFFF), ("s16", 0xFFFF), ("u32", 0xFFFFFFFF), ("s32", 0xFFFFFFFF)):
                suite.forms("set%s.%s.%s" % (ftz, result, t), [(t, a), (t, b)],
                            [("set.%s%s.%s.%s {d}, %%a, %%b;" % (op, ftz, result, t), result, [yes if v else 0 for v in truth[op]])
                             for op in COMPARISONS], **HOME)
            pair, left, right = t + "x2", on_pairs(a), on_pairs(b)
            twice = {op: (truth[op], truth[op][7:] + truth[op][:7]) for op in COMPARISONS}
            suite.forms("setp%s.%s" % (ftz, pair), [(pair, left), (pair, right)],
                        [("setp.%s%s.%s %%p|%%q, %%a, %%b;\nselp.u32 {d}, 1, 0, %%p;\n@%%q add.u32 {d}, {d}, 2;" % (op, ftz, pair), "u32",
                          [int(x) + 2 * int(y) for x, y in zip(*twice[op])]) for op in COMPARISONS], **HOME)
            for result, yes in ((pair, one), ("u32", 0xFFFF), ("s32", 0xFFFF)):
                suite.forms("set%s.%s.%s" % (ftz, result, pair), [(pair, left), (pair, right)],
                            [("set.%s%s.%s.%s {d}, %%a, %%b;" % (op, ftz, result, pair), result,
                              pairs(*([yes if v else 0 for v in half] for half in twice[op]))) for op in COMPARISONS], **HOME)


def generate(suite):
    for part in (arithmetic, extremes, comparisons):
        part(suite)
