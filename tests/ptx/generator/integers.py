"""Integer arithmetic, logic, shifts, bit fields, video-like and carry instructions."""

from .emit import WIDTH, integer, mask, signed

CORE = {
    16: [0, 1, 2, 3, 5, 7, 10, 15, 16, 31, 0x7F, 0x80, 0xFF, 0x100, 0x1234, 0x3FFF, 0x4000, 0x5555, 0x7FFE, 0x7FFF,
         0x8000, 0x8001, 0x9ABC, 0xAAAA, 0xBEEF, 0xC000, 0xF000, 0xFF00, 0xFFF0, 0xFFFD, 0xFFFE, 0xFFFF],
    32: [0, 1, 2, 3, 7, 10, 31, 32, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFF, 0x800000, 0xFFFFFF,
         0x1000000, 0x12345678, 0x55555555, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0x9ABCDEF0, 0xAAAAAAAA,
         0xDEADBEEF, 0xFFFF0000, 0xFFFFFFF6, 0xFFFFFFFE, 0xFFFFFFFF],
    64: [0, 1, 2, 3, 10, 63, 64, 0xFF, 0x7FFF, 0x8000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFF, 0x80000000, 0x123456789,
         0x123456789ABCDEF0, 0x5555555555555555, 0x7FFFFFFFFFFFFFFE, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
         0x8000000000000001, 0x9ABCDEF012345678, 0xAAAAAAAAAAAAAAAA, 0xDEADBEEFCAFEF00D, 0xFFFFFFFF00000000,
         0xFFFFFFFF80000000, 0xFFFFFFFFFFFF8000, 0xFFFFFFFFFFFFFF00, 0xFFFFFFFFFFFFFFF6, 0xFFFFFFFFFFFFFFFD,
         0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF],
}
INTEGERS = ["u16", "s16", "u32", "s32", "u64", "s64"]
SHIFTS = [0, 1, 2, 4, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 40, 47, 48, 62, 63, 64, 65, 100, 127, 128, 255, 256, 1000,
          65535, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def first(t):
    return CORE[WIDTH[t]]


def second(t):
    return [CORE[WIDTH[t]][(i * 7 + 19) % 32] for i in range(32)]


def third(t):
    return [CORE[WIDTH[t]][(i * 11 + 5) % 32] for i in range(32)]


def divisors(t):
    """Second operands without 0 and, beside the smallest number, without -1: the ISA leaves those quotients open."""
    lowest = 1 << (WIDTH[t] - 1)
    return [7 if b == 0 or (a == lowest and b == mask(t)) else b for a, b in zip(first(t), second(t))]


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def clamp(x, t):
    bits = WIDTH[t]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t[0] == "s" else (0, (1 << bits) - 1)
    return min(max(x, low), high)


def binary(suite, op, t, function, b=None, out_type=None):
    a, b = first(t), b or second(t)
    expected = [function(integer(x, t), integer(y, t)) for x, y in zip(a, b)]
    suite.lanes("%s.%s" % (op, t), [(t, a), (t, b)], "%s.%s %%d, %%a, %%b;" % (op, t), [(out_type or t, expected)])


def arithmetic(suite):
    for t in INTEGERS:
        bits = WIDTH[t]
        wide = t[0] + str(bits * 2)
        binary(suite, "add", t, lambda x, y: x + y)
        binary(suite, "sub", t, lambda x, y: x - y)
        binary(suite, "mul.lo", t, lambda x, y: x * y)
        binary(suite, "mul.hi", t, lambda x, y: x * y >> bits)
        binary(suite, "min", t, min)
        binary(suite, "max", t, max)
        binary(suite, "div", t, truncated, divisors(t))
        binary(suite, "rem", t, lambda x, y: x - truncated(x, y) * y, divisors(t))
        if bits < 64:
            binary(suite, "mul.wide", t, lambda x, y: x * y, out_type=wide)
        a, b, c = first(t), second(t), third(t)
        triple = list(zip(*([integer(x, t) for x in v] for v in (a, b, c))))
        for form, shift in (("lo", 0), ("hi", bits)):
            suite.lanes("mad.%s.%s" % (form, t), [(t, a), (t, b), (t, c)], "mad.%s.%s %%d, %%a, %%b, %%c;" % (form, t),
                        [(t, [(x * y >> shift) + z for x, y, z in triple])])
        if bits < 64:
            wide_c = third(wide)
            suite.lanes("mad.wide.%s" % t, [(t, a), (t, b), (wide, wide_c)], "mad.wide.%s %%d, %%a, %%b, %%c;" % t,
                        [(wide, [x * y + integer(z, wide) for (x, y, _), z in zip(triple, wide_c)])])
        suite.lanes("sad.%s" % t, [(t, a), (t, b), (t, c)], "sad.%s %%d, %%a, %%b, %%c;" % t,
                    [(t, [z + abs(x - y) for x, y, z in triple])])
        if t[0] == "s":
            # The absolute value of the smallest number does not exist; the ISA leaves it open.
            safe = [5 if x == 1 << (bits - 1) else x for x in a]
            suite.lanes("abs.%s" % t, [(t, safe)], "abs.%s %%d, %%a;" % t, [(t, [abs(integer(x, t)) for x in safe])])
            suite.lanes("neg.%s" % t, [(t, a)], "neg.%s %%d, %%a;" % t, [(t, [-integer(x, t) for x in a])])
    binary(suite, "add.sat", "s32", lambda x, y: clamp(x + y, "s32"))
    binary(suite, "sub.sat", "s32", lambda x, y: clamp(x - y, "s32"))
    a, b, c = first("s32"), second("s32"), third("s32")
    suite.lanes("mad.hi.sat.s32", [("s32", a), ("s32", b), ("s32", c)], "mad.hi.sat.s32 %d, %a, %b, %c;",
                [("s32", [clamp((signed(x, 32) * signed(y, 32) >> 32) + signed(z, 32), "s32")
                          for x, y, z in zip(a, b, c)])])
    for t in ("u32", "s32"):
        low24 = lambda x: signed(x, 24) if t == "s32" else x & 0xFFFFFF
        products = [low24(x) * low24(y) for x, y in zip(a, b)]
        for form, shift in (("lo", 0), ("hi", 16)):
            parts = [signed(p >> shift, 32) if t == "s32" else p >> shift & 0xFFFFFFFF for p in products]
            suite.lanes("mul24.%s.%s" % (form, t), [(t, a), (t, b)], "mul24.%s.%s %%d, %%a, %%b;" % (form, t),
                        [(t, parts)])
            suite.lanes("mad24.%s.%s" % (form, t), [(t, a), (t, b), (t, c)],
                        "mad24.%s.%s %%d, %%a, %%b, %%c;" % (form, t), [(t, [p + z for p, z in zip(parts, c)])])


def logic(suite):
    for bits in (16, 32, 64):
        t = "b%d" % bits
        a, b = first(t), second(t)
        for op, f in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
            binary(suite, op, t, f)
        suite.lanes("not.%s" % t, [(t, a)], "not.%s %%d, %%a;" % t, [(t, [~x for x in a])])
        suite.lanes("cnot.%s" % t, [(t, a)], "cnot.%s %%d, %%a;" % t, [(t, [int(x == 0) for x in a])])
        for s in (0, 5):
            amounts = [SHIFTS[(i + s * 3) % 32] for i in range(32)]
            values = [CORE[bits][(i * 5 + 20 + s) % 32] for i in range(32)]
            suite.lanes("shl.%s.%d" % (t, s), [(t, values), ("u32", amounts)], "shl.%s %%d, %%a, %%b;" % t,
                        [(t, [x << min(n, bits) for x, n in zip(values, amounts)])])
            for kind in "us":
                st = kind + str(bits)
                suite.lanes("shr.%s.%d" % (st, s), [(t, values), ("u32", amounts)], "shr.%s %%d, %%a, %%b;" % st,
                            [(t, [integer(x, st) >> min(n, bits) for x, n in zip(values, amounts)])])
    lanes = list(range(32))
    for op, f in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
        body = ("and.b32 %%t0, %%a, 1;\nand.b32 %%t1, %%a, 2;\nsetp.ne.u32 %%p, %%t0, 0;\nsetp.ne.u32 %%q, %%t1, 0;\n"
                "%s.pred %%p, %%p, %%q;\nnot.pred %%q, %%p;\nselp.u32 %%d, 1, 0, %%p;\n@%%q add.u32 %%d, %%d, 10;" % op)
        suite.lanes("%s.pred" % op, [("u32", lanes)], body,
                    [("u32", [1 if f(x & 1, x >> 1 & 1) else 10 for x in lanes])])
    a, b, c = first("b32"), second("b32"), third("b32")
    for lut in (0x00, 0xFF, 0x80, 0xFE, 0x96, 0xE8, 0xCA, 0x1A, 0x35):
        expected = [sum((lut >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1)) & 1) << i for i in range(32))
                    for x, y, z in zip(a, b, c)]
        suite.lanes("lop3.b32.%02x" % lut, [("b32", a), ("b32", b), ("b32", c)],
                    "lop3.b32 %%d, %%a, %%b, %%c, 0x%02x;" % lut, [("b32", expected)])
    for direction in "lr":
        for mode in ("wrap", "clamp"):
            amounts = [n & 31 if mode == "wrap" else min(n, 32) for n in SHIFTS]
            pairs = [(y << 32 | x) for x, y in zip(a, b)]
            expected = [p << n >> 32 if direction == "l" else p >> n for p, n in zip(pairs, amounts)]
            suite.lanes("shf.%s.%s.b32" % (direction, mode), [("b32", a), ("b32", b), ("u32", SHIFTS)],
                        "shf.%s.%s.b32 %%d, %%a, %%b, %%c;" % (direction, mode), [("b32", expected)])


