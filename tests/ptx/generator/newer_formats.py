"""What newer devices add to floating point: .relu and .satfinite, tf32, 8-bit formats, f32 in pairs, min and max of three,
redux of f32."""

from fractions import Fraction
import itertools

from . import exact, floats
from .conversion_forms import interesting, without_nan
from .emit import buffer, mask, out
from .exact import BF16, F16, F32, is_inf, is_nan, negative, value
from .floats import permuted
from .half import each_width, operands
from .memory import HEAD, pointer

HOME = {"version": "8.6", "target": "sm_100"}


def rectified(x, f):
    """.relu: what is below zero becomes +0. A negative zero is left to neither reading."""
    return 0 if negative(x, f) and not is_nan(x, f) else x


def finite(x, f):
    return x - 1 if is_inf(x, f) else x


def fused(suite):
    for t, f in (("f16", F16), ("bf16", BF16)):
        for kind in ("special", "random"):
            lists = operands(f, kind, 3)
            one = f.bias << f.fraction_bits
            # A result of -0, or one that flushing makes -0, could be either zero.
            rows = [row if exact.flush(exact.fma(*row, f), f) != f.sign and not exact.is_subnormal(exact.fma(*row, f), f) else (one, one, one)
                    for row in zip(*lists)]
            lists = [list(column) for column in zip(*rows)]
            for name, arrange, apply in each_width(t):
                inputs = [arrange(values) for values in lists]
                forms = []
                for ftz in ("", ".ftz") if t == "f16" else ("",):
                    put = (lambda x: exact.flush(x, f)) if ftz else (lambda x: x)
                    forms.append(("fma.rn%s.relu.%s {d}, %%a, %%b, %%c;" % (ftz, name), name,
                                  apply(lambda *v: rectified(put(exact.fma(*map(put, v), f)), f) , *inputs)))
                suite.forms("fma.relu.%s.%s" % (name, kind), [(name, values) for values in inputs], forms, **HOME)


def narrowing(suite):
    """From f32 with .relu and .satfinite, alone and in pairs."""
    for t, f in (("f16", F16), ("bf16", BF16)):
        values = interesting(F32, f)
        values[-3:] = [F32.max, F32.max | F32.sign, F32.inf]
        values = [x if exact.convert(x, F32, f, "rn") != f.sign and exact.convert(x, F32, f, "rz") != f.sign else F32.bias << 23 for x in values]
        turned = values[5:] + values[:5]
        alone, pairs = [], []
        for mode, relu, saturates in itertools.product(("rn", "rz"), ("", ".relu"), ("", ".satfinite")):
            def one(x, mode=mode, relu=relu, saturates=saturates):
                y = exact.convert(x, F32, f, mode)
                y = rectified(y, f) if relu else y
                return finite(y, f) if saturates else y
            alone.append(("cvt.%s%s%s.%s.f32 {d}, %%a;" % (mode, relu, saturates, t), t, [one(x) for x in values]))
            pairs.append(("cvt.%s%s%s.%sx2.f32 {d}, %%a, %%b;" % (mode, relu, saturates, t), "b32",
                          [one(x) << 16 | one(y) for x, y in zip(values, turned)]))
        suite.forms("cvt.%s.f32.limited" % t, [("f32", values)], alone, **HOME)
        suite.forms("cvt.%sx2.f32.limited" % t, [("f32", values), ("f32", turned)], pairs, **HOME)


