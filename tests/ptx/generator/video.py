"""Scalar and SIMD video instructions with every selector, saturation, merge and second operation; cvt.pack; integers in pairs.
Lanes in which the ISA leaves the width of an intermediate result open are set to zero (settled)."""

import itertools

from .emit import mask, signed
from .integers import first, second, third

WORDS = ("u32", "s32")
PARTS = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
COMPARISONS = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y,
               "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
ARITHMETIC = {"vadd": lambda x, y: x + y, "vsub": lambda x, y: x - y, "vabsdiff": lambda x, y: abs(x - y), "vmin": min, "vmax": max}
AVERAGE = {"vavrg": lambda x, y: (x + y + 1) >> 1 if x + y >= 0 else (x + y) >> 1}


def limits(bits, t):
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if t == "s32" else (0, (1 << bits) - 1)


def bounded(x, bits, t):
    low, high = limits(bits, t)
    return min(max(x, low), high)


def number(x, bits, t):
    return signed(x, bits) if t == "s32" else x & ((1 << bits) - 1)


def place(selector):
    """(lowest bit, bits) of a part."""
    if not selector:
        return 0, 32
    return (8 * int(selector[2]), 8) if selector[1] == "b" else (16 * int(selector[2]), 16)


def part(x, selector, t):
    shift, bits = place(selector)
    return number(x >> shift, bits, t)


def settled(row, rows):
    """A row of suite.forms; lanes of which the result is None give zero."""
    text, t, values = row
    known = sum(1 << i for i, v in enumerate(values) if v is not None)
    if known != 0xFFFFFFFF:
        text += "\nshr.u32 %%t0, 0x%08X, %%lane;\nand.b32 %%t0, %%t0, 1;\nmul.lo.u32 {d}, {d}, %%t0;" % known
    rows.append((text, t, [v or 0 for v in values]))


def second_step(result, c, dtype, step):
    """The second operation on the 32-bit operand c; None where the result does not fit dtype and its meaning is open."""
    low, high = limits(32, dtype)
    if step == "":
        return result
    if step == ".add":
        return result + number(c, 32, dtype)
    if not low <= result <= high:
        return None
    return (min if step == ".min" else max)(result, number(c, 32, dtype))


def scalar_rows(head, function, operands, dtype, atype, btype, sat, turn, rows, widest=None):
    """Every second operation and one merge of `head` (opcode and modifiers up to .sat). `widest`: results beyond are open with .sat."""
    a, b, c = operands
    left, right, target = (PARTS[(turn * k + k) % 7] for k in (1, 3, 5))
    for step in ("", ".add", ".min", ".max", target or ".h1"):
        merge = step if step[1:2] in ("b", "h") else ""
        shift, bits = place(merge)
        values = []
        for x, y, z in zip(a, b, c):
            result = function(part(x, left, atype), part(y, right, btype))
            if sat and widest and abs(result) >= widest:
                values.append(None)
                continue
            result = bounded(result, bits, dtype) if sat else result
            if merge:
                field = (1 << bits) - 1
                values.append((result & field) << shift | z & ~(field << shift))
            else:
                values.append(second_step(result, z, dtype, step))
        third_operand = ", %c" if step else ""
        settled(("%s%s {d}%s, %%a%s, %%b%s%s;" % (head, "" if merge else step, merge, left, right, third_operand), "b32", values), rows)


