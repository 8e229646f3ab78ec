"""Loads and stores of all widths, vectors, cache operators and state spaces; address conversion; atomics and
reductions on global and shared memory; fences."""

from . import exact, floats, integers
from .emit import LANES, WIDTH, buffer, integer, mask, out, scalar, signed
from .exact import F32, F64

LOAD_TYPES = ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"]
HEAD = """  .reg .pred %p, %q;
  .reg .b16 %h<8>;
  .reg .b32 %lane, %r<16>;
  .reg .b64 %out, %in, %at, %w<12>;
  mov.u32 %lane, %tid.x;
"""


def values_of(t):
    return [integers.CORE[max(16, WIDTH[t])][(i * 3 + 1) % 32] & mask(t) for i in range(32)]


def pointer(reg, parameter, size):
    return ("  ld.param.u64 %s, [p%d];\n  mul.wide.u32 %%at, %%lane, %d;\n  add.u64 %s, %s, %%at;\n"
            % (reg, parameter, size, reg, reg))


def widths(suite):
    for t in LOAD_TYPES:
        size, values = WIDTH[t] // 8, values_of(t)
        reg = "%w0" if size == 8 else "%r0"
        carrier = "u64" if size == 8 else "u32"
        loaded = [signed(v, WIDTH[t]) & mask(carrier) if t[0] == "s" else v for v in values]
        for space in ("global", "shared", "local"):
            code = HEAD + "  .%s .align 8 .b8 memory[512];\n" % space if space != "global" else HEAD
            code += pointer("%in", 2, size) + "  ld.global.%s %s, [%%in];\n" % (t, reg)
            code += pointer("%out", 1, size)
            if space == "global":
                code += "  st.global.%s [%%out], %s;\n" % (t, reg)
            else:
                code += ("  mov.u64 %%w2, memory;\n  mul.wide.u32 %%w3, %%lane, %d;\n  add.u64 %%w2, %%w2, %%w3;\n"
                         "  st.%s.%s [%%w2], %s;\n  mov.b32 %%r1, 0;\n  mov.b64 %%w1, 0;\n  bar.sync 0;\n"
                         "  ld.%s.%s %s, [%%w2];\n  st.global.%s [%%out], %s;\n"
                         % (size, space, t, reg, space, t, reg, t, reg))
            code += pointer("%out", 0, WIDTH[carrier] // 8)
            code += "  st.global.%s [%%out], %s;\n  ret;" % (carrier, reg)
            file_carrier = "u%d" % WIDTH[t]
            suite.kernel("ld_st.%s.%s" % (space, t), [out(carrier), out(file_carrier), buffer(file_carrier, values)],
                         code, [(0, carrier, loaded), (1, file_carrier, values)],
                         source="loads extend by the type's sign, stores truncate")


def vectors(suite):
    for t in ("u8", "s16", "u32", "f32", "u64", "f64"):
        for n in (2, 4):
            size = WIDTH[t] // 8 * n
            if size > 16:
                continue
            element = "u%d" % WIDTH[t]
            values = [(i * 0x0102030405060708 + 0xF1) & mask(t) for i in range(LANES * n)]
            regs = ["%%w%d" % (4 + i) if WIDTH[t] == 64 else "%%h%d" % i if WIDTH[t] <= 16 else "%%r%d" % i for i in range(n)]
            for space in ("global", "shared"):
                code = HEAD + ("  .shared .align 16 .b8 memory[512];\n" if space == "shared" else "")
                code += pointer("%in", 1, size) + "  ld.global.v%d.%s {%s}, [%%in];\n" % (n, t, ", ".join(regs))
                code += pointer("%out", 0, size)
                if space == "shared":
                    code += ("  mov.u64 %%w2, memory;\n  mul.wide.u32 %%w3, %%lane, %d;\n  add.u64 %%w2, %%w2, %%w3;\n"
                             "  st.shared.v%d.%s [%%w2], {%s};\n  bar.sync 0;\n  ld.shared.v%d.%s {%s}, [%%w2];\n"
                             % (size, n, t, ", ".join(reversed(regs)), n, t, ", ".join(regs)))
                else:
                    regs_out = list(reversed(regs))
                target = regs if space == "shared" else regs_out
                code += "  st.global.v%d.%s [%%out], {%s};\n  ret;" % (n, t, ", ".join(target))
                expected = [values[i // n * n + n - 1 - i % n] for i in range(LANES * n)]
                suite.kernel("ld_st.v%d.%s.%s" % (n, space, t), [out(element, LANES * n), buffer(element, values)], code,
                             [(0, element, expected)], source="elements of a vector lie at rising addresses")


def qualifiers(suite):
    values = values_of("u32")
    loads = ["ld.global.ca", "ld.global.cg", "ld.global.cs", "ld.global.lu", "ld.global.cv", "ld.volatile.global",
             "ld.global.nc", "ld.relaxed.gpu.global", "ld.acquire.gpu.global", "ld.relaxed.sys.global", "ld.weak.global",
             "ld", "ld.volatile"]
    stores = ["st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt", "st.volatile.global",
              "st.relaxed.gpu.global", "st.release.gpu.global", "st.relaxed.cta.global", "st.weak.global", "st",
              "st.volatile"]
    for i, load in enumerate(loads):
        store = stores[i % len(stores)]
        code = HEAD + pointer("%in", 1, 4) + pointer("%out", 0, 4)
        code += "  add.u64 %%in, %%in, 400;\n  %s.u32 %%r0, [%%in+-400];\n  sub.u64 %%out, %%out, 16;\n" % load
        code += "  %s.u32 [%%out+16], %%r0;\n  ret;" % store
        suite.kernel("%s--%s" % (load, store), [out("u32"), buffer("u32", values)], code, [(0, "u32", values)],
                     source="cache operators and orderings do not change a lone access; offsets are signed")


def spaces(suite):
    table = [(i * 2654435761 + 99) & 0xFFFFFFFF for i in range(64)]
    text = ", ".join(str(v) for v in table)
    index = [(i * 11 + 3) % 64 for i in range(32)]
    for space in ("const", "global"):
        code = HEAD + pointer("%in", 1, 4) + "  ld.global.u32 %r0, [%in];\n"
        code += ("  mov.u64 %%w0, table;\n  mul.wide.u32 %%w1, %%r0, 4;\n  add.u64 %%w0, %%w0, %%w1;\n"
                 "  ld.%s.u32 %%r1, [%%w0];\n  ld.%s.u32 %%r2, [table+20];\n  add.u32 %%r1, %%r1, %%r2;\n  ld.%s.u8 %%r3, [bytes+2];\n"
                 "  add.u32 %%r1, %%r1, %%r3;\n" % (space, space, space))
        code += pointer("%out", 0, 4) + "  st.global.u32 [%out], %r1;\n  ret;"
        suite.kernel("variable.%s" % space, [out("u32"), buffer("u32", index)], code,
                     [(0, "u32", [(table[i] + table[5] + 77) & 0xFFFFFFFF for i in index])],
                     module=".%s .align 4 .u32 table[64] = {%s};\n.%s .align 1 .b8 bytes[4] = {1, 2, 77, 4};"
                     % (space, text, space), source="initialized variables, indexed and by offset")
    suite.kernel("variable.global.pointer", [out("u32")],
                 HEAD + pointer("%out", 0, 4) +
                 "  ld.global.u64 %w0, [link];\n  mul.wide.u32 %w1, %lane, 4;\n  add.u64 %w0, %w0, %w1;\n"
                 "  ld.u32 %r0, [%w0];\n  st.global.u32 [%out], %r0;\n  ret;",
                 [(0, "u32", table[4:36])], module=".global .align 4 .u32 table[64] = {%s};\n"
                 ".global .align 8 .u64 link = generic(table)+16;" % text,
                 source="a variable initialized with another's generic address")
    suite.kernel("param.widths", [out("u64", 9), scalar("u8", 0xF5), scalar("u16", 0x8123), scalar("u32", 0xDEADBEEF),
                                  scalar("u64", 0x123456789ABCDEF0), scalar("f32", 0x3FC00000),
                                  scalar("f64", 0xC004000000000000)],
                 HEAD + "  ld.param.u64 %out, [p0];\n  ld.param.u8 %w0, [p1];\n  ld.param.s8 %w1, [p1];\n"
                 "  ld.param.u16 %w2, [p2];\n  ld.param.s16 %w3, [p2];\n  ld.param.u32 %w4, [p3];\n  ld.param.s32 %w5, [p3];\n"
                 "  ld.param.b64 %w6, [p4];\n  ld.param.f32 %r0, [p5];\n  cvt.u64.u32 %w7, %r0;\n  ld.param.b64 %w8, [p6];\n" +
                 "".join("  st.global.u64 [%%out+%d], %%w%d;\n" % (i * 8, i) for i in range(9)) + "  ret;",
                 [(0, "u64", [v & mask("u64") for v in (0xF5, signed(0xF5, 8), 0x8123, signed(0x8123, 16), 0xDEADBEEF,
                                                        signed(0xDEADBEEF, 32), 0x123456789ABCDEF0, 0x3FC00000,
                                                        0xC004000000000000)])],
                 block="1", source="parameters at their natural alignment, extended by the load's sign")
    suite.kernel("shared.dynamic", [out("u32")],
                 HEAD + pointer("%out", 0, 4) +
                 "  mov.u64 %w0, buffer;\n  mul.wide.u32 %w1, %lane, 4;\n  add.u64 %w2, %w0, %w1;\n"
                 "  mul.lo.u32 %r0, %lane, %lane;\n  st.shared.u32 [%w2+64], %r0;\n  bar.sync 0;\n"
                 "  xor.b32 %r1, %lane, 31;\n  mul.wide.u32 %w1, %r1, 4;\n  add.u64 %w2, %w0, %w1;\n"
                 "  ld.shared.u32 %r2, [%w2+64];\n  mov.u32 %r3, %dynamic_smem_size;\n  add.u32 %r2, %r2, %r3;\n"
                 "  st.global.u32 [%out], %r2;\n  ret;",
                 [(0, "u32", [(31 - i) ** 2 + 192 for i in range(32)])], shared=192,
                 module=".extern .shared .align 16 .b8 buffer[];", source="dynamic shared memory of the launch")
    checks = "".join(
        "  isspacep.%s %%p, %s;\n  selp.u32 %%r1, %d, 0, %%p;\n  or.b32 %%r0, %%r0, %%r1;\n" % (space, reg, 1 << bit)
        for bit, (space, reg) in enumerate((s, r) for r in ("%w0", "%w1", "%w2")
                                           for s in ("global", "shared", "local")))
    suite.kernel("cvta_isspacep", [out("u32"), out("u32"), buffer("u32", values_of("u32"))],
                 HEAD + "  .shared .align 4 .b32 tile[32];\n  .local .align 4 .b32 mine[2];\n" +
                 pointer("%out", 0, 4) + pointer("%in", 2, 4) +
                 "  cvta.to.global.u64 %w0, %in;\n  cvta.global.u64 %w0, %w0;\n  mov.u64 %w4, tile;\n"
                 "  cvta.shared.u64 %w1, %w4;\n  mov.u64 %w5, mine;\n  cvta.local.u64 %w2, %w5;\n  mov.u64 %w6, fixed;\n"
                 "  cvta.const.u64 %w3, %w6;\n  mov.u32 %r0, 0;\n" + checks + "  st.global.u32 [%out], %r0;\n"
                 "  mul.wide.u32 %w7, %lane, 4;\n  add.u64 %w1, %w1, %w7;\n  ld.u32 %r2, [%w0];\n  st.u32 [%w1], %r2;\n"
                 "  add.u32 %r2, %r2, 1;\n  st.u32 [%w2+4], %r2;\n  ld.u32 %r3, [%w3];\n  bar.sync 0;\n"
                 "  cvta.to.shared.u64 %w8, %w1;\n  ld.shared.u32 %r4, [%w8];\n  cvta.to.local.u64 %w9, %w2;\n"
                 "  ld.local.u32 %r5, [%w9+4];\n  add.u32 %r3, %r3, %r4;\n  add.u32 %r3, %r3, %r5;\n" +
                 pointer("%out", 1, 4) + "  st.global.u32 [%out], %r3;\n  ret;",
                 [(0, "u32", [0x111] * 32), (1, "u32", [(2 * v + 1 + 1000) & 0xFFFFFFFF for v in values_of("u32")])],
                 module=".const .align 4 .u32 fixed = 1000;",
                 source="a generic address lies in one of these spaces")
    suite.kernel("isspacep.const", [out("u32")],
                 HEAD + pointer("%out", 0, 4) + "  mov.u64 %w6, fixed;\n  cvta.const.u64 %w3, %w6;\n"
                 "  isspacep.const %p, %w3;\n  selp.u32 %r0, 1, 0, %p;\n  isspacep.global %p, %w3;\n"
                 "  selp.u32 %r1, 2, 0, %p;\n  or.b32 %r0, %r0, %r1;\n  isspacep.const %p, %out;\n  selp.u32 %r1, 4, 0, %p;\n"
                 "  or.b32 %r0, %r0, %r1;\n  mov.u64 %w4, moving;\n  cvta.global.u64 %w4, %w4;\n  isspacep.const %p, %w4;\n"
                 "  selp.u32 %r1, 8, 0, %p;\n  or.b32 %r0, %r0, %r1;\n  isspacep.global %p, %w4;\n  selp.u32 %r1, 16, 0, %p;\n"
                 "  or.b32 %r0, %r0, %r1;\n  ld.u32 %r1, [%w3];\n  add.u32 %r0, %r0, %r1;\n  ld.u32 %r1, [%w4];\n"
                 "  add.u32 %r0, %r0, %r1;\n  st.global.u32 [%out], %r0;\n  ret;",
                 [(0, "u32", [17 + 1000 + 70000] * 32)],
                 module=".const .align 4 .u32 fixed = 1000;\n.global .align 4 .u32 moving = 70000;",
                 source="the address of a constant variable lies in constant and not in global space")
    suite.kernel("local.indexed", [out("u32")],
                 HEAD + "  .local .align 8 .b8 frame[64];\n" + pointer("%out", 0, 4) +
                 "  mov.u64 %w0, frame;\n  mov.u32 %r0, 0;\nfill:\n  mul.wide.u32 %w1, %r0, 4;\n  add.u64 %w2, %w0, %w1;\n"
                 "  mad.lo.u32 %r1, %r0, 100, %lane;\n  st.local.u32 [%w2], %r1;\n  add.u32 %r0, %r0, 1;\n"
                 "  setp.lt.u32 %p, %r0, 16;\n  @%p bra fill;\n  and.b32 %r2, %lane, 15;\n  mul.wide.u32 %w1, %r2, 4;\n"
                 "  add.u64 %w2, %w0, %w1;\n  ld.local.u32 %r3, [%w2];\n  ld.local.u16 %r4, [%w2+2];\n"
                 "  add.u32 %r3, %r3, %r4;\n  st.global.u32 [%out], %r3;\n  ret;",
                 [(0, "u32", [(i & 15) * 100 + i for i in range(32)])], source="each lane has local memory of its own")


def atomic_operations():
    """name, type, function(old, operand) -> new, whether the final value is free of the order of updates."""
    rows = []
    for t in ("u32", "s32", "u64"):
        rows.append(("add", t, lambda o, v: o + v, True))
    for t in ("u32", "s32", "u64", "s64"):
        rows.append(("min", t, min, True))
        rows.append(("max", t, max, True))
    for t in ("b32", "b64"):
        rows.append(("and", t, lambda o, v: o & v, True))
        rows.append(("or", t, lambda o, v: o | v, True))
        rows.append(("xor", t, lambda o, v: o ^ v, True))
        rows.append(("exch", t, lambda o, v: v, False))
    rows.append(("inc", "u32", lambda o, v: 0 if o >= v else o + 1, False))
    rows.append(("dec", "u32", lambda o, v: v if o == 0 or o > v else o - 1, False))
    for t, f in (("f32", F32), ("f64", F64)):
        rows.append(("add", t, lambda o, v, f=f: exact.add(o, v, f), False))
    return rows


def atomics(suite):
    """Every lane updates a cell of its own and keeps the old value; then, where the order of updates cannot matter, all
    lanes update cell 32 together."""
    for op, t, function, order_free in atomic_operations():
        size = WIDTH[t] // 8
        carrier = t if t[0] == "f" else "u%d" % WIDTH[t]
        if t[0] == "f":
            f = floats.FORMATS[t]
            start = [floats.bits(x, f) for x in [i * 0.75 - 9 for i in range(33)]]
            operands = [floats.bits(x, f) for x in [(i * 7 % 32) * 0.1 - 1 for i in range(32)]]
            number = lambda x: x
        else:
            start = (values_of(t) + [0x5A5A5A5A])[:33]
            operands = integers.second(t)
            number = lambda x: integer(x, t)
        if op in ("inc", "dec"):
            operands = [start[i] if i % 3 == 0 else v for i, v in enumerate(operands)]
        final = [function(number(o), number(v)) & mask(t) for o, v in zip(start, operands)] + [start[32]]
        if order_free:
            last = number(start[32])
            for v in operands:
                last = number(function(last, number(v)) & mask(t))
            final[32] = last & mask(t)
        reg, value = ("%w0", "%w1") if size == 8 else ("%r0", "%r1")
        for space in ("global", "shared"):
            code = HEAD + ("  .shared .align 8 .b8 cells[%d];\n" % (33 * 8) if space == "shared" else "")
            code += "  ld.param.u64 %w8, [p1];\n" + pointer("%in", 2, size) + "  ld.global.b%d %s, [%%in];\n" % (size * 8, value)
            code += "  mul.wide.u32 %%w7, %%lane, %d;\n  add.u64 %%w9, %%w8, %%w7;\n" % size
            where, extra = "%w9", "%w8"
            if space == "shared":
                copy = "%w2" if size == 8 else "%r2"
                code += ("  mov.u64 %%w5, cells;\n  add.u64 %%w6, %%w5, %%w7;\n  ld.global.b%d %s, [%%w9];\n  st.shared.b%d [%%w6], %s;\n"
                         "  setp.eq.u32 %%p, %%lane, 0;\n  @%%p ld.global.b%d %s, [%%w8+%d];\n  @%%p st.shared.b%d [%%w5+%d], %s;\n"
                         "  bar.sync 0;\n" % (size * 8, copy, size * 8, copy, size * 8, copy, 32 * size, size * 8, 32 * size, copy))
                where, extra = "%w6", "%w5"
            code += "  atom.%s.%s.%s %s, [%s], %s;\n" % (space, op, t, reg, where, value)
            if order_free:
                code += "  red.%s.%s.%s [%s+%d], %s;\n" % (space, op, t, extra, 32 * size, value)
            if space == "shared":
                code += ("  bar.sync 0;\n  ld.shared.b%d %s, [%%w6];\n  st.global.b%d [%%w9], %s;\n"
                         "  @%%p ld.shared.b%d %s, [%%w5+%d];\n  @%%p st.global.b%d [%%w8+%d], %s;\n"
                         % (size * 8, copy, size * 8, copy, size * 8, copy, 32 * size, size * 8, 32 * size, copy))
            code += pointer("%out", 0, size) + "  st.global.b%d [%%out], %s;\n  ret;" % (size * 8, reg)
            suite.kernel("atom.%s.%s.%s" % (space, op, t), [out(carrier), buffer(carrier, start), buffer(carrier, operands)],
                         code, [(0, carrier, start[:32]), (1, carrier, final)])
    for t in ("b32", "b64"):
        size = WIDTH[t] // 8
        carrier = "u%d" % WIDTH[t]
        start = values_of(t)
        compare = [v if i % 2 == 0 else v ^ 1 << (WIDTH[t] - 1) for i, v in enumerate(start)]
        swap = integers.second(t)
        regs = ("%w0", "%w1", "%w2") if size == 8 else ("%r0", "%r1", "%r2")
        code = HEAD + pointer("%in", 2, size) + "  ld.global.%s %s, [%%in];\n" % (t, regs[1])
        code += pointer("%in", 3, size) + "  ld.global.%s %s, [%%in];\n" % (t, regs[2])
        code += pointer("%in", 1, size) + "  atom.global.cas.%s %s, [%%in], %s, %s;\n" % (t, *regs)
        code += pointer("%out", 0, size) + "  st.global.%s [%%out], %s;\n  ret;" % (t, regs[0])
        suite.kernel("atom.global.cas." + t, [out(carrier), buffer(carrier, start), buffer(carrier, compare),
                                              buffer(carrier, swap)], code,
                     [(0, carrier, start), (1, carrier, [s if o == c else o for o, c, s in zip(start, compare, swap)])])
    forms = ["atom.relaxed.gpu.global.add.u32", "atom.acquire.gpu.global.add.u32", "atom.release.sys.global.add.u32",
             "atom.acq_rel.cta.global.add.u32", "atom.add.u32", "atom.cta.global.add.u32"]
    start = [5] * 32
    for form in forms:
        suite.kernel(form, [out("u32"), buffer("u32", start)],
                     HEAD + pointer("%in", 1, 4) + "  " + form + " %r0, [%in], %lane;\n" + pointer("%out", 0, 4) +
                     "  st.global.u32 [%out], %r0;\n  ret;", [(0, "u32", start), (1, "u32", [5 + i for i in range(32)])])
    for form in ("red.global.add.f32", "red.add.u32", "red.relaxed.gpu.global.max.s32", "red.global.inc.u32"):
        t = form[-3:]
        cells = [floats.bits(0.5, F32)] if t == "f32" else [7]
        rows = {"red.global.add.f32": (floats.bits(1.0, F32), floats.bits(32.5, F32)), "red.add.u32": (3, 7 + 96),
                "red.relaxed.gpu.global.max.s32": (12, 12), "red.global.inc.u32": (20, (7 + 32) % 21)}
        operand, final = rows[form]
        suite.kernel(form, [buffer(t if t == "f32" else "u32", cells)],
                     HEAD + "  ld.param.u64 %%in, [p0];\n  mov.b32 %%r0, 0x%08x;\n  %s [%%in], %%r0;\n  ret;" % (operand, form),
                     [(0, t if t == "f32" else "u32", [final])], source="32 equal updates of one cell")


def fences(suite):
    for fence in ("membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta"):
        suite.kernel(fence, [out("u32"), buffer("u32", [0] * 32)],
                     HEAD + pointer("%in", 1, 4) + "  add.u32 %r0, %lane, 3;\n  st.global.u32 [%in], %r0;\n  " + fence +
                     ";\n  ld.volatile.global.u32 %r1, [%in];\n" + pointer("%out", 0, 4) +
                     "  st.global.u32 [%out], %r1;\n  ret;", [(0, "u32", [i + 3 for i in range(32)])])
    suite.kernel("prefetch", [out("u32"), buffer("u32", values_of("u32"))],
                 HEAD + pointer("%in", 1, 4) + "  prefetch.global.L1 [%in];\n  prefetch.global.L2 [%in];\n  prefetchu.L1 [%in];\n"
                 "  ld.global.u32 %r0, [%in];\n" + pointer("%out", 0, 4) + "  st.global.u32 [%out], %r0;\n  ret;",
                 [(0, "u32", values_of("u32"))], source="a prefetch changes no value")


def full_empty(suite):
    """Modifiers that Duet adds (docs/design/full-empty.md); tests/programs run those that are not refused."""
    for name, statement in (("ld.full.shared", "ld.full.shared.u32 %r0, [%in];"),
                            ("st.empty.fill.local", "st.empty.fill.local.v2.u32 [%in], {%lane, %lane};")):
        suite.kernel(name, [buffer("u32", [0] * 64)], HEAD + pointer("%in", 0, 8) + "  " + statement + "\n  ret;",
                     [(0, "u32", [0] * 64)], unsupported="PTX '" + statement.split()[0] +
                     "' is not supported: only global memory has full/empty bits", source="an extension of PTX")


def generate(suite):
    for part in (widths, vectors, qualifiers, spaces, atomics, fences, full_empty):
        part(suite)