def tensor_float(suite):
    """f32 with a fraction of 10 bits. .rna takes halves away from zero."""
    def to_tf32(x, mode):
        magnitude, sign = x & 0x7FFFFFFF, x & F32.sign
        if is_inf(x, F32):
            return x
        kept, rest = magnitude >> 13, magnitude & 0x1FFF
        up = {"rz": False, "rna": rest >= 0x1000, "rn": rest > 0x1000 or rest == 0x1000 and kept & 1}[mode]
        return sign | kept + up << 13
    one = F32.bias << 23
    values = [one | 0x1000, one | 0x3000, one | 0x1001, one | 0xFFF, one | 0x1000 | F32.sign, one | 0x3000 | F32.sign, F32.max, F32.max | F32.sign,
              1, F32.sign | 3, 0x1000, 0x1001, 0x3000, 0x7FFFFF, 0x800000 | 0x1000, F32.inf, F32.inf | F32.sign]
    values += without_nan(permuted(F32, 3, 1), F32)[:32 - len(values)]
    rows = []
    for mode, relu, saturates in itertools.product(("rna", "rn", "rz"), ("", ".relu"), ("", ".satfinite")):
        if mode == "rna" and relu:
            continue
        # Of the results only those that are not -0: .relu may leave it.
        used = [one if relu and to_tf32(x, mode) == F32.sign else x for x in values]
        results = []
        for x in used:
            y = to_tf32(x, mode)
            y = rectified(y, F32) if relu else y
            results.append(y & F32.sign | (0xFF << 23) - 0x2000 if saturates and is_inf(y, F32) else y)
        rows.append((mode + saturates + relu, used, results))
    for name, used, results in rows:
        suite.forms("cvt.%s.tf32.f32" % name, [("f32", used)], [("cvt.%s.tf32.f32 {d}, %%a;" % name, "b32", results)], **HOME)


class Small:
    """An 8-bit format as a table: its non-negative numbers in order of their patterns."""

    def __init__(self, exponent_bits, fraction_bits, largest):
        bias = (1 << exponent_bits - 1) - 1
        self.numbers = []
        for pattern in range(largest + 1):
            exponent, fraction = pattern >> fraction_bits, pattern & (1 << fraction_bits) - 1
            fraction |= (1 << fraction_bits) if exponent else 0
            self.numbers.append(Fraction(fraction) * Fraction(2) ** ((exponent or 1) - bias - fraction_bits))

    def nearest(self, x, f):
        """The pattern nearest to a number of format f, the even one of two, the largest beyond the end."""
        if is_nan(x, f):
            return 0x7F
        sign = 0x80 if negative(x, f) else 0
        if is_inf(x, f):
            return sign | len(self.numbers) - 1
        v = abs(value(x, f))
        best = min(range(len(self.numbers)), key=lambda i: (abs(self.numbers[i] - v), i & 1))
        return sign | best