def find_msb(x, t):
    n = integer(x, t)
    n = ~n if n < 0 else n
    return n.bit_length() - 1


def bits(suite):
    for width in (32, 64):
        t = "b%d" % width
        a = first(t)
        suite.lanes("popc.%s" % t, [(t, a)], "popc.%s %%d, %%a;" % t, [("u32", [bin(x).count("1") for x in a])])
        suite.lanes("clz.%s" % t, [(t, a)], "clz.%s %%d, %%a;" % t, [("u32", [width - x.bit_length() for x in a])])
        suite.lanes("brev.%s" % t, [(t, a)], "brev.%s %%d, %%a;" % t,
                    [(t, [int(format(x, "0%db" % width)[::-1], 2) for x in a])])
        positions = [(i * 5) % (width + 8) if i else 0x1FF for i in range(32)]
        lengths = [(i * 7) % (width + 4) if i != 7 else 0x100 for i in range(32)]
        for kind in "us":
            st = kind + str(width)
            suite.lanes("bfind.%s" % st, [(st, a)], "bfind.%s %%d, %%a;" % st, [("u32", [find_msb(x, st) for x in a])])
            suite.lanes("bfind.shiftamt.%s" % st, [(st, a)], "bfind.shiftamt.%s %%d, %%a;" % st,
                        [("u32", [-1 if find_msb(x, st) < 0 else width - 1 - find_msb(x, st) for x in a])])

            def extract(x, pos, length):
                pos, length = pos & 0xFF, length & 0xFF
                sign = 0 if kind == "u" or length == 0 else x >> min(pos + length - 1, width - 1) & 1
                bit = lambda i: x >> (pos + i) & 1 if i < length and pos + i < width else sign
                return sum(bit(i) << i for i in range(width))

            suite.lanes("bfe.%s" % st, [(st, a), ("u32", positions), ("u32", lengths)], "bfe.%s %%d, %%a, %%b, %%c;" % st,
                        [(st, [extract(*v) for v in zip(a, positions, lengths)])])

        def insert(x, y, pos, length):
            pos, length = pos & 0xFF, length & 0xFF
            for i in range(length):
                if pos + i < width:
                    y = y & ~(1 << (pos + i)) | (x >> i & 1) << (pos + i)
            return y

        suite.lanes("bfi.%s" % t, [(t, a), (t, second(t)), ("u32", positions), ("u32", lengths)],
                    "bfi.%s %%d, %%a, %%b, %%c, %%e;" % t,
                    [(t, [insert(*v) for v in zip(a, second(t), positions, lengths)])])
    for mode in ("clamp", "wrap"):
        starts = [(i * 3) % 36 for i in range(32)]
        widths = [(i * 5) % 37 for i in range(32)]
        limit = (lambda n: n & 31) if mode == "wrap" else (lambda n: min(n & 0xFFFFFFFF, 32))
        expected = [((1 << limit(w)) - 1) << limit(s) for s, w in zip(starts, widths)]
        suite.lanes("bmsk.%s.b32" % mode, [("u32", starts), ("u32", widths)], "bmsk.%s.b32 %%d, %%a, %%b;" % mode,
                    [("b32", expected)], version="7.6")


