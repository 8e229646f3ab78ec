"""Branches, predication, calls, barriers, special registers, moves, and what lanes of a warp tell each other."""

import math

from .emit import buffer, out
from .memory import HEAD, pointer

FULL = 0xFFFFFFFF
STORE = "  st.global.u32 [%out], %r0;\n  ret;"


def lane_kernel(suite, name, code, expected, block="32", grid="1", **rest):
    """Every thread of the grid computes %r0 and stores it under its global index."""
    setup = ("  mov.u32 %r14, %ctaid.x;\n  mov.u32 %r15, %ntid.x;\n  mad.lo.u32 %r14, %r14, %r15, %lane;\n"
             "  ld.param.u64 %out, [p0];\n  mul.wide.u32 %at, %r14, 4;\n  add.u64 %out, %out, %at;\n")
    declared = rest.pop("declare", "")
    suite.kernel(name, [out("u32", len(expected))], HEAD + declared + setup + code + STORE,
                 [(0, "u32", [v & FULL for v in expected])], block=block, grid=grid, **rest)


def votes(suite):
    odd = sum(1 << i for i in range(1, 32, 2))
    cases = {"all": lambda m, p: int(all(p(i) for i in m)), "any": lambda m, p: int(any(p(i) for i in m)),
             "uni": lambda m, p: int(len({bool(p(i)) for i in m}) == 1),
             "ballot": lambda m, p: sum(1 << i for i in m if p(i))}
    predicates = {"some": ("and.b32 %r1, %lane, 5;\n  setp.eq.u32 %p, %r1, 4;", lambda i: i & 5 == 4),
                  "none": ("setp.gt.u32 %p, %lane, 40;", lambda i: False),
                  "every": ("setp.lt.u32 %p, %lane, 40;", lambda i: True)}
    for mode, function in cases.items():
        for name, (code, predicate) in predicates.items():
            result = ("vote.sync.ballot.b32 %r0, %p, 0xffffffff;\n" if mode == "ballot" else
                      "vote.sync.%s.pred %%q, %%p, 0xffffffff;\n  selp.u32 %%r0, 1, 0, %%q;\n" % mode)
            lane_kernel(suite, "vote.sync.%s.%s" % (mode, name), "  " + code + "\n  " + result,
                        [function(range(32), predicate)] * 32)
        body = ("  and.b32 %r1, %lane, 1;\n  setp.eq.u32 %p, %r1, 1;\n  mov.u32 %r0, 77;\n  @!%p bra done;\n"
                "  setp.gt.u32 %p, %lane, 9;\n  " +
                ("vote.sync.ballot.b32 %%r0, %%p, 0x%08x;\n" % odd if mode == "ballot" else
                 "vote.sync.%s.pred %%q, !%%p, 0x%08x;\n  selp.u32 %%r0, 1, 0, %%q;\n" % (mode, odd)) + "done:\n")
        members = range(1, 32, 2)
        value = function(members, (lambda i: i > 9) if mode == "ballot" else (lambda i: i <= 9))
        lane_kernel(suite, "vote.sync.%s.members" % mode, body, [value if i & 1 else 77 for i in range(32)])
    lane_kernel(suite, "activemask", "  mov.u32 %r0, 5;\n  setp.lt.u32 %p, %lane, 11;\n  @!%p bra done;\n  activemask.b32 %r0;\ndone:\n",
                [0x7FF if i < 11 else 5 for i in range(32)],
                source="lanes 0 to 10 branch together and nothing separates them")
    keys = [i * i % 5 for i in range(32)]
    key_code = "  mul.lo.u32 %r1, %lane, %lane;\n  rem.u32 %r1, %r1, 5;\n"
    same = [sum(1 << j for j in range(32) if keys[j] == keys[i]) for i in range(32)]
    lane_kernel(suite, "match.any.sync.b32", key_code + "  match.any.sync.b32 %r0, %r1, 0xffffffff;\n", same)
    lane_kernel(suite, "match.any.sync.b64", key_code + "  cvt.u64.u32 %w0, %r1;\n  shl.b64 %w0, %w0, 40;\n"
                "  match.any.sync.b64 %r0, %w0, 0xffffffff;\n", same)
    lane_kernel(suite, "match.all.sync.b32", "  mov.u32 %r1, 9;\n  match.all.sync.b32 %r0|%p, %r1, 0xffffffff;\n"
                "  @%p xor.b32 %r0, %r0, 1;\n", [FULL ^ 1] * 32)
    lane_kernel(suite, "match.all.sync.b32.differ", "  shr.u32 %r1, %lane, 4;\n  match.all.sync.b32 %r0|%p, %r1, 0xffffffff;\n"
                "  @!%p add.u32 %r0, %r0, 3;\n", [3] * 32)


