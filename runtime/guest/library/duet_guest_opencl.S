# What a program on simulated cores is linked with in place of libOpenCL (`duet cc --host riscv64 ... -lOpenCL`),
# and the addresses of the functions that it may ask for by name (duet_guest_opencl.cpp).

#include "stub_macro.inc"
#include "opencl_stubs.inc"

.macro NAME name
  .pushsection .rodata.duet_guest_opencl_text, "a", @progbits
1:
  .asciz "\name"
  .popsection
  .dword 1b, \name
.endm

  .section .data.rel.ro.duet_guest_opencl_names, "aw", @progbits
  .balign 8
  .globl duet_guest_opencl_names
  .hidden duet_guest_opencl_names
duet_guest_opencl_names:
#include "opencl_names.inc"
  .dword 0, 0
