"""The probes' kernels as PTX. A chain is written out as often as it is long, so that nothing but its links differs between two
lengths."""

# It is in all chains, for the one that loads it.
CONSTANT = ".const .align 8 .u64 chain_constant = chain_constant;"
HEADER = ".version 7.0\n.target sm_20\n.address_size 64\n"


def _loop(prologue, link, length, shared=""):
    return f"""{HEADER}
{CONSTANT}
.visible .entry chain(.param .u64 out, .param .u64 memory, .param .u32 iterations)
{{
  .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>; .reg .f64 %g<8>; .reg .pred %p;
  {shared}
  ld.param.u64 %d1, [out];
  ld.param.u64 %d2, [memory];
  ld.param.u32 %r1, [iterations];
  {prologue}
  mov.u32 %r2, %clock;
LOOP:
  {(link + chr(10) + "  ") * length}
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra LOOP;
  mov.u32 %r3, %clock;
  sub.u32 %r3, %r3, %r2;
  st.global.u32 [%d1], %r3;
  st.global.u32 [%d1+8], %r4;
  st.global.f32 [%d1+16], %f1;
  st.global.u64 [%d1+24], %d4;
  st.global.f64 [%d1+32], %g1;
  ret;
}}
"""


# name: (prologue, one link, shared variables). The operands come from memory (zeros), so that nothing folds.
_VALUES = "ld.global.u32 %r4, [%d2]; ld.global.u32 %r5, [%d2+4]; ld.global.u32 %r6, [%d2+8];"
_FLOATS = "ld.global.f32 %f1, [%d2]; ld.global.f32 %f2, [%d2+4]; ld.global.f32 %f3, [%d2+8];"
_DOUBLES = "ld.global.f64 %g1, [%d2]; ld.global.f64 %g2, [%d2+8]; ld.global.f64 %g3, [%d2+16];"
_SELF = "st.global.u64 [%d2], %d2; membar.gl; mov.u64 %d4, %d2;"
# A ring of RING lines, more than L1 holds, each with the address of the next: from the second lap on all of it is in L2, none in L1.
_RING = """mov.u64 %d4, %d2; mov.u32 %r4, RING;
BUILD:
  add.u64 %d5, %d4, 128;
  sub.u32 %r4, %r4, 1; setp.eq.u32 %p, %r4, 0;
  @%p mov.u64 %d5, %d2;
  st.global.u64 [%d4], %d5;
  mov.u64 %d4, %d5;
  @!%p bra BUILD;
  membar.gl;
  mov.u32 %r4, RING;
WARM:
  ld.global.ca.u64 %d4, [%d4];
  sub.u32 %r4, %r4, 1; setp.ne.u32 %p, %r4, 0;
  @%p bra WARM;"""
CHAINS = {
    "int add": (_VALUES, "add.s32 %r4, %r4, %r5;", ""),
    "logic": (_VALUES, "xor.b32 %r4, %r4, %r5;", ""),
    "int mul": (_VALUES, "mul.lo.s32 %r4, %r4, %r5;", ""),
    "int mad": (_VALUES, "mad.lo.s32 %r4, %r4, %r5, %r6;", ""),
    "fp add": (_FLOATS, "add.rn.f32 %f1, %f1, %f2;", ""),
    "fp fma": (_FLOATS, "fma.rn.f32 %f1, %f1, %f2, %f3;", ""),
    "double fma": (_DOUBLES, "fma.rn.f64 %g1, %g1, %g2, %g3;", ""),
    "special function": (_FLOATS, "rcp.approx.ftz.f32 %f1, %f1;", ""),
    "scaled root": (_FLOATS, "sqrt.approx.f32 %f1, %f1;", ""),
    "to integer and back": (_FLOATS, "cvt.rzi.s32.f32 %r4, %f1; cvt.rn.f32.s32 %f1, %r4;", ""),
    "shared load": ("mov.u32 %r4, sh; st.shared.u32 [%r4], %r4;", "ld.shared.u32 %r4, [%r4];", ".shared .align 8 .b32 sh[2];"),
    "constant load": ("mov.u64 %d5, chain_constant; ld.const.u64 %d4, [%d5];", "ld.const.u64 %d4, [%d4];", ""),
    "L1 hit": (_SELF, "ld.global.ca.u64 %d4, [%d4];", ""),
    "L2 hit": (_SELF, "ld.global.cg.u64 %d4, [%d4];", ""),
    "global atomic": (_SELF + " mov.u64 %d5, 0;", "atom.global.add.u64 %d4, [%d4], %d5;", ""),
    "L2 hit, through L1": (_RING, "ld.global.ca.u64 %d4, [%d4];", ""),
    "global atomic, a lane a word": ("mov.u32 %r5, %tid.x; mad.wide.u32 %d4, %r5, 4, %d2; mov.u32 %r4, 0;",
                                     "atom.global.add.u32 %r4, [%d4], %r4;", ""),
    "shared atomic": ("mov.u32 %r5, sh; mov.u32 %r4, 0; st.shared.u32 [%r5], %r4;", "atom.shared.add.u32 %r4, [%r5], %r4;",
                      ".shared .align 8 .b32 sh[2];"),
    # For on_off.py: three operands from one register; a word of one bank for each of 32 lanes.
    "fp fma of one register": (_FLOATS, "fma.rn.f32 %f1, %f1, %f1, %f1;", ""),
    "shared load, one bank": ("mov.u32 %r5, %tid.x; mov.u32 %r6, sh; mad.lo.u32 %r4, %r5, 128, %r6; st.shared.u32 [%r4], %r4;",
                              "ld.shared.u32 %r4, [%r4];", ".shared .align 128 .b8 sh[4096];"),
}


def chain(name, length, ring_lines=256):
    prologue, link, shared = CHAINS[name]
    return _loop(prologue.replace("RING", str(ring_lines)), link, length, shared)


def recorded_chain(space, iterations):
    """A pointer chain whose every link is timed: clock, load, an addition that needs the loaded value, clock. The stamps go to
    shared memory and at the end, with the buffer's own address, to `out`. `space` is global.ca, global.cg or shared."""
    shared = space.startswith("shared")
    start = "mov.u64 %d4, 0;" if shared else "mov.u64 %d4, %d2;"
    return f"""{HEADER}
.visible .entry chain(.param .u64 out, .param .u64 memory)
{{
  .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %p;
  .shared .align 8 .b8 stamps[{8 * (iterations + 1)}];
  ld.param.u64 %d1, [out];
  ld.param.u64 %d2, [memory];
  mov.u32 %r1, 0;
  mov.u32 %r5, stamps;
  mov.u64 %d6, 0;
  st.shared.u64 [%r5], %d6;
  add.u32 %r5, %r5, 8;
  {start}
LOOP:
  mov.u32 %r2, %clock;
  ld.{space}.u64 %d4, [%d4];
  add.u64 %d6, %d6, %d4;
  mov.u32 %r3, %clock;
  st.shared.u32 [%r5], %r2;
  st.shared.u32 [%r5+4], %r3;
  add.u32 %r5, %r5, 8;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, {iterations};
  @%p bra LOOP;
  mov.u32 %r5, stamps;
  mov.u32 %r1, 0;
COPY:
  add.u32 %r5, %r5, 8;
  ld.shared.u64 %d5, [%r5];
  st.global.u64 [%d1], %d5;
  add.u64 %d1, %d1, 8;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, {iterations};
  @%p bra COPY;
  st.global.u64 [%d1], %d2;
  st.global.u64 [%d1+8], %d6;
  ret;
}}
"""
