// The environment that the tests of riscv-tests are written for (RVTEST_..., test_macros.h), in user mode on
// Linux: a test ends with exit(0), or with exit(number of the case that failed).
#ifndef DUET_RISCV_TEST_H
#define DUET_RISCV_TEST_H
/* clang-format off */ /* lines of assembly */

#define TESTNUM gp

#define RVTEST_RV64U .macro init; .endm
#define RVTEST_RV64UF .macro init; csrwi fcsr, 0; .endm

#define RVTEST_CODE_BEGIN \
  .text;                  \
  .globl _start;          \
  _start:                 \
  li TESTNUM, 0;          \
  init
#define RVTEST_CODE_END ebreak

#define RVTEST_PASS \
  li a0, 0;         \
  li a7, 93;        \
  ecall
#define RVTEST_FAIL \
  mv a0, TESTNUM;   \
  li a7, 93;        \
  ecall

#define EXTRA_DATA
#define RVTEST_DATA_BEGIN .align 4;
#define RVTEST_DATA_END .align 4;

#endif
