"""Exact arithmetic on IEEE 754 bit patterns, as the PTX ISA defines it: every finite value is a Fraction, every result
is rounded once, explicitly. Leaves out exception flags and NaN payloads."""

from fractions import Fraction
from math import isqrt


class Format:
    def __init__(self, name, exponent_bits, fraction_bits, nan):
        self.name = name
        self.fraction_bits = fraction_bits
        self.bits = 1 + exponent_bits + fraction_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.sign = 1 << (self.bits - 1)
        self.inf = ((1 << exponent_bits) - 1) << fraction_bits
        self.nan = nan
        self.max = self.inf - 1
        self.min_exponent = 1 - self.bias
        self.min_normal = Fraction(2) ** self.min_exponent


F16 = Format("f16", 5, 10, 0x7FFF)
BF16 = Format("bf16", 8, 7, 0x7FFF)
F32 = Format("f32", 8, 23, 0x7FFFFFFF)
F64 = Format("f64", 11, 52, 0x7FF8000000000000)


def is_nan(x, f):
    return (x & ~f.sign) > f.inf


def is_inf(x, f):
    return (x & ~f.sign) == f.inf


def is_subnormal(x, f):
    return 0 < (x & ~f.sign) < (1 << f.fraction_bits)


def negative(x, f):
    return bool(x & f.sign)


def value(x, f):
    """The Fraction that a finite pattern stands for (both zeros are 0)."""
    magnitude = x & ~f.sign
    exponent = magnitude >> f.fraction_bits
    fraction = magnitude & ((1 << f.fraction_bits) - 1)
    if exponent:
        fraction |= 1 << f.fraction_bits
    else:
        exponent = 1
    v = Fraction(fraction) * Fraction(2) ** (exponent - f.bias - f.fraction_bits)
    return -v if negative(x, f) else v


def floor_log2(v):
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e if Fraction(2) ** e <= v else e - 1


def integral(v, mode):
    """A Fraction rounded to an integer: rn to nearest even, rz to zero, rm down, rp up."""
    down = v.numerator // v.denominator
    rest = v - down
    if rest == 0:
        return down
    if mode == "rm":
        return down
    if mode == "rp":
        return down + 1
    if mode == "rz":
        return down if v > 0 else down + 1
    if rest != Fraction(1, 2):
        return down + (rest > Fraction(1, 2))
    return down + (down & 1)


def round_to(v, f, mode="rn", zero_sign=False):
    """A Fraction rounded to a pattern; an exact zero takes `zero_sign`."""
    if v == 0:
        return f.sign if zero_sign else 0
    sign = f.sign if v < 0 else 0
    a = abs(v)
    exponent = max(floor_log2(a), f.min_exponent)
    unit = Fraction(2) ** (exponent - f.fraction_bits)
    directed = {"rn": "rn", "rz": "rz", "rm": "rp" if v < 0 else "rm", "rp": "rm" if v < 0 else "rp"}[mode]
    count = integral(a / unit, directed)
    if count >> (f.fraction_bits + 1):
        count >>= 1
        exponent += 1
    if count == 0:
        return sign
    if exponent > f.bias:
        return sign | (f.inf if directed in ("rn", "rp") else f.max)
    if count >> f.fraction_bits == 0:
        return sign | count
    return sign | ((exponent + f.bias - 1) << f.fraction_bits) + count


def flush(x, f):
    return x & f.sign if is_subnormal(x, f) else x


def zero_sum_sign(a, b, f, mode):
    """Sign of an exact zero sum of two terms with the signs of a and b."""
    if negative(a, f) == negative(b, f):
        return negative(a, f)
    return mode == "rm"


def add(a, b, f, mode="rn"):
    if is_nan(a, f) or is_nan(b, f) or (is_inf(a, f) and is_inf(b, f) and a != b):
        return f.nan
    if is_inf(a, f):
        return a
    if is_inf(b, f):
        return b
    s = value(a, f) + value(b, f)
    both_zero = value(a, f) == 0 and value(b, f) == 0
    return round_to(s, f, mode, zero_sum_sign(a, b, f, mode) if both_zero else mode == "rm")


def sub(a, b, f, mode="rn"):
    return f.nan if is_nan(b, f) else add(a, b ^ f.sign, f, mode)


def mul(a, b, f, mode="rn"):
    if is_nan(a, f) or is_nan(b, f):
        return f.nan
    sign = (a ^ b) & f.sign
    if is_inf(a, f) or is_inf(b, f):
        return f.nan if 0 in ((a & ~f.sign), (b & ~f.sign)) else sign | f.inf
    return round_to(value(a, f) * value(b, f), f, mode, bool(sign))


