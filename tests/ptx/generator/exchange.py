"""What lanes of a warp tell each other, beside control.py: shfl with its own distance, segment and clamp in every lane, all
shuffles and votes without .sync, redux, match.all of 64 bits, elect; approximate functions of 16-bit formats and f64."""

import math
from fractions import Fraction
import random

from . import exact, integers
from .control import lane_kernel, shuffle
from .emit import buffer, integer, mask, out
from .exact import BF16, F16, F32, F64, negative, value
from .floats import as_float, bits
from .memory import HEAD, pointer

FULL = 0xFFFFFFFF
EVEN = 0x55555555


def shuffles(suite):
    """An up or bfly shuffle outside its segment, a clamp below the lane, distances above 31: all follow the definition."""
    draw = random.Random("shfl")
    values = [draw.randrange(1 << 32) for _ in range(32)]
    for sync in (".sync", ""):
        for mode in ("up", "down", "bfly", "idx"):
            distances = [draw.randrange(64) for _ in range(32)]
            widths = [draw.choice((0, 16, 24, 28, 30, 31)) << 8 | draw.choice((0, 7, 15, 30, 31)) for _ in range(32)]
            expected = []
            for lane in range(32):
                source, valid = shuffle(mode, lane, distances[lane], widths[lane])
                expected.append((values[source], int(valid)))
            suite.lanes("shfl%s.%s.own" % (sync, mode), [("b32", values), ("b32", distances), ("b32", widths)],
                        "shfl%s.%s.b32 %%d|%%p, %%a, %%b, %%c%s;\nselp.u32 %%d1, 1, 0, %%p;" % (sync, mode, ", -1" if sync else ""),
                        [("b32", [v for v, _ in expected]), ("u32", [p for _, p in expected])],
                        **({} if sync else {"version": "6.0", "target": "sm_60"}))
            if not sync:
                suite.lanes("shfl.%s.plain" % mode, [("b32", values), ("b32", distances), ("b32", widths)],
                            "shfl.%s.b32 %%d, %%a, %%b, %%c;" % mode, [("b32", [v for v, _ in expected])], version="6.0", target="sm_60")


def votes(suite):
    side = [i % 3 != 1 for i in range(32)]
    ballot = sum(1 << i for i, v in enumerate(side) if v)
    body = "".join("vote.%s.pred %%q, %%p;\nselp.u32 {d%d}, 1, 0, %%q;\n" % (mode, i) for i, mode in enumerate(("all", "any", "uni")))
    for i, d in enumerate(("%d1", "%d2", "%d3")):
        body = body.replace("{d%d}" % i, d)
    suite.lanes("vote.plain", [("u32", [int(v) for v in side])], "setp.ne.u32 %p, %a, 0;\nvote.ballot.b32 %d, %p;\n" + body,
                [("b32", [ballot] * 32), ("u32", [0] * 32), ("u32", [1] * 32), ("u32", [0] * 32)], version="6.0", target="sm_60")


def reductions(suite):
    draw = random.Random("redux")
    functions = {"add": lambda v: sum(v), "min": min, "max": max}
    logic = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}
    values = [draw.randrange(1 << 32) | (0x40 if i % 2 == 0 else 0) for i in range(32)]
    for members in (FULL, EVEN):
        rows = []
        inside = [v for i, v in enumerate(values) if members >> i & 1]
        for t in ("u32", "s32"):
            rows += [("redux.sync.%s.%s {d}, %%a, %%t3;" % (op, t), [f([integer(v, t) for v in inside])]) for op, f in functions.items()]
        for op, f in logic.items():
            total = inside[0]
            for v in inside[1:]:
                total = f(total, v)
            rows.append(("redux.sync.%s.b32 {d}, %%a, %%t3;" % op, [total]))
        before = "mov.b32 %%t3, 0x%08x;\n" % members
        if members != FULL:
            zeros = "\n".join("mov.b32 %s, 0;" % d for d in ["%d"] + ["%%d%d" % i for i in range(1, len(rows))])
            before += zeros + "\nand.b32 %t0, %lane, 1;\nsetp.ne.u32 %p, %t0, 0;\n@%p bra done;"
            rows[-1] = (rows[-1][0] + "\ndone:", rows[-1][1])
        suite.forms("redux.sync" + ("" if members == FULL else ".members"), [("b32", values)],
                    [(text, "b32", [v[0] & FULL if members >> i & 1 else 0 for i in range(32)]) for text, v in rows],
                    before=before, version="7.0", target="sm_80")
    lane_kernel(suite, "match.all.sync.b64", "  mov.u64 %w0, 0x123456789abcdef0;\n  match.all.sync.b64 %r0|%p, %w0, 0xffffffff;\n"
                "  @%p xor.b32 %r0, %r0, 2;\n  setp.eq.u32 %q, %lane, 7;\n  @%q add.u64 %w0, %w0, 4294967296;\n"
                "  match.all.sync.b64 %r1|%p, %w0, 0xffffffff;\n  @%p add.u32 %r1, %r1, 5;\n  xor.b32 %r0, %r0, %r1;\n", [FULL ^ 2] * 32)
    # The leader is one of the members, and the same for all; the ISA leaves open which, so only that is tested.
    lane_kernel(suite, "elect.sync", "  setp.lt.u32 %p, %lane, 20;\n  mov.u32 %r0, 7;\n  @!%p bra done;\n"
                "  elect.sync %r1|%q, 0x000fffff;\n  selp.u32 %r2, 1, 0, %q;\n  redux.sync.add.u32 %r3, %r2, 0x000fffff;\n"
                "  setp.eq.u32 %p, %r1, %lane;\n  selp.u32 %r4, 1, 0, %p;\n  xor.b32 %r4, %r4, %r2;\n  setp.lt.u32 %p, %r1, 20;\n"
                "  selp.u32 %r5, 10, 0, %p;\n  add.u32 %r0, %r3, %r4;\n  add.u32 %r0, %r0, %r5;\ndone:\n",
                [11 if i < 20 else 7 for i in range(32)], version="8.0", target="sm_90")