def shuffle(mode, lane, b, c):
    """The ISA's definition of shfl: segment mask and clamp are packed into c."""
    segment, bound = c >> 8 & 31, c & 31
    high = lane & segment | bound & ~segment & 31
    low = lane & segment
    b &= 31
    if mode == "up":
        j = lane - b
        valid = j >= high
    elif mode == "down":
        j = lane + b
        valid = j <= high
    elif mode == "bfly":
        j = lane ^ b
        valid = j <= high
    else:
        j = low | b & ~segment & 31
        valid = j <= high
    return (j if valid else lane), valid


def shuffles(suite):
    values = [i * i + 100 for i in range(32)]
    offsets = {"up": [0, 1, 5, 31], "down": [0, 1, 6, 31], "bfly": [1, 9, 16, 31], "idx": [0, 5, 19, 31]}
    for mode, amounts in offsets.items():
        for width in (32, 16, 8, 2):
            c = (32 - width) << 8 | (0 if mode == "up" else 31)
            code, expected = "  mad.lo.u32 %r1, %lane, %lane, 100;\n  mov.u32 %r0, 0;\n", [0] * 32
            for b in amounts:
                code += ("  shfl.sync.%s.b32 %%r2|%%p, %%r1, %d, 0x%x, 0xffffffff;\n  @%%p add.u32 %%r2, %%r2, 10000;\n"
                         "  mad.lo.u32 %%r0, %%r0, 31, %%r2;\n" % (mode, b, c))
                for lane in range(32):
                    source, valid = shuffle(mode, lane, b, c)
                    expected[lane] = (expected[lane] * 31 + values[source] + (10000 if valid else 0)) & FULL
            lane_kernel(suite, "shfl.sync.%s.width%d" % (mode, width), code, expected)
    variable = [shuffle("idx", i, (i * 7 + 3) & 63, 0x1F)[0] for i in range(32)]
    lane_kernel(suite, "shfl.sync.idx.variable", "  mad.lo.u32 %r1, %lane, %lane, 100;\n  mad.lo.u32 %r2, %lane, 7, 3;\n"
                "  and.b32 %r2, %r2, 63;\n  shfl.sync.idx.b32 %r0, %r1, %r2, 31, 0xffffffff;\n", [values[j] for j in variable])
    # From a lane that is not there: 0 (cuda-samples' reduction adds such lanes up; GPUs give 0).
    lane_kernel(suite, "shfl.sync.down.absent", "  mad.lo.u32 %r1, %lane, %lane, 100;\n  mov.u32 %r0, 7;\n  setp.lt.u32 %p, %lane, 8;\n"
                "  @!%p bra done;\n  shfl.sync.down.b32 %r0, %r1, 4, 31, 0xff;\ndone:\n",
                [values[i + 4] if i < 4 else 0 if i < 8 else 7 for i in range(32)])
    lane_kernel(suite, "shfl.sync.bfly.members", "  mad.lo.u32 %r0, %lane, %lane, 100;\n  setp.lt.u32 %p, %lane, 8;\n  @!%p bra done;\n"
                "  shfl.sync.bfly.b32 %r0, %r0, 3, 31, 0xff;\ndone:\n", [values[i ^ 3] if i < 8 else values[i] for i in range(32)])


def barriers(suite):
    odd = lambda i: i % 3 == 0
    count = sum(odd(i) for i in range(96))
    predicate = "  rem.u32 %r1, %lane, 3;\n  setp.eq.u32 %p, %r1, 0;\n"
    for form in ("bar", "barrier"):
        lane_kernel(suite, form + ".red.popc", predicate + "  %s.red.popc.u32 %%r0, 1, %%p;\n" % form, [count] * 96, block="96")
        lane_kernel(suite, form + ".red.and", predicate + "  %s.red.and.pred %%q, 2, !%%p;\n  selp.u32 %%r0, 1, 2, %%q;\n" % form,
                    [2] * 96, block="96")
        lane_kernel(suite, form + ".red.or", predicate + "  %s.red.or.pred %%q, 3, %%p;\n  selp.u32 %%r0, 1, 2, %%q;\n" % form,
                    [1] * 96, block="96")
        lane_kernel(suite, form + ".sync", "  mov.u64 %w0, tile;\n  mul.wide.u32 %w1, %lane, 4;\n  add.u64 %w1, %w1, %w0;\n"
                    "  mul.lo.u32 %r1, %lane, 3;\n  st.shared.u32 [%w1], %r1;\n  %s.sync 0;\n  xor.b32 %r2, %lane, 127;\n"
                    "  mul.wide.u32 %w1, %r2, 4;\n  add.u64 %w1, %w1, %w0;\n  ld.shared.u32 %r0, [%w1];\n".replace("%s", form),
                    [3 * (i ^ 127) for i in range(128)], block="128", declare="  .shared .align 4 .b32 tile[128];\n")
    # Warp 0 arrives and goes on, warp 1 waits for it: a producer and a consumer on one named barrier.
    lane_kernel(suite, "bar.arrive", "  setp.lt.u32 %p, %lane, 32;\n  mov.u64 %w0, tile;\n  and.b32 %r1, %lane, 31;\n  mul.wide.u32 %w1, %r1, 4;\n"
                "  add.u64 %w1, %w1, %w0;\n  mov.u32 %r0, 1;\n  @!%p bra consumer;\n  add.u32 %r2, %lane, 500;\n  st.shared.u32 [%w1], %r2;\n"
                "  bar.arrive 4, 64;\n  bra done;\nconsumer:\n  bar.sync 4, 64;\n  ld.shared.u32 %r0, [%w1];\ndone:\n",
                [1] * 32 + [500 + i for i in range(32)], block="64", declare="  .shared .align 4 .b32 tile[32];\n")
    lane_kernel(suite, "bar.warp.sync", "  mov.u64 %w0, tile;\n  mul.wide.u32 %w1, %lane, 4;\n  add.u64 %w1, %w1, %w0;\n  st.shared.u32 [%w1], %lane;\n"
                "  bar.warp.sync 0xffffffff;\n  xor.b32 %r2, %lane, 21;\n  mul.wide.u32 %w1, %r2, 4;\n  add.u64 %w1, %w1, %w0;\n  ld.shared.u32 %r0, [%w1];\n",
                [i ^ 21 for i in range(32)], declare="  .shared .align 4 .b32 tile[32];\n")
    # Lanes that leave early do not keep the others waiting.
    lane_kernel(suite, "exit", "  st.global.u32 [%out], %lane;\n  rem.u32 %r1, %lane, 7;\n  setp.eq.u32 %p, %r1, 2;\n  @%p exit;\n"
                "  bar.sync 0;\n  add.u32 %r0, %lane, 1000;\n", [i if i % 7 == 2 else 1000 + i for i in range(64)], block="64")


