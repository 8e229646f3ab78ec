// The model that riscv-arch-test asks for: a program in user mode on Linux, which writes its signature to its
// standard output and ends.
#ifndef DUET_MODEL_TEST_H
#define DUET_MODEL_TEST_H
/* clang-format off */ /* lines of assembly */

#define RVMODEL_BOOT
#define RVMODEL_HALT          \
  li a0, 1;                   \
  lla a1, begin_signature;    \
  lla a2, end_signature;      \
  sub a2, a2, a1;             \
  li a7, 64;                  \
  ecall;                      \
  li a0, 0;                   \
  li a7, 93;                  \
  ecall;
#define RVMODEL_DATA_BEGIN .align 4; .global begin_signature; begin_signature:
#define RVMODEL_DATA_END .align 4; .global end_signature; end_signature:

#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(register, text)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(s, r, i)
#define RVMODEL_IO_ASSERT_SFPR_EQ(f, r, i)
#define RVMODEL_IO_ASSERT_DFPR_EQ(d, r, i)
#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT

#endif
