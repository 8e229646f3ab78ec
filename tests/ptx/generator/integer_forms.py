"""Integer forms beside those of integers.py: carry chains of signed types, 24-bit saturation, set and joined setp,
slct with a float selector, fns, szext, every kind of shr, selp and mov, packed absolute differences of signed bytes."""

import random

from . import exact
from .emit import LANES, WIDTH, integer, mask, signed
from .exact import F32
from .float_modes import combined
from .floats import permuted
from .integers import INTEGERS, SHIFTS, clamp, first, second, third


def carries(suite):
    """Chains of three: the second link takes and gives a carry, the third takes it."""
    for t in ("u32", "s32", "u64", "s64"):
        bits = WIDTH[t]
        # 32-bit and 64-bit patterns taken as unsigned: a carry does not depend on the sign.
        a, b, c = first(t), second(t), third(t)
        span = 1 << bits
        total = [x + y for x, y in zip(a, b)]
        again = [y + z + (s >= span) for y, z, s in zip(b, c, total)]
        suite.forms("addc." + t + ".chain", [(t, a), (t, b), (t, c)],
                    [("add.cc.%s {d}, %%a, %%b;" % t, t, total), ("addc.cc.%s {d}, %%b, %%c;" % t, t, again),
                     ("addc.%s {d}, %%a, %%c;" % t, t, [x + z + (s >= span) for x, z, s in zip(a, c, again)])])
        less = [x - y for x, y in zip(a, b)]
        again = [y - z - (s < 0) for y, z, s in zip(b, c, less)]
        suite.forms("subc." + t + ".chain", [(t, a), (t, b), (t, c)],
                    [("sub.cc.%s {d}, %%a, %%b;" % t, t, less), ("subc.cc.%s {d}, %%b, %%c;" % t, t, again),
                     ("subc.%s {d}, %%a, %%c;" % t, t, [x - z - (s < 0) for x, z, s in zip(a, c, again)])])
        # On NVIDIA's GPUs a subtraction adds the complement: after it CC.CF says that there was no borrow, and a chain of both kinds
        # sees that (published tests and answers, which agree with silicon).
        mixed = [y + z + (x >= y) for x, y, z in zip(a, b, c)]
        suite.forms("addc.subc." + t + ".chain", [(t, a), (t, b), (t, c)],
                    [("sub.cc.%s {d}, %%a, %%b;" % t, t, less), ("addc.cc.%s {d}, %%b, %%c;" % t, t, mixed),
                     ("subc.%s {d}, %%a, %%c;" % t, t, [x - z - (m < span) for x, z, m in zip(a, c, mixed)])])
        product = [integer(x, t) * integer(y, t) for x, y in zip(a, b)]
        for part, shift in (("lo", 0), ("hi", bits)):
            word = [p >> shift & mask(t) for p in product]
            for second_part, second_shift in (("lo", 0), ("hi", bits)):
                other = [p >> second_shift & mask(t) for p in product]
                start = [w + z for w, z in zip(word, c)]
                link = [o + x + (s >= span) for o, x, s in zip(other, a, start)]
                suite.forms("madc.%s.%s.%s.chain" % (part, second_part, t), [(t, a), (t, b), (t, c)],
                            [("mad.%s.cc.%s {d}, %%a, %%b, %%c;" % (part, t), t, start),
                             ("madc.%s.cc.%s {d}, %%a, %%b, %%a;" % (second_part, t), t, link),
                             ("madc.%s.%s {d}, %%a, %%b, %%b;" % (part, t), t,
                              [w + y + (s >= span) for w, y, s in zip(word, b, link)])])
    a, b, c = first("s32"), second("s32"), third("s32")
    suite.lanes("mad24.hi.sat.s32", [("s32", a), ("s32", b), ("s32", c)], "mad24.hi.sat.s32 %d, %a, %b, %c;",
                [("s32", [clamp(signed(signed(x, 24) * signed(y, 24) >> 16, 32) + signed(z, 32), "s32") for x, y, z in zip(a, b, c)])])


def comparisons(suite):
    ops = ["eq", "ne", "lt", "le", "gt", "ge"]
    for t in INTEGERS + ["b16", "b32", "b64"]:
        a = first(t)
        b = [x if i % 4 == 0 else y for i, (x, y) in enumerate(zip(a, second(t)))]
        known = ops[:2] if t[0] == "b" else ops
        truth = {op: [exact.relation(integer(x, t), integer(y, t), op) for x, y in zip(a, b)] for op in known}
        for result, yes in (("u32", 0xFFFFFFFF), ("s32", 0xFFFFFFFF), ("f32", F32.bias << 23)):
            suite.forms("set.%s.%s" % (result, t), [(t, a), (t, b)],
                        [("set.%s.%s.%s {d}, %%a, %%b;" % (op, result, t), result, [yes if v else 0 for v in truth[op]]) for op in known])
        combined(suite, t, a, b, {op: truth[op] for op in ("eq", "lt") if op in truth})
        if t[0] == "b":
            suite.lanes("setp.ne." + t, [(t, a), (t, b)], "setp.ne.%s %%p, %%a, %%b;\nselp.u32 %%d, 1, 0, %%p;" % t,
                        [("u32", [int(v) for v in truth["ne"]])])
    side = [i & 1 for i in range(LANES)]
    joins = {"and": lambda x, y: x and y, "or": lambda x, y: x or y, "xor": lambda x, y: x != y}
    for t, a, b, less in (("u32", first("u32"), second("u32"), lambda x, y: x >= y),
                          ("f32", permuted(F32, 1, 0), permuted(F32, 5, 2), lambda x, y: exact.compare(x, y, F32, "ge"))):
        suite.forms("set.join." + t, [(t, a), (t, b), ("u32", side)],
                    [("set.ge.%s.u32.%s {d}, %%a, %%b, %%p;" % (join, t), "u32",
                      [-int(f(less(x, y), bool(z))) for x, y, z in zip(a, b, side)]) for join, f in joins.items()],
                    before="setp.ne.u32 %p, %c, 0;")


