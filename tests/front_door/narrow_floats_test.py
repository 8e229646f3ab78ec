#!/usr/bin/env python3
"""half and bfloat16 of `duet cc`, on device and host, against results in exact rational arithmetic.

Usage: narrow_floats_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import array
import functools
import random
import struct
from fractions import Fraction

from fixture import DUET, WORK, Fixture, call, main
from whole import WHOLE

NAN, OPERATIONS = "nan", 16
COUNT = 1200 if WHOLE else 600


class Format:
    """An IEEE format of 16 bits. A value is a Fraction with a sign for zero, an infinity, or NAN."""

    def __init__(self, name, fraction, exponent):
        self.name, self.fraction, self.exponent = name, fraction, exponent
        self.bias = (1 << (exponent - 1)) - 1
        self.infinity = ((1 << exponent) - 1) << fraction

    @functools.cache
    def value(self, bits):
        """(sign, magnitude): magnitude a Fraction, 'inf' or NAN."""
        sign, rest = bits >> 15, bits & 0x7FFF
        if rest > self.infinity:
            return 0, NAN
        if rest == self.infinity:
            return sign, "inf"
        exponent, fraction = rest >> self.fraction, rest & ((1 << self.fraction) - 1)
        significand = fraction + (1 << self.fraction if exponent else 0)
        return sign, significand * Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction)

    def bits(self, sign, magnitude, way="nearest"):
        if magnitude == NAN:
            return NAN
        if magnitude == "inf":
            return sign << 15 | self.infinity
        # The magnitudes of a format are in the order of their bits: search the last one that is not larger.
        low, high = 0, self.infinity
        while high - low > 1:
            middle = (low + high) // 2
            if self.value(middle)[1] <= magnitude:
                low = middle
            else:
                high = middle
        below = self.value(low)[1]
        above = self.value(high)[1] if high < self.infinity else below + (below - self.value(low - 1)[1])
        if below == magnitude:
            return sign << 15 | low
        if way == "nearest":
            middle = (below + above) / 2
            up = magnitude > middle or (magnitude == middle and low & 1 == 1)
        else:
            up = way == ("down" if sign else "up")
        return sign << 15 | (high if up else low)


def signed(value):
    return -value[1] if value[0] else value[1]


def add(a, b):
    if NAN in (a[1], b[1]):
        return 0, NAN
    if a[1] == "inf" or b[1] == "inf":
        if a[1] == b[1] and a[0] != b[0]:
            return 0, NAN
        return a if a[1] == "inf" else b
    total = signed(a) + signed(b)
    if total == 0:
        return (a[0] & b[0], total)
    return int(total < 0), abs(total)


def negated(a):
    return a[0] ^ 1, a[1]


def multiply(a, b):
    if NAN in (a[1], b[1]) or {a[1], b[1]} == {"inf", 0}:
        return 0, NAN
    return a[0] ^ b[0], "inf" if "inf" in (a[1], b[1]) else a[1] * b[1]


def divide(a, b):
    if NAN in (a[1], b[1]) or a[1] == b[1] == 0 or a[1] == b[1] == "inf":
        return 0, NAN
    sign = a[0] ^ b[0]
    if a[1] == "inf" or b[1] == 0:
        return sign, "inf"
    return sign, Fraction(0) if b[1] == "inf" else a[1] / b[1]


def order(a):
    return (float("inf") if a[1] == "inf" else a[1]) * (-1 if a[0] else 1)


def comparisons(a, b):
    if NAN in (a[1], b[1]):
        return 8
    a, b = order(a), order(b)
    return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5


def chosen(a, b, of, largest):
    x, y = of.value(a), of.value(b)
    if NAN in (x[1], y[1]):
        return NAN if x[1] == y[1] else b if x[1] == NAN else a
    if order(x) == order(y):  # zeros differ by their sign
        return min(a, b) if largest else max(a, b)
    return a if (order(x) > order(y)) == largest else b


def to_integer(value):
    if value[1] == NAN:
        return 0
    limit = 2**31
    if value[1] == "inf":
        return -limit if value[0] else limit - 1
    return max(-limit, min(limit - 1, round(signed(value))))


def expected(of, words):
    a, b, c = (of.value(word) for word in words)
    [single] = struct.unpack("<f", struct.pack("<I", words[0] << 16 | words[1]))
    sign = words[0] >> 15
    exact = (sign, NAN if single != single else "inf" if abs(single) == float("inf") else abs(Fraction(single)))

    def rounded(value):
        return of.bits(*value)

    def fused(x, y, z):
        return add(multiply(x, y), z)

    def pair(x, y, z):
        """What of.bits() gives, as a value again."""
        first, second = rounded(fused(x, y, z)), rounded(multiply(x, c))
        if NAN in (first, second):
            return NAN
        return rounded(add(of.value(first), negated(of.value(second))))
    [integer] = struct.unpack("<i", struct.pack("<I", words[0] << 16 | words[1]))
    return [rounded(add(a, b)), rounded(add(a, negated(b))), rounded(multiply(a, b)), rounded(divide(a, b)),
            rounded(fused(a, b, c)), rounded(exact), of.bits(*exact, "zero"), of.bits(*exact, "down"), of.bits(*exact, "up"),
            comparisons(a, b), chosen(*words[:2], of, False), chosen(*words[:2], of, True),
            pair(a, b, c), pair(b, c, a), rounded((int(integer < 0), Fraction(abs(integer)))), to_integer(a) & 0xFFFF]


def inputs():
    """Special values, and random ones of which many are close to each other."""
    random.seed(13)
    special = [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x7F, 0x80, 0x3C00, 0xBC00, 0x3F80, 0xBF80, 0x7BFF, 0x7C00, 0xFC00, 0x7F7F, 0x7F80, 0xFF80,
               0x7FC0, 0x7E00, 0x7FFF]
    triples = [(a, b, random.choice(special)) for a in special for b in special]
    while len(triples) < COUNT:
        a = random.randrange(0x10000)
        b = random.randrange(0x10000) if random.random() < 0.5 else (a + random.randrange(-0x800, 0x800)) % 0x10000
        c = random.choice([random.randrange(0x10000), a, b, b ^ 0x8000])
        triples.append((a, b, c))
    return triples


class NarrowFloats(Fixture):
    def check(self, architecture, machine):
        triples = inputs()
        words, results = WORK / f"in-{architecture}", WORK / f"out-{architecture}.bin"
        words.write_bytes(array.array("H", [word for triple in triples for word in triple]).tobytes())
        program = self.compiled("tests/front_door/narrow_floats.cu", f"-arch={architecture}")
        run = call(DUET, "run", "-q", "-m", machine, "--out", WORK / f"out-{architecture}", program, words, results)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, "0 64 32 128 32 0\n")
        found = array.array("H", results.read_bytes())
        self.assertEqual(len(found), 4 * len(triples) * OPERATIONS)
        for number, of in enumerate((Format("half", 10, 5), Format("bfloat16", 7, 8))):
            all_wanted = [expected(of, triple) for triple in triples]
            for place, where in enumerate(("device", "host")):
                base = (2 * number + place) * len(triples) * OPERATIONS
                for i, triple in enumerate(triples):
                    for operation, wanted in enumerate(all_wanted[i]):
                        got = found[base + i * OPERATIONS + operation]
                        if wanted == NAN:
                            wanted, got = True, of.value(got)[1] == NAN
                        self.assertEqual(got, wanted, f"{of.name} on the {where}: operation {operation} of {[hex(w) for w in triple]}")

    def test_without_instructions_of_their_own(self):
        self.check("sm_35", "gtx580")

    def test_half_instructions(self):
        self.check("sm_60", "gtx580")

    def test_bfloat16_instructions(self):
        self.check("sm_80", "h100")


if __name__ == "__main__":
    main()