def scalar(suite):
    operands = first("b32"), second("b32"), third("b32")
    inputs = [("b32", values) for values in operands]
    for op, function in ARITHMETIC.items():
        for dtype in WORDS:
            rows, turn = [], 0
            for atype, btype, sat in itertools.product(WORDS, WORDS, ("", ".sat")):
                scalar_rows("%s.%s.%s.%s%s" % (op, dtype, atype, btype, sat), function, operands, dtype, atype, btype, sat, turn, rows)
                turn += 1
            suite.forms("%s.%s" % (op, dtype), inputs, rows)
    amounts = [i * 5 % 41 | (i % 3) << 8 | (i % 5) << 16 for i in range(30)] + [0x80000000, 0xFFFFFFFF]
    for op, dtype in itertools.product(("vshl", "vshr"), WORDS):
        rows, turn = [], 0
        for atype, sat, mode in itertools.product(WORDS, ("", ".sat"), ("clamp", "wrap")):
            steps = (lambda n: n & 31) if mode == "wrap" else (lambda n: min(n, 32))
            function = (lambda x, n: x << steps(n)) if op == "vshl" else (lambda x, n: x >> steps(n))
            scalar_rows("%s.%s.%s.u32%s.%s" % (op, dtype, atype, sat, mode), function, (operands[0], amounts, operands[2]), dtype, atype, "u32",
                        sat, turn, rows, widest=1 << 33)
            turn += 1
        suite.forms("%s.%s" % (op, dtype), [inputs[0], ("b32", amounts), inputs[2]], rows)
    near = [x if i % 3 else y for i, (x, y) in enumerate(zip(operands[0], operands[1]))]
    for atype, btype in itertools.product(WORDS, WORDS):
        rows, turn = [], 0
        for name, compare in COMPARISONS.items():
            scalar_rows("vset.%s.%s.%s" % (atype, btype, name), lambda x, y, compare=compare: int(compare(x, y)), (operands[0], near, operands[2]),
                        "u32", atype, btype, "", turn * 2, rows)
            turn += 1
        suite.forms("vset.%s.%s" % (atype, btype), [inputs[0], ("b32", near), inputs[2]], rows)


def multiply_add(suite):
    a, b, c = first("b32"), second("b32"), third("b32")
    for scale, shift in (("", 0), (".shr7", 7), (".shr15", 15)):
        rows, turn = [], 0
        for atype, btype, sat, kind in itertools.product(WORDS, WORDS, ("", ".sat"), ("", "-a", "-b", "-c", ".po")):
            final = "s32" if "s32" in (atype, btype) or kind[:1] == "-" else "u32"
            left, right = PARTS[(turn * 3) % 7], PARTS[(turn * 5 + 1) % 7]
            values = []
            for x, y, z in zip(a, b, c):
                product, addend = part(x, left, atype) * part(y, right, btype), number(z, 32, final)
                result = {"": product + addend, "-a": addend - product, "-b": addend - product, "-c": product - addend,
                          ".po": product + addend + 1}[kind] >> shift
                values.append(bounded(result, 32, final) if sat else result)
            sign = lambda name: "-" if kind == "-" + name else ""
            rows.append(("vmad.%s.%s.%s%s%s%s {d}, %s%%a%s, %s%%b%s, %s%%c;" % (
                final, atype, btype, ".po" if kind == ".po" else "", sat, scale, sign("a"), left, sign("b"), right, sign("c")), "b32", values))
            turn += 1
        suite.forms("vmad" + scale, [("b32", a), ("b32", b), ("b32", c)], rows)


def simd_selector(letter, count, turn, draw):
    """A selector of `count` fields out of both operands; highest first."""
    return ".%s%s" % (letter, "".join(str((turn * draw + 3 * i + draw) % (2 * count)) for i in range(count)))


def simd(suite):
    a, b, c = first("b32"), second("b32"), third("b32")
    for count, letter in ((2, "h"), (4, "b")):
        bits = 32 // count
        field = (1 << bits) - 1
        masks = ["." + letter + "".join(str(i) for i in reversed(range(count)) if chosen >> i & 1) for chosen in range(1, 1 << count)] + [""]
        operations = [(op + str(count), function, itertools.product(WORDS, WORDS, WORDS, ("", ".sat", ".add")))
                      for op, function in {**ARITHMETIC, **AVERAGE}.items()]
        operations += [("vset%d" % count, None, itertools.product(("u32",), WORDS, WORDS, [cmp + end for cmp in COMPARISONS for end in ("", ".add")]))]
        for op, function, forms in operations:
            rows, turn = [], 0
            for dtype, atype, btype, end in forms:
                apply, sat, adds = function, end == ".sat", end.endswith(".add")
                text = "%s.%s.%s.%s%s" % (op, dtype, atype, btype, end)
                if function is None:
                    compare = COMPARISONS[end[:2]]
                    apply = lambda x, y, compare=compare: int(compare(x, y))
                    text = "%s.%s.%s.%s" % (op, atype, btype, end)
                left = simd_selector(letter, count, turn, 5) if turn % 3 else ""
                right = simd_selector(letter, count, turn, 3) if turn % 4 else ""
                written = masks[turn * 7 % len(masks)] if turn % 2 else ""
                digits = lambda selector, base: ([int(d) for d in reversed(selector[2:])] if selector else list(range(base, base + count)))
                fields = digits(written, 0)
                values = []
                for x, y, z in zip(a, b, c):
                    both = x | y << 32
                    result = z
                    for i in fields:
                        value = apply(number(both >> bits * digits(left, 0)[i], bits, atype), number(both >> bits * digits(right, count)[i], bits, btype))
                        value = bounded(value, bits, dtype) if sat else value
                        result = result + value if adds else result & ~(field << i * bits) | (value & field) << i * bits
                    values.append(result)
                rows.append(("%s {d}%s, %%a%s, %%b%s, %%c;" % (text, written, left, right), "b32", values))
                turn += 1
            suite.forms(op, [("b32", a), ("b32", b), ("b32", c)], rows)


