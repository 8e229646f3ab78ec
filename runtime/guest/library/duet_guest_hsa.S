# What a program on simulated cores is linked with in place of libhsa-runtime64 (`duet cc --host riscv64 ... -lhsa-runtime64`).
# Every function leaves the program, but for those that duet_guest_hsa.cpp has: these leave it as duet_call_NAME.

#include "stub_macro.inc"

.macro HSA_STUB name
  STUB \name
  .section .text.\name, "ax", @progbits
  .globl duet_call_\name
  .hidden duet_call_\name
  .type duet_call_\name, @function
  .set duet_call_\name, \name
.endm

#include "hsa_stubs.inc"
