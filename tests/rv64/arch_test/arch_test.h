// The suite's own header, but floating point is on already in user mode.
/* clang-format off */ /* lines of assembly */
#include_next "arch_test.h"
#undef RVTEST_FP_ENABLE
#define RVTEST_FP_ENABLE() csrwi fcsr, 0
