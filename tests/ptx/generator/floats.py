"""Floating-point arithmetic with its roundings, comparisons, classification and the approximate functions."""

import math
import struct
from fractions import Fraction

from . import exact
from .emit import canonical
from .exact import F32, F64, is_nan, is_subnormal, negative, value

FORMATS = {"f32": F32, "f64": F64}
MODES = ["rn", "rz", "rm", "rp"]


def bits(x, f):
    """The pattern of a Python float, rounded to nearest."""
    if math.isinf(x):
        return f.inf | (f.sign if x < 0 else 0)
    return exact.round_to(Fraction(x), f, "rn", math.copysign(1, x) < 0)


def as_float(x, f):
    return struct.unpack("<f", struct.pack("<I", x))[0] if f is F32 else struct.unpack("<d", struct.pack("<Q", x))[0]


def specials(f):
    one = f.bias << f.fraction_bits
    plain = [bits(x, f) for x in (1.5, -2.5, 3.0, 0.1, -1 / 3, 1e10, -1e-10, 3.14159265358979, 16777217.0, 0.75, 100.0)]
    return [0, f.sign, one, one | f.sign, one + 1, one - 1, 1, f.sign | 1, (1 << f.fraction_bits) - 1,
            f.sign | (1 << f.fraction_bits) - 1, 1 << f.fraction_bits, f.sign | 1 << f.fraction_bits, f.max,
            f.sign | f.max, f.inf, f.sign | f.inf, f.nan, f.nan | f.sign, f.max - (1 << f.fraction_bits),
            (3 << f.fraction_bits) | 5, one + (f.fraction_bits + 1 << f.fraction_bits)] + plain


def permuted(f, step, start):
    values = specials(f)
    return [values[(i * step + start) % 32] for i in range(32)]


