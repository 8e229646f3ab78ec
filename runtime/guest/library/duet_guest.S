# What a program on simulated cores is linked with in place of libcudart: every name of the CUDA runtime and of
# duet.h leaves the program here. The runtime runs outside of it, in the simulator (runtime/guest).
#
# A stub (stub_macro.inc) puts its name into t1. duet_guest_call keeps the argument registers on the stack, with where the
# caller's stack begins (arguments that registers have no room for), the time at which the call began, and room
# for an answer, and makes the system call that Duet serves: a0 the name's address, a1 that of these words. What
# is answered is what the function returns; the room is not 0 then if something is left to do, for which
# duet_guest_after_call is called, and what that returns counts. Structures and pointers follow the RISC-V calling convention (LP64D).

  .text
  .globl duet_guest_call
  .hidden duet_guest_call
  .type duet_guest_call, @function
duet_guest_call:
  rdtime t0
  addi sp, sp, -112
  sd a0, 0(sp)
  sd a1, 8(sp)
  sd a2, 16(sp)
  sd a3, 24(sp)
  sd a4, 32(sp)
  sd a5, 40(sp)
  sd a6, 48(sp)
  sd a7, 56(sp)
  addi t2, sp, 112
  sd t2, 64(sp)
  sd t0, 72(sp)
  sd zero, 80(sp)
  mv a0, t1
  mv a1, sp
  li a7, 0x44554554
  ecall
  ld t0, 80(sp)
  bnez t0, 1f
  addi sp, sp, 112
  ret
1:
  sd ra, 96(sp)
  mv a1, a0
  mv a0, t0
  mv a2, sp
  call duet_guest_after_call
  ld ra, 96(sp)
  addi sp, sp, 112
  ret

#include "stub_macro.inc"
#include "stubs.inc"