def fences(suite):
    for semantics in ("sc", "acq_rel"):
        for scope in ("cta", "gpu", "sys"):
            name = "fence.%s.%s" % (semantics, scope)
            if name not in ("fence.acq_rel.gpu", "fence.sc.cta"):
                suite.kernel(name, [out("u32"), buffer("u32", [0] * 32)],
                             HEAD + pointer("%in", 1, 4) + pointer("%out", 0, 4) + "  st.global.u32 [%in], %lane;\n  " + name +
                             ";\n  ld.global.u32 %r0, [%in];\n  st.global.u32 [%out], %r0;\n  ret;",
                             [(0, "u32", list(range(32))), (1, "u32", list(range(32)))])


def hints(suite):
    """What changes no result: performance events, and the address of a constant taken back from a generic one."""
    lane_kernel(suite, "pmevent", "  pmevent 3;\n  add.u32 %r0, %lane, 4;\n", [i + 4 for i in range(32)])
    lane_kernel(suite, "griddepcontrol", "  griddepcontrol.wait;\n  griddepcontrol.launch_dependents;\n  add.u32 %r0, %lane, 5;\n",
                [i + 5 for i in range(32)])
    lane_kernel(suite, "cvta.to.const.u64", "  mov.u64 %w0, fixed;\n  cvta.const.u64 %w1, %w0;\n  cvta.to.const.u64 %w2, %w1;\n"
                "  ld.const.u32 %r0, [%w2+4];\n  setp.eq.u64 %p, %w0, %w2;\n  @%p add.u32 %r0, %r0, %lane;\n", [71 + i for i in range(32)],
                module=".const .align 4 .u32 fixed[2] = {70, 71};")


def cache_policies(suite):
    """A policy and its uses as hints: loads, stores and atomics do what they do without it."""
    values = [i * 40503 + 9 for i in range(32)]
    suite.kernel("createpolicy", [out("u32"), buffer("u32", values), buffer("u32", values)],
                 HEAD + "  createpolicy.fractional.L2::evict_last.b64 %w0, 1.0;\n" + pointer("%in", 1, 4) + pointer("%out", 0, 4) +
                 "  ld.global.L2::cache_hint.u32 %r0, [%in], %w0;\n  ld.global.L1::no_allocate.L2::128B.u32 %r1, [%in];\n"
                 "  add.u32 %r0, %r0, %r1;\n  st.global.L2::cache_hint.u32 [%out], %r0, %w0;\n"
                 "  atom.global.add.L2::cache_hint.u32 %r2, [%in], 3, %w0;\n  red.global.add.L2::cache_hint.u32 [%in], 4, %w0;\n"
                 "  prefetch.global.L2::evict_last [%in];\n  ret;",
                 [(0, "u32", [2 * v for v in values]), (1, "u32", [v + 7 for v in values]), (2, "u32", values)], version="8.0", target="sm_90")


def cache_lines(suite):
    """What a discarded line holds until it is written is undefined; an applied priority changes nothing."""
    values = [i * 271 + 4 for i in range(32)]
    for form in ("discard.global.L2", "discard.L2", "applypriority.global.L2::evict_normal", "applypriority.L2::evict_normal"):
        suite.kernel(form.replace("::", "_"), [out("u32"), buffer("u32", values)],
                     HEAD + "  ld.param.u64 %in, [p1];\n  " + form + " [%in], 128;\n" + pointer("%in", 1, 4) + pointer("%out", 0, 4) +
                     ("  st.global.u32 [%in], %lane;\n" if form[0] == "d" else "") + "  ld.global.u32 %r0, [%in];\n  st.global.u32 [%out], %r0;\n  ret;",
                     [(0, "u32", list(range(32)) if form[0] == "d" else values)], version="8.0", target="sm_90")


