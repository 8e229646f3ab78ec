"""cvt between all types with roundings and saturation; setp, set, selp, slct with all comparisons; f16 basics."""

from fractions import Fraction

from . import exact, floats, integers
from .emit import WIDTH, canonical, integer, mask
from .exact import F16, F32, F64, is_nan

INTEGER_TYPES = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
CARRIER = {8: "u16", 16: "u16", 32: "u32", 64: "u64"}
MODES = ["rn", "rz", "rm", "rp"]
RESULTS = ["d", "d1", "d2", "d3"]


def limits(t):
    bits = WIDTH[t]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t[0] == "s" else (0, (1 << bits) - 1)


def integer_to_integer(suite):
    for source in INTEGER_TYPES:
        values = integers.CORE[max(16, WIDTH[source])]
        if WIDTH[source] == 8:
            values = [v & 0xFF for v in values[:16]] + [(i * 17 + 3) & 0xFF for i in range(16)]
        for target in INTEGER_TYPES:
            if target == source:
                continue
            # A destination register wider than the type gets the value extended by the type's sign.
            carrier = CARRIER[WIDTH[target]]
            load = "cvt.%s.%s %%d, %%a;" % (target, source)
            plain = [integer(integer(v, source), target) & mask(carrier) for v in values]
            low, high = limits(target)
            clamped = [min(max(integer(v, source), low), high) & mask(carrier) for v in values]
            suite.lanes("cvt.%s.%s" % (target, source), [(CARRIER[WIDTH[source]], values)], load, [(carrier, plain)])
            source_low, source_high = limits(source)
            if low <= source_low and source_high <= high:
                continue  # .sat is illegal where it could do nothing
            suite.lanes("cvt.sat.%s.%s" % (target, source), [(CARRIER[WIDTH[source]], values)],
                        load.replace("cvt.", "cvt.sat."), [(carrier, clamped)])


def integer_to_float(suite):
    wide = [0, 1, -1, 2, 3, 16777215, 16777216, 16777217, 16777219, -16777217, -16777219, 33554431, 2147483647,
            -2147483648, 2147483583, 2147483584, 9007199254740993, 9007199254740995, -9007199254740993,
            9223372036854775807, -9223372036854775808, 1 << 62, (1 << 53) - 1, 4294967295, 4294967296, 4294967169,
            1234567890123456789, -1234567890123456789, 100, -100, 255, 65535]
    for source in INTEGER_TYPES:
        values = [v & mask(source) for v in wide]
        for t, f in floats.FORMATS.items():
            suite.lanes("cvt.r.%s.%s" % (t, source), [(CARRIER[WIDTH[source]], values)],
                        "\n".join("cvt.%s.%s.%s %%%s, %%a;" % (mode, t, source, reg) for mode, reg in zip(MODES, RESULTS)),
                        [(t, [exact.round_to(Fraction(integer(v, source)), f, mode) for v in values])
                         for mode in MODES])


