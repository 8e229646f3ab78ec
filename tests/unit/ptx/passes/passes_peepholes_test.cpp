// Peepholes on programs that are not in static single assignment form, and what must stay.
#include <gtest/gtest.h>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

Kernel compile(const std::string& body, const std::string& before = "") {
  return compile_body(".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>;\n" + body,
                      ".param .u64 a, .param .u32 n", before);
}

constexpr const char* kLoop = R"(
ld.param.u64 %rd1, [a];
mov.u32 %r1, 0;
LOOP:
mul.wide.s32 %rd2, %r1, 4;
%s
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;
%e
setp.lt.s32 %p1, %r1, 10;
@%p1 bra LOOP;
ret;)";
std::string loop(const std::string& between, const std::string& after) {
  std::string text = kLoop;
  text.replace(text.find("%s"), 2, between);
  text.replace(text.find("%e"), 2, after);
  return text;
}

TEST(Peepholes, ALoopCounterIsFollowedInsideItsBlock) {
  const Kernel kernel = compile(loop("", "add.s32 %r1, %r1, 1;"));
  EXPECT_EQ(count(kernel, Opcode::Mul), 0) << dump(kernel);
  EXPECT_EQ(count(kernel, Opcode::Mad), 1) << dump(kernel);
}
TEST(Peepholes, ARedefinitionBetweenEndsThat) {
  const Kernel kernel = compile(loop("add.s32 %r1, %r1, 1;", ""));
  EXPECT_EQ(count(kernel, Opcode::Mul), 1) << dump(kernel);
  EXPECT_EQ(count(kernel, Opcode::Mad), 0) << dump(kernel);
}
TEST(Peepholes, AGuardedRedefinitionBetweenEndsThatToo) {
  const Kernel kernel =
      compile(loop("setp.eq.s32 %p2, %r1, 5;\n@%p2 add.s32 %r1, %r1, 1;", "add.s32 %r1, %r1, 1;"));
  EXPECT_EQ(count(kernel, Opcode::Mul), 1) << dump(kernel);
}

TEST(DeadCode, ACounterThatOnlyCountsGoes) {
  const Kernel kernel = compile(loop("add.s32 %r5, %r5, 7;", "add.s32 %r1, %r1, 1;"));
  const Kernel without = compile(loop("", "add.s32 %r1, %r1, 1;"));
  EXPECT_EQ(kernel.code.size(), without.code.size()) << dump(kernel);
}
TEST(DeadCode, VolatileLoadsAndExchangesStay) {
  const Kernel kernel = compile(R"(
ld.param.u64 %rd1, [a];
ld.global.u32 %r1, [%rd1];
ld.volatile.global.u32 %r2, [%rd1];
atom.global.exch.b32 %r3, [%rd1], 1;
ret;)");
  EXPECT_EQ(count(kernel, Opcode::Load), 1) << dump(kernel);
  EXPECT_EQ(count(kernel, Opcode::Atom), 1) << dump(kernel);
}
TEST(DeadCode, AnAtomicWithoutReadersIsAReductionUnlessItOrders) {
  const Kernel kernel = compile(R"(
ld.param.u64 %rd1, [a];
atom.global.add.u32 %r1, [%rd1], 1;
atom.acquire.gpu.global.add.u32 %r2, [%rd1+4], 1;
atom.global.add.u32 %r3, [%rd1+8], 1;
st.global.u32 [%rd1+12], %r3;
ret;)");
  EXPECT_EQ(count(kernel, Opcode::Red), 1) << dump(kernel);
  EXPECT_EQ(count(kernel, Opcode::Atom), 2) << dump(kernel);
}

// A callee that takes the address of its parameter reads it by register.
constexpr const char* kCallee = R"(
.func (.param .b32 result) pick(.param .align 4 .b8 table[8], .param .b32 index)
{
.reg .b32 %r<4>; .reg .b64 %rd<6>;
mov.b64 %rd1, table;
ld.param.u32 %r1, [index];
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.param.u32 %r2, [%rd3];
st.param.b32 [result], %r2;
ret;
}
)";
constexpr const char* kCaller = R"(
{
.param .align 4 .b8 p0[8];
.param .b32 p1;
.param .b32 q;
st.param.b32 [p0], 7;
st.param.b32 [p0+4], 9;
ld.param.u32 %r1, [n];
st.param.b32 [p1], %r1;
call.uni (q), pick, (p0, p1);
ld.param.b32 %r2, [q];
}
ld.param.u64 %rd1, [a];
st.global.u32 [%rd1], %r2;
)";
TEST(Parameters, OfACallByAddressLieInLocalMemory) {
  const Kernel kernel = compile(std::string(kCaller) + "ret;", kCallee);
  ASSERT_EQ(kernel.unsupported, "");
  EXPECT_EQ(kernel.local_bytes, 8u);
  EXPECT_EQ(count(kernel, Opcode::Load), 1) << dump(kernel);
  EXPECT_EQ(first(kernel, Opcode::Load).space, StateSpace::Local) << dump(kernel);
}
TEST(Parameters, ByAddressOfBothKindsAreRefused) {
  const Kernel kernel =
      compile(std::string(kCaller) +
                  "mov.b64 %rd5, n;\nld.param.u32 %r7, [%rd5];\nst.global.u32 [%rd1+4], %r7;\nret;",
              kCallee);
  EXPECT_NE(kernel.unsupported.find("kernel 'k': an access in .param space"), std::string::npos)
      << kernel.unsupported;
  EXPECT_TRUE(kernel.code.empty());
}

}  // namespace
}  // namespace duet::ptx
