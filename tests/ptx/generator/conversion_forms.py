"""cvt beside conversions.py: to and from f16 and bf16, every rounding with .ftz and .sat, pairs, packed integers' bounds."""

from fractions import Fraction

from . import exact, floats, integers
from .conversions import CARRIER, INTEGER_TYPES, MODES, limits
from .emit import WIDTH, canonical, integer, mask
from .exact import BF16, F16, F32, F64, is_nan, is_subnormal

FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}
HOME = {"version": "7.8", "target": "sm_90"}


def from_integers(suite):
    """The sources fill their registers: what stands above a narrow type must not count."""
    for source in INTEGER_TYPES:
        carrier = CARRIER[WIDTH[source]]
        values = integers.CORE[WIDTH[carrier]]
        numbers = [integer(v, source) for v in values]
        for t, f in FORMATS.items():
            rows = []
            for mode in MODES:
                for sat in ("", ".sat") if t != "bf16" else ("",):
                    results = [exact.round_to(Fraction(n), f, mode) for n in numbers]
                    rows.append(("cvt.%s%s.%s.%s {d}, %%a;" % (mode, sat, t, source), t,
                                 [exact.saturate(x, f) if sat else x for x in results]))
            suite.forms("cvt.%s.%s.modes" % (t, source), [(carrier, values)], rows, **HOME)


def integer_limits(f):
    """Numbers on both sides of the integer types' limits, and halfway between integers."""
    numbers = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.999, -0.999, 126.5, 127.5, 128.5, -127.5, -128.5, -129.5, 254.5, 255.5,
               256.5, 32767.5, -32768.5, 65534.5, 2147483648.0, -2147483904.0, 4294967296.0, 1.9e19, -9.3e18, 100.25, -3.75, 1e-3]
    return [floats.bits(x, f) for x in numbers] + [f.inf, f.inf | f.sign]


def to_integers(suite):
    """.sat changes nothing: conversions to integers clamp anyway."""
    for t, f in FORMATS.items():
        values = integer_limits(f)
        for target in INTEGER_TYPES:
            low, high = limits(target)
            carrier = CARRIER[WIDTH[target]]
            options = [""] + ([".ftz"] if t == "f32" else []) + ([".sat"] if t in ("f32", "f64") else [])
            suite.forms("cvt.%s.%s.modes" % (target, t), [(t, values)],
                        [("cvt.%si%s.%s.%s {d}, %%a;" % (mode, option, target, t), carrier,
                          [exact.to_integer(x, f, low, high, mode) & mask(carrier) for x in values])
                         for mode in MODES for option in options], **HOME)


def same_type(suite):
    """Narrow types are cut out of their registers and extended by their sign."""
    for t in INTEGER_TYPES:
        carrier = CARRIER[WIDTH[t]]
        values = integers.CORE[WIDTH[carrier]]
        suite.lanes("cvt.%s.%s" % (t, t), [(carrier, values)], "cvt.%s.%s %%d, %%a;" % (t, t),
                    [(carrier, [integer(v, t) & mask(carrier) for v in values])])


def without_nan(values, f):
    return [f.bias << f.fraction_bits if is_nan(x, f) else x for x in values]


def interesting(source, target):
    """Halfway points of the target beside the source's special values."""
    values = floats.permuted(source, 1, 0)
    if source.fraction_bits > target.fraction_bits:
        one = source.bias << source.fraction_bits
        gap = source.fraction_bits - target.fraction_bits
        half = 1 << gap - 1
        smallest = floats.bits(2.0 ** target.min_exponent, source) if target.min_exponent >= source.min_exponent else 0
        steps = [one | half, one | half + 1, one | half - 1, one | 3 * half, one | half | source.sign, one | 3 * half | source.sign]
        if smallest:
            steps += [smallest, smallest - half if half > 1 else smallest, smallest | source.sign, smallest + half]
        values = steps + values[len(steps):]
    return values


def lifted(x, source, target):
    """Rounding may lift a subnormal to the smallest normal number: .ftz does not say which step comes first."""
    results = [exact.convert(x, source, target, mode) for mode in MODES]
    return any(is_subnormal(r, target) for r in results) and any(r & ~target.sign == 1 << target.fraction_bits for r in results)