def float_to_integer(suite):
    for t, f in floats.FORMATS.items():
        numbers = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.999, -0.999, 127.5, -128.5, 254.5, 255.5, 32767.5,
                   -32768.5, 65534.5, 65535.5, 8388607.5, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0,
                   4294967040.0, 4294967296.0, 9.3e18, -9.3e18, 1.8e19, 1.9e19, 1e30]
        values = [floats.bits(x, f) for x in numbers] + [f.inf, f.inf | f.sign]
        for target in INTEGER_TYPES:
            low, high = limits(target)
            carrier = CARRIER[WIDTH[target]]
            suite.lanes("cvt.r.%s.%s" % (target, t), [(t, values)],
                        "\n".join("cvt.%si.%s.%s %%%s, %%a;" % (mode, target, t, reg) for mode, reg in zip(MODES, RESULTS)),
                        [(carrier, [exact.to_integer(x, f, low, high, mode) & mask(carrier) for x in values])
                         for mode in MODES])
    # NaN becomes 0; the ISA says so for all types, implementations of 64-bit sources and targets differ.
    nans = [F32.nan, F32.nan | F32.sign, F32.inf | 1, F32.bias << 23] * 8
    for target in ("u16", "s16", "u32", "s32"):
        low, high = limits(target)
        carrier = CARRIER[WIDTH[target]]
        suite.lanes("cvt.rzi.%s.f32.nan" % target, [("f32", nans)], "cvt.rzi.%s.f32 %%d, %%a;" % target,
                    [(carrier, [exact.to_integer(x, F32, low, high, "rz") & mask(carrier) for x in nans])])
    subnormals = [1, F32.sign | 1, 0x7FFFFF, F32.sign | 0x7FFFFF] * 8
    for mode in MODES:
        for ftz in ("", ".ftz"):
            values = [exact.flush(x, F32) if ftz else x for x in subnormals]
            form = "cvt.%si%s.s32.f32" % (mode, ftz)
            suite.lanes(form + ".subnormal", [("f32", subnormals)], form + " %d, %a;",
                        [("u32", [exact.to_integer(x, F32, -1 << 31, (1 << 31) - 1, mode) for x in values])])


def float_to_float(suite):
    singles, doubles = floats.permuted(F32, 1, 0), floats.permuted(F64, 1, 0)
    one = 1023 << 52
    halfway = [one | 1 << 28, one | 3 << 28, one | 1 << 28 | 1, one | (1 << 28) - 1, (1 << 63) | one | 1 << 28,
               floats.bits(3.4028235e38, F64), floats.bits(3.4028236e38, F64), floats.bits(1e39, F64),
               floats.bits(-1e39, F64), floats.bits(1e-45, F64), floats.bits(0.7e-45, F64), floats.bits(-0.7e-45, F64),
               floats.bits(1.1754943e-38, F64), floats.bits(5.9e-39, F64)] + doubles[14:]
    close = "\n" + canonical("%d", "f32")
    for mode in MODES:
        suite.lanes("cvt.%s.f32.f64" % mode, [("f64", halfway)], "cvt.%s.f32.f64 %%d, %%a;" % mode + close,
                    [("f32", [exact.convert(x, F64, F32, mode) for x in halfway])])
        for t, f in floats.FORMATS.items():
            values = [floats.bits(x, f) for x in (0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.3, -0.3, 8388607.5, 4503599627370495.5,
                                                  1e15, -0.0, 0.9999999, 1e-30)] + floats.permuted(f, 1, 0)[14:]
            form = "cvt.%si.%s.%s" % (mode, t, t)
            suite.lanes(form, [(t, values)], form + " %d, %a;\n" + canonical("%d", t),
                        [(t, [exact.to_integral_float(x, f, mode) for x in values])])
    suite.lanes("cvt.f64.f32", [("f32", singles)], "cvt.f64.f32 %d, %a;\n" + canonical("%d", "f64"),
                [("f64", [exact.convert(x, F32, F64) for x in singles])])
    suite.lanes("cvt.ftz.f64.f32", [("f32", singles)], "cvt.ftz.f64.f32 %d, %a;\n" + canonical("%d", "f64"),
                [("f64", [exact.convert(exact.flush(x, F32), F32, F64) for x in singles])])
    suite.lanes("cvt.sat.f32.f32", [("f32", singles)], "cvt.sat.f32.f32 %d, %a;",
                [("f32", [exact.saturate(x, F32) for x in singles])])
    suite.lanes("cvt.rn.sat.f32.f64", [("f64", doubles)], "cvt.rn.sat.f32.f64 %d, %a;",
                [("f32", [exact.saturate(exact.convert(x, F64, F32), F32) for x in doubles])])
    suite.lanes("cvt.ftz.f32.f32", [("f32", singles)], "cvt.ftz.f32.f32 %d, %a;" + close,
                [("f32", [F32.nan if is_nan(x, F32) else exact.flush(x, F32) for x in singles])])


