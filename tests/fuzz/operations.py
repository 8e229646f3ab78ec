"""Straight-line PTX instructions as templates, and immediate operands.

In a template `>x` is a destination register of class x, `$x` a source register, `$x|type` a source register or an immediate of that
type. Classes: h 16 bits, r 32 bits, d 64 bits, f f32, e f64, p predicate. Left out is what the PTX ISA manual leaves open: integer
division by zero (divisors are made odd), float to integer conversion of NaN to 64 bits, and floating-point operations without a
rounding modifier, which an assembler may fuse.
"""

import struct

CLASS_OF = {"b16": "h", "u16": "h", "s16": "h", "f16": "h", "b32": "r", "u32": "r", "s32": "r", "b64": "d", "u64": "d", "s64": "d",
            "f32": "f", "f64": "e"}
DIRECTIVE = {"h": ".b16", "r": ".b32", "d": ".b64", "f": ".f32", "e": ".f64", "p": ".pred"}
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
FLOAT_COMPARISONS = COMPARISONS + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def immediate(random, type_name):
    """An operand that is likely to be interesting for the type."""
    if type_name == "f32":
        value = random.choice([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-40, 3e38, float("inf"), random.uniform(-100, 100)])
        return "0f%08X" % struct.unpack("<I", struct.pack("<f", value))
    if type_name == "f64":
        value = random.choice([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-310, 1e308, float("-inf"), random.uniform(-100, 100)])
        return "0d%016X" % struct.unpack("<Q", struct.pack("<d", value))
    if type_name.startswith("<"):  # "<32": below 32
        return str(random.randrange(int(type_name[1:])))
    bits = int(type_name[1:])
    value = random.choice([0, 1, 2, 3, 7, 8, bits - 1, 255, 1 << (bits - 2), (1 << (bits - 1)) - 1, random.getrandbits(bits - 1)])
    if type_name[0] == "s" and random.random() < 0.4:
        value = -value
    return str(value)


def _integer_operations():
    for t in ["u16", "s16", "u32", "s32", "u64", "s64"]:
        c, bits = CLASS_OF[t], int(t[1:])
        for name in ["add", "sub", "mul.lo", "mul.hi", "min", "max"]:
            yield f"{name}.{t} >{c}, ${c}, ${c}|{t}"
        yield f"mad.lo.{t} >{c}, ${c}, ${c}|{t}, ${c}"
        yield f"mad.hi.{t} >{c}, ${c}, ${c}, ${c}"
        yield f"mul.lo.{t} >{c}, ${c}, ${c}; add.{t} >{c}, ${c}, ${c}"
        yield f"sad.{t} >{c}, ${c}, ${c}, ${c}"
        for name in ["div", "rem"]:
            yield f"or.b{bits} %odd_{c}, ${c}, 1; {name}.{t} >{c}, ${c}, %odd_{c}"
        yield f"shr.{t} >{c}, ${c}, $r|<{bits}"
        for comparison in COMPARISONS:
            yield f"setp.{comparison}.{t} >p, ${c}, ${c}|{t}"
        yield f"setp.lt.and.{t} >p, ${c}, ${c}, $p"
        yield f"setp.ge.xor.{t} >p, ${c}, ${c}, !$p"
        yield f"set.le.u32.{t} >r, ${c}, ${c}"
        if t[0] == "s":
            yield f"abs.{t} >{c}, ${c}"
            yield f"neg.{t} >{c}, ${c}"
        if bits < 64:
            wide = CLASS_OF[t[0] + str(2 * bits)]
            yield f"mul.wide.{t} >{wide}, ${c}, ${c}|{t}"
            yield f"mad.wide.{t} >{wide}, ${c}, ${c}, ${wide}"
    for bits, c in [(16, "h"), (32, "r"), (64, "d")]:
        for name in ["and", "or", "xor"]:
            yield f"{name}.b{bits} >{c}, ${c}, ${c}|b{bits}"
        yield f"not.b{bits} >{c}, ${c}"
        yield f"cnot.b{bits} >{c}, ${c}"
        yield f"shl.b{bits} >{c}, ${c}, $r|<{bits + 2}"
        yield f"selp.b{bits} >{c}, ${c}, ${c}|b{bits}, $p"
        yield f"slct.b{bits}.s32 >{c}, ${c}, ${c}, $r"
        yield f"mov.b{bits} >{c}, ${c}|b{bits}"