def between_floats(suite):
    for s, source in FORMATS.items():
        for t, target in FORMATS.items():
            narrowing = source.fraction_bits > target.fraction_bits or {s, t} == {"f16", "bf16"}
            if s == t:
                continue
            values = [source.bias << source.fraction_bits if target is F32 and lifted(x, source, target) else x
                      for x in interesting(source, target)]
            plain = without_nan(values, source)
            for sat in ("", ".sat") if "bf16" not in (s, t) else ("",):
                rows = []
                for mode in (MODES if narrowing else [""]):
                    for ftz in ("", ".ftz") if "f32" in (s, t) and "bf16" not in (s, t) and (s, t) != ("f16", "f32") or sat == "" and (s, t) == ("f16", "f32") else ("",):
                        if t == "f16" and s == "bf16" and mode != "rn" or t == "f16" and ftz and sat:
                            continue
                        results = []
                        for x in (values if sat else plain):
                            x = exact.flush(x, F32) if ftz and s == "f32" else x
                            y = exact.convert(x, source, target, mode or "rn")
                            y = exact.flush(y, F32) if ftz and t == "f32" else y
                            results.append(exact.saturate(y, target) if sat else y)
                        rows.append(("cvt%s%s%s.%s.%s {d}, %%a;" % (mode and "." + mode, ftz, sat, t, s), t, results))
                suite.forms("cvt%s.%s.%s.modes" % (sat, t, s), [(s, values if sat else plain)], rows, **HOME)


def integral(suite):
    """cvt within one format: to integral values and with clamping."""
    for t, f in FORMATS.items():
        values = [floats.bits(x, f) for x in (0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.3, -0.3, 0.75, 0.25, 127.5, 100.5, 0.9999, 1e-4)]
        values += floats.permuted(f, 1, 0)[14:]
        for sat in ("", ".sat") if t != "bf16" else ("",):
            rows = []
            used = values if sat else without_nan(values, f)
            for mode in [m + "i" for m in MODES] + ([""] if t != "bf16" else []):
                for ftz in ("", ".ftz") if t == "f32" else ("",):
                    results = []
                    for x in used:
                        x = exact.flush(x, f) if ftz else x
                        y = exact.to_integral_float(x, f, mode[:2]) if mode else x
                        results.append(exact.saturate(y, f) if sat else y)
                    rows.append(("cvt%s%s%s.%s.%s {d}, %%a;" % (mode and "." + mode, ftz, sat, t, t), t, results))
            suite.forms("cvt%s.%s.%s.integral" % (sat, t, t), [(t, used)], rows, **HOME)


def into_pairs(suite):
    """The first operand becomes the upper half."""
    for t, f in (("f16", F16), ("bf16", BF16)):
        a = without_nan(interesting(F32, f), F32)
        b = a[9:] + a[:9]
        suite.forms("cvt.%sx2.f32" % t, [("f32", a), ("f32", b)],
                    [("cvt.%s.%sx2.f32 {d}, %%a, %%b;" % (mode, t), "b32",
                      [exact.convert(x, F32, f, mode) << 16 | exact.convert(y, F32, f, mode) for x, y in zip(a, b)])
                     for mode in ("rn", "rz")], **HOME)
        nans = [F32.nan, F32.inf | 1, F32.nan | F32.sign, F32.inf] * 8
        suite.forms("cvt.%s.nan" % t, [("f32", nans)],
                    [("cvt.%s.%s.f32 {d}, %%a;" % (mode, t), t, [exact.convert(x, F32, f, mode) for x in nans]) for mode in ("rn", "rz")],
                    source="a NaN becomes the canonical one", **HOME)
        halves = [f.nan, f.inf | 1, f.nan | f.sign, f.inf] * 8
        suite.lanes("cvt.f32.%s.nan" % t, [(t, halves)], "cvt.f32.%s %%d, %%a;\n%s" % (t, canonical("%d", "f32")),
                    [("f32", [exact.convert(x, f, F32) for x in halves])], **HOME)


def generate(suite):
    for part in (from_integers, to_integers, same_type, between_floats, integral, into_pairs):
        part(suite)
