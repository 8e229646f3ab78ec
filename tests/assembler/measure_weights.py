#!/usr/bin/env python3
"""Measures how many machine instructions ptxas makes of one PTX instruction.

For each row a kernel with k and one with 2k independent copies (load the operands, the instruction, store the
result) is assembled; the difference of their sizes, per copy, less one for each load, store and test that makes
a predicate operand, is the instruction's inline code. What remains of the kernel with k copies beside an empty
one is code that stands in it once: subroutines for slow paths, and constants. With --listing the same kernels
go through Duet's PTX compiler, and its count stands in a third column.
Addresses differ from thread to thread, as the assembler treats values that are the same in a warp in other ways.
What a kernel holds only once anyway (special registers) shows in the last column.
The table, kept in weights_sm75.txt, is the source of the numbers in src/ptx/opcodes.def and
src/ptx/decode/machine_weight.cpp. Exit status: 77 without ptxas.
"""
import argparse
import datetime
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
import cubin  # noqa: E402 (after the line above, so that no cache lands in the source tree)

K = 8
# Operand letters: r b32, l b64, h b16, f f32, d f64; P a predicate; anything else stands as it is. The first
# operand is the result, p for a predicate. A row may name the same instruction with a constant operand, which
# is what compilers mostly write.
ROWS = """
add.s32 r r r
sub.s32 r r r
add.s64 l l l
add.s64 l l 12345
sub.s64 l l l
neg.s32 r r
neg.s64 l l
abs.s32 r r
abs.s64 l l
mul.lo.s32 r r r
mul.lo.s64 l l l
mul.lo.s64 l l 24
mul.hi.s32 r r r
mul.hi.u32 r r r
mul.hi.s64 l l l
mul.hi.u64 l l l
mul.wide.s32 l r r
mul.wide.u32 l r r
mul.wide.s32 l r 4
mul.wide.s16 r h h
mul.lo.s16 h h h
mad.lo.s32 r r r r
mad.lo.s32 r r 24 r
mad.lo.s64 l l l l
mad.lo.s64 l l 8 l
mul.lo.s64 l l 8
mad.hi.s32 r r r r
mad.hi.u32 r r r r
mad.hi.u64 l l l l
mad.wide.s32 l r r l
mad.wide.s32 l r 4 l
mad.wide.s32 l r 4 %base
mad.wide.u32 l r r l
mul24.lo.s32 r r r
mul24.lo.u32 r r r
mad24.lo.s32 r r r r
sad.s32 r r r r
sad.u32 r r r r
sad.u64 l l l l
min.s32 r r r
min.s64 l l l
max.u64 l l l
min.f32 f f f
min.f64 d d d
and.b64 l l l
not.b64 l l
shl.b32 r r r
shl.b32 r r 3
shl.b64 l l r
shl.b64 l l 3
shr.u32 r r r
shr.s32 r r r
shr.u64 l l r
shr.u64 l l 3
shr.s64 l l r
shr.s64 l l 3
shr.u16 h h r
shl.b16 h h r
shr.s16 h h r
shf.l.wrap.b32 r r r r
shf.l.clamp.b32 r r r r
lop3.b32 r r r r 0x96
prmt.b32 r r r r
prmt.b32 r r r 0x5410
setp.lt.s32 p r r
setp.eq.s64 p l l
setp.lt.s64 p l l
setp.lt.u64 p l l
setp.lt.f32 p f f
setp.lt.f64 p d d
set.lt.u32.s32 r r r
set.lt.f32.f32 f f f
selp.b32 r r r P
selp.b64 l l l P
slct.s32.s32 r r r r
div.s32 r r r
div.u32 r r r
div.s32 r r 10
div.u32 r r 10
div.u32 r r 16
div.s32 r r 16
rem.s32 r r r
rem.u32 r r r
rem.s32 r r 10
rem.u32 r r 10
rem.u32 r r 16
rem.s32 r r 16
div.s64 l l l
div.u64 l l l
rem.s64 l l l
rem.u64 l l l
div.s16 h h h
div.u16 h h h
div.rn.f32 f f f
div.rn.ftz.f32 f f f
div.full.f32 f f f
div.approx.f32 f f f
div.full.ftz.f32 f f f
div.approx.ftz.f32 f f f
div.rn.f64 d d d
rcp.rn.f32 f f
rcp.approx.f32 f f
rcp.approx.ftz.f32 f f
rcp.rn.f64 d d
rcp.approx.ftz.f64 d d
sqrt.rn.f32 f f
sqrt.approx.f32 f f
sqrt.approx.ftz.f32 f f
sqrt.rn.f64 d d
rsqrt.approx.f32 f f
rsqrt.approx.ftz.f32 f f
rsqrt.approx.f64 d d
rsqrt.approx.ftz.f64 d d
sin.approx.f32 f f
cos.approx.f32 f f
sin.approx.ftz.f32 f f
lg2.approx.f32 f f
lg2.approx.ftz.f32 f f
ex2.approx.f32 f f
ex2.approx.ftz.f32 f f
tanh.approx.f32 f f
add.f32 f f f
mul.f32 f f f
fma.rn.f32 f f f f
add.f64 d d d
mul.f64 d d d
fma.rn.f64 d d d d
abs.f32 f f
neg.f32 f f
abs.f64 d d
neg.f64 d d
copysign.f32 f f f
copysign.f64 d d d
testp.finite.f32 p f
testp.infinite.f32 p f
testp.number.f32 p f
testp.normal.f32 p f
testp.subnormal.f32 p f
testp.finite.f64 p d
testp.infinite.f64 p d
testp.normal.f64 p d
popc.b32 r r
popc.b64 r l
clz.b32 r r
clz.b64 r l
brev.b32 r r
brev.b64 l l
bfind.u32 r r
bfind.s32 r r
bfind.u64 r l
bfind.s64 r l
bfe.u32 r r r r
bfe.s32 r r r r
bfe.u32 r r 4 8
bfe.s32 r r 4 8
bfe.u64 l l r r
bfe.s64 l l r r
bfi.b32 r r r r r
bfi.b32 r r r 4 8
bfi.b64 l l l r r
fns.b32 r r r r
szext.clamp.s32 r r r
szext.wrap.u32 r r r
bmsk.clamp.b32 r r r
bmsk.wrap.b32 r r r
cnot.b32 r r
cnot.b64 l l
dp4a.s32.s32 r r r r
dp4a.u32.u32 r r r r
dp2a.lo.s32.s32 r r r r
vabsdiff4.u32.u32.u32.add r r r r
vabsdiff2.u32.u32.u32.add r r r r
vadd.s32.s32.s32 r r r
vadd.u32.u32.u32.sat r r r
vadd.s32.s32.s32.sat.add r r r r
vmin.s32.s32.s32.max r r r r
vabsdiff.u32.u32.u32.add r r r r
vshl.u32.u32.u32.clamp r r r
vset.s32.s32.lt r r r
vmad.s32.s32.s32 r r r r
vadd2.s32.s32.s32 r r r r
vadd2.s32.s32.s32.sat r r r r
vavrg2.s32.s32.s32 r r r r
vmin2.u32.u32.u32 r r r r
vset2.s32.s32.lt r r r r
vadd4.u32.u32.u32 r r r r
vadd4.s32.s32.s32.sat r r r r
vavrg4.u32.u32.u32 r r r r
vmax4.u32.u32.u32 r r r r
vset4.u32.u32.gt r r r r
vabsdiff4.s32.s32.s32 r r r r
cvt.pack.sat.u16.s32 r r r
cvt.pack.sat.u8.s32.b32 r r r r
cvt.u64.u32 l r
cvt.u32.u64 r l
cvt.s64.s16 l h
cvt.u64.u16 l h
cvt.s64.s8 l r
cvt.s64.s32 l r
cvt.u32.u16 r h
cvt.s32.s16 r h
cvt.u32.u8 r r
cvt.s32.s8 r r
cvt.rn.f32.s32 f r
cvt.rn.f32.u32 f r
cvt.rn.f32.s64 f l
cvt.rn.f32.u64 f l
cvt.rn.f32.u16 f h
cvt.rn.f64.s32 d r
cvt.rn.f64.u64 d l
cvt.rzi.s32.f32 r f
cvt.rzi.u32.f32 r f
cvt.rzi.s64.f32 l f
cvt.rzi.u64.f64 l d
cvt.rzi.s32.f64 r d
cvt.f64.f32 d f
cvt.rn.f32.f64 f d
cvt.f32.f16 f h
cvt.rn.f16.f32 h f
cvt.rmi.f32.f32 f f
cvt.rzi.f32.f32 f f
cvt.rmi.f64.f64 d d
cvt.sat.f32.f32 f f
cvt.sat.u8.s32 r r
cvt.sat.s16.s32 h r
add.f16 h h h
add.f16x2 r r r
mul.f16x2 r r r
fma.rn.f16 h h h h
fma.rn.f16x2 r r r r
neg.f16x2 r r
add.s16 h h h
add.sat.s32 r r r
add.cc.u32 r r r
dp4a.s32.u32 r r r r
min.s16 h h h
neg.f16 h h
set.lt.f32.s32 f r r
setp.lt.and.s32 p r r P
and.pred p P P
prmt.b32.f4e r r r r
shfl.sync.idx.b32 r r r 31 -1
shfl.sync.bfly.b32 r r 1 31 -1
shfl.sync.down.b32 r r 1 31 -1
shfl.sync.up.b32 r r 1 0 -1
vote.sync.ballot.b32 r P -1
vote.sync.any.pred p P -1
match.any.sync.b32 r r -1
match.any.sync.b64 r l -1
match.all.sync.b32 r r -1
activemask.b32 r
atom.global.add.u32 r [0] r
atom.global.add.u64 l [0] l
atom.global.add.f32 f [0] f
atom.global.cas.b32 r [0] r r
atom.global.exch.b32 r [0] r
atom.global.min.s32 r [0] r
atom.global.inc.u32 r [0] r
atom.shared.add.u32 r [1] r
atom.shared.add.f32 f [1] f
atom.shared.add.u64 l [1] l
atom.shared.min.s32 r [1] r
atom.shared.cas.b32 r [1] r r
atom.shared.exch.b32 r [1] r
atom.global.add.f64 d [0] d
atom.shared.add.f64 d [1] d
red.global.add.u32 - [0] r
red.global.add.f32 - [0] f
red.shared.add.u32 - [1] r
membar.gl -
membar.cta -
membar.sys -
fence.sc.gpu -
fence.acq_rel.gpu -
bar.sync - 0
bar.warp.sync - -1
isspacep.shared p l
cvta.to.shared.u64 l l
cvta.shared.u64 l l
mov.u32 r %tid.x
mov.u32 r %ctaid.x
mov.u32 r %laneid
mov.u32 r %warpid
mov.u32 r %lanemask_lt
mov.u32 r %smid
mov.u32 r %clock
mov.u64 l %clock64
mov.u64 l %globaltimer
"""
# What a letter's register is called, declared as, and how many bytes it takes.
LETTERS = {"r": ("%r", "b32", 4), "l": ("%l", "b64", 8), "h": ("%h", "b16", 2), "f": ("%f", "f32", 4),
           "d": ("%d", "f64", 8)}