def half(suite):
    known = "cvt.f32.f16 %t0, %d;\ntestp.notanumber.f32 %q, %t0;\n@%q mov.b16 %d, 0x7fff;"
    numbers = [0.0, -0.0, 1.0, -1.0, 65504.0, 65519.0, 65520.0, -65536.0, 6e-8, 2.9e-8, 3e-8, 6.1e-5, 6.0e-5, 0.1, 1 / 3,
               1.00048828125, 1.0009765625, 1.00146484375, 2048.5, 2049.0, 2051.0, 1e-10, -1e-10, 3.14159, 1e10, 0.333,
               12345.0, -0.007]
    singles = [floats.bits(x, F32) for x in numbers] + [F32.inf, F32.inf | F32.sign, F32.nan, 1]
    halves = [0, 0x8000, 0x3C00, 0xBC00, 0x3C01, 0x3BFF, 1, 0x8001, 0x3FF, 0x400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00,
              0x3555, 0x4248, 0xC100, 0x5640, 0x2E66, 0x6400, 0x6401, 0x7800, 0x0401, 0x83FF, 0x4900, 0x3800, 0xB800,
              0x4001, 0x1400, 0x0C00, 0x77FF]
    other = [halves[(i * 5 + 3) % 32] for i in range(32)]
    third = [halves[(i * 11 + 6) % 32] for i in range(32)]
    for mode in MODES[:2]:
        suite.lanes("cvt.%s.f16.f32" % mode, [("f32", singles)], "cvt.%s.f16.f32 %%d, %%a;\n%s" % (mode, known),
                    [("f16", [exact.convert(x, F32, F16, mode) for x in singles])])
    suite.lanes("cvt.f32.f16", [("f16", halves)], "cvt.f32.f16 %d, %a;\n" + canonical("%d", "f32"),
                [("f32", [exact.convert(x, F16, F32) for x in halves])])
    for op in ("add", "sub", "mul"):
        suite.lanes("%s.rn.f16" % op, [("f16", halves), ("f16", other)], "%s.rn.f16 %%d, %%a, %%b;\n%s" % (op, known),
                    [("f16", [getattr(exact, op)(x, y, F16) for x, y in zip(halves, other)])])
    suite.lanes("fma.rn.f16", [("f16", halves), ("f16", other), ("f16", third)], "fma.rn.f16 %d, %a, %b, %c;\n" + known,
                [("f16", [exact.fma(*v, F16) for v in zip(halves, other, third)])])
    for op in ("lt", "eq", "geu", "nan"):
        suite.lanes("setp.%s.f16" % op, [("f16", halves), ("f16", other)],
                    "setp.%s.f16 %%p, %%a, %%b;\nselp.u32 %%d, 1, 0, %%p;" % op,
                    [("u32", [int(exact.compare(x, y, F16, op)) for x, y in zip(halves, other)])])
    pairs = [x | y << 16 for x, y in zip(halves, reversed(halves))]
    plain = [0x3C00 if is_nan(p & 0xFFFF, F16) or is_nan(p >> 16, F16) else 0 for p in pairs]
    pairs = [0x3C004000 if n else p for p, n in zip(pairs, plain)]
    twos = [0x40003800] * 32
    suite.lanes("mul.rn.f16x2", [("b32", pairs), ("b32", twos)], "mul.rn.f16x2 %d, %a, %b;",
                [("b32", [exact.mul(p & 0xFFFF, 0x3800, F16) | exact.mul(p >> 16, 0x4000, F16) << 16 for p in pairs])])