def _word_operations():
    for c, bits in [("r", 32), ("d", 64)]:
        for name in ["popc", "clz"]:
            yield f"{name}.b{bits} >r, ${c}"
        yield f"brev.b{bits} >{c}, ${c}"
        for sign in "us":
            yield f"bfe.{sign}{bits} >{c}, ${c}, $r|<{bits}, $r|<{bits}"
            yield f"bfind.{sign}{bits} >r, ${c}"
            yield f"bfind.shiftamt.{sign}{bits} >r, ${c}"
        yield f"bfi.b{bits} >{c}, ${c}, ${c}, $r|<{bits}, $r|<{bits}"
        yield f"add.cc.u{bits} >{c}, ${c}, ${c}; addc.u{bits} >{c}, ${c}, ${c}"
    yield "sub.cc.u32 >r, $r, $r; subc.cc.u32 >r, $r, $r; subc.u32 >r, $r, $r"
    yield "mad.lo.cc.u32 >r, $r, $r, $r; madc.hi.u32 >r, $r, $r, $r"
    for table in [0x80, 0x96, 0xE8, 0xCA, 0x1B]:
        yield f"lop3.b32 >r, $r, $r, $r, {table}"
    for mode in ["l.wrap", "r.wrap", "l.clamp", "r.clamp"]:
        yield f"shf.{mode}.b32 >r, $r, $r, $r|<40"
    yield "prmt.b32 >r, $r, $r, $r|b32"
    for name in ["mul24.lo.u32", "mul24.hi.s32"]:
        yield f"{name} >r, $r, $r"
    yield "mad24.lo.s32 >r, $r, $r, $r"
    yield "add.sat.s32 >r, $r, $r"
    yield "sub.sat.s32 >r, $r, $r"
    yield "dp4a.u32.s32 >r, $r, $r, $r"
    yield "dp2a.lo.s32.u32 >r, $r, $r, $r"
    yield "vabsdiff4.u32.u32.u32.add >r, $r, $r, $r"
    yield "mov.b32 >r, {$h, $h}"
    yield "mov.b64 >d, {$r, $r}"
    yield "mov.b32 {>h, >h}, $r"
    yield "mov.b64 {>r, >r}, $d"
    yield "mov.b32 >f, $r"
    yield "mov.b32 >r, $f"
    yield "mov.b64 >e, $d"
    yield "mov.b64 >d, $e"


def _float_operations():
    for t in ["f32", "f64"]:
        c = CLASS_OF[t]
        for rounding in ["rn", "rz", "rm", "rp"]:
            for name in ["add", "sub", "mul", "div"]:
                yield f"{name}.{rounding}.{t} >{c}, ${c}, ${c}|{t}"
            yield f"fma.{rounding}.{t} >{c}, ${c}, ${c}|{t}, ${c}"
        yield f"mul.rn.{t} >{c}, ${c}, ${c}; add.rn.{t} >{c}, ${c}, ${c}"
        yield f"sqrt.rn.{t} >{c}, ${c}"
        yield f"rcp.rn.{t} >{c}, ${c}"
        for name in ["min", "max", "copysign"]:
            yield f"{name}.{t} >{c}, ${c}, ${c}|{t}"
        for name in ["abs", "neg", "mov"]:
            yield f"{name}.{t} >{c}, ${c}"
        for comparison in FLOAT_COMPARISONS:
            yield f"setp.{comparison}.{t} >p, ${c}, ${c}|{t}"
        yield f"set.gtu.u32.{t} >r, ${c}, ${c}"
        yield f"selp.{t} >{c}, ${c}, ${c}|{t}, $p"
        for kind in ["finite", "notanumber", "subnormal"]:
            yield f"testp.{kind}.{t} >p, ${c}"
    for name in ["add.rn.ftz", "mul.rn.ftz", "add.rn.sat", "mul.rz.ftz.sat", "div.full", "div.approx"]:
        yield f"{name}.f32 >f, $f, $f"
    yield "fma.rn.ftz.sat.f32 >f, $f, $f, $f"
    for name in ["sqrt.approx", "rsqrt.approx", "sin.approx", "cos.approx", "lg2.approx", "ex2.approx", "rcp.approx.ftz"]:
        yield f"{name}.f32 >f, $f"
    yield "slct.f32.s32 >f, $f, $f, $r"
    yield "slct.u32.f32 >r, $r, $r, $f"
    for name in ["add.rn", "sub.rn", "mul.rn"]:
        yield f"{name}.f16 >h, $h, $h"
    yield "fma.rn.f16 >h, $h, $h, $h"
    yield "setp.lt.f16 >p, $h, $h"