def kernel(row, copies):
    """The PTX of the row's kernel and how many loads, stores and tests a copy has."""
    name, result, *operands = row.split()
    lines, offset, register, fixed = [], 0, 0, 0
    for _ in range(copies):
        fixed, used = 0, []
        for operand in operands:
            register += 1
            if operand in LETTERS or operand == "P":
                prefix, kind, size = LETTERS[operand if operand != "P" else "r"]
                lines.append(f"ld.global.{kind} {prefix}{register}, [%in+{offset}];")
                offset += 8
                fixed += 1
                if operand == "P":
                    lines.append(f"setp.ne.s32 %p{register}, %r{register}, 0;")
                    prefix = "%p"
                    fixed += 1
                used.append(f"{prefix}{register}")
            elif operand.startswith("["):
                used.append(f"[%base+{offset + 4096}]" if operand == "[0]" else f"[%array+{offset}]")
            else:
                used.append(operand)
        register += 1
        if result == "-":
            lines.append(f"{name} {', '.join(used)};")
        elif result == "p":
            lines.append(f"{name} {', '.join([f'%p{register}'] + used)};")
            lines.append(f"@%p{register} st.global.u32 [%out+{offset}], %data;")
            fixed += 1
        else:
            prefix, kind, size = LETTERS[result]
            lines.append(f"{name} {', '.join([f'{prefix}{register}'] + used)};")
            lines.append(f"st.global.{kind} [%out+{offset}], {prefix}{register};")
            fixed += 1
        offset += 8
    declarations = "".join(f".reg .{kind} {prefix}<{register + 2}>;\n" for prefix, kind, _ in LETTERS.values())
    body = "\n".join(lines)
    return f""".version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{{
{declarations}.reg .pred %p<{register + 2}>;
.reg .b64 %in, %out, %base;
.reg .b32 %array, %data, %thread;
.reg .b64 %wide;
.shared .align 8 .b8 memory[8192];
ld.param.u64 %in, [a];
ld.param.u64 %out, [b];
ld.param.u64 %base, [c];
mov.u32 %thread, %tid.x;
mul.wide.u32 %wide, %thread, 4096;
add.s64 %in, %in, %wide;
add.s64 %out, %out, %wide;
add.s64 %base, %base, %wide;
ld.global.u32 %data, [%in+-8];
ld.global.u32 %array, [%in+-16];
ld.global.u32 %r0, [%base];
st.global.u32 [%out+-8], %data;
st.global.u32 [%out+-16], %array;
st.global.u32 [%out+-24], %r0;
{body}
ret;
}}
""", fixed


