#!/usr/bin/env python3
"""Which instruction forms Duet accepts, and which of them a test of forms/ executes.

FORMS lists the forms of the PTX ISA (opcode, modifiers, types) for every opcode that the decoder knows. Each becomes a
kernel of one instruction, and `ptx_runner` says whether it compiles and runs; a form counts as tested when a file of
forms/ holds the very same opcode text. Forms of memory instructions are listed without orderings, scopes and cache hints.

coverage.tsv beside this file holds the result for `duet ptx coverage`; --write brings it up to date.
Usage: coverage.py --runner PTX_RUNNER [--list] [--check] [--write]
ILLEGAL lists forms that PTX does not have; each must be refused as malformed.
--list prints every form with its verdict, --check fails if an accepted form has no test an illegal one is accepted,
or coverage.tsv is not current."""

import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"8": "h", "16": "h", "32": "r", "64": "d"}

# Opcode text with {a,b} alternatives, then operands: h r d a register of 16, 32, 64 bits; t u v one of the form's first,
# second, third type; w one of twice the first type's width; p a predicate, P a pair of them, Q a register and a predicate;
# g s l c an address in global, shared, local, constant memory, G a generic one; anything else stands for itself.
INT = "{u16,s16,u32,s32,u64,s64}"
ROUND = "{rn,rz,rm,rp}"
HALF = "{f16,f16x2,bf16,bf16x2}"
ORDER = "{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}"
ALL_INT = "{u8,s8,u16,s16,u32,s32,u64,s64}"
ATOMS = ["add.{u32,s32,u64,f32,f64}", "add.noftz.{f16,f16x2,bf16,bf16x2}", "{min,max}.{u32,s32,u64,s64}", "{and,or,xor}.{b32,b64}",
         "{inc,dec}.u32"]
