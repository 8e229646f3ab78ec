"""Straight-line PTX instructions as templates, and immediate operands.

In a template `>x` is a destination register of class x, `$x` a source register, `$x|type` a source register or an immediate of that
type. Classes: h 16 bits, r 32 bits, d 64 bits, f f32, e f64, p predicate. Left out is what the PTX ISA manual leaves open: integer
division by zero (divisors are made odd), float to integer conversion of NaN to 64 bits, and floating-point operations without a
rounding modifier, which an assembler may fuse.

Beside the lists written here, every form of tests/ptx/coverage.py that the compiler accepts (coverage.tsv) and that works on registers
alone is a template, so a form that gets a test gets into random kernels too.
"""

import itertools
import pathlib
import random as random_module
import re
import struct
import sys

PTX_TESTS = pathlib.Path(__file__).resolve().parents[1] / "ptx"
sys.path.insert(0, str(PTX_TESTS))
import coverage  # noqa: E402

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


# What coverage.py lists beside operations on registers, what stands above with divisors that are made odd, and what says which
# lanes run together, which no program may rely on.
_ELSEWHERE = {"ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu", "membar", "fence", "nanosleep", "pmevent", "bar", "barrier", "cvta",
              "isspacep", "rem", "shfl", "vote", "match", "activemask", "redux", "elect"}
_WARP_WIDE = {"shfl", "vote", "match", "redux", "elect"}
_PAIRS = {"f32x2": "d", "e4m3x2": "h", "e5m2x2": "h", "tf32": "r", "u8": "h", "s8": "h", "b8": "h", "bf16": "h"}


def _class_of(type_name):
    return _PAIRS.get(type_name) or ("r" if type_name.endswith("x2") else CLASS_OF[type_name])


def _template(form, operands):
    """An accepted form with operands as coverage.py writes them."""
    named = [word for word in form.split(".")[1:] if word in coverage.LETTERS or coverage.TYPE.match(word)]

    def text(letter, mark, immediate=False):
        type_name = named["tuv".index(letter)] if letter in "tuv" else None
        if type_name:
            register_class = _class_of(type_name)
            constant = "|" + type_name if immediate and type_name in CLASS_OF and type_name[0] in "usb" else ""
            return mark + register_class + constant
        if letter == "w":
            return mark + {"h": "r", "r": "d"}[_class_of(named[0])]
        if letter in "24":
            return "{%s}" % ", ".join([text("t", mark)] * int(letter))
        return {"P": ">p|>p", "Q": ">r|>p"}.get(letter) or (mark + letter if letter in "hrdp" else letter)

    words = operands.split()
    last = len(words) - 1
    parts = [word if re.match(r"^(-\d|0x|\d\d)", word) else text(word, ">" if i == 0 else "$", i == last > 1) for i, word in enumerate(words)]
    return "%s %s" % (form, ", ".join(parts))


def _accepted():
    lines = (PTX_TESTS / "coverage.tsv").read_text().splitlines()
    return {fields[2] for fields in (line.split("\t") for line in lines if not line.startswith("#")) if fields[3] == "tested"}


def _listed_forms():
    """Opcode -> templates, and the templates of whole warps."""
    accepted, by_opcode, warp_wide = _accepted(), {}, []
    tables = random_module.Random("lop3")
    for pattern, operands in coverage.FORMS:
        for form in coverage.expand(pattern):
            words = form.split(".")
            opcode = words[0]
            fused = opcode in ("add", "sub", "mul") and words[1] in ("f32", "f64", "ftz", "sat", "f32x2")
            divides = opcode == "div" and words[-1][0] in "us"
            converts_nan = opcode == "cvt" and "64" in words[-2] and words[-2][0] in "us" and "f" in words[-1]
            if form not in accepted or fused or divides or converts_nan:
                continue
            if opcode in _WARP_WIDE and ".sync" in form:
                template = _template(form, operands).replace("-1", "0xffffffff")
                if opcode == "shfl":
                    template = template.replace("$r, $r, 0x", "$r|<32, 31, 0x")
                warp_wide.append(template)
                if opcode != "shfl":  # which may ask a lane that is not of the group
                    warp_wide.append(template.replace("0xffffffff", "%group"))
            elif opcode not in _ELSEWHERE:
                template = _template(form, operands)
                variants = [template.replace("0x1b", "0x%02x" % tables.randrange(256)) for _ in range(24)] if opcode == "lop3" else [template]
                by_opcode.setdefault(opcode, []).extend(variants)
    return by_opcode, warp_wide


