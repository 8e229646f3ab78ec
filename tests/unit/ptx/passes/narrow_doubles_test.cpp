// Double precision that computes with single precision alone (narrow_doubles.cpp).
#include <gtest/gtest.h>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

Kernel compile(const std::string& body) {
  return compile_body(
      ".reg .b64 %l<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .pred %p<4>;\n"
      "ld.param.u64 %l1, [a];\n" +
          body + "\nret;",
      ".param .u64 a, .param .f64 factor");
}

// a[0] = a[0] * 0.5 with a double literal.
constexpr const char* kByAccident =
    "ld.global.f32 %f1, [%l1]; cvt.f64.f32 %d1, %f1; mul.rn.f64 %d2, %d1, 0d3FE0000000000000;\n"
    "cvt.rn.f32.f64 %f2, %d2; st.global.f32 [%l1], %f2;";

TEST(NarrowDoubles, ALiteralOfDoublePrecisionIsOne) {
  const Kernel kernel = compile(kByAccident);
  EXPECT_GT(kernel.narrow_doubles, 0);
  EXPECT_NEAR(kernel.narrow_conversions / kernel.narrow_doubles, 2, 1e-9);
}

TEST(NarrowDoubles, SinglePrecisionIsNone) {
  const Kernel kernel =
      compile("ld.global.f32 %f1, [%l1]; mul.rn.f32 %f2, %f1, 0f3F000000; st.global.f32 [%l1], %f2;");
  EXPECT_EQ(kernel.narrow_doubles, 0);
  EXPECT_EQ(kernel.narrow_conversions, 0);
}

TEST(NarrowDoubles, DoublesOfTheProgramAreNone) {
  for (const char* body :
       {"ld.global.f64 %d1, [%l1]; mul.rn.f64 %d2, %d1, %d1; cvt.rn.f32.f64 %f2, %d2; st.global.f32 [%l1], "
        "%f2;",
        "ld.global.f32 %f1, [%l1]; cvt.f64.f32 %d1, %f1; mul.rn.f64 %d2, %d1, %d1; st.global.f64 [%l1], %d2;",
        "ld.param.f64 %d1, [factor]; mul.rn.f64 %d2, %d1, %d1; cvt.rn.f32.f64 %f2, %d2; st.global.f32 [%l1], "
        "%f2;"})
    EXPECT_EQ(compile(body).narrow_doubles, 0) << body;
}

// What a sum of the program's doubles is divided by, is theirs.
TEST(NarrowDoubles, ADoubleReachesAllThatIsComputedFromIt) {
  const Kernel kernel = compile(
      "ld.global.f64 %d1, [%l1]; ld.global.f32 %f1, [%l1+8]; cvt.f64.f32 %d2, %f1; add.rn.f64 %d3, %d1, "
      "%d2;\n"
      "mul.rn.f64 %d4, %d3, %d3; cvt.rn.f32.f64 %f2, %d4; st.global.f32 [%l1], %f2;");
  EXPECT_EQ(kernel.narrow_doubles, 0);
}

TEST(NarrowDoubles, ALoopCountsTenfold) {
  const Kernel once = compile(std::string("mov.u32 %r1, 9;\n") + kByAccident);
  const Kernel often = compile(std::string("mov.u32 %r1, 9;\nL: ") + kByAccident +
                               "sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;");
  EXPECT_GT(often.narrow_doubles, 0);
  const Kernel outside = compile(std::string(kByAccident) +
                                 "mov.u32 %r1, 9;\nL: st.global.u32 [%l1], %r1; sub.u32 %r1, %r1, 1;\n"
                                 "setp.ne.u32 %p1, %r1, 0; @%p1 bra L;");
  EXPECT_LT(outside.narrow_doubles, once.narrow_doubles / 4);
  EXPECT_GT(outside.narrow_doubles, 0);
}

}  // namespace
}  // namespace duet::ptx