def compare_integers(suite):
    unsigned_names = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
    for t in integers.INTEGERS:
        a = integers.first(t)
        b = [x if i % 4 == 0 else y for i, (x, y) in enumerate(zip(a, integers.second(t)))]
        for op in ("eq", "ne", "lt", "le", "gt", "ge") + (("lo", "ls", "hi", "hs") if t[0] == "u" else ()):
            form = "setp.%s.%s" % (op, t)
            suite.lanes(form, [(t, a), (t, b)], form + " %p, %a, %b;\nselp.u32 %d, 1, 0, %p;",
                        [("u32", [int(exact.relation(integer(x, t), integer(y, t), unsigned_names.get(op, op)))
                                  for x, y in zip(a, b)])])
    for width in (16, 32, 64):
        t = "b%d" % width
        a = integers.first(t)
        b = [x if i % 3 == 0 else y for i, (x, y) in enumerate(zip(a, integers.second(t)))]
        suite.lanes("setp.eq." + t, [(t, a), (t, b)], "setp.eq.%s %%p, %%a, %%b;\nselp.%s %%d, %%a, %%b, %%p;" % (t, t),
                    [(t, [x if x == y else y for x, y in zip(a, b)])])
    a, b, c = (integers.first("s32"), integers.second("s32"), list(range(32)))
    for join, f in (("and", lambda x, y: x and y), ("or", lambda x, y: x or y), ("xor", lambda x, y: x != y)):
        for flip in ("", "!"):
            below = [integer(x, "s32") < integer(y, "s32") for x, y in zip(a, b)]
            side = [bool(i & 1) != bool(flip) for i in c]
            suite.lanes("setp.lt.%s.s32%s" % (join, ".not" if flip else ""), [("s32", a), ("s32", b), ("u32", c)],
                        ".reg .pred %%r;\nand.b32 %%t0, %%c, 1;\nsetp.ne.u32 %%r, %%t0, 0;\n"
                        "setp.lt.%s.s32 %%p|%%q, %%a, %%b, %s%%r;\nselp.u32 %%d, 1, 0, %%p;\nselp.u32 %%d1, 1, 0, %%q;"
                        % (join, flip),
                        [("u32", [int(f(x, y)) for x, y in zip(below, side)]),
                         ("u32", [int(f(not x, y)) for x, y in zip(below, side)])])