def branches(suite):
    def steps(n):
        count = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n >> 1
            count += 1
        return count

    lane_kernel(suite, "bra.loop", "  add.u32 %r1, %lane, 1;\n  mov.u32 %r0, 0;\nagain:\n  setp.eq.u32 %p, %r1, 1;\n  @%p bra done;\n"
                "  add.u32 %r0, %r0, 1;\n  and.b32 %r2, %r1, 1;\n  setp.eq.u32 %q, %r2, 1;\n  @%q bra odd;\n  shr.u32 %r1, %r1, 1;\n  bra again;\n"
                "odd:\n  mad.lo.u32 %r1, %r1, 3, 1;\n  bra.uni again;\ndone:\n".replace("bra.uni", "bra"), [steps(i + 1) for i in range(32)])

    def nest(i):
        v = 0
        if i & 1:
            v += 1
            if i & 2:
                v += 10
                if i & 4:
                    v += 100
            else:
                v += 1000
        else:
            v += 5
            if i & 8:
                v *= 7
        return v * 2 + i

    lane_kernel(suite, "bra.nested", "  .reg .pred %x;\n  mov.u32 %r0, 0;\n  and.b32 %r1, %lane, 1;\n  setp.ne.u32 %p, %r1, 0;\n  @!%p bra even;\n"
                "  add.u32 %r0, %r0, 1;\n  and.b32 %r1, %lane, 2;\n  setp.ne.u32 %q, %r1, 0;\n  @!%q bra without2;\n  add.u32 %r0, %r0, 10;\n"
                "  and.b32 %r1, %lane, 4;\n  setp.ne.u32 %x, %r1, 0;\n  @%x add.u32 %r0, %r0, 100;\n  bra join;\nwithout2:\n  add.u32 %r0, %r0, 1000;\n"
                "  bra join;\neven:\n  add.u32 %r0, %r0, 5;\n  and.b32 %r1, %lane, 8;\n  setp.eq.u32 %q, %r1, 0;\n  @%q bra join;\n  mul.lo.u32 %r0, %r0, 7;\n"
                "join:\n  mad.lo.u32 %r0, %r0, 2, %lane;\n", [nest(i) for i in range(32)])
    lane_kernel(suite, "bra.uni", "  mov.u32 %r0, %lane;\n  bra.uni over;\n  add.u32 %r0, %r0, 100;\nover:\n  add.u32 %r0, %r0, 1;\n",
                [i + 1 for i in range(32)])
    targets = [11, 22, 33, 44]
    lane_kernel(suite, "brx.idx", "  and.b32 %r1, %lane, 3;\n  mov.u32 %r0, 0;\ntable: .branchtargets l0, l1, l2, l3;\n  brx.idx %r1, table;\n" +
                "".join("l%d:\n  add.u32 %%r0, %%r0, %d;\n  bra done;\n" % (i, v) for i, v in enumerate(targets)) + "done:\n",
                [targets[i & 3] for i in range(32)])
    lane_kernel(suite, "predicated", "  and.b32 %r1, %lane, 1;\n  setp.eq.u32 %p, %r1, 1;\n  mov.u32 %r0, 3;\n  @%p mov.u32 %r0, 9;\n"
                "  @!%p mul.lo.u32 %r0, %r0, %lane;\n  @%p ld.global.u32 %r2, [%out];\n  @!%p st.global.u32 [%out], %lane;\n",
                [9 if i & 1 else 3 * i for i in range(32)])
    lane_kernel(suite, "nanosleep", "  mov.u32 %r0, %lane;\n  nanosleep.u32 100;\n", list(range(32)))


