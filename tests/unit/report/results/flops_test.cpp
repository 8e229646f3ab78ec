// Floating-point operations of lines of PTX.
#include "report/results/flops.h"

#include <gtest/gtest.h>

namespace duet::report {
namespace {

struct Case {
  const char* line;
  std::uint64_t half, single, wide;
};

TEST(Flops, OfLinesOfPtx) {
  for (const Case& one : std::initializer_list<Case>{
           {"add.f32 %f1, %f2, %f3;", 0, 1, 0},
           {"\tfma.rn.ftz.sat.f32 \t%f1, %f2, %f3, %f4;  // a*b", 0, 2, 0},
           {"@!%p1 mad.rn.f64 %fd1, %fd2, %fd3, %fd4;", 0, 0, 2},
           {"$L__BB0_2: { @%p1 div.approx.f32 %f1, %f2, %f3; }", 0, 1, 0},
           {"fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;", 4, 0, 0},
           {"add.rn.bf16 %rs1, %rs2, %rs3;", 1, 0, 0},
           {"fma.rn.f32.f16 %f1, %h1, %h2, %f2;", 0, 2, 0},
           {"add.rn.f32x2 %rd1, %rd2, %rd3;", 0, 2, 0},
           {"rsqrt.approx.ftz.f64 %fd1, %fd2; sqrt.rn.f32 %f1, %f2; ex2.approx.f32 %f3, %f1;", 0, 2, 1},
           {"mad.lo.s32 %r1, %r2, %r3, %r4;", 0, 0, 0},
           {"add.s64 %rd1, %rd2, %rd3;  // not add.f32 %f1", 0, 0, 0},
           {"setp.lt.f32 %p1, %f1, %f2;", 0, 0, 0},
           {"cvt.rn.f32.s32 %f1, %r1; max.f32 %f1, %f1, %f2; neg.f32 %f3, %f1;", 0, 0, 0},
           {"atom.global.add.f32 %f1, [%rd1], %f2;", 0, 0, 0},
           {"ld.global.f32 %f1, [%rd1];", 0, 0, 0},
           {"$L__BB0_1:", 0, 0, 0},
           {"", 0, 0, 0}}) {
    const Flops found = flops_of(one.line);
    EXPECT_EQ(found.half, one.half) << one.line;
    EXPECT_EQ(found.single, one.single) << one.line;
    EXPECT_EQ(found.wide, one.wide) << one.line;
  }
}

}  // namespace
}  // namespace duet::report