def rounding_pairs(f):
    """Operands whose sums, products and quotients lie on and beside halfway points and at the range's ends."""
    one = f.bias << f.fraction_bits
    tiny = one - (f.fraction_bits + 1 << f.fraction_bits)  # half a unit in the last place of 1
    pairs = []
    for a in (one, one + 1, one | f.sign, one + 1 | f.sign):
        for b in (tiny, tiny | f.sign, tiny + 1, tiny - 1):
            pairs.append((a, b))
    half_range = (f.bias // 2 << f.fraction_bits) | 3
    pairs += [(f.max, f.max), (f.max, f.max - (30 << f.fraction_bits)), (f.max | f.sign, f.max), (one + 3, one + 5),
              (one + 3 | f.sign, one + 7), (half_range, half_range), (half_range | f.sign, half_range + 9),
              (1, one - (1 << f.fraction_bits)), (3, one - (1 << f.fraction_bits)), (1 | f.sign, tiny),
              (f.max, one + 1), (bits(1.0, f), bits(3.0, f)), (bits(-1.0, f), bits(3.0, f)), (bits(2.0, f), bits(7.0, f)),
              ((2 << f.fraction_bits) | 3, (1 << f.fraction_bits) | 1), (one, one)]
    assert len(pairs) == 32
    return [p[0] for p in pairs], [p[1] for p in pairs]


def operand_sets(f):
    return {"special": (permuted(f, 1, 0), permuted(f, 5, 2)), "rounding": rounding_pairs(f)}


def flushed(function, *operands):
    """.ftz: subnormal operands and results become zeros of their sign. Operands are chosen so that rounding never
    lifts a subnormal result to the smallest normal number, where the order of the two steps would matter."""
    result = function(*(exact.flush(x, F32) for x in operands))
    return exact.flush(result, F32)


def finish(t):
    return "\n" + canonical("%d", t) if t == "f64" else ""


def arithmetic(suite):
    for t, f in FORMATS.items():
        for set_name, (a, b) in operand_sets(f).items():
            c = permuted(f, 11, 7)
            if set_name == "rounding":
                # -a*b rounded is close to a*b, so the fused sum shows the bits that a separate product loses.
                c = [exact.mul(x, y, f) ^ f.sign if i % 2 else c[i] for i, (x, y) in enumerate(zip(a, b))]
                c = [f.bias << f.fraction_bits if is_nan(x, f) else x for x in c]
            for mode in MODES:
                for op in ("add", "sub", "mul", "div"):
                    form = "%s.%s.%s" % (op, mode, t)
                    suite.lanes("%s.%s" % (form, set_name), [(t, a), (t, b)], form + " %d, %a, %b;" + finish(t),
                                [(t, [getattr(exact, op)(x, y, f, mode) for x, y in zip(a, b)])])
                form = "fma.%s.%s" % (mode, t)
                suite.lanes("%s.%s" % (form, set_name), [(t, a), (t, b), (t, c)],
                            form + " %d, %a, %b, %c;" + finish(t),
                            [(t, [exact.fma(x, y, z, f, mode) for x, y, z in zip(a, b, c)])])
                if set_name == "rounding":
                    form = "mad.%s.%s" % (mode, t)
                    suite.lanes(form, [(t, a), (t, b), (t, c)], form + " %d, %a, %b, %c;" + finish(t),
                                [(t, [exact.fma(x, y, z, f, mode) for x, y, z in zip(a, b, c)])],
                                source="mad on floats is fma since sm_20")
        a = permuted(f, 1, 0)
        roots = [bits(x, f) for x in (2.0, 3.0, 0.5, 4.0, 1e-300 if f is F64 else 1e-40, 1e20, 7.0, 10.0)] + a[8:]
        one = f.bias << f.fraction_bits
        for mode in MODES:
            for name, values, result in (
                    ("rcp", a, [exact.div(one, x, f, mode) for x in a]),
                    ("rcp", roots, [exact.div(one, x, f, mode) for x in roots]),
                    ("sqrt", a, [exact.sqrt(x, f, mode) for x in a]),
                    ("sqrt", roots, [exact.sqrt(x, f, mode) for x in roots])):
                form = "%s.%s.%s" % (name, mode, t)
                suite.lanes("%s.%s" % (form, "special" if values is a else "values"), [(t, values)],
                            form + " %d, %a;" + finish(t), [(t, result)])
        a, b = operand_sets(f)["special"]
        for op, largest in (("min", False), ("max", True)):
            form = "%s.%s" % (op, t)
            suite.lanes(form, [(t, a), (t, b)], form + " %d, %a, %b;" + finish(t),
                        [(t, [exact.minimum(x, y, f, largest) for x, y in zip(a, b)])])
            zeros = [0, f.sign, f.nan, 1] * 8
            others = [f.sign, 0, 0, f.sign, f.nan, f.sign | 1, f.nan, f.nan] * 4
            suite.lanes(form + ".zeros", [(t, zeros), (t, others)], form + " %d, %a, %b;" + finish(t),
                        [(t, [exact.minimum(x, y, f, largest) for x, y in zip(zeros, others)])])
        clean = [f.nan if is_nan(x, f) else x for x in a]
        known = lambda x: f.nan if is_nan(x, f) else x
        suite.lanes("abs." + t, [(t, clean)], "abs.%s %%d, %%a;\n%s" % (t, canonical("%d", t)),
                    [(t, [known(x & ~f.sign) for x in clean])])
        suite.lanes("neg." + t, [(t, clean)], "neg.%s %%d, %%a;\n%s" % (t, canonical("%d", t)),
                    [(t, [known(x ^ f.sign) for x in clean])])
        numbers = [one + 7 if is_nan(x, f) else x for x in a]
        suite.lanes("copysign." + t, [(t, b), (t, numbers)], "copysign.%s %%d, %%a, %%b;" % t,
                    [(t, [y & ~f.sign | x & f.sign for x, y in zip(b, numbers)])])
    flush_and_saturate(suite)


def flush_and_saturate(suite):
    f = F32
    a, b = operand_sets(f)["special"]
    c = permuted(f, 11, 7)
    smallest = 1 << f.fraction_bits
    a = [smallest + 5, smallest, smallest | f.sign, smallest + 9] + a[4:]
    b = [smallest | f.sign, bits(0.5, f), bits(0.25, f), smallest + 2 | f.sign] + b[4:]
    for op in ("add", "sub", "mul"):
        function = getattr(exact, op)
        for form, expected in (
                (op + ".ftz.f32", [flushed(function_of(function), x, y) for x, y in zip(a, b)]),
                (op + ".sat.f32", [exact.saturate(function(x, y, f), f) for x, y in zip(a, b)]),
                (op + ".rz.ftz.sat.f32", [exact.saturate(flushed(function_of(function, "rz"), x, y), f)
                                          for x, y in zip(a, b)])):
            suite.lanes(form, [("f32", a), ("f32", b)], form + " %d, %a, %b;", [("f32", expected)])
    fused = lambda x, y, z: exact.fma(x, y, z, f)
    suite.lanes("fma.rn.ftz.f32", [("f32", a), ("f32", b), ("f32", c)], "fma.rn.ftz.f32 %d, %a, %b, %c;",
                [("f32", [flushed(fused, *v) for v in zip(a, b, c)])])
    suite.lanes("fma.rn.sat.f32", [("f32", a), ("f32", b), ("f32", c)], "fma.rn.sat.f32 %d, %a, %b, %c;",
                [("f32", [exact.saturate(fused(*v), f) for v in zip(a, b, c)])])
    suite.lanes("div.rn.ftz.f32", [("f32", a), ("f32", b)], "div.rn.ftz.f32 %d, %a, %b;",
                [("f32", [flushed(function_of(exact.div), x, y) for x, y in zip(a, b)])])
    numbers = [3 if is_nan(x, f) else x for x in a]
    suite.lanes("abs.ftz.f32", [("f32", numbers)], "abs.ftz.f32 %d, %a;",
                [("f32", [exact.flush(x, f) & ~f.sign for x in numbers])])
    suite.lanes("neg.ftz.f32", [("f32", numbers)], "neg.ftz.f32 %d, %a;",
                [("f32", [exact.flush(x, f) ^ f.sign for x in numbers])])
    one = f.bias << f.fraction_bits
    suite.lanes("rcp.rn.ftz.f32", [("f32", a)], "rcp.rn.ftz.f32 %d, %a;",
                [("f32", [flushed(lambda x: exact.div(one, x, f), x) for x in a])])
    suite.lanes("sqrt.rn.ftz.f32", [("f32", a)], "sqrt.rn.ftz.f32 %d, %a;",
                [("f32", [flushed(lambda x: exact.sqrt(x, f), x) for x in a])])
    for op, largest in (("min", False), ("max", True)):
        suite.lanes(op + ".ftz.f32", [("f32", a), ("f32", b)], op + ".ftz.f32 %d, %a, %b;",
                    [("f32", [flushed(lambda x, y: exact.minimum(x, y, f, largest), x, y) for x, y in zip(a, b)])])


def function_of(function, mode="rn"):
    return lambda x, y: function(x, y, F32, mode)


def classification(suite):
    tests = {"finite": lambda x, f: x & ~f.sign < f.inf, "infinite": exact.is_inf,
             "number": lambda x, f: not is_nan(x, f), "notanumber": is_nan,
             # Zeros count as normal.
             "normal": lambda x, f: x & ~f.sign < f.inf and not is_subnormal(x, f), "subnormal": is_subnormal}
    for t, f in FORMATS.items():
        a = permuted(f, 1, 0)
        for name, test in tests.items():
            suite.lanes("testp.%s.%s" % (name, t), [(t, a)],
                        "testp.%s.%s %%p, %%a;\nselp.u32 %%d, 1, 0, %%p;" % (name, t),
                        [("u32", [int(test(x, f)) for x in a])])


def near_results(f, function, candidates, keep):
    """32 patterns among the candidates whose exact result satisfies `keep`."""
    chosen = [x for x in candidates if keep(function(x))]
    return (chosen * 32)[:32]


def approximate(suite):
    """Tolerances follow the ISA's maximum errors; where it states an absolute error, operands are chosen whose results
    are so large that the stated error is a small number of units in the last place."""
    f = F32
    grid = [exact.round_to(Fraction(i * 2654435761 % 100003, 7919) - 6, f) for i in range(1, 400)]
    positive = [x for x in grid if not negative(x, f) and x]
    real = lambda x: as_float(x, f)
    exact_source = "double-precision functions of the C library, rounded; tolerance from the ISA's maximum error"

    def one(name, form, values, function, ulps, **rest):
        suite.lanes(name, [("f32", values)], form + " %d, %a;", [("f32", [bits(function(real(x)), f) for x in values])],
                    ulps=ulps, source=exact_source, **rest)

    spread = [exact.round_to(Fraction(3 + i, 7) * Fraction(2) ** (i * 7 % 200 - 100), f) for i in range(32)]
    one("rcp.approx.f32", "rcp.approx.f32", spread, lambda x: 1 / x, 1)
    one("rcp.approx.ftz.f32", "rcp.approx.ftz.f32", spread, lambda x: 1 / x, 1)
    one("sqrt.approx.f32", "sqrt.approx.f32", spread, math.sqrt, 2)
    one("sqrt.approx.ftz.f32", "sqrt.approx.ftz.f32", spread, math.sqrt, 2)
    one("rsqrt.approx.f32", "rsqrt.approx.f32", spread, lambda x: 1 / math.sqrt(x), 3)
    one("rsqrt.approx.ftz.f32", "rsqrt.approx.ftz.f32", spread, lambda x: 1 / math.sqrt(x), 3)
    small = [x for x in grid if abs(real(x)) < 3.0]
    one("sin.approx.f32", "sin.approx.f32", near_results(f, lambda x: math.sin(real(x)), small, lambda y: abs(y) > 0.6),
        math.sin, 12)
    one("cos.approx.f32", "cos.approx.f32", near_results(f, lambda x: math.cos(real(x)), small, lambda y: abs(y) > 0.6),
        math.cos, 12)
    one("sin.approx.ftz.f32", "sin.approx.ftz.f32",
        near_results(f, lambda x: math.sin(real(x)), small[9:], lambda y: abs(y) > 0.6), math.sin, 12)
    one("cos.approx.ftz.f32", "cos.approx.ftz.f32",
        near_results(f, lambda x: math.cos(real(x)), small[9:], lambda y: abs(y) > 0.6), math.cos, 12)
    one("ex2.approx.f32", "ex2.approx.f32", grid[:32], lambda x: 2.0 ** x, 4)
    one("ex2.approx.ftz.f32", "ex2.approx.ftz.f32", grid[40:72], lambda x: 2.0 ** x, 4)
    logs = near_results(f, lambda x: math.log2(real(x)), spread + positive, lambda y: abs(y) >= 1)
    one("lg2.approx.f32", "lg2.approx.f32", logs, math.log2, 4)
    one("lg2.approx.ftz.f32", "lg2.approx.ftz.f32", logs, math.log2, 4)
    one("tanh.approx.f32", "tanh.approx.f32", near_results(f, real, grid, lambda y: abs(y) > 0.1), math.tanh, 1 << 14,
        version="7.0", target="sm_75")
    divisors = [spread[(i * 5 + 3) % 32] for i in range(32)]
    quotients = [exact.div(x, y, f) for x, y in zip(positive[:32], divisors)]
    for form in ("div.approx.f32", "div.full.f32", "div.approx.ftz.f32", "div.full.ftz.f32"):
        suite.lanes(form, [("f32", positive[:32]), ("f32", divisors)], form + " %d, %a, %b;", [("f32", quotients)],
                    ulps=2, source="exact quotient, rounded; tolerance from the ISA's maximum error")

    # What the ISA's tables fix for zeros, infinities, NaN and flushed subnormals is exact even for these forms.
    edges = [0, f.sign, f.inf, f.sign | f.inf, f.nan, 1, f.sign | 1, 0x7FFFFF] * 4
    unit, inf, ninf, nan, nzero = f.bias << f.fraction_bits, f.inf, f.inf | f.sign, f.nan, f.sign
    tables = {"rcp.approx.ftz.f32": [inf, ninf, 0, nzero, nan, inf, ninf, inf],
              "sqrt.approx.ftz.f32": [0, nzero, inf, nan, nan, 0, nzero, 0],
              "rsqrt.approx.ftz.f32": [inf, ninf, 0, nan, nan, inf, ninf, inf],
              "sin.approx.ftz.f32": [0, nzero, nan, nan, nan, 0, nzero, 0],
              "cos.approx.ftz.f32": [unit, unit, nan, nan, nan, unit, unit, unit],
              "lg2.approx.ftz.f32": [ninf, ninf, inf, nan, nan, ninf, ninf, ninf],
              "ex2.approx.ftz.f32": [unit, unit, inf, 0, nan, unit, unit, unit]}
    for form, row in tables.items():
        suite.lanes(form + ".edges", [("f32", edges)], form + " %d, %a;\n" + canonical("%d", "f32"),
                    [("f32", row * 4)], source="the ISA's table of special values")

    # Divisors beyond 2^126: 0, or NaN for an infinite dividend. 2^126 itself is not beyond.
    divisors = [0x7E800000, 0x7E800001, 0x7F000000, 0x7F7FFFFF]
    for form in ("div.approx.f32", "div.approx.ftz.f32"):
        suite.lanes(form + ".large", [("f32", [unit, f.inf] * 16), ("f32", [b for b in divisors for _ in range(8)])],
                    form + " %d, %a, %b;\n" + canonical("%d", "f32"),
                    [("f32", [0x00800000, inf] * 4 + [0, nan] * 12)], source="the ISA's text on divisors beyond 2^126")


def generate(suite):
    for part in (arithmetic, classification, approximate):
        part(suite)