CALLS = """.func (.reg .u32 %result) twice(.reg .u32 %x)
{
  add.u32 %result, %x, %x;
  ret;
}
.func (.param .b32 result) mix(.param .b32 first, .param .b64 second, .param .align 4 .b8 third[8])
{
  .reg .b32 %a, %b, %c;
  .reg .b64 %w;
  ld.param.u32 %a, [first];
  ld.param.u64 %w, [second];
  cvt.u32.u64 %b, %w;
  add.u32 %a, %a, %b;
  ld.param.u32 %c, [third+4];
  mad.lo.u32 %a, %a, 10, %c;
  call (%a), twice, (%a);
  st.param.b32 [result], %a;
  ret;
}
.func (.param .b32 result) plain(.param .b32 x)
{
  .reg .b32 %a;
  ld.param.u32 %a, [x];
  add.u32 %a, %a, 7;
  st.param.b32 [result], %a;
  ret;
}
.func (.param .b32 result) early(.param .b32 x)
{
  .reg .b32 %a;
  .reg .pred %p;
  ld.param.u32 %a, [x];
  setp.gt.u32 %p, %a, 12;
  @%p bra big;
  st.param.b32 [result], %a;
  ret;
big:
  mul.lo.u32 %a, %a, 5;
  st.param.b32 [result], %a;
  ret;
}
"""


def calls(suite):
    def call(name, argument, result):
        return ("  {\n  .param .b32 in;\n  .param .b32 out;\n  st.param.b32 [in], %s;\n  call.uni (out), %s, (in);\n  ld.param.b32 %s, [out];\n  }\n"
                % (argument, name, result))

    lane_kernel(suite, "call.params", "  add.u32 %r1, %lane, 3;\n  cvt.u64.u32 %w0, %lane;\n  {\n  .param .b32 in0;\n  .param .b64 in1;\n"
                "  .param .align 4 .b8 in2[8];\n  .param .b32 out;\n  st.param.b32 [in0], %r1;\n  st.param.b64 [in1], %w0;\n  st.param.b32 [in2], 5;\n"
                "  st.param.b32 [in2+4], %lane;\n  call.uni (out), mix, (in0, in1, in2);\n  ld.param.b32 %r0, [out];\n  }\n",
                [2 * ((i + 3 + i) * 10 + i) for i in range(32)], module=CALLS)
    lane_kernel(suite, "call.nested", call("plain", "%lane", "%r1") + call("early", "%r1", "%r0"),
                [(i + 7) * 5 if i + 7 > 12 else i + 7 for i in range(32)], module=CALLS)
    lane_kernel(suite, "call.divergent", "  mov.u32 %r0, 1;\n  and.b32 %r1, %lane, 1;\n  setp.eq.u32 %p, %r1, 0;\n  @%p bra other;\n" +
                call("early", "%lane", "%r0").replace(".uni", "") + "  bra done;\nother:\n" +
                call("plain", "%lane", "%r0").replace(".uni", "") + "done:\n",
                [(i * 5 if i > 12 else i) if i & 1 else i + 7 for i in range(32)], module=CALLS)
    lane_kernel(suite, "call.indirect", "  mov.u64 %w0, plain;\n  mov.u64 %w1, early;\n  and.b32 %r1, %lane, 1;\n  setp.eq.u32 %p, %r1, 0;\n"
                "  selp.b64 %w0, %w0, %w1, %p;\n  {\n  .param .b32 in;\n  .param .b32 out;\n  st.param.b32 [in], %lane;\n"
                "  proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n  call (out), %w0, (in), proto;\n  ld.param.b32 %r0, [out];\n  }\n",
                [(i * 5 if i > 12 else i) if i & 1 else i + 7 for i in range(32)], module=CALLS)