def fma(a, b, c, f, mode="rn"):
    if is_nan(a, f) or is_nan(b, f) or is_nan(c, f):
        return f.nan
    sign = (a ^ b) & f.sign
    if is_inf(a, f) or is_inf(b, f):
        product = mul(a, b, f)
        if is_nan(product, f) or (is_inf(c, f) and c != product):
            return f.nan
        return product
    if is_inf(c, f):
        return c
    product = value(a, f) * value(b, f)
    exact = product + value(c, f)
    if exact == 0 and product == 0 and value(c, f) == 0:
        return round_to(exact, f, mode, zero_sum_sign(sign, c, f, mode))
    return round_to(exact, f, mode, mode == "rm")


def div(a, b, f, mode="rn"):
    if is_nan(a, f) or is_nan(b, f):
        return f.nan
    sign = (a ^ b) & f.sign
    if is_inf(a, f):
        return f.nan if is_inf(b, f) else sign | f.inf
    if is_inf(b, f):
        return sign
    if value(b, f) == 0:
        return f.nan if value(a, f) == 0 else sign | f.inf
    return round_to(value(a, f) / value(b, f), f, mode, bool(sign))


def sqrt(a, f, mode="rn"):
    if is_nan(a, f):
        return f.nan
    if value(a & ~f.sign, f) == 0 and not is_inf(a, f):
        return a
    if negative(a, f):
        return f.nan
    if is_inf(a, f):
        return a
    v = value(a, f)
    # An integer square root with 2 * fraction_bits spare bits, plus a sticky bit when it is inexact.
    shift = 4 * (f.fraction_bits + f.bias)
    scaled = v * (Fraction(2) ** (2 * shift))
    root = isqrt(scaled.numerator // scaled.denominator)
    exact = root * root == scaled
    approx = Fraction(2 * root + (0 if exact else 1), 2) / Fraction(2) ** shift
    return round_to(approx, f, mode)


def minimum(a, b, f, largest=False):
    if is_nan(a, f) and is_nan(b, f):
        return f.nan
    if is_nan(a, f):
        return b
    if is_nan(b, f):
        return a
    key = lambda x: -(x & ~f.sign) - 1 if negative(x, f) else x
    return (max if largest else min)((a, b), key=key)


def extreme(a, b, f, largest, nan=False, xorsign=False):
    """min and max with .NaN (any NaN wins) and .xorsign.abs (of the magnitudes, the sign is the XOR of both)."""
    sign = (a ^ b) & f.sign
    if xorsign:
        a, b = a & ~f.sign, b & ~f.sign
    if nan and (is_nan(a, f) or is_nan(b, f)):
        return f.nan
    result = minimum(a, b, f, largest)
    return result & ~f.sign | sign if xorsign and not is_nan(result, f) else result


def compare(a, b, f, op):
    """op of setp on floats, ordered (lt), unordered (ltu), num and nan."""
    unordered = is_nan(a, f) or is_nan(b, f)
    if op == "num":
        return not unordered
    if op == "nan":
        return unordered
    if unordered:
        return op.endswith("u")
    infinite = 2 ** 2000
    real = lambda x: (-infinite if negative(x, f) else infinite) if is_inf(x, f) else value(x, f)
    return relation(real(a), real(b), op[:2])


def relation(a, b, op):
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[op]


def saturate(x, f):
    """Clamp to [+0, 1]; NaN becomes +0."""
    one = f.bias << f.fraction_bits
    if is_nan(x, f) or negative(x, f):
        return 0
    return min(x, one)


def convert(x, source, target, mode="rn"):
    if is_nan(x, source):
        return target.nan
    sign = target.sign if negative(x, source) else 0
    if is_inf(x, source):
        return sign | target.inf
    return round_to(value(x, source), target, mode, bool(sign))


def to_integer(x, f, low, high, mode):
    """Float to integer with clamping; NaN becomes 0."""
    if is_nan(x, f):
        return 0
    if is_inf(x, f):
        return low if negative(x, f) else high
    return min(max(integral(value(x, f), mode), low), high)


def to_integral_float(x, f, mode):
    if is_nan(x, f) or is_inf(x, f):
        return f.nan if is_nan(x, f) else x
    return round_to(Fraction(integral(value(x, f), mode)), f, "rn", negative(x, f))
