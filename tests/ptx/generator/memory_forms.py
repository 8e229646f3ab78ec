"""atom and red with every operation and type in every space, also through generic addresses; ld and st of every type,
alone and as vectors, in every space, with the extension of narrow types; ldu."""

from . import exact, floats, integers
from .emit import LANES, WIDTH, buffer, integer, mask, out, signed
from .exact import BF16, F16
from .half import both
from .memory import HEAD, LOAD_TYPES, atomic_operations, pointer, values_of

PLACES = ["global", "shared", "generic.global", "generic.shared"]


def operations():
    """name, type, start values, first operands, second operands or None, function."""
    for op, t, function, _ in atomic_operations():
        if t[0] == "f":
            f = floats.FORMATS[t]
            start, operand = ([floats.bits(x, f) for x in v] for v in ([i * 0.75 - 9 for i in range(32)], [i * 0.37 - 5 for i in range(32)]))
            yield op, t, start, operand, None, function
        else:
            start, operand = values_of(t), integers.second(t)
            if op in ("inc", "dec"):
                operand = [start[i] if i % 3 == 0 else v for i, v in enumerate(operand)]
            yield op, t, start, operand, None, lambda o, v, t=t, function=function: function(integer(o, t), integer(v, t)) & mask(t)
    for t, f in (("f16", F16), ("bf16", BF16)):
        start = [floats.bits(i * 0.75 - 9, f) for i in range(32)]
        operand = [floats.bits((i * 7 % 32) * 0.39 - 4, f) for i in range(30)] + [f.max, f.nan]
        add = lambda o, v, f=f: exact.add(o, v, f)
        yield "add.noftz", t, start, operand, None, add
        pair = lambda values: [x | y << 16 for x, y in zip(values, values[5:] + values[:5])]
        yield "add.noftz", t + "x2", pair(start), pair(operand), None, lambda o, v, add=add, f=f: both(add, f, [o], [v])[0]
    for t in ("b16", "b32", "b64"):
        start = values_of(t)
        compare = [v if i % 2 == 0 else v ^ 1 << (WIDTH[t] - 1) for i, v in enumerate(start)]
        yield "cas", t, start, compare, integers.second(t), None


def atomics(suite):
    """Every lane updates a cell of its own, once with atom and then with red."""
    for op, t, start, operand, swap, function in operations():
        size, bits = WIDTH[t] // 8, WIDTH[t]
        carrier = t if t in ("f32", "f64") else "u%d" % bits
        kind = {16: "h", 32: "r", 64: "w"}[bits]
        old, value, other, copy = ("%%%s%d" % (kind, i) for i in range(4))
        if swap:
            once = [s if o == c else o for o, c, s in zip(start, operand, swap)]
            twice = once
        else:
            once = [function(o, v) for o, v in zip(start, operand)]
            twice = [function(o, v) for o, v in zip(once, operand)] if op != "exch" else once
        for place in PLACES:
            space = "" if place.startswith("generic") else "." + place
            code = HEAD + "  .shared .align 8 .b8 cells[256];\n"
            code += pointer("%in", 2, size) + "  ld.global.b%d %s, [%%in];\n" % (bits, value)
            if swap:
                code += pointer("%in", 3, size) + "  ld.global.b%d %s, [%%in];\n" % (bits, other)
            code += pointer("%w8", 1, size)
            cell = "%w8"
            if "shared" in place:
                cell = "%w9"
                code += "  ld.global.b%d %s, [%%w8];\n  mov.u64 %%w9, cells;\n  add.u64 %%w9, %%w9, %%at;\n  st.shared.b%d [%%w9], %s;\n" % (
                    bits, copy, bits, copy)
                if not space:
                    code += "  cvta.shared.u64 %w9, %w9;\n"
            second = ", " + other if swap else ""
            code += "  atom%s.%s.%s %s, [%s], %s%s;\n" % (space, op, t, old, cell, value, second)
            if not swap and op != "exch":
                code += "  red%s.%s.%s [%s], %s;\n" % (space, op, t, cell, value)
            if "shared" in place:
                code += "  ld%s.b%d %s, [%%w9];\n  st.global.b%d [%%w8], %s;\n" % (space, bits, copy, bits, copy)
            code += pointer("%out", 0, size) + "  st.global.b%d [%%out], %s;\n  ret;" % (bits, old)
            arguments = [out(carrier), buffer(carrier, start), buffer(carrier, operand)] + ([buffer(carrier, swap)] if swap else [])
            suite.kernel("atom_red.%s.%s.%s" % (place, op, t), arguments, code, [(0, carrier, start), (1, carrier, twice)],
                         version="7.8", target="sm_90")