RECURSIVE = """.func (.param .b32 result) fib(.param .b32 n)
{
  .reg .b32 %n, %a, %b;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  setp.lt.u32 %p, %n, 2;
  @%p bra small;
  sub.u32 %a, %n, 1;
  {
  .param .b32 in;
  .param .b32 out;
  st.param.b32 [in], %a;
  call.uni (out), fib, (in);
  ld.param.b32 %a, [out];
  }
  sub.u32 %b, %n, 2;
  {
  .param .b32 in;
  .param .b32 out;
  st.param.b32 [in], %b;
  call.uni (out), fib, (in);
  ld.param.b32 %b, [out];
  }
  add.u32 %a, %a, %b;
  st.param.b32 [result], %a;
  ret;
small:
  st.param.b32 [result], %n;
  ret;
}
.func (.reg .u64 %result) gcd(.reg .u64 %a, .reg .u64 %b)
{
  .reg .u64 %c;
  .reg .pred %p;
  mov.u64 %result, %a;
  setp.eq.u64 %p, %b, 0;
  @%p ret;
  rem.u64 %c, %a, %b;
  mov.u64 %a, %b;
  mov.u64 %b, %c;
  call (%result), gcd, (%a, %b);
  ret;
}
.func (.reg .u64 %result) swapped(.reg .u64 %a, .reg .u64 %b, .reg .u32 %n)
{
  .reg .pred %p;
  sub.u64 %result, %a, %b;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %n, %n, 1;
  call (%result), swapped, (%b, %a, %n);
  add.u64 %result, %result, %a;
  ret;
}
.func (.param .b32 result) odd(.param .b32 n);
.func (.param .b32 result) even(.param .b32 n)
{
  .reg .b32 %n, %a;
  .reg .pred %p, %q;
  ld.param.u32 %n, [n];
  setp.eq.u32 %p, %n, 0;
  and.b32 %a, %n, 4;
  setp.ne.u32 %q, %a, 0;
  mov.u32 %a, 1;
  sub.u32 %n, %n, 1;
  {
  .param .b32 in;
  .param .b32 out;
  st.param.b32 [in], %n;
  @%p bra done;
  call (out), odd, (in);
  ld.param.b32 %a, [out];
  }
done:
  @%q add.u32 %a, %a, 10;
  st.param.b32 [result], %a;
  ret;
}
.func (.param .b32 result) odd(.param .b32 n)
{
  .reg .b32 %n, %a;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  setp.eq.u32 %p, %n, 0;
  sub.u32 %n, %n, 1;
  {
  .param .b32 in;
  .param .b32 out;
  st.param.b32 [in], %n;
  @!%p call (out), even, (in);
  ld.param.b32 %a, [out];
  }
  selp.b32 %a, 0, %a, %p;
  st.param.b32 [result], %a;
  ret;
}
.func (.param .align 8 .b8 result[24]) sums(.param .align 8 .b8 pair[16], .param .b32 n)
{
  .local .align 8 .b8 depot[32];
  .reg .b64 %base, %at, %x, %y, %z;
  .reg .b32 %n, %m;
  .reg .pred %p;
  mov.u64 %base, depot;
  ld.param.u64 %x, [pair];
  ld.param.u64 %y, [pair+8];
  ld.param.u32 %n, [n];
  and.b32 %m, %n, 3;
  mul.wide.u32 %at, %m, 8;
  add.u64 %at, %at, %base;
  st.local.u64 [%at], %x;
  st.param.b64 [result], %x;
  st.param.b64 [result+8], %y;
  cvt.u64.u32 %z, %n;
  st.param.b64 [result+16], %z;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %n, %n, 1;
  add.u64 %z, %x, %y;
  {
  .param .align 8 .b8 in[16];
  .param .b32 count;
  .param .align 8 .b8 out[24];
  st.param.b64 [in], %y;
  st.param.b64 [in+8], %z;
  st.param.b32 [count], %n;
  call (out), sums, (in, count);
  ld.param.b64 %x, [out];
  ld.param.b64 %y, [out+8];
  ld.param.b64 %z, [out+16];
  }
  st.param.b64 [result], %x;
  ld.local.u64 %x, [%at];
  add.u64 %y, %y, %x;
  st.param.b64 [result+8], %y;
  add.u64 %z, %z, 100;
  st.param.b64 [result+16], %z;
  ret;
}
.func (.param .b32 result) levels(.param .b32 n)
{
  .reg .b32 %n, %a, %m;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  mov.u32 %a, 0;
  setp.eq.u32 %p, %n, 0;
  @%p bra met;
  sub.u32 %n, %n, 1;
  {
  .param .b32 in;
  .param .b32 out;
  st.param.b32 [in], %n;
  call (out), levels, (in);
  ld.param.b32 %a, [out];
  }
met:
  activemask.b32 %m;
  popc.b32 %m, %m;
  mad.lo.u32 %a, %a, 33, %m;
  st.param.b32 [result], %a;
  ret;
}
.func (.param .b32 result) first(.param .b32 n, .param .b64 next);
.func (.param .b32 result) second(.param .b32 n, .param .b64 next)
{
  .reg .b32 %n;
  .reg .b64 %next, %self;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  ld.param.u64 %next, [next];
  mov.u64 %self, second;
  setp.lt.u32 %p, %n, 3;
  @%p bra done;
  shr.u32 %n, %n, 1;
  {
  .param .b32 in0;
  .param .b64 in1;
  .param .b32 out;
  st.param.b32 [in0], %n;
  st.param.b64 [in1], %self;
  proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
  call (out), %next, (in0, in1), proto;
  ld.param.b32 %n, [out];
  }
done:
  shl.b32 %n, %n, 1;
  st.param.b32 [result], %n;
  ret;
}
.func (.param .b32 result) first(.param .b32 n, .param .b64 next)
{
  .reg .b32 %n, %m;
  .reg .b64 %next, %self;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  ld.param.u64 %next, [next];
  mov.u64 %self, first;
  setp.eq.u32 %p, %n, 0;
  @%p bra done;
  sub.u32 %m, %n, 1;
  {
  .param .b32 in0;
  .param .b64 in1;
  .param .b32 out;
  st.param.b32 [in0], %m;
  st.param.b64 [in1], %self;
  proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
  call (out), %next, (in0, in1), proto;
  ld.param.b32 %m, [out];
  }
  add.u32 %n, %n, %m;
done:
  st.param.b32 [result], %n;
  ret;
}
"""