def _video_operations():
    """Video instructions with parts of their operands, merges and masks: a sample of them all."""
    draw = random_module.Random("video")
    part = lambda: draw.choice(["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"])
    word = lambda: draw.choice(["u32", "s32"])
    for _ in range(300):
        op = draw.choice(["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"])
        if op == "vset":
            kind = f"vset.{word()}.{word()}.{draw.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])}"
        else:
            kind = f"{op}.{word()}.{word()}"
            kind += (".u32" if op in ("vshl", "vshr") else "." + word()) + draw.choice(["", ".sat"])
            kind += draw.choice([".clamp", ".wrap"]) if op in ("vshl", "vshr") else ""
        step = draw.choice(["", ".add", ".min", ".max", "merge"])
        if step == "merge":
            yield f"{kind} >r{draw.choice(['.b0', '.b2', '.b3', '.h0', '.h1'])}, $r{part()}, $r{part()}, $r"
        else:
            yield f"{kind}{step} >r, $r{part()}, $r{part()}{', $r' if step else ''}"
    for _ in range(60):
        a, b, kind = word(), word(), draw.choice(["", ".po", "-a", "-b", "-c"])
        final = "s32" if "s32" in (a, b) or kind[:1] == "-" else "u32"
        sign = lambda name: "-" if kind == "-" + name else ""
        yield (f"vmad.{final}.{a}.{b}{kind if kind == '.po' else ''}{draw.choice(['', '.sat'])}{draw.choice(['', '.shr7', '.shr15'])} >r, "
               f"{sign('a')}$r{part()}, {sign('b')}$r{part()}, {sign('c')}$r")
    for _ in range(300):
        count = draw.choice([2, 4])
        letter = "hb"[count == 4]
        fields = lambda: draw.choice(["", "." + letter + "".join(str(draw.randrange(2 * count)) for _ in range(count))])
        mask = draw.choice(["", "." + letter + draw.choice({2: ["0", "1", "10"], 4: ["0", "3", "21", "310", "3210"]}[count])])
        op = draw.choice(["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"])
        kind = f"{op}{count}.{word()}.{word()}." + (draw.choice(["eq", "lt", "gt"]) if op == "vset" else word())
        end = draw.choice(["", ".add"] if op == "vset" else ["", ".sat", ".add"])
        yield f"{kind}{end} >r{mask}, $r{fields()}, $r{fields()}, $r"


def _carry_chains():
    """Chains of three and four links, also of both kinds."""
    for t, c in [("u32", "r"), ("s32", "r"), ("u64", "d")]:
        heads = [f"add.cc.{t} >{c}, ${c}, ${c}", f"sub.cc.{t} >{c}, ${c}, ${c}", f"mad.lo.cc.{t} >{c}, ${c}, ${c}, ${c}", f"mad.hi.cc.{t} >{c}, ${c}, ${c}, ${c}"]
        links = [f"addc.cc.{t} >{c}, ${c}, ${c}", f"subc.cc.{t} >{c}, ${c}, ${c}", f"madc.hi.cc.{t} >{c}, ${c}, ${c}, ${c}", f"madc.lo.cc.{t} >{c}, ${c}, ${c}, ${c}"]
        ends = [f"addc.{t} >{c}, ${c}, ${c}", f"subc.{t} >{c}, ${c}, ${c}", f"madc.hi.{t} >{c}, ${c}, ${c}, ${c}"]
        for head, link, end in itertools.product(heads, links, ends):
            yield f"{head}; {link}; {end}"
        yield f"{heads[0]}; {links[0]}; {links[0]}; {ends[0]}"


_BY_OPCODE, _LISTED_WARP_OPERATIONS = _listed_forms()
# (share of all statements, templates)
GROUPS = [(1, templates) for opcode, templates in _BY_OPCODE.items() if not opcode.startswith("v")] + [
    (0.3, templates) for opcode, templates in _BY_OPCODE.items() if opcode.startswith("v")] + [
    (8, list(_video_operations())), (5, list(_carry_chains())),
    (40, list(_integer_operations())), (20, list(_word_operations())), (22, list(_float_operations())),
          (12, list(_conversions())), (6, list(_predicate_operations()))]
# One result for the whole warp or block: all threads must be there.
WARP_OPERATIONS = ["shfl.sync.idx.b32 >r|>p, $r, $r|<32, 31, 0xffffffff", "shfl.sync.up.b32 >r, $r, $r|<32, 0, 0xffffffff",
                   "shfl.sync.down.b32 >r|>p, $r, 5, 4127, 0xffffffff", "shfl.sync.bfly.b32 >r, $r, $r|<32, 31, 0xffffffff",
                   "vote.sync.ballot.b32 >r, $p, 0xffffffff", "vote.sync.any.pred >p, $p, 0xffffffff",
                   "vote.sync.all.pred >p, !$p, 0xffffffff", "match.any.sync.b32 >r, $r, 0xffffffff"] + _LISTED_WARP_OPERATIONS
BLOCK_OPERATIONS = ["bar.sync 0", "barrier.sync 1", "bar.red.popc.u32 >r, 0, $p", "bar.red.and.pred >p, 0, $p",
                    "bar.red.or.pred >p, 2, !$p"]
FENCES = ["membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta"]