def compare_floats(suite):
    ops = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    for t, f in floats.FORMATS.items():
        a = floats.permuted(f, 1, 0)
        b = [a[i] if i % 4 == 0 else x for i, x in enumerate(floats.permuted(f, 5, 2))]
        for op in ops:
            form = "setp.%s.%s" % (op, t)
            truth = [exact.compare(x, y, f, op) for x, y in zip(a, b)]
            suite.lanes(form, [(t, a), (t, b)], form + " %p, %a, %b;\nselp.u32 %d, 1, 0, %p;",
                        [("u32", [int(v) for v in truth])])
        for op in ("lt", "geu", "nan"):
            truth = [exact.compare(x, y, f, op) for x, y in zip(a, b)]
            suite.lanes("set.%s.u32.%s" % (op, t), [(t, a), (t, b)], "set.%s.u32.%s %%d, %%a, %%b;" % (op, t),
                        [("u32", [-int(v) for v in truth])])
            suite.lanes("set.%s.f32.%s" % (op, t), [(t, a), (t, b)], "set.%s.f32.%s %%d, %%a, %%b;" % (op, t),
                        [("f32", [0x3F800000 if v else 0 for v in truth])])
    tiny = [0, 1, F32.sign | 1, 2, 0x7FFFFF, 0x800000, F32.sign | 3, F32.sign] * 4
    rest = [tiny[(i * 3 + 1 + i // 8) % 32] for i in range(32)]
    for op in ("eq", "lt", "neu"):
        suite.lanes("setp.%s.ftz.f32" % op, [("f32", tiny), ("f32", rest)],
                    "setp.%s.ftz.f32 %%p, %%a, %%b;\nselp.u32 %%d, 1, 0, %%p;" % op,
                    [("u32", [int(exact.compare(exact.flush(x, F32), exact.flush(y, F32), F32, op))
                              for x, y in zip(tiny, rest)])])


def select(suite):
    for t in ("s32", "u32"):
        a, b = integers.first(t), integers.second(t)
        truth = [integer(x, t) < integer(y, t) for x, y in zip(a, b)]
        suite.lanes("set.lt.u32." + t, [(t, a), (t, b)], "set.lt.u32.%s %%d, %%a, %%b;" % t, [("u32", [-int(v) for v in truth])])
        suite.lanes("set.lt.f32." + t, [(t, a), (t, b)], "set.lt.f32.%s %%d, %%a, %%b;" % t,
                    [("f32", [0x3F800000 if v else 0 for v in truth])])
    a, b, side = integers.first("s32"), integers.second("s32"), list(range(32))
    reals, others = floats.permuted(F32, 1, 0), floats.permuted(F32, 5, 2)
    for join, f in (("and", lambda x, y: x and y), ("or", lambda x, y: x or y), ("xor", lambda x, y: x != y)):
        odd = "and.b32 %t0, %c, 1;\nsetp.ne.u32 %p, %t0, 0;\n"
        suite.lanes("set.ge.%s.u32.s32" % join, [("s32", a), ("s32", b), ("u32", side)],
                    odd + "set.ge.%s.u32.s32 %%d, %%a, %%b, %%p;" % join,
                    [("u32", [-int(f(integer(x, "s32") >= integer(y, "s32"), bool(z & 1)))
                              for x, y, z in zip(a, b, side)])])
        suite.lanes("setp.leu.%s.f32" % join, [("f32", reals), ("f32", others), ("u32", side)],
                    odd + "setp.leu.%s.f32 %%p|%%q, %%a, %%b, %%p;\nselp.u32 %%d, 1, 0, %%p;\nselp.u32 %%d1, 1, 0, %%q;"
                    % join,
                    [("u32", [int(f(exact.compare(x, y, F32, "leu") == sense, bool(z & 1)))
                              for x, y, z in zip(reals, others, side)]) for sense in (True, False)])
    for t in ("b16", "b32", "b64", "u16", "s32", "u64", "f32", "f64"):
        a, b = [integers.CORE[WIDTH[t]][(i * 3 + 1) % 32] for i in range(32)], integers.CORE[WIDTH[t]]
        suite.lanes("selp." + t, [(t, a), (t, b), ("u32", list(range(32)))],
                    "and.b32 %%t0, %%c, 5;\nsetp.eq.u32 %%p, %%t0, 4;\nselp.%s %%d, %%a, %%b, %%p;" % t,
                    [(t, [x if i & 5 == 4 else y for i, (x, y) in enumerate(zip(a, b))])])
        c = integers.first("s32")
        suite.lanes("slct.%s.s32" % t, [(t, a), (t, b), ("s32", c)], "slct.%s.s32 %%d, %%a, %%b, %%c;" % t,
                    [(t, [x if integer(z, "s32") >= 0 else y for x, y, z in zip(a, b, c)])])
    a, b, c = integers.CORE[32], integers.second("u32"), floats.permuted(F32, 1, 0)
    suite.lanes("slct.u32.f32", [("u32", a), ("u32", b), ("f32", c)], "slct.u32.f32 %d, %a, %b, %c;",
                [("u32", [x if exact.compare(z, 0, F32, "ge") else y for x, y, z in zip(a, b, c)])])
    suite.lanes("slct.ftz.u32.f32", [("u32", a), ("u32", b), ("f32", c)], "slct.ftz.u32.f32 %d, %a, %b, %c;",
                [("u32", [x if exact.compare(exact.flush(z, F32), 0, F32, "ge") else y for x, y, z in zip(a, b, c)])])


def generate(suite):
    for part in (integer_to_integer, integer_to_float, float_to_integer, float_to_float, half, compare_integers,
                 compare_floats, select):
        part(suite)