PRMT = {"f4e": ["3210", "4321", "5432", "6543"], "b4e": ["5670", "6701", "7012", "0123"],
        "rc8": ["0000", "1111", "2222", "3333"], "ecl": ["3210", "3211", "3222", "3333"],
        "ecr": ["0000", "1110", "2210", "3210"], "rc16": ["1010", "3232", "1010", "3232"]}


def bytes_and_dots(suite):
    a, b, c = first("b32"), second("b32"), third("b32")
    selectors = [0x3210, 0x7654, 0x0123, 0x4567, 0xFFFF, 0x8888, 0xBA98, 0xFEDC, 0x5140, 0xDEADBEEF] + \
                [(i * 0x9E37 + 0x1234) & 0xFFFF for i in range(22)]

    def permute(x, y, nibbles):
        source = y << 32 | x
        result = 0
        for i, n in enumerate(nibbles):
            byte = source >> (n & 7) * 8 & 0xFF
            result |= ((0xFF if byte & 0x80 else 0) if n & 8 else byte) << i * 8
        return result

    suite.lanes("prmt.b32", [("b32", a), ("b32", b), ("b32", selectors)], "prmt.b32 %d, %a, %b, %c;",
                [("b32", [permute(x, y, [s >> 4 * i & 15 for i in range(4)]) for x, y, s in zip(a, b, selectors)])])
    for mode, rows in PRMT.items():
        nibbles = [[int(n) for n in reversed(rows[s & 3])] for s in c]
        suite.lanes("prmt.b32.%s" % mode, [("b32", a), ("b32", b), ("b32", c)], "prmt.b32.%s %%d, %%a, %%b, %%c;" % mode,
                    [("b32", [permute(x, y, n) for x, y, n in zip(a, b, nibbles)])])
    part = lambda x, i, size, kind: signed(x >> i * size, size) if kind == "s" else x >> i * size & ((1 << size) - 1)
    for ak in "us":
        for bk in "us":
            dot = [z + sum(part(x, i, 8, ak) * part(y, i, 8, bk) for i in range(4)) for x, y, z in zip(a, b, c)]
            suite.lanes("dp4a.%s32.%s32" % (ak, bk), [("b32", a), ("b32", b), ("b32", c)],
                        "dp4a.%s32.%s32 %%d, %%a, %%b, %%c;" % (ak, bk), [("u32", dot)])
            for form, start in (("lo", 0), ("hi", 2)):
                dot = [z + sum(part(x, i, 16, ak) * part(y, start + i, 8, bk) for i in range(2))
                       for x, y, z in zip(a, b, c)]
                suite.lanes("dp2a.%s.%s32.%s32" % (form, ak, bk), [("b32", a), ("b32", b), ("b32", c)],
                            "dp2a.%s.%s32.%s32 %%d, %%a, %%b, %%c;" % (form, ak, bk), [("u32", dot)])