FORMS = [
    ("{add,sub}.%s" % INT, "t t t"), ("{add,sub}.sat.s32", "t t t"),
    ("{add,sub}.cc.{u32,s32,u64,s64}", "t t t"), ("{addc,subc}{,.cc}.{u32,s32,u64,s64}", "t t t"),
    ("{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "t t t"), ("{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64", "t t t"),
    ("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}", "t t t"), ("{add,sub,mul}{,.rn}.{bf16,bf16x2}", "t t t"),
    ("mul.{lo,hi}.%s" % INT, "t t t"), ("mul.wide.{u16,s16,u32,s32}", "w t t"),
    ("mad.{lo,hi}.%s" % INT, "t t t t"), ("mad.wide.{u16,s16,u32,s32}", "w t t w"), ("mad.hi.sat.s32", "t t t t"),
    ("mad.{lo,hi}.cc.{u32,s32,u64,s64}", "t t t t"), ("madc.{lo,hi}{,.cc}.{u32,s32,u64,s64}", "t t t t"),
    ("mul24.{lo,hi}.{u32,s32}", "t t t"), ("mad24.{lo,hi}.{u32,s32}", "t t t t"), ("mad24.hi.sat.s32", "t t t t"),
    ("mad.%s{,.ftz}{,.sat}.f32" % ROUND, "t t t t"), ("mad.%s.f64" % ROUND, "t t t t"),
    ("fma.%s{,.ftz}{,.sat}.f32" % ROUND, "t t t t"), ("fma.%s.f64" % ROUND, "t t t t"),
    ("{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}.f32x2", "d d d"), ("fma.%s{,.ftz}.f32x2" % ROUND, "d d d d"),
    ("fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}", "t t t t"), ("fma.rn{,.relu}.{bf16,bf16x2}", "t t t t"),
    ("sad.%s" % INT, "t t t t"), ("{div,rem}.%s" % INT, "t t t"), ("{abs,neg}.{s16,s32,s64}", "t t"),
    ("div.%s{,.ftz}.f32" % ROUND, "t t t"), ("div.%s.f64" % ROUND, "t t t"), ("div.{approx,full}{,.ftz}.f32", "t t t"),
    ("{rcp,sqrt}.%s{,.ftz}.f32" % ROUND, "t t"), ("{rcp,sqrt}.%s.f64" % ROUND, "t t"), ("rcp.approx.ftz.f64", "t t"),
    ("{rcp,sqrt,rsqrt,sin,cos,lg2,ex2}.approx{,.ftz}.f32", "t t"), ("rsqrt.approx{,.ftz}.f64", "t t"),
    ("tanh.approx.{f32,f16,f16x2,bf16,bf16x2}", "t t"), ("ex2.approx.{f16,f16x2}", "t t"), ("ex2.approx.ftz.{bf16,bf16x2}", "t t"),
    ("{abs,neg}{,.ftz}.f32", "t t"), ("{abs,neg}.f64", "t t"), ("{abs,neg}{,.ftz}.{f16,f16x2}", "t t"),
    ("{abs,neg}.{bf16,bf16x2}", "t t"),
    ("{min,max}.%s" % INT, "t t t"), ("{min,max}.relu.s32", "t t t"), ("{add,min,max}.{u16x2,s16x2}", "r r r"),
    ("{min,max}.relu.s16x2", "r r r"), ("{min,max}{,.ftz}{,.NaN}.abs.f32", "t t t t"),
    ("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32", "t t t"), ("{min,max}.f64", "t t t"),
    ("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16,f16x2}", "t t t"), ("{min,max}{,.NaN}{,.xorsign.abs}.{bf16,bf16x2}", "t t t"),
    ("{popc,clz}.{b32,b64}", "r t"), ("bfind{,.shiftamt}.{u32,s32,u64,s64}", "r t"), ("brev.{b32,b64}", "t t"),
    ("fns.b32", "r r r r"), ("bfe.{u32,s32,u64,s64}", "t t r r"), ("bfi.{b32,b64}", "t t t r r"),
    ("szext.{clamp,wrap}.{u32,s32}", "t t r"), ("bmsk.{clamp,wrap}.b32", "t r r"),
    ("dp4a.{u32,s32}.{u32,s32}", "r r r r"), ("dp2a.{lo,hi}.{u32,s32}.{u32,s32}", "r r r r"),
    ("{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}", "r r r"),
    ("{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}.{add,min,max}", "r r r r"),
    ("{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap}", "r r r"),
    ("{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap}.{add,min,max}", "r r r r"),
    ("vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}", "r r r"), ("vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}.{add,min,max}", "r r r r"),
    ("vmad.{u32.u32.u32,s32.u32.s32,s32.s32.u32,s32.s32.s32}{,.po}{,.sat}{,.shr7,.shr15}", "r r r r"),
    ("vset{2,4}.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}{,.add}", "r r r r"), ("{vadd,vsub,vavrg,vabsdiff,vmin,vmax}{2,4}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat,.add}", "r r r r"),
    ("testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}", "p t"), ("copysign.{f32,f64}", "t t t"),
    ("setp.{eq,ne}.{b16,b32,b64}", "p t t"), ("setp.{eq,ne,lt,le,gt,ge}.%s" % INT, "p t t"),
    ("setp.{lo,ls,hi,hs}.{u16,u32,u64}", "p t t"), ("setp.%s{,.ftz}.f32" % ORDER, "p t t"), ("setp.%s.f64" % ORDER, "p t t"),
    ("setp.%s{,.ftz}.f16" % ORDER, "p t t"), ("setp.%s.bf16" % ORDER, "p t t"),
    ("setp.%s{,.ftz}.f16x2" % ORDER, "P t t"), ("setp.%s.bf16x2" % ORDER, "P t t"),
    ("setp.eq.{and,or,xor}.{b16,b32,b64}", "P t t p"), ("setp.{eq,lt}.{and,or,xor}.{u16,s16,u32,s32,u64,s64,f32,f64}", "P t t p"),
    ("set.{eq,ne,lt,le,gt,ge}.{u32,s32,f32}.%s" % INT, "t u u"), ("set.{eq,ne}.{u32,s32,f32}.{b16,b32,b64}", "t u u"),
    ("set.%s{,.ftz}.{u32,s32,f32}.f32" % ORDER, "t u u"), ("set.%s.{u32,s32,f32}.f64" % ORDER, "t u u"),
    ("set.%s{,.ftz}.{f16,u16,s16,u32,s32}.f16" % ORDER, "t u u"), ("set.%s.{bf16,u16,s16,u32,s32}.bf16" % ORDER, "t u u"),
    ("set.%s{,.ftz}.{f16x2,u32,s32}.f16x2" % ORDER, "t u u"), ("set.%s.{bf16x2,u32,s32}.bf16x2" % ORDER, "t u u"),
    ("set.ge.{and,or,xor}.u32.{u32,s32,f32}", "t u u p"),
    ("selp.{b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64}", "t t t p"),
    ("slct.{b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64}.s32", "t t t r"),
    ("slct{,.ftz}.{b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64}.f32", "t t t r"),
    ("{and,or,xor}.{b16,b32,b64}", "t t t"), ("{not,cnot}.{b16,b32,b64}", "t t"), ("{and,or,xor}.pred", "p p p"), ("not.pred", "p p"),
    ("lop3.b32", "r r r r 0x1b"), ("lop3.{and,or}.b32", "Q r r r 0x1b p"),
    ("shl.{b16,b32,b64}", "t t r"), ("shr.{b16,b32,b64,u16,s16,u32,s32,u64,s64}", "t t r"), ("shf.{l,r}.{clamp,wrap}.b32", "r r r r"),
    ("prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "r r r r"),
    ("mov.{b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64}", "t t"), ("mov.pred", "p p"),
    ("mov.v2.{b32,u32,s32,f32,b16,b64}", "2 2"), ("mov.v4.{b32,u32,s32,f32,b16}", "4 4"),
    ("cvt.%s.%s" % (ALL_INT, ALL_INT), "t u"), ("cvt.sat.{u8,u16,u32,u64}.{s8,s16,s32,s64}", "t u"),
    ("cvt.sat.{u8,s8}.{u16,u32,u64}", "t u"), ("cvt.sat.s8.{u8,s16,s32,s64}", "t u"), ("cvt.sat.{u16,s16}.{u32,u64}", "t u"),
    ("cvt.sat.s16.{u16,s32,s64}", "t u"), ("cvt.sat.{u32,s32}.u64", "t u"), ("cvt.sat.s32.{u32,s64}", "t u"), ("cvt.sat.s64.u64", "t u"), ("cvt.%s.{f16,f32,f64}.%s" % (ROUND, ALL_INT), "t u"),
    ("cvt.%s.bf16.%s" % (ROUND, ALL_INT), "t u"), ("cvt.%s.sat.{f16,f32,f64}.%s" % (ROUND, ALL_INT), "t u"),
    ("cvt.{rni,rzi,rmi,rpi}.%s.{f16,f32,f64,bf16}" % ALL_INT, "t u"), ("cvt.{rni,rzi,rmi,rpi}.ftz.%s.f32" % ALL_INT, "t u"),
    ("cvt.{rni,rzi,rmi,rpi}.sat.%s.{f32,f64}" % ALL_INT, "t u"),
    ("cvt.{rni,rzi,rmi,rpi}{,.sat}.f16.f16", "t u"), ("cvt.{rni,rzi,rmi,rpi}.bf16.bf16", "t u"),
    ("cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.f32.f32", "t u"), ("cvt.{rni,rzi,rmi,rpi}{,.sat}.f64.f64", "t u"),
    ("cvt.%s{,.sat}.f16.{f32,f64}" % ROUND, "t u"), ("cvt.%s.ftz.f16.f32" % ROUND, "t u"),
    ("cvt{,.sat}.{f32,f64}.f16", "t u"), ("cvt.ftz.f32.f16", "t u"), ("cvt.sat.f16.f16", "t u"), ("cvt.f16.f16", "t u"),
    ("cvt{,.ftz}{,.sat}.f64.f32", "t u"), ("cvt.%s{,.ftz}{,.sat}.f32.f64" % ROUND, "t u"),
    ("cvt{,.ftz}{,.sat}.f32.f32", "t u"), ("cvt{,.sat}.f64.f64", "t u"),
    ("cvt.{rn,rz}{,.relu}{,.satfinite}.{bf16,f16}.f32", "t u"), ("cvt.{rn,rz}{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32", "r r r"),
    ("cvt.rs.{f16x2,bf16x2}.f32", "r r r r"), ("cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32", "h r r"),
    ("cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f16x2", "h r"), ("cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2}", "r h"),
    ("cvt.rn.satfinite.{e2m1x2,e2m3x2,e3m2x2}.f32", "h r r"), ("cvt.rz.ue8m0x2.f32", "h r r"),
    ("cvt.{rn,rz,rm,rp}.bf16.{f16,f64}", "t u"), ("cvt.f32.bf16", "t u"), ("cvt.f64.bf16", "t u"), ("cvt.rn.f16.bf16", "t u"),
    ("cvt.{rna,rn,rz}{,.satfinite}.tf32.f32", "r r"), ("cvt.{rn,rz}{,.satfinite}.relu.tf32.f32", "r r"),
    ("cvt.pack.sat.{s16,u16}.s32", "r r r"), ("cvt.pack.sat.{s2,u2,s4,u4,s8,u8}.s32.b32", "r r r r"),
    ("isspacep.{global,shared,local,const}", "p d"), ("cvta{,.to}.{global,shared,local,const}.u64", "d d"),
    ("shfl.sync.{up,down,bfly,idx}.b32", "Q r r r -1"), ("shfl.{up,down,bfly,idx}.b32", "r r r r"),
    ("vote.sync.{all,any,uni}.pred", "p p -1"), ("vote.sync.ballot.b32", "r p -1"), ("vote.{all,any,uni}.pred", "p p"),
    ("vote.ballot.b32", "r p"), ("match.any.sync.{b32,b64}", "r t -1"), ("match.all.sync.{b32,b64}", "Q t -1"),
    ("activemask.b32", "r"), ("redux.sync.{add,min,max}.{u32,s32}", "t t -1"), ("redux.sync.{and,or,xor}.b32", "t t -1"),
    ("redux.sync.{min,max}{,.abs}{,.NaN}.f32", "t t -1"), ("elect.sync", "Q -1"),
    ("ld.{global,shared,local,const}.{b8,b16,b32,b64,u8,s8,u16,s16,u32,s32,u64,s64,f32,f64}", "t A"),
    ("ld.{global,shared,local,const}.v2.{b8,b16,b32,b64,u8,s8,u16,s16,u32,s32,u64,s64,f32,f64}", "2 A"),
    ("ld.{global,shared,local,const}.v4.{b8,b16,b32,u8,s8,u16,s16,u32,s32,f32}", "4 A"),
    ("ld.global.v8.{b32,u32,s32,f32}", "8 g"), ("ld.global.v4.{b64,u64,s64,f64}", "4 g"),
    ("ld{,.global,.shared,.local,.const}.v8.{b8,u8,s8,b16,u16,s16}", "8 A"), ("st{,.global,.shared,.local}.v8.{b8,u8,s8,b16,u16,s16}", "A 8"), ("ld.{u8,s16,u32,u64}", "t G"), ("ldu.global.{u8,u32,u64}", "t g"), ("ldu.global.v2.u32", "2 g"),
    ("st.{global,shared,local}.{b8,b16,b32,b64,u8,s8,u16,s16,u32,s32,u64,s64,f32,f64}", "A t"),
    ("st.{global,shared,local}.v2.{b8,b16,b32,b64,u8,s8,u16,s16,u32,s32,u64,s64,f32,f64}", "A 2"),
    ("st.{global,shared,local}.v4.{b8,b16,b32,u8,s8,u16,s16,u32,s32,f32}", "A 4"), ("st.{u8,s16,u32,u64}", "G t"),
    ("st.global.v8.{b32,u32,s32,f32}", "g 8"), ("st.global.v4.{b64,u64,s64,f64}", "g 4"), ("{add,sub}{,.rn,.rz,.rm,.rp}{,.sat}.f32.{f16,bf16}", "r h r"),
    ("fma.{rn,rz,rm,rp}{,.sat}.f32.{f16,bf16}", "r h h r"),
    *[("atom{,.global,.shared}." + form, "t A t") for form in ATOMS], *[("red{,.global,.shared}." + form, "A t") for form in ATOMS],
    ("atom{,.global,.shared}.exch.{b32,b64}", "t A t"), ("atom{,.global,.shared}.cas.{b16,b32,b64}", "t A t t"),
    ("prefetch.global.{L1,L2}", "g"), ("prefetchu.L1", "G"), ("membar.{cta,gl,sys}", ""), ("fence.{sc,acq_rel}.{cta,gpu,sys}", ""),
    ("nanosleep.u32", "1"), ("pmevent", "3"), ("griddepcontrol.{wait,launch_dependents}", ""),
    ("bar.sync", "0"), ("bar.arrive", "1 64"), ("bar.red.popc.u32", "r 1 p"), ("bar.red.{and,or}.pred", "p 1 p"), ("bar.warp.sync", "-1"),
    ("barrier.sync", "0"), ("barrier.red.popc.u32", "r 1 p"), ("barrier.red.{and,or}.pred", "p 1 p"),
]
# Forms that PTX does not have: types of another class, roundings left out, modifiers where none may stand.
ILLEGAL = [
    ("{add,sub,sad,min,max}.{b16,b32,b64}", "t t t t"), ("{add,sub}.sat.{u32,s64,bf16}", "t t t"), ("{add,sub}.rn.u32", "t t t"),
    ("{add,sub}.cc.{u16,f32}", "t t t"), ("{addc,subc}.{b32,f32}", "t t t"), ("{add,mul}.ftz.{f64,bf16}", "t t t"),
    ("mul.lo.{b32,b64}", "t t t"), ("mad.{lo,hi}.{b16,b32}", "t t t t"), ("madc.lo.{b16,b32}", "t t t t"),
    ("{mul,mul24}.lo.cc.u32", "t t t"), ("mad24.lo.cc.u32", "t t t t"),
    ("mul24.lo.{u16,u64,b32}", "t t t"), ("mul24.wide.u32", "d r r"), ("mad24.hi.{u64,s64}", "t t t t"),
    ("fma.{f16,f16x2,bf16,f32,f64}", "t t t t"), ("fma.rn.ftz.{f64,bf16}", "t t t t"), ("fma.rn.sat.{f64,bf16}", "t t t t"),
    ("fma.rn.{u32,b32}", "t t t t"), ("mad.{f32,f64}", "t t t t"), ("{div,rem}.{b16,b32,b64}", "t t t"), ("div.{f32,f64}", "t t t"),
    ("div{,.ftz}.f32", "t t t"), ("div.rn.ftz.f64", "t t t"), ("div.{approx,full}.f64", "t t t"), ("rem.f32", "t t t"),
    ("{abs,neg}.{u16,u32,u64,b32}", "t t"), ("{abs,neg}.ftz.{f64,bf16,s32}", "t t"),
    ("{rcp,sqrt,rsqrt,sin,cos,lg2,ex2,tanh}.f32", "t t"), ("{rcp,sqrt,rsqrt}.f64", "t t"), ("{rcp,sqrt}.rn.{u32,f16}", "t t"),
    ("sqrt.approx.f64", "t t"), ("rcp.approx.f64", "t t"), ("{sin,cos,lg2,ex2}.approx.f64", "t t"),
    ("{sin,cos,lg2}.approx.f16", "t t"), ("rsqrt.rn.f32", "t t"),
    ("{min,max}.NaN.{f64,u32}", "t t t"), ("{min,max}.ftz.{f64,bf16,s32}", "t t t"), ("{min,max}.xorsign.abs.f64", "t t t"),
    ("{popc,clz,brev}.{u32,s32,u64,b16}", "r t"), ("bfind.{b32,b64,u16}", "r t"), ("bfe.{b32,b64,u16}", "t t r r"),
    ("bfi.{u32,s64,b16}", "t t t r r"), ("szext.clamp.b32", "t t r"), ("bmsk.clamp.u32", "t r r"), ("dp4a.b32.b32", "r r r r"),
    ("{and,or,xor}.{u16,u32,s32,u64,f32}", "t t t"), ("{not,cnot}.{u32,s32,u64}", "t t"), ("lop3.u32", "r r r r 0x1b"),
    ("shl.{u16,u32,s32,u64}", "t t r"), ("shf.l.clamp.u32", "r r r r"), ("prmt.u32", "r r r r"), ("testp.finite.{b32,f16}", "p t"),
    ("copysign.{b32,f16}", "t t t"), ("setp.{lo,ls,hi,hs}.{s16,s32,s64,f32,b32}", "p t t"), ("setp.{lt,le,gt,ge}.{b16,b32,b64}", "p t t"),
    ("setp.{equ,num,nan}.{u32,s64,b32}", "p t t"), ("setp.eq.{b8,u8}", "p t t"), ("setp.lt.ftz.{f64,u32}", "p t t"),
    ("set.lt.{u64,f64,s64,b32}.u32", "t u u"), ("set.lt.{u16,s16}.u32", "t u u"), ("set.lt.u32.b32", "t u u"), ("set.lo.u32.s32", "t u u"),
    ("vadd.{u64,b32}.u32.u32", "r r r"), ("vadd2.u32.u32.u32.sat.add", "r r r r"), ("vset.u32.u32", "r r r"), ("vshl.u32.u32.u32", "r r r"),
    ("{min,max}.relu.{u32,s64,u16x2}", "t t t"), ("fma.rn.relu.{f32,f64}", "t t t t"), ("fma.rn.sat.relu.f16", "t t t t"),
    ("fma.f32x2", "d d d d"), ("add.sat.f32x2", "d d d"), ("cvt.rna.{f16,bf16}.f32", "t u"), ("cvt.u32.{b8,b16,b32}", "t u"), ("cvt.rn.{u32,s8}.{s64,u16}", "t u"), ("cvt.rzi.u16.u32", "t u"),
    ("cvt.sat.{u32,s64}.{u8,u16,u32}", "t u"), ("cvt.rn.f32.{f16,f32}", "t u"), ("cvt.rn.f64.{f16,f32,f64}", "t u"), ("cvt.rni.{f32.f16,f64.f32,f32.f64,f16.f32}", "t u"),
    ("cvt.rzi.ftz.{u32.f64,s32.f16}", "t u"), ("cvt.ftz.{f64.f64,f64.f16}", "t u"), ("cvt.rn.ftz.f16.f64", "t u"), ("cvt.rn.sat.bf16.f32", "t u"), ("cvt.sat.f32.bf16", "t u"),
    ("set.eq.{f32.f16,f16.bf16,u16.u32}", "t u u"), ("ex2.approx.{bf16,bf16x2}", "t t"), ("ex2.approx.ftz.{f16,f16x2}", "t t"), ("mad24.lo.sat.s32", "t t t t"),
    ("{add,mul,fma,div,rcp}.rni.f32", "t t t t"), ("add.ftz.f32.f16", "r h r"), ("atom.global.add.{f16,f16x2,bf16,s64}", None), ("atom.global.{add.noftz.u32,add.noftz.f32,min.noftz.u32,exch.noftz.b32}", None), ("cvt.rn.{sat,ftz}.tf32.f32", "r r"), ("red.global.exch.b32", None), ("cvt.rn.relu.f32.f64", "t u"), ("cvt.rna.relu.tf32.f32", "r r"),
    ("cvt.rn.e4m3x2.f32", "h r r"), ("cvt.rz.satfinite.e5m2x2.f32", "h r r"), ("cvt.pack.{u16,s16}.s32", "r r r"),
    ("ld.{shared,local}.v8.b32", "8 A"), ("ld.global.v8.b64", "8 A"), ("mov.v4.b64", "4 4"), ("st.shared.v4.b64", "A 4"),
    ("cvt.%s.{f16,f32,f64,bf16}" % ALL_INT, "t u"), ("cvt.rn.%s.f32" % ALL_INT, "t u"), ("cvt.{f16,f32,f64,bf16}.%s" % ALL_INT, "t u"),
    ("cvt.{f16,bf16}.{f32,f64}", "t u"), ("cvt{,.ftz}.f32.f64", "t u"), ("cvt.{f16x2,bf16x2}.f32", "r r r"), ("cvt.tf32.f32", "r r"),
    ("{atom,red}.global.{min,max}.{f32,f64,b32}", None), ("{atom,red}.{inc,dec}.{s32,u64,b32}", None), ("{atom,red}.shared.add.b32", None),
    ("{atom,red}.global.{and,or,xor}.{u32,s32,u64,f32}", None),
    ("redux.sync.add.{u64,s64,b32,f32}", "t t -1"), ("redux.sync.{min,max}.{b32,u64}", "t t -1"), ("redux.sync.{and,or,xor}.{u32,s32,f32}", "t t -1"),
    ("match.any.sync.{u32,s64,f32}", "r t -1"),
]
TYPE = re.compile(r"^(?:[busf]|bf)(8|16|32|64)(x2)?$")
NARROW = re.compile(r"^(?:[us][24]|e\dm\dx2|ue8m0x2)$")
LETTERS = {"f32x2": "d", "e4m3x2": "h", "e5m2x2": "h", "tf32": "r"}


def expand(pattern):
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", pattern)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def types(form):
    """The register letter of each type that a form names."""
    letters = []
    for word in form.split("."):
        match = TYPE.match(word)
        if word in LETTERS or match:
            letters.append(LETTERS.get(word) or ("r" if match.group(2) else SIZES[match.group(1)]))
    return letters


def operand(letter, form, counter):
    letters = types(form)
    if letter in "tuv":
        letter = letters["tuv".index(letter)]
    elif letter == "w":
        letter = {"h": "r", "r": "d"}[letters[0]]
    if letter == "A":
        space = next((s for s in ("global", "shared", "local", "const") if s in form.split(".")), None)
        letter = {"global": "g", "shared": "s", "local": "l", "const": "c", None: "G"}[space]
    if letter in "hrdp":
        counter[letter] = (counter[letter] + 1) % (9 if letter == "r" else 5)
        return "%%%s%d" % (letter, counter[letter])
    if letter in "248":
        return "{%s}" % ", ".join(operand("t", form, counter) for _ in range(int(letter)))
    return {"P": "%p3|%p4", "Q": "%r0|%p4", "g": "[%at]", "G": "[%at]", "s": "[tile]", "l": "[mine]", "c": "[fixed]"}.get(letter, letter)


def probe(form, operands):
    """A test file of one instruction; it only expects that nothing else is written."""
    counter = dict.fromkeys("hrdp", -1)
    text = ", ".join(word if re.match(r"^-?\d", word) and word not in "248" else operand(word, form, counter)
                     for word in operands.split())
    return ("// duet-test: kernel=test grid=1 block=32\n// arg: out u32 64\n// arg: out u32 1\n// expect 1 u32: 0\n.version 8.6\n.target sm_100\n.address_size 64\n"
            ".const .align 16 .b8 fixed[64];\n.visible .entry test(.param .u64 p0, .param .u64 p1)\n{\n  .reg .pred %%p<5>;\n  .reg .b16 %%h<5>;\n"
            "  .reg .b32 %%r<9>;\n  .reg .b64 %%d<5>;\n  .reg .b64 %%at;\n  .shared .align 16 .b8 tile[64];\n"
            "  .local .align 16 .b8 mine[64];\n  ld.param.u64 %%at, [p0];\n  %s %s;\n  ret;\n}\n" % (form, text))


def tested_forms():
    """Opcode text -> a file of forms/ that executes it, by its name if it has one: generated preambles (addresses, lane numbers) count too."""
    tested = {}
    for path in HERE.glob("forms/*/*.ptx"):
        if "// duet-unsupported" in path.read_text():
            continue
        for line in path.read_text().splitlines():
            match = re.match(r"^\s*(?:@!?%\w+\s+)?([a-z][\w.:]*)\b[^:]", line)
            if match and not line.startswith("//"):
                tested.setdefault(match.group(1), set()).add(path)

    def fit(form, name):
        return 0 if name == form + ".ptx" else 1 if name.startswith(form + ".") else 2 if name.startswith(form.split(".")[0]) else 3
    chosen = {form: min(paths, key=lambda path: (fit(form, path.name), path.name)) for form, paths in tested.items()}
    return {form: path.relative_to(HERE / "forms").as_posix() for form, path in chosen.items()}


def refusals(runner, forms):
    """Form -> the text with which the compiler refuses it; ends the program if the runner does not come to its end."""
    with tempfile.TemporaryDirectory() as folder:
        for form, operands in forms.items():
            (pathlib.Path(folder) / (form + ".ptx")).write_text(probe(form, operands))
        done = subprocess.run([runner, folder], capture_output=True, text=True, check=False)
    if not re.search(r"^\d+ passed, \d+ failed$", done.stdout, flags=re.M):
        sys.exit("the runner ended with status %d before its last line" % done.returncode)
    refused = {}
    for line in done.stdout.splitlines():
        match = re.match(r".*/([^/:]+)\.ptx(?: \(peepholes off\))?: (.*)", line)
        if match:
            refused.setdefault(match.group(1), match.group(2))
    return refused


def illegal_forms():
    """Forms that PTX lacks -> operands, as many as the opcode takes."""
    legal = {form.split(".")[0]: operands for pattern, operands in FORMS for form in expand(pattern)}
    known = {form for pattern, _ in FORMS for form in expand(pattern)}
    forms = {}
    for pattern, operands in ILLEGAL:
        for form in expand(pattern):
            assert form not in known, form
            words = ("A t" if form.startswith("red.") else "t A t") if operands is None else operands
            forms[form] = " ".join(words.split()[:len(legal[form.split(".")[0]].split())]) if words == "t t t t" else words
    return forms


def table(forms, refused, tested):
    """The text of coverage.tsv: opcode, types, form, verdict, detail."""
    lines = ["# Written by python3 tests/ptx/coverage.py --runner PTX_RUNNER --write. Opcode, types, form, \"tested\" and a file of tests/ptx/forms or \"refused\" and the compiler's words."]
    for form in forms:
        words = form.split(".")
        named = [word for word in words[1:] if word in LETTERS or word == "pred" or TYPE.match(word) or NARROW.match(word)]
        text = re.sub(r" \([^)]*\.ptx:\d+\)", "", re.sub(r"^kernel '\w+': ", "", refused.get(form, "")))
        detail = ["tested", tested.get(form, "no test")] if form not in refused else ["refused", text]
        lines.append("\t".join([words[0], ".".join(named), form] + detail))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    forms = {form: operands for pattern, operands in FORMS for form in expand(pattern)}
    refused = refusals(options.runner, forms)
    tested = tested_forms()
    accepted = [form for form in forms if form not in refused]
    missing = [form for form in accepted if form not in tested]
    if options.list:
        for form in forms:
            print("%-44s %s" % (form, tested.get(form, "accepted, NO TEST") if form not in refused else "refused: " + refused[form]))
    elif missing:
        print("without a test: " + " ".join(missing))
    print("%d forms: %d refused, %d accepted, of which %d have a test" % (
        len(forms), len(refused), len(accepted), len(accepted) - len(missing)))
    illegal = illegal_forms()
    texts = refusals(options.runner, illegal)
    passed = [form for form in illegal if "is malformed" not in texts.get(form, "")]
    for form in passed:
        print("PTX has no '%s', but the compiler says: %s" % (form, texts.get(form, "nothing")))
    print("%d forms that PTX does not have, of which %d are refused as such" % (len(illegal), len(illegal) - len(passed)))
    page, text = HERE / "coverage.tsv", table(forms, refused, tested)
    if options.write:
        page.write_text(text)
    stale = not page.exists() or page.read_text() != text
    if stale:
        print("coverage.tsv is not current: coverage.py --write")
    return 1 if options.check and (missing or passed or stale) else 0


if __name__ == "__main__":
    sys.exit(main())