def selection(suite):
    c = permuted(F32, 1, 0)
    for bits in (16, 32, 64):
        kinds = ["b%d" % bits, "u%d" % bits, "s%d" % bits] + (["f%d" % bits] if bits > 16 else [])
        t = kinds[0]
        a, b = first(t), second(t)
        rows = []
        for kind in kinds:
            for ftz in ("", ".ftz"):
                positive = [exact.compare(exact.flush(z, F32) if ftz else z, 0, F32, "ge") for z in c]
                rows.append(("slct%s.%s.f32 {d}, %%a, %%b, %%c;" % (ftz, kind), t, [x if p else y for x, y, p in zip(a, b, positive)]))
        n = [signed(v, 32) for v in first("s32")]
        suite.forms("slct.f32.b%d" % bits, [(t, a), (t, b), ("f32", c)], rows, source="a negative zero selects the first operand, NaN the second")
        suite.forms("slct.s32.b%d" % bits, [(t, a), (t, b), ("s32", first("s32"))],
                    [("slct.%s.s32 {d}, %%a, %%b, %%c;" % kind, t, [x if z >= 0 else y for x, y, z in zip(a, b, n)]) for kind in kinds])
        suite.forms("selp_mov.b%d" % bits, [(t, a), (t, b)],
                    [("selp.%s {d}, %%a, %%b, %%p;" % kind, t, [x if i % 32 in (1, 3, 5, 30, 31) else y for i, (x, y) in enumerate(zip(a, b))])
                     for kind in kinds] + [("mov.%s {d}, %%b;" % kind, t, b) for kind in kinds],
                    before="shr.u32 %t0, 0xC000002A, %lane;\nand.b32 %t0, %t0, 1;\nsetp.eq.u32 %p, %t0, 1;")
        suite.forms("shr.b%d" % bits, [(t, a), ("u32", SHIFTS)],
                    [("shr.%s {d}, %%a, %%b;" % kind, t, [integer(x, kind) >> min(n, bits) for x, n in zip(a, SHIFTS)]) for kind in kinds[:3]])


def find_nth(x, base, offset):
    """fns: the position of the offset-th set bit counted from `base` upwards, or downwards for a negative offset."""
    if offset == 0:
        return base if x >> base & 1 else 0xFFFFFFFF
    step, position = (1 if offset > 0 else -1), base
    found = 0
    while 0 <= position < 32:
        found += x >> position & 1
        if found == abs(offset):
            return position
        position += step
    return 0xFFFFFFFF


def bits(suite):
    a = first("b32")
    bases = [(i * 5 + 1) % 32 for i in range(32)]
    offsets = [(i * 7) % 19 - 9 for i in range(32)]
    suite.lanes("fns.b32", [("b32", a), ("u32", bases), ("s32", offsets)], "fns.b32 %d, %a, %b, %c;",
                [("u32", [find_nth(*v) for v in zip(a, bases, offsets)])])
    widths = [(i * 5) % 37 for i in range(30)] + [0x80000000, 0xFFFFFFFF]
    rows = []
    for mode in ("clamp", "wrap"):
        for t in ("u32", "s32"):
            limit = [n & 31 if mode == "wrap" else min(n, 32) for n in widths]
            rows.append(("szext.%s.%s {d}, %%a, %%b;" % (mode, t), t,
                         [0 if n == 0 else (signed(x, n) if t == "s32" else x & ((1 << n) - 1)) for x, n in zip(a, limit)]))
    suite.forms("szext", [("b32", a), ("u32", widths)], rows, version="7.6")
    draw = random.Random("lop3")
    tables = draw.sample(range(256), 16)
    b, c = second("b32"), third("b32")
    suite.forms("lop3.b32.random", [("b32", a), ("b32", b), ("b32", c)],
                [("lop3.b32 {d}, %%a, %%b, %%c, 0x%02x;" % lut, "b32",
                  [sum((lut >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1)) & 1) << i for i in range(32)) for x, y, z in zip(a, b, c)])
                 for lut in tables])
    for lanes in (2, 4):
        size = 32 // lanes
        part = lambda x, i: signed(x >> i * size, size)
        differences = [[abs(part(x, i) - part(y, i)) & ((1 << size) - 1) for i in range(lanes)] for x, y in zip(a, b)]
        form = "vabsdiff%d.u32.s32.s32" % lanes
        suite.forms(form, [("b32", a), ("b32", b), ("b32", c)],
                    [(form + " {d}, %a, %b, %c;", "b32", [sum(v << i * size for i, v in enumerate(row)) for row in differences]),
                     (form + ".add {d}, %a, %b, %c;", "b32", [sum(row) + z for row, z in zip(differences, c)])])
    suite.lanes("mov.pred", [("u32", list(range(32)))],
                "and.b32 %t0, %a, 3;\nsetp.eq.u32 %p, %t0, 1;\nmov.pred %q, %p;\nselp.u32 %d, 5, 9, %q;\nmov.pred %q, 1;\n@%q add.u32 %d, %d, 100;",
                [("u32", [105 if i & 3 == 1 else 109 for i in range(32)])])


def generate(suite):
    for part in (carries, comparisons, selection, bits):
        part(suite)