def carries(suite):
    a, b = first("u64"), second("u64")
    split = "mov.b64 {%t0, %t1}, %a;\nmov.b64 {%t2, %t3}, %b;\n"
    join = "mov.b64 %d, {%t0, %t1};\n"
    suite.lanes("addc.u32", [("u64", a), ("u64", b)],
                split + "add.cc.u32 %t0, %t0, %t2;\naddc.cc.u32 %t1, %t1, %t3;\naddc.u32 %d1, 0, 0;\n" + join,
                [("u64", [x + y for x, y in zip(a, b)]), ("u32", [x + y >> 64 for x, y in zip(a, b)])])
    suite.lanes("subc.u32", [("u64", a), ("u64", b)],
                split + "sub.cc.u32 %t0, %t0, %t2;\nsubc.cc.u32 %t1, %t1, %t3;\nsubc.u32 %d1, 0, 0;\n" + join,
                [("u64", [x - y for x, y in zip(a, b)]), ("u32", [x - y >> 64 for x, y in zip(a, b)])])
    suite.lanes("addc.u64", [("u64", a), ("u64", b)],
                "add.cc.u64 %d, %a, %b;\naddc.cc.u64 %d1, %a, %a;\naddc.u64 %d2, 0, 0;",
                [("u64", [x + y for x, y in zip(a, b)]), ("u64", [2 * x + (x + y >> 64) for x, y in zip(a, b)]),
                 ("u64", [2 * x + (x + y >> 64) >> 64 for x, y in zip(a, b)])])
    product = [x * y for x, y in zip(a, b)]
    suite.lanes("madc.u32", [("u64", a), ("u64", b)],
                split + ".reg .b32 %r<4>;\n"
                "mul.lo.u32 %r0, %t0, %t2;\nmul.hi.u32 %r1, %t0, %t2;\n"
                "mad.lo.cc.u32 %r1, %t0, %t3, %r1;\nmadc.hi.u32 %r2, %t0, %t3, 0;\n"
                "mad.lo.cc.u32 %r1, %t1, %t2, %r1;\nmadc.hi.cc.u32 %r2, %t1, %t2, %r2;\naddc.u32 %r3, 0, 0;\n"
                "mad.lo.cc.u32 %r2, %t1, %t3, %r2;\nmadc.hi.u32 %r3, %t1, %t3, %r3;\n"
                "mov.b64 %d, {%r0, %r1};\nmov.b64 %d1, {%r2, %r3};",
                [("u64", product), ("u64", [p >> 64 for p in product])])
    suite.lanes("madc.u64", [("u64", a), ("u64", b)],
                "mad.lo.cc.u64 %d, %a, %b, %a;\nmadc.hi.u64 %d1, %a, %b, 0;",
                [("u64", [p + x for p, x in zip(product, a)]), ("u64", [p + x >> 64 for p, x in zip(product, a)])])