def packing(suite):
    a, b, c = first("s32"), second("s32"), third("b32")
    small = [signed(x, 32) if i % 2 else i * 7 % 300 - 150 for i, x in enumerate(a)]
    other = [signed(x, 32) if i % 3 else i * 11 % 40 - 20 for i, x in enumerate(b)]
    rows = []
    for bits in (2, 4, 8, 16):
        for t in "us":
            cut = lambda x: bounded(x, bits, t + "32") & ((1 << bits) - 1)
            values = [cut(x) << bits | cut(y) | (z << 2 * bits if bits < 16 else 0) for x, y, z in zip(small, other, c)]
            rows.append(("cvt.pack.sat.%s%d.s32%s {d}, %%a, %%b%s;" % (t, bits, *((".b32", ", %c") if bits < 16 else ("", ""))), "b32", values))
    suite.forms("cvt.pack", [("s32", small), ("s32", other), ("b32", c)], rows, version="6.5", target="sm_75")


def integer_pairs(suite):
    a, b = first("b32"), second("b32")
    rows = []
    for t in ("u16x2", "s16x2"):
        read = lambda x, t=t: [number(x >> shift, 16, t[0] + "32") for shift in (0, 16)]
        for op, function in (("add", lambda x, y: x + y), ("min", min), ("max", max)):
            for relu in ("", ".relu") if t == "s16x2" and op != "add" else ("",):
                values = []
                for x, y in zip(a, b):
                    halves = [function(u, v) for u, v in zip(read(x), read(y))]
                    low, high = [max(v, 0) if relu else v for v in halves]
                    values.append(low & 0xFFFF | (high & 0xFFFF) << 16)
                rows.append(("%s%s.%s {d}, %%a, %%b;" % (op, relu, t), "b32", values))
    for op, function in (("min", min), ("max", max)):
        rows.append((op + ".relu.s32 {d}, %a, %b;", "b32", [max(function(signed(x, 32), signed(y, 32)), 0) for x, y in zip(a, b)]))
    suite.forms("pairs_of_integers", [("b32", a), ("b32", b)], rows, version="8.0", target="sm_90")


def truth_tables(suite):
    """lop3 with a predicate: whether the result is not zero, joined with another."""
    a, b, c = first("b32"), second("b32"), third("b32")
    rows = []
    for join, lut in itertools.product(("and", "or"), (0x80, 0x01, 0x1B, 0x00, 0xFF)):
        words = [sum((lut >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1)) & 1) << i for i in range(32)) for x, y, z in zip(a, b, c)]
        holds = [(w != 0 and odd) if join == "and" else (w != 0 or odd) for w, odd in zip(words, itertools.cycle((False, True)))]
        rows.append(("lop3.%s.b32 {d}|%%q, %%a, %%b, %%c, 0x%02x, %%p;\n@%%q xor.b32 {d}, {d}, 0x5a5a5a5a;" % (join, lut), "b32",
                     [w ^ 0x5A5A5A5A if h else w for w, h in zip(words, holds)]))
    rows.append(("lop3.or.b32 _|%q, %a, %b, %c, 0x80, !%p;\nselp.u32 {d}, 1, 0, %q;", "b32",
                 [int(x & y & z != 0 or i % 2 == 0) for i, (x, y, z) in enumerate(zip(a, b, c))]))
    suite.forms("lop3.joined", [("b32", a), ("b32", b), ("b32", c)], rows, before="and.b32 %t0, %lane, 1;\nsetp.eq.u32 %p, %t0, 1;",
                version="8.2", target="sm_70")


def generate(suite):
    for section in (scalar, multiply_add, simd, packing, integer_pairs, truth_tables):
        section(suite)
