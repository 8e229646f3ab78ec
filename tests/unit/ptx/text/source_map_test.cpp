// Lines of a program's source behind lines of PTX.
#include <gtest/gtest.h>

#include "ptx/compiler.h"

namespace duet::ptx {
namespace {

TEST(SourceMap, LinesFollowTheLocations) {
  const Module module = compile_module(R"(.version 7.8
.target sm_60
.address_size 64
.file 1 "/home/user/a.cu", 1700000000, 400
.visible .entry first(.param .u64 p)
{
.reg .b32 %r<4>;
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [p];
.loc 1 12 5
mov.u32 %r1, 1;
mov.u32 %r2, 2;
.loc 2 40 1
st.global.u32 [%rd1], %r1;
.loc 2 41 1, function_name $L__info_string0, inlined_at 1 30 9
st.global.u32 [%rd1+4], %r2;
.loc 1 0 5
mov.u32 %r3, 0;
.loc 1 31 1
ret;
}
.visible .entry second()
{
ret;
}
.visible .entry third()
{
.loc 2 7 1
bar.sync 0;
.loc 1 50 1
ret;
}
.file 2 "b.h"
)",
                                       "k.ptx");
  const Kernel& kernel = module.kernels[0];
  EXPECT_EQ(kernel.place_of(9), "k.ptx:9");  // before the first location
  EXPECT_EQ(kernel.place_of(11), "/home/user/a.cu:12, k.ptx:11");
  EXPECT_EQ(kernel.place_of(12), "/home/user/a.cu:12, k.ptx:12");
  EXPECT_EQ(kernel.place_of(14), "/home/user/a.cu:12 (in b.h:40), k.ptx:14");
  EXPECT_EQ(kernel.place_of(16), "/home/user/a.cu:30 (in b.h:41), k.ptx:16");
  EXPECT_EQ(kernel.place_of(18), "k.ptx:18");  // line 0: the compiler's own
  EXPECT_EQ(kernel.place_of(24), "k.ptx:24");  // another function
  EXPECT_EQ(kernel.place_of(29), "/home/user/a.cu:50 (in b.h:7), k.ptx:29");
}

}  // namespace
}  // namespace duet::ptx