TABLES = """.global .align 8 .u64 globals[3] = {plain, 0, early};
.const .align 8 .u64 constants[2] = {early, plain};
"""


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def even(n):
    return (1 if n == 0 else odd(n - 1)) + (10 if n & 4 else 0)


def odd(n):
    return 0 if n == 0 else even(n - 1)


def sums(x, y, n):
    if n == 0:
        return x, y, n
    a, b, c = sums(y, x + y, n - 1)
    return a, b + x, c + 100


def pointer_first(n, other):
    return n if n == 0 else n + other(n - 1, pointer_first)


def pointer_second(n, other):
    return 2 * (n if n < 3 else other(n >> 1, pointer_second))


def plain(i):
    return i + 7


def early(i):
    return i * 5 if i > 12 else i


def calls_by_address(suite):
    def call(target, argument, result, proto):
        return ("  {\n  .param .b32 in;\n  .param .b32 out;\n  st.param.b32 [in], %s;\n  %s\n  call (out), %s, (in), proto;\n"
                "  ld.param.b32 %s, [out];\n  }\n" % (argument, proto, target, result))

    prototype = "proto: .callprototype (.param .b32 _) _ (.param .b32 _);"
    choice = "  and.b32 %r1, %lane, 1;\n  setp.eq.u32 %p, %r1, 0;\n"
    mixed = [early(i) if i & 1 else plain(i) for i in range(32)]
    lane_kernel(suite, "call.indirect.list", "  mov.u64 %w0, plain;\n  mov.u64 %w1, early;\n" + choice + "  selp.b64 %w0, %w0, %w1, %p;\n" +
                call("%w0", "%lane", "%r0", "proto: .calltargets early, plain;"), mixed, module=CALLS)
    lane_kernel(suite, "call.indirect.global", "  mov.u64 %w0, globals;\n" + choice + "  selp.b64 %w1, 0, 16, %p;\n  add.u64 %w0, %w0, %w1;\n"
                "  ld.global.u64 %w0, [%w0];\n" + call("%w0", "%lane", "%r0", prototype), mixed, module=CALLS + TABLES)
    lane_kernel(suite, "call.indirect.const", "  mov.u64 %w0, constants;\n" + choice + "  selp.b64 %w1, 8, 0, %p;\n  add.u64 %w0, %w0, %w1;\n"
                "  ld.const.u64 %w0, [%w0];\n" + call("%w0", "%lane", "%r0", prototype), mixed, module=CALLS + TABLES)
    # Every lane meets the others behind the call, also lanes that do not call.
    lane_kernel(suite, "call.indirect.converged", "  mov.u64 %w0, plain;\n  mov.u64 %w1, early;\n  mov.u32 %r2, 0;\n" + choice +
                "  selp.b64 %w0, %w0, %w1, %p;\n  setp.lt.u32 %q, %lane, 20;\n  @!%q bra met;\n" + call("%w0", "%lane", "%r2", prototype) +
                "met:\n  activemask.b32 %r3;\n  add.u32 %r0, %r2, %r3;\n", [(mixed[i] if i < 20 else 0) + FULL for i in range(32)], module=CALLS,
                source="lanes meet again behind the branch that parted them")