def clusters(suite):
    """A kernel launched without clusters is in clusters of one block."""
    lane_kernel(suite, "getctarank.u64", "  cvta.shared.u64 %w0, cells;\n  mapa.u64 %w1, %w0, 0;\n  getctarank.u64 %r1, %w1;\n"
                "  mapa.shared::cluster.u32 %r3, cells, 0;\n  getctarank.shared::cluster.u32 %r2, %r3;\n  shl.b32 %r4, %lane, 2;\n"
                "  add.u32 %r3, %r3, %r4;\n  st.shared::cluster.u32 [%r3], %lane;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
                "  mul.wide.u32 %w2, %lane, 4;\n  add.u64 %w1, %w1, %w2;\n  ld.u32 %r0, [%w1];\n  add.u32 %r0, %r0, %r1;\n"
                "  add.u32 %r0, %r0, %r2;\n  mov.u32 %r5, %cluster_nctarank;\n  add.u32 %r0, %r0, %r5;\n"
                "  mov.pred %p, %is_explicit_cluster;\n  @%p add.u32 %r0, %r0, 100;\n", [i + 1 for i in range(32)],
                module=".shared .align 8 .b8 cells[128];")


def approximate(suite):
    """Results are widened to f32, where the ISA's maximum errors are a number of units in the last place: relative errors
    2^-9.9 (ex2 of f16) and 2^-7 (bf16) of a number in [1, 2), absolute errors 2^-10.987 and 2^-8 (tanh) of one above 1/2."""
    for t, f, ex2_ulps, tanh_ulps in (("f16", F16, 8780, 8266), ("bf16", BF16, 1 << 16, 1 << 16)):
        for op, function, ulps, numbers in (
                ("ex2.approx" + (".ftz" if t == "bf16" else ""), lambda x: 2.0 ** x, ex2_ulps, [(i * 37 % 32 - 16) * 0.61 for i in range(32)]),
                ("tanh.approx", math.tanh, tanh_ulps, [(0.6 + 0.1 * i) * (-1) ** i for i in range(32)])):
            values = [bits(x, f) for x in numbers]
            known = [bits(function(float(value(x, f))), F32) for x in values]
            home = {"version": "7.8", "target": "sm_90", "source": "the C library in double precision; tolerance from the ISA's maximum error"}
            suite.lanes("%s.%s" % (op, t), [(t, values)], "%s.%s %%h0, %%a;\ncvt.f32.%s %%d, %%h0;" % (op, t, t), [("f32", known)], ulps=ulps, **home)
            turned = values[3:] + values[:3]
            suite.lanes("%s.%sx2" % (op, t), [("b32", [x | y << 16 for x, y in zip(values, turned)])],
                        "%s.%sx2 %%t0, %%a;\nmov.b32 {%%h0, %%h1}, %%t0;\ncvt.f32.%s %%d, %%h0;\ncvt.f32.%s %%d1, %%h1;" % (op, t, t, t),
                        [("f32", known), ("f32", known[3:] + known[:3])], ulps=ulps, **home)
    # The two gross approximations compute the upper word from the operand's upper word and leave the lower one 0: both
    # steps lose 2^-20. 2^33 units in the last place of f64 are 2^-19.
    spread = [exact.round_to(Fraction(3 + i, 7) * Fraction(2) ** (i * 37 % 1000 - 500), F64) for i in range(32)]
    real = lambda x: as_float(x, F64)
    no_lower = "\nmov.b64 {%t0, %t1}, %d;\nsetp.ne.u32 %p, %t0, 0;\n@%p mov.b64 %d, 0x7ff8000000000000;"
    for form, function, ulps, after in (("rcp.approx.ftz.f64", lambda x: 1 / x, 1 << 33, no_lower),
                                        ("rsqrt.approx.ftz.f64", lambda x: 1 / math.sqrt(x), 1 << 33, no_lower),
                                        ("rsqrt.approx.f64", lambda x: 1 / math.sqrt(x), 1 << 30, "")):
        suite.lanes(form, [("f64", spread)], form + " %d, %a;" + after, [("f64", [bits(function(real(x)), F64) for x in spread])],
                    ulps=ulps, source="the C library in double precision; tolerance 2^-19, or 2^-22 where subnormals count")


def generate(suite):
    for part in (shuffles, votes, reductions, fences, hints, cache_policies, cache_lines, clusters, approximate):
        part(suite)