def loads_and_stores(suite):
    """Of every type in one kernel a space and vector length: what arrives in registers (extended to 32 or 64 bits), and
    what a vector store of these registers leaves in memory."""
    for n in (1, 2, 4):
        kinds = [t for t in LOAD_TYPES if WIDTH[t] * n <= 128]
        vector = ".v%d" % n if n > 1 else ""
        data, wide, offsets = [], [], []
        for number, t in enumerate(kinds):
            offsets.append((len(data), len(wide)))
            size = WIDTH[t] // 8
            for i in range(LANES * n):
                value = ((i + 3 * number) * 0x9E3779B97F4A7C15 >> 7) & mask(t)
                data += value.to_bytes(size, "little")
                extended = signed(value, WIDTH[t]) & 0xFFFFFFFFFFFFFFFF if t[0] == "s" else value
                # A 32-bit register holds an extension to 32 bits; stored as 64 bits its upper half is 0.
                wide.append(extended & (mask("u64") if size == 8 else 0xFFFFFFFF))
        for space in ("global", "shared", "local", "const", "generic"):
            code = HEAD
            module = ""
            if space == "const":
                module = ".const .align 16 .b8 table[%d] = {%s};" % (len(data), ", ".join(map(str, data)))
            elif space in ("shared", "local"):
                code += "  .%s .align 16 .b8 memory[%d];\n" % (space, 16 * LANES)
            for t, (at_bytes, at_wide) in zip(kinds, offsets):
                size = WIDTH[t] // 8 * n
                regs = ["%%w%d" % (2 + i) if WIDTH[t] == 64 else "%%r%d" % i for i in range(n)]
                operand = "{%s}" % ", ".join(regs) if n > 1 else regs[0]
                where = "" if space == "generic" else "." + space
                load = "%s.%s %s" % (vector, t, operand)
                if space == "const":
                    code += "  mov.u64 %%w0, table;\n  mul.wide.u32 %%at, %%lane, %d;\n  add.u64 %%w0, %%w0, %%at;\n" % size
                    code += "  ld.const%s, [%%w0+%d];\n" % (load, at_bytes)
                else:
                    code += pointer("%in", 2, size)
                    code += "  ld%s%s, [%%in+%d];\n" % (where if space == "global" else "" if space == "generic" else ".global", load, at_bytes)
                if space in ("shared", "local"):
                    code += "  mov.u64 %%w0, memory;\n  mul.wide.u32 %%at, %%lane, %d;\n  add.u64 %%w0, %%w0, %%at;\n" % size
                    code += "  st.%s%s.%s [%%w0], %s;\n" % (space, vector, t, operand)
                    code += "".join("  mov.b%d %s, 0;\n" % (64 if WIDTH[t] == 64 else 32, r) for r in regs)
                    code += "  ld.%s%s, [%%w0];\n" % (space, load)
                code += pointer("%out", 0, 8 * n)
                for i, r in enumerate(regs):
                    if WIDTH[t] < 64:
                        code += "  cvt.u64.u32 %%w8, %s;\n" % r
                    code += "  st.global.u64 [%%out+%d], %s;\n" % (8 * (at_wide + i), r if WIDTH[t] == 64 else "%w8")
                code += pointer("%out", 1, size)
                code += "  st%s%s.%s [%%out+%d], %s;\n" % ("" if space == "generic" else ".global", vector, t, at_bytes, operand)
            suite.kernel("ld_st.every_type.%s%s" % (space, vector), [out("u64", len(wide)), out("u8", len(data)), buffer("u8", data)],
                         code + "  ret;", [(0, "u64", wide), (1, "u8", data)], module=module,
                         source="loads extend by the type's sign, stores truncate")


def uniform_loads(suite):
    values = values_of("u64")
    suite.kernel("ldu", [out("u64"), out("u32"), buffer("u64", values)],
                 HEAD + "  ld.param.u64 %in, [p2];\n  ldu.global.u64 %w0, [%in+24];\n  ldu.global.u32 %r0, [%in+8];\n  ldu.global.u8 %r1, [%in+41];\n"
                 "  ldu.global.v2.u32 {%r2, %r3}, [%in+88];\n  mad.lo.u32 %r0, %r0, 3, %r1;\n  mad.lo.u32 %r0, %r0, 5, %r2;\n"
                 "  mad.lo.u32 %r0, %r0, 7, %r3;\n  add.u32 %r0, %r0, %lane;\n" + pointer("%out", 0, 8) + "  st.global.u64 [%out], %w0;\n" +
                 pointer("%out", 1, 4) + "  st.global.u32 [%out], %r0;\n  ret;",
                 [(0, "u64", [values[3]] * 32),
                  (1, "u32", [((((values[1] & 0xFFFFFFFF) * 3 + (values[5] >> 8 & 0xFF)) * 5 + (values[11] & 0xFFFFFFFF)) * 7 +
                               (values[11] >> 32) + i) & 0xFFFFFFFF for i in range(32)])])


def generate(suite):
    for part in (atomics, loads_and_stores, uniform_loads):
        part(suite)