def recursion(suite):
    def call(name, arguments, result):
        code = "  {\n  .param .b32 out;\n"
        for i, (kind, value) in enumerate(arguments):
            code += "  .param .b%d in%d;\n  st.param.b%d [in%d], %s;\n" % (kind, i, kind, i, value)
        return code + "  call (out), %s, (%s);\n  ld.param.b32 %s, [out];\n  }\n" % (
            name, ", ".join("in%d" % i for i in range(len(arguments))), result)

    depth = "  and.b32 %r1, %lane, 7;\n"
    lane_kernel(suite, "call.recursive", depth + call("fib", [(32, "%r1")], "%r0"), [fibonacci(i & 7) for i in range(32)], module=RECURSIVE)
    lane_kernel(suite, "call.recursive.uniform", call("fib", [(32, "9")], "%r0"), [fibonacci(9)] * 32, module=RECURSIVE)
    lane_kernel(suite, "call.recursive.twice", depth + call("fib", [(32, "%r1")], "%r2") + "  xor.b32 %r1, %r1, 5;\n" +
                "  setp.gt.u32 %p, %lane, 9;\n  @%p bra met;\n" + call("fib", [(32, "%r1")], "%r3") + "  mad.lo.u32 %r2, %r2, 100, %r3;\nmet:\n"
                "  activemask.b32 %r3;\n  add.u32 %r0, %r2, %r3;\n",
                [fibonacci(i & 7) * (1 if i > 9 else 100) + (0 if i > 9 else fibonacci((i & 7) ^ 5)) + FULL for i in range(32)],
                module=RECURSIVE, source="lanes meet again behind the branch that parted them")
    lane_kernel(suite, "call.recursive.registers", "  mad.lo.u32 %r1, %lane, 12, 48;\n  cvt.u64.u32 %w0, %r1;\n  mov.u64 %w1, 360;\n"
                "  call (%w2), gcd, (%w1, %w0);\n  cvt.u32.u64 %r0, %w2;\n", [math.gcd(360, 12 * i + 48) for i in range(32)], module=RECURSIVE)

    def swapped(a, b, n):
        return a - b if n == 0 else swapped(b, a, n - 1) + a

    lane_kernel(suite, "call.recursive.swapped", depth + "  cvt.u64.u32 %w0, %lane;\n  mov.u64 %w1, 1000;\n  call (%w2), swapped, (%w1, %w0, %r1);\n"
                "  cvt.u32.u64 %r0, %w2;\n", [swapped(1000, i, i & 7) for i in range(32)], module=RECURSIVE)
    lane_kernel(suite, "call.recursive.mutual", call("even", [(32, "%lane")], "%r0"), [even(i) for i in range(32)], block="32", module=RECURSIVE)
    lane_kernel(suite, "call.recursive.frames", depth + "  cvt.u64.u32 %w0, %lane;\n  {\n  .param .align 8 .b8 in[16];\n  .param .b32 n;\n"
                "  .param .align 8 .b8 out[24];\n  st.param.b64 [in], %w0;\n  st.param.b64 [in+8], 3;\n  st.param.b32 [n], %r1;\n"
                "  call (out), sums, (in, n);\n  ld.param.b64 %w1, [out];\n  ld.param.b64 %w2, [out+8];\n  ld.param.b64 %w3, [out+16];\n  }\n"
                "  mad.lo.u64 %w1, %w1, 31, %w2;\n  mad.lo.u64 %w1, %w1, 31, %w3;\n  cvt.u32.u64 %r0, %w1;\n",
                [(lambda r: (r[0] * 31 + r[1]) * 31 + r[2])(sums(i, 3, i & 7)) for i in range(32)], module=RECURSIVE)

    # Of the lanes with n = 0 to 3, those with n of at least d reach depth d; a lane's depth is its n less what is left.
    expected = []
    for i in range(32):
        value = 0
        for d in range(i & 3, -1, -1):
            value = value * 33 + sum(1 for j in range(32) if j & 3 >= d)
        expected.append(value)
    lane_kernel(suite, "call.recursive.converged", "  and.b32 %r1, %lane, 3;\n" + call("levels", [(32, "%r1")], "%r0"), expected, module=RECURSIVE,
                source="lanes meet within the activation in which they parted")
    lane_kernel(suite, "call.recursive.uniform.converged", "  setp.lt.u32 %p, %lane, 12;\n  mov.u32 %r0, 1;\n  @!%p bra met;\n" +
                call("levels", [(32, "4")], "%r0") + "met:\n  activemask.b32 %r1;\n  add.u32 %r0, %r0, %r1;\n",
                [(sum(12 * 33 ** d for d in range(5)) if i < 12 else 1) + FULL for i in range(32)], module=RECURSIVE,
                source="lanes meet within the activation in which they parted")
    lane_kernel(suite, "call.recursive.indirect", "  mov.u64 %w0, second;\n" + call("first", [(32, "%lane"), (64, "%w0")], "%r0"),
                [pointer_first(i, pointer_second) for i in range(32)], module=RECURSIVE)