def small_formats(suite):
    for name, small in (("e4m3", Small(4, 3, 0x7E)), ("e5m2", Small(5, 2, 0x7B))):
        numbers = [0.0, -0.0, 1.0, -1.0, 1.0625, 1.125, 1.1875, 1.25, -1.375, 448.0, 464.0, 480.0, -1000.0, 57344.0, 61440.0, 65504.0, -65504.0,
                   2.0 ** -6, 2.0 ** -9, 2.0 ** -10, 1.5 * 2.0 ** -10, 2.0 ** -14, 2.0 ** -16, 2.0 ** -17, 1.5 * 2.0 ** -17, 3.1415926, -0.1, 240.0,
                   -17.0]
        singles = [floats.bits(x, F32) for x in numbers] + [F32.nan, F32.inf | F32.sign, F32.max]
        turned = singles[11:] + singles[:11]
        below = lambda x, f: negative(x, f) and not is_nan(x, f)
        halves = [exact.convert(x, F32, F16) for x in singles]
        pairs = [x | y << 16 for x, y in zip(halves, halves[7:] + halves[:7])]
        for relu in ("", ".relu"):
            # -0 under .relu may stay what it is.
            fix = (lambda x, f: f.bias << f.fraction_bits if relu and small.nearest(x, f) == 0x80 else x)
            a, b = [fix(x, F32) for x in singles], [fix(x, F32) for x in turned]
            one = lambda x, f: 0 if relu and below(x, f) else small.nearest(x, f)
            suite.forms("cvt.%sx2.f32%s" % (name, relu), [("f32", a), ("f32", b)],
                        [("cvt.rn.satfinite%s.%sx2.f32 {d}, %%a, %%b;" % (relu, name), "b16", [one(x, F32) << 8 | one(y, F32) for x, y in zip(a, b)])],
                        **HOME)
            c = [fix(x & 0xFFFF, F16) | fix(x >> 16, F16) << 16 for x in pairs]
            suite.forms("cvt.%sx2.f16x2%s" % (name, relu), [("b32", c)],
                        [("cvt.rn.satfinite%s.%sx2.f16x2 {d}, %%a;" % (relu, name), "b16", [one(x >> 16, F16) << 8 | one(x & 0xFFFF, F16) for x in c])],
                        **HOME)
            # Every pattern but negative zero under .relu, the canonical NaNs and, of e5m2, the infinities.
            patterns = [i * 8 for i in range(32)]
            rows = []
            for shift in range(8):
                def wide(pattern):
                    magnitude, sign = pattern & 0x7F, pattern & 0x80
                    if magnitude >= len(small.numbers):
                        return F16.inf | (F16.sign if sign else 0) if name == "e5m2" and magnitude == 0x7C else F16.nan
                    result = exact.round_to(small.numbers[magnitude], F16)
                    return result | F16.sign if sign else result
                low = [(p + shift) & 0xFF for p in patterns]
                low = [0x3C if relu and p == 0x80 else p for p in low]
                high = low[3:] + low[:3]
                put = lambda p: rectified(wide(p), F16) if relu else wide(p)
                rows.append(([x | y << 8 for x, y in zip(low, high)], [put(x) | put(y) << 16 for x, y in zip(low, high)]))
            for number in range(0, 8, 4):
                group = rows[number:number + 4]
                suite.forms("cvt.f16x2.%sx2%s.%d" % (name, relu, number), [("b16", source) for source, _ in group],
                            [("cvt.rn%s.f16x2.%sx2 {d}, %%%s;" % (relu, name, register), "b32", results)
                             for register, (_, results) in zip("abce", group)], **HOME)


def pairs_of_singles(suite):
    functions = {"add": (exact.add, 2), "sub": (exact.sub, 2), "mul": (exact.mul, 2), "fma": (exact.fma, 3)}
    lists = [permuted(F32, 1, 0), permuted(F32, 5, 2), permuted(F32, 11, 7)]
    for op, (function, count) in functions.items():
        # .ftz does not say whether rounding to the smallest normal number comes first.
        safe = lambda row: not any(exact.is_subnormal(function(*row, F32, m), F32) or function(*row, F32, m) & 0x7FFFFFFF == 1 << 23
                                   for m in floats.MODES)
        chosen = list(zip(*[row if safe(row) else (F32.bias << 23,) * count for row in zip(*lists[:count])]))
        wide = [[x | y << 32 for x, y in zip(column, column[9:] + column[:9])] for column in chosen]
        rows = []
        for mode, ftz in itertools.product(([""] if op != "fma" else []) + ["." + m for m in floats.MODES], ("", ".ftz")):
            put = (lambda x: exact.flush(x, F32)) if ftz else (lambda x: x)
            one = lambda *v: put(function(*map(put, v), F32, mode[1:] or "rn"))
            rows.append(("%s%s%s.f32x2 {d}, %s;" % (op, mode, ftz, ", ".join(("%a", "%b", "%c")[:count])), "b64",
                         [one(*(v & 0xFFFFFFFF for v in row)) | one(*(v >> 32 for v in row)) << 32 for row in zip(*wide)]))
        suite.forms(op + ".f32x2", [("b64", values) for values in wide], rows, **HOME)


