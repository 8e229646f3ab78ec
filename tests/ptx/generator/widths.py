"""Registers wider than the type of ld, st and cvt (the only instructions that may have them), with and without a guard:
values are extended to the register by the type's sign, stores and sources take the lowest bits. Sinks in vectors and pairs."""

from . import integers
from .conversions import INTEGER_TYPES
from .emit import WIDTH, buffer, integer, mask, out
from .memory import HEAD, pointer

REGISTERS = {16: "h", 32: "r", 64: "w"}


def wide_registers(t):
    return [bits for bits in REGISTERS if bits >= WIDTH[t]]


def loads_and_stores(suite):
    """Odd lanes skip the load and keep what stood in the register."""
    old = 0x8877665544332211
    for t in INTEGER_TYPES + ["b8", "b16", "b32"]:
        size = WIDTH[t] // 8
        values = [integers.CORE[max(16, WIDTH[t])][(i * 3 + 2) % 32] & mask(t) for i in range(32)]
        for bits in wide_registers(t):
            reg = "%%%s0" % REGISTERS[bits]
            code = HEAD + pointer("%in", 2, size) + "  mov.b64 %%w9, 0x%x;\n" % old
            code += "  and.b32 %r9, %lane, 1;\n  setp.eq.u32 %p, %r9, 0;\n"
            code += {64: "  mov.b64 %w0, %w9;\n", 32: "  cvt.u32.u64 %r0, %w9;\n", 16: "  cvt.u16.u64 %h0, %w9;\n"}[bits]
            code += "  @%%p ld.global.%s %s, [%%in];\n" % (t, reg)
            code += pointer("%out", 0, bits // 8) + "  st.global.b%d [%%out], %s;\n" % (bits, reg)
            code += pointer("%out", 1, size) + "  st.global.%s [%%out], %s;\n  ret;" % (t, reg)
            held = [(integer(v, t) if i % 2 == 0 else old) & ((1 << bits) - 1) for i, v in enumerate(values)]
            suite.kernel("ld_st.%s.register%d" % (t, bits), [out("u%d" % bits), out("u%d" % WIDTH[t]), buffer("u%d" % WIDTH[t], values)],
                         code, [(0, "u%d" % bits, held), (1, "u%d" % WIDTH[t], [v & mask(t) for v in held])],
                         source="a loaded value is extended to the register by the type's sign; a store truncates")


def conversions(suite):
    values = integers.CORE[64]
    for source in INTEGER_TYPES:
        for target in INTEGER_TYPES:
            rows = []
            for from_bits in wide_registers(source):
                for to_bits in wide_registers(target):
                    rows.append((from_bits, to_bits))
            code = {16: "cvt.u16.u64 %h0, %a;\n", 32: "cvt.u32.u64 %t0, %a;\n"}
            outputs, body = [], "".join(code[b] for b in (16, 32) if b in wide_registers(source))
            for i, (from_bits, to_bits) in enumerate(rows):
                register = {16: "%h0", 32: "%t0", 64: "%a"}[from_bits]
                body += "cvt.%s.%s %%d%s, %s;\n" % (target, source, i or "", register)
                outputs.append(("u%d" % to_bits, [integer(integer(v, source), target) & ((1 << to_bits) - 1) for v in values]))
            suite.lanes("cvt.%s.%s.registers" % (target, source), [("u64", values)], body, outputs,
                        source="the source's lowest bits count, the result is extended to the register by the target's sign")


def sinks(suite):
    values = [(i * 0x9E3779B97F4A7C15 >> 3) & mask("u32") for i in range(128)]
    code = HEAD + pointer("%in", 1, 16)
    code += ("  mov.b32 %r0, 1;\n  ld.global.v4.u32 {_, %r1, _, %r2}, [%in];\n  ld.global.v2.b64 {%w0, _}, [%in];\n  mov.b64 {_, %r3}, %w0;\n"
             "  ld.global.v4.s8 {%r4, _, _, %r5}, [%in+4];\n  setp.lt.u32 _|%p, %r1, %r2;\n  selp.u32 %r6, 1, 2, %p;\n"
             "  mov.b32 {%h0, _}, %r2;\n  cvt.u32.u16 %r7, %h0;\n  atom.global.add.u32 _, [%in+8], 5;\n")
    code += "".join("  mad.lo.u32 %%r0, %%r0, 31, %%r%d;\n" % i for i in range(1, 8)) + pointer("%out", 0, 4)
    code += "  st.global.u32 [%out], %r0;\n  ret;"
    expected = []
    for i in range(32):
        a = values[4 * i:4 * i + 4]
        row = [a[1], a[3], a[1], integer(a[1] & 0xFF, "s8"), integer(a[1] >> 24, "s8"), 2 if a[1] < a[3] else 1, a[3] & 0xFFFF]
        total = 1
        for v in row:
            total = (total * 31 + v) & mask("u32")
        expected.append(total)
    after = [v + 5 & mask("u32") if i % 4 == 2 else v for i, v in enumerate(values)]
    suite.kernel("sinks", [out("u32"), buffer("u32", values)], code, [(0, "u32", expected), (1, "u32", after)],
                 source="a result that is named _ goes nowhere")


def generate(suite):
    for part in (loads_and_stores, conversions, sinks):
        part(suite)
