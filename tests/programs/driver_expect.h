// What the test programs of the driver interface share: checked calls, and a module as PTX text.
#pragma once

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CU(call) ::expect::cu((call), CUDA_SUCCESS, #call, __FILE__, __LINE__)
#define CU_STATUS(call, status) ::expect::cu((call), (status), #call, __FILE__, __LINE__)

namespace expect {

inline void cu(CUresult got, CUresult expected, const char* call, const char* file, int line) {
  if (got == expected) return;
  const char *is = "?", *should = "?";
  cuGetErrorName(got, &is);
  cuGetErrorName(expected, &should);
  fprintf(stderr, "%s:%d: %s returned %s, expected %s\n", file, line, call, is, should);
  exit(1);
}

// scale: to[i] = from[i] * factor + add for i < count; `factor` is a variable, 3 at first.
inline const char kScaleModule[] = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 to, .param .u64 from, .param .u32 count, .param .u32 add)
{
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %d<6>;
  ld.param.u64 %d1, [to];
  ld.param.u64 %d2, [from];
  ld.param.u32 %r1, [count];
  ld.param.u32 %r2, [add];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.u32 %r5, %r3, %r4, %r5;
  setp.ge.u32 %p, %r5, %r1;
  @%p ret;
  mul.wide.u32 %d3, %r5, 4;
  add.u64 %d2, %d2, %d3;
  add.u64 %d1, %d1, %d3;
  ld.global.u32 %r6, [%d2];
  ld.global.u32 %r7, [factor];
  mad.lo.u32 %r6, %r6, %r7, %r2;
  st.global.u32 [%d1], %r6;
  ret;
}
)";

}  // namespace expect