def mixed(suite):
    """f32 with a first summand, or factors, of 16 bits."""
    for t, f in (("f16", F16), ("bf16", BF16)):
        narrow, other, wide = permuted(f, 1, 0), permuted(f, 5, 2), permuted(F32, 11, 7)
        for op, function, inputs in (("add", exact.add, (narrow, wide)), ("sub", exact.sub, (narrow, wide)), ("fma", exact.fma, (narrow, other, wide))):
            rows = []
            for mode, sat in itertools.product(([""] if op != "fma" else []) + ["." + m for m in floats.MODES], ("", ".sat")):
                values = [function(*[exact.convert(x, f, F32) for x in row[:-1]], row[-1], F32, mode[1:] or "rn") for row in zip(*inputs)]
                rows.append(("%s%s%s.f32.%s {d}, %s;" % (op, mode, sat, t, ", ".join(("%a", "%b", "%c")[:len(inputs)])), "f32",
                             [exact.saturate(x, F32) if sat else x for x in values]))
            suite.forms("%s.f32.%s" % (op, t), [(t, values) for values in inputs[:-1]] + [("f32", wide)], rows, **HOME)


def three_operands(suite):
    a, b, c = permuted(F32, 1, 0), permuted(F32, 5, 2), permuted(F32, 11, 7)
    rows = []
    for op, ftz, nan, magnitude in itertools.product(("min", "max"), ("", ".ftz"), ("", ".NaN"), ("", ".abs")):
        def one(*row):
            row = [exact.flush(x, F32) if ftz else x for x in row]
            row = [x & ~F32.sign if magnitude else x for x in row]
            if nan and any(is_nan(x, F32) for x in row):
                return F32.nan
            return exact.minimum(exact.minimum(row[0], row[1], F32, op == "max"), row[2], F32, op == "max")
        rows.append(("%s%s%s%s.f32 {d}, %%a, %%b, %%c;" % (op, ftz, nan, magnitude), "f32", [one(*row) for row in zip(a, b, c)]))
    suite.forms("min_max_of_three", [("f32", a), ("f32", b), ("f32", c)], rows, **HOME)


def reductions(suite):
    """The whole warp, and three groups of lanes that name themselves."""
    groups = [0x0000FFFF, 0x00FF0000, 0xFF000000]
    member = [next(g for g in groups if g >> i & 1) for i in range(32)]
    for kind, values in (("numbers", without_nan(permuted(F32, 3, 1), F32)), ("nan", permuted(F32, 1, 0)[12:] + permuted(F32, 1, 0)[:12])):
        rows = []
        for op, magnitude, nan in itertools.product(("min", "max"), ("", ".abs"), ("", ".NaN")):
            def over(chosen):
                chosen = [x & ~F32.sign if magnitude else x for x in chosen]
                if nan and any(is_nan(x, F32) for x in chosen):
                    return F32.nan
                result = chosen[0]
                for x in chosen[1:]:
                    result = exact.minimum(result, x, F32, op == "max")
                return F32.nan if is_nan(result, F32) else result
            form = "redux.sync.%s%s%s.f32" % (op, magnitude, nan)
            rows.append((form + " {d}, %a, -1;", "f32", [over(values)] * 32))
            rows.append((form + " {d}, %a, %b;", "f32", [over([x for i, x in enumerate(values) if m >> i & 1]) for m in member]))
        suite.forms("redux.f32." + kind, [("f32", values), ("b32", member)], rows, **HOME)