def _conversions():
    integers = ["u16", "s16", "u32", "s32", "u64", "s64"]
    for to in integers:
        for source in integers:
            if to != source:
                yield f"cvt.{to}.{source} >{CLASS_OF[to]}, ${CLASS_OF[source]}"
                yield f"cvt.sat.{to}.{source} >{CLASS_OF[to]}, ${CLASS_OF[source]}"
        for t in ["f32", "f64"]:
            yield f"cvt.rn.{t}.{to} >{CLASS_OF[t]}, ${CLASS_OF[to]}"
            yield f"cvt.rm.{t}.{to} >{CLASS_OF[t]}, ${CLASS_OF[to]}"
            if to[1:] != "64":
                yield f"cvt.rzi.{to}.{t} >{CLASS_OF[to]}, ${CLASS_OF[t]}"
                yield f"cvt.rni.{to}.{t} >{CLASS_OF[to]}, ${CLASS_OF[t]}"
    for t in ["u8", "s8"]:
        yield f"cvt.{t}.s32 >r, $r"
        yield f"cvt.s32.{t} >r, $r"
        yield f"cvt.sat.{t}.s32 >r, $r"
    yield "cvt.rn.f32.f64 >f, $e"
    yield "cvt.f64.f32 >e, $f"
    yield "cvt.rn.f16.f32 >h, $f"
    yield "cvt.f32.f16 >f, $h"
    for rounding in ["rni", "rzi", "rmi", "rpi"]:
        yield f"cvt.{rounding}.f32.f32 >f, $f"
        yield f"cvt.{rounding}.f64.f64 >e, $e"


def _predicate_operations():
    for name in ["and", "or", "xor"]:
        yield f"{name}.pred >p, $p, $p"
    yield "not.pred >p, $p"
    yield "mov.pred >p, $p"
    yield "selp.u32 >r, 1, 0, $p"


# (share of all statements, templates)
GROUPS = [(40, list(_integer_operations())), (20, list(_word_operations())), (22, list(_float_operations())),
          (12, list(_conversions())), (6, list(_predicate_operations()))]
# One result for the whole warp or block: all threads must be there.
WARP_OPERATIONS = ["shfl.sync.idx.b32 >r|>p, $r, $r|<32, 31, 0xffffffff", "shfl.sync.up.b32 >r, $r, $r|<32, 0, 0xffffffff",
                   "shfl.sync.down.b32 >r|>p, $r, 5, 4127, 0xffffffff", "shfl.sync.bfly.b32 >r, $r, $r|<32, 31, 0xffffffff",
                   "vote.sync.ballot.b32 >r, $p, 0xffffffff", "vote.sync.any.pred >p, $p, 0xffffffff",
                   "vote.sync.all.pred >p, !$p, 0xffffffff", "match.any.sync.b32 >r, $r, 0xffffffff"]
BLOCK_OPERATIONS = ["bar.sync 0", "barrier.sync 1", "bar.red.popc.u32 >r, 0, $p", "bar.red.and.pred >p, 0, $p",
                    "bar.red.or.pred >p, 2, !$p"]
FENCES = ["membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta"]