def registers(suite):
    threads = [(x, y, z) for z in range(2) for y in range(3) for x in range(16)]
    code = HEAD + "".join("  mov.u32 %%r%d, %%%s;\n" % (i, name) for i, name in enumerate(
        ("tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y",
         "nctaid.z")))
    code += ("  mad.lo.u32 %r12, %r2, %r4, %r1;\n  mad.lo.u32 %r12, %r12, %r3, %r0;\n  mad.lo.u32 %r13, %r8, %r10, %r7;\n"
             "  mad.lo.u32 %r13, %r13, %r9, %r6;\n  mad.lo.u32 %r12, %r13, 96, %r12;\n  ld.param.u64 %out, [p0];\n"
             "  mul.wide.u32 %at, %r12, 4;\n  add.u64 %out, %out, %at;\n")
    for i, shift in enumerate((0, 4, 6, 8, 13, 16, 18, 20, 22, 24, 26, 28)):
        code += "  shl.b32 %%r%d, %%r%d, %d;\n" % (i, i, shift) + ("  xor.b32 %%r0, %%r0, %%r%d;\n" % i if i else "")
    expected = []
    for bz in range(2):
        for by in range(2):
            for bx in range(3):
                for x, y, z in threads:
                    expected.append((x ^ y << 4 ^ z << 6 ^ 16 << 8 ^ 3 << 13 ^ 2 << 16 ^ bx << 18 ^ by << 20 ^ bz << 22 ^ 3 << 24 ^
                                     2 << 26 ^ 2 << 28) & FULL)
    suite.kernel("sreg.ids", [out("u32", len(expected))], code + STORE, [(0, "u32", expected)], grid="3,2,2", block="16,3,2")
    masks = {"laneid": lambda i: i % 32, "lanemask_eq": lambda i: 1 << i % 32, "lanemask_lt": lambda i: (1 << i % 32) - 1,
             "lanemask_le": lambda i: (2 << i % 32) - 1, "lanemask_gt": lambda i: FULL & ~((2 << i % 32) - 1),
             "lanemask_ge": lambda i: FULL & ~((1 << i % 32) - 1)}
    for name, function in masks.items():
        lane_kernel(suite, "sreg." + name, "  mov.u32 %%r0, %%%s;\n" % name, [function(i) for i in range(64)], block="64")
    lane_kernel(suite, "sreg.clock", "  mov.u64 %w0, %clock64;\n  mov.u32 %r1, %clock;\n  mul.lo.u32 %r2, %r1, %r1;\n  mov.u64 %w1, %clock64;\n"
                "  setp.gt.u64 %p, %w1, %w0;\n  selp.u32 %r0, 1, 0, %p;\n  mov.u64 %w2, %globaltimer;\n  mov.u64 %w3, %globaltimer;\n"
                "  setp.ge.u64 %q, %w3, %w2;\n  @%q add.u32 %r0, %r0, 1;\n", [2] * 32, source="the clock advances, the timer never goes back")


def moves(suite):
    a = [(i * 0x9E3779B97F4A7C15) & ((1 << 64) - 1) for i in range(1, 33)]
    suite.lanes("mov.unpack", [("u64", a)], "mov.b64 {%t0, %t1}, %a;\nmov.b64 %d, {%t1, %t0};\nmov.b32 {%h0, %h1}, %t0;\n"
                "mov.b32 %d1, {%h1, %h0};\nmov.b64 {%h0, %h1, %h2, %h3}, %a;\nmov.b64 %d2, {%h3, %h2, %h1, %h0};",
                [("u64", [x >> 32 | x << 32 for x in a]), ("u32", [(x >> 16 & 0xFFFF) | x << 16 for x in a]),
                 ("u64", [sum((x >> 16 * i & 0xFFFF) << 16 * (3 - i) for i in range(4)) for x in a])])
    lane_kernel(suite, "mov.immediates", "  mov.u32 %r0, 4294967295;\n  mov.s32 %r1, -5;\n  mov.b32 %r2, 0x7fffffff;\n  mov.f32 %r3, 0f3F800000;\n"
                "  mov.f64 %w0, 0d4000000000000000;\n  mov.u64 %w1, 0xfedcba9876543210;\n  mov.s64 %w2, -9223372036854775808;\n"
                "  mov.b32 %r4, 0b1011;\n  mov.b32 %r5, 017;\n  mov.u32 %r6, WARP_SZ;\n  xor.b64 %w0, %w0, %w1;\n  xor.b64 %w0, %w0, %w2;\n"
                "  mov.b64 {%r7, %r8}, %w0;\n" + "".join("  mad.lo.u32 %%r0, %%r0, 3, %%r%d;\n" % i for i in range(1, 9)),
                [fold([FULL, -5, 0x7FFFFFFF, 0x3F800000, 11, 15, 32] +
                      split(0x4000000000000000 ^ 0xFEDCBA9876543210 ^ 1 << 63))] * 32)


def split(x):
    return [x & FULL, x >> 32]


def fold(values):
    result = values[0]
    for v in values[1:]:
        result = (result * 3 + v) & FULL
    return result


def constant_predicates(suite):
    """A predicate operand may be a constant. The module's other kernel is of a form that is not supported, which is no matter here."""
    one, other = list(range(32)), list(range(100, 132))
    unused = (".visible .entry unused()\n{\n  .reg .f32 %f<2>;\n  .reg .b16 %x;\n  add.rn.f32.f16 %f0, %x, %f1;\n  ret;\n}\n")
    suite.lanes("selp.constant_predicate", [("u32", one), ("u32", other)], "selp.u32 %d, %a, %b, 1;\nselp.u32 %d1, %a, %b, 0;",
                [("u32", one), ("u32", other)], module=unused)


def generate(suite):
    constant_predicates(suite)
    for part in (votes, shuffles, barriers, branches, calls, calls_by_address, recursion, registers, moves):
        part(suite)