def wide_accesses(suite):
    """256 bits at once, also where the address lies in a register that the load overwrites."""
    words = [i * 0x9E3779B9 & 0xFFFFFFFF for i in range(256)]
    for t, size, count in (("b32", 4, 8), ("u32", 4, 8), ("s32", 4, 8), ("f32", 4, 8), ("b64", 8, 4), ("u64", 8, 4), ("s64", 8, 4), ("f64", 8, 4)):
        letter = "w" if size == 8 else "v"
        names = ["%%%s%d" % (letter, i) for i in range(count)]
        turned = names[1:] + names[:1]
        body = ("%s  .reg .b32 %%v<8>;\n" % HEAD + pointer("%in", 1, 32) + pointer("%out", 0, 32) +
                "  ld.global.v%d.%s {%s}, [%%in];\n  st.global.v%d.%s [%%out], {%s};\n" % (count, t, ", ".join(names), count, t, ", ".join(turned)))
        if size == 8:
            body += "  ld.global.v4.%s {%%in, %%w1, _, %%w3}, [%%in];\n  add.u64 %%w1, %%w1, %%in;\n  add.u64 %%w1, %%w1, %%w3;\n" % t
            body += pointer("%out", 2, 8) + "  st.global.b64 [%out], %w1;\n"
        else:
            body += "  add.u32 %v0, %v0, %v7;\n  cvt.u64.u32 %w1, %v0;\n" + pointer("%out", 2, 8) + "  st.global.b64 [%out], %w1;\n"
        shifted, sums = [], []
        for lane in range(32):
            own = words[8 * lane:8 * lane + 8]
            step = size // 4
            shifted += own[step:] + own[:step]
            longs = [own[2 * i] | own[2 * i + 1] << 32 for i in range(4)]
            sums.append((longs[0] + longs[1] + longs[3]) & mask("b64") if size == 8 else (own[0] + own[7]) & mask("b32"))
        suite.kernel("ld_st.global.v%d.%s" % (count, t), [out("u32", 256), buffer("u32", words), out("u64", 32)], body + "  ret;",
                     [(0, "u32", shifted), (2, "u64", sums)], **HOME)