def video(suite):
    a, b, c = first("b32"), second("b32"), third("b32")
    for lanes in (2, 4):
        size = 32 // lanes
        part = lambda x, i: x >> i * size & ((1 << size) - 1)
        differences = [[abs(part(x, i) - part(y, i)) for i in range(lanes)] for x, y in zip(a, b)]
        form = "vabsdiff%d.u32.u32.u32" % lanes
        # The third operand fills lanes that a mask leaves out; here there are none.
        suite.lanes(form, [("b32", a), ("b32", b), ("b32", c)], form + " %d, %a, %b, %c;",
                    [("b32", [sum(d << i * size for i, d in enumerate(row)) for row in differences])])
        suite.lanes(form + ".add", [("b32", a), ("b32", b), ("b32", c)], form + ".add %d, %a, %b, %c;",
                    [("b32", [sum(row) + z for row, z in zip(differences, c)])])


def immediates(suite):
    a = first("s32")
    n = [signed(x, 32) for x in a]
    suite.lanes("immediates.s32", [("s32", a)],
                "add.s32 %d, %a, -5;\nsub.s32 %d1, 100, %a;\nmad.lo.s32 %d2, %a, -3, 0x10;\nshl.b32 %d3, %a, 3;\n"
                "shr.s32 %d4, %a, 4;\nand.b32 %d5, %a, 0xff00ff;\nsetp.lt.s32 %p, %a, -1;\nselp.s32 %d6, -7, 7, %p;\n"
                "mul.wide.s32 %d7, %a, -2147483648;",
                [("s32", [x - 5 for x in n]), ("s32", [100 - x for x in n]), ("s32", [x * -3 + 16 for x in n]),
                 ("s32", [x << 3 for x in n]), ("s32", [x >> 4 for x in n]), ("b32", [x & 0xFF00FF for x in a]),
                 ("s32", [-7 if x < -1 else 7 for x in n]), ("s64", [x * -(1 << 31) for x in n])])
    w = first("s64")
    suite.lanes("immediates.s64", [("s64", w)],
                "add.s64 %d, %a, -4294967297;\nmul.lo.s64 %d1, %a, 0x100000001;\nor.b64 %d2, %a, 0xf0f0f0f000000000;\n"
                "setp.ge.u64 %p, %a, 9223372036854775808;\nselp.b64 %d3, 1, 0xffffffffffffffff, %p;",
                [("s64", [x - 4294967297 for x in w]), ("s64", [x * 0x100000001 for x in w]),
                 ("b64", [x | 0xF0F0F0F000000000 for x in w]), ("b64", [1 if x >> 63 else mask("b64") for x in w])])


def generate(suite):
    for part in (arithmetic, logic, bits, bytes_and_dots, carries, video, immediates):
        part(suite)