def machine_count(ptxas, text, folder):
    ptx, binary = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(ptx, "w", encoding="ascii") as file:
        file.write(text)
    if os.path.exists(binary):
        os.remove(binary)
    result = cubin.run([ptxas, "-arch=sm_75", ptx, "-o", binary])
    if not os.path.exists(binary):
        raise ValueError(result.stdout.strip().splitlines()[0])
    return cubin.kernels(binary)["k"].total


def our_count(listing, text, folder):
    ptx = os.path.join(folder, "k.ptx")
    with open(ptx, "w", encoding="ascii") as file:
        file.write(text)
    found = re.search(r"machine_instructions (\d+)", cubin.run([listing, ptx]).stdout)
    return int(found.group(1)) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listing", help="the program ptx_listing, for the third column")
    parser.add_argument("rows", nargs="*", help="rows instead of the table's")
    arguments = parser.parse_args()
    ptxas = cubin.tool("ptxas")
    if ptxas is None:
        print("skipped: ptxas is not installed")
        return 77
    print("# Written by python3 tests/assembler/measure_weights.py > tests/assembler/weights_sm75.txt")
    print(f"# Machine instructions per PTX instruction; ptxas {cubin.version(ptxas)}, sm_75, "
          f"{datetime.date.today().isoformat()}.")
    print("# inline: per use; once: subroutines and constants, once a kernel" +
          ("; duet: Duet's weight per use" if arguments.listing else ""))
    columns = f"{'# instruction and operands':36} inline   once"
    print(columns + ("   duet" if arguments.listing else ""))
    with tempfile.TemporaryDirectory() as folder:
        empty = machine_count(ptxas, kernel("mov.u32 r r", 0)[0], folder)
        for row in arguments.rows or ROWS.split("\n"):
            if not row:
                continue
            (less, fixed), (more, _) = kernel(row, K), kernel(row, 2 * K)
            try:
                small, large = machine_count(ptxas, less, folder), machine_count(ptxas, more, folder)
            except ValueError as error:
                print(f"# {row}: {error}")
                continue
            inline = (large - small) / K - fixed
            once = small - empty - K * (inline + fixed)
            line = f"{row:36} {inline:6.2f} {once:6.0f}"
            if arguments.listing:
                ours = [our_count(arguments.listing, text, folder) for text in (less, more)]
                line += "   none" if None in ours else f" {(ours[1] - ours[0]) / K - fixed:6.2f}"
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