def eight_narrow(suite):
    """Vectors of eight bytes or halves, in every space; the results are their sums, and the vector turned by one."""
    words = [i * 0x9E3779B9 & 0xFFFFFFFF for i in range(128)]
    for size, kinds in ((1, ("b8", "u8", "s8")), (2, ("b16", "u16", "s16"))):
        body = HEAD + "  .reg .b32 %v<8>;\n" + "  .shared .align 16 .b8 tile[512];\n  .local .align 16 .b8 mine[16];\n" + pointer("%in", 1, 16)
        body += "  shl.b32 %r9, %lane, 4;\n  mov.u32 %r10, tile;\n  add.u32 %r10, %r10, %r9;\n  mov.u64 %w9, mine;\n"
        body += "  cvt.u64.u32 %w10, %r10;\n  cvta.shared.u64 %w10, %w10;\n  mov.u32 %r0, 0;\n"
        vector = "{%s}" % ", ".join("%%v%d" % i for i in range(8))
        turned = "{%s}" % ", ".join("%%v%d" % ((i + 1) % 8) for i in range(8))
        total = [0] * 32
        values = [[(words[4 * lane + i * size // 4] >> 8 * (i * size % 4)) & (1 << 8 * size) - 1 for i in range(8)] for lane in range(32)]
        for kind in kinds:
            read = (lambda x: x - (1 << 8 * size) if kind[0] == "s" and x >> 8 * size - 1 else x)
            for store, load, there in ((".shared", "", ("%r10", "%w10")), (".local", ".local", ("%w9", "%w9")), ("", ".shared", ("%w10", "%r10"))):
                body += "  ld.global.v8.%s %s, [%%in];\n  st%s.v8.%s [%s], %s;\n  ld%s.v8.%s %s, [%s];\n" % (
                    kind, vector, store, kind, there[0], turned, load, kind, vector, there[1])
                for i in range(8):
                    body += "  mad.lo.u32 %%r0, %%v%d, %d, %%r0;\n" % (i, 2 * i + 1)
                for lane in range(32):
                    moved = values[lane][1:] + values[lane][:1]
                    total[lane] += sum(read(x) * (2 * i + 1) for i, x in enumerate(moved))
            body += "  ld.const.v8.%s %s, [fixed];\n  mad.lo.u32 %%r0, %%v7, 3, %%r0;\n  add.u32 %%r0, %%r0, %%v0;\n" % (kind, vector)
            fixed = [(200 + i if size == 1 else (200 + 2 * i) | (201 + 2 * i) << 8) for i in range(8)]
            total = [t + read(fixed[7]) * 3 + read(fixed[0]) for t in total]
            body += pointer("%out", 0, 4) + "  st.global.u32 [%out], %r0;\n" + pointer("%out", 2, 16) + "  st.global.v8." + kind + " [%out], " + vector + ";\n"
        stored = (fixed + [0] * (8 if size == 1 else 0)) * 32
        suite.kernel("ld_st.v8.%d_bytes" % size, [out("u32", 32), buffer("u32", words), out("u%d" % (8 * size), len(stored))], body + "  ret;",
                     [(0, "u32", [t & mask("u32") for t in total]), (2, "u%d" % (8 * size), stored)],
                     module=".const .align 16 .b8 fixed[16] = {%s};" % ", ".join(str(200 + i) for i in range(16)), **HOME)


def vector_registers(suite):
    """Registers that are vectors: whole as operands of mov, ld and st, and by element."""
    words = [i * 0x01000193 + 7 & 0xFFFFFFFF for i in range(128)]
    body = (HEAD + "  .reg .v4 .b32 %quad, %other;\n  .reg .v2 .b32 pair;\n  .reg .v4.u16 small;\n" + pointer("%in", 1, 16) + pointer("%out", 0, 16) +
            "  ld.global.v4.b32 %quad, [%in];\n  add.u32 %quad.x, %quad.x, %quad.w;\n  mov.v4.b32 %other, {%quad.y, %quad.x, %quad.w, %quad.z};\n"
            "  mov.v2.b32 pair, {%other.r, %other.g};\n  mov.v2.b32 pair, {pair.y, pair.x};\n  mov.b64 %w0, pair;\n  mov.b64 pair, %w0;\n"
            "  xor.b32 %other.b, %other.b, pair.x;\n  mov.b64 small, %w0;\n  cvt.u32.u16 %r0, small.z;\n  add.u32 %other.a, %other.w, %r0;\n"
            "  st.global.v4.b32 [%out], %other;\n  ret;")
    results = []
    for lane in range(32):
        x, y, z, w = words[4 * lane:4 * lane + 4]
        x = (x + w) & 0xFFFFFFFF
        results += [y, x, w ^ x, (z + (y & 0xFFFF)) & 0xFFFFFFFF]
    suite.kernel("vector_registers", [out("u32", 128), buffer("u32", words)], body, [(0, "u32", results)])
    body = HEAD + pointer("%in", 1, 16) + pointer("%out", 0, 16) + "  ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%in];\n"
    for t in ("b32", "u32", "s32", "f32"):
        body += "  mov.v4.%s {%%r0, %%r1, _, %%r3}, {%%r1, %%r0, %%r3, %%r2};\n  mov.v2.%s {%%r2, %%r3}, {%%r3, %%r2};\n" % (t, t)
    body += ("  mov.b32 {%h0, %h1}, %r0;\n  mov.b32 {%h2, %h3}, %r1;\n  mov.v4.b16 {%h3, %h2, %h1, %h0}, {%h0, %h1, %h2, %h3};\n"
             "  mov.v2.b16 {%h1, %h2}, {%h2, %h1};\n  mov.b32 %r0, {%h0, %h1};\n  mov.b32 %r1, {%h2, %h3};\n"
             "  mov.b64 %w0, {%r0, %r1};\n  mov.b64 %w1, {%r2, %r3};\n  mov.v2.b64 {%w0, %w1}, {%w1, %w0};\n"
             "  st.global.v2.b64 [%out], {%w0, %w1};\n  ret;")
    results = []
    for lane in range(32):
        a, b, c, d = words[4 * lane:4 * lane + 4]
        for _ in range(4):
            a, b, c, d = b, a, c, c
            c, d = d, c
        halves = [a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16][::-1]
        halves[1], halves[2] = halves[2], halves[1]
        results += [c, d, halves[0] | halves[1] << 16, halves[2] | halves[3] << 16]
    suite.kernel("mov.vector", [out("u32", 128), buffer("u32", words)], body, [(0, "u32", results)])


def generate(suite):
    for section in (fused, narrowing, tensor_float, small_formats, pairs_of_singles, mixed, three_operands, reductions, wide_accesses, eight_narrow, vector_registers):
        section(suite)
