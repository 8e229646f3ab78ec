// Which instructions of a kernel are executed where only its control and its addresses are wanted.
#include "predict/slice.h"

#include <gtest/gtest.h>

#include <string>

#include "ptx/compiler.h"

namespace duet::predict {
namespace {

using Told = gpu::PartialCode::Told;

class SliceTest : public testing::Test {
 protected:
  void compile(const std::string& body) {
    module_ = ptx::compile_module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<16>; .reg .pred %p<4>;\n"
        ".shared .align 4 .b8 s[512];\n" +
            body + "\n}\n",
        "k.ptx");
    slice_ = slice_of(kernel());
  }
  const ptx::Kernel& kernel() const { return module_.kernels.at(0); }
  std::size_t find(ptx::Opcode opcode) const {
    for (std::size_t i = 0; i < kernel().code.size(); ++i)
      if (kernel().code[i].opcode == opcode) return i;
    ADD_FAILURE() << "no " << ptx::opcode_name(opcode);
    return 0;
  }
  bool left_out(ptx::Opcode opcode) const { return slice_.with_shared.code[find(opcode)].opcode != opcode; }
  Told told(ptx::Opcode opcode, bool shared = true) const {
    return (shared ? slice_.with_shared : slice_.without_shared).told[find(opcode)];
  }

  ptx::Module module_;
  Slice slice_;
};

constexpr const char* kAddress =
    "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;\n";

TEST_F(SliceTest, ValuesAreLeftOutAndAddressesAreNot) {
  compile(std::string(kAddress) +
          "ld.global.f32 %f1, [%d3]; fma.rn.f32 %f2, %f1, %f1, %f1; st.global.f32 [%d3], %f2; ret;");
  ASSERT_FALSE(slice_.by_data);
  EXPECT_TRUE(left_out(ptx::Opcode::Fma));
  EXPECT_EQ(told(ptx::Opcode::Load), Told::Address);
  EXPECT_EQ(told(ptx::Opcode::Store), Told::Address);
  std::size_t executed = 0;
  for (std::size_t i = 0; i < kernel().code.size(); ++i)
    executed += kernel().code[i].kind == ptx::Kind::Arithmetic &&
                slice_.with_shared.code[i].kind == ptx::Kind::Arithmetic;
  EXPECT_NE(executed, 0u) << "an address comes of some";
}

TEST_F(SliceTest, ALoopsCounterIsExecuted) {
  compile(std::string(kAddress) +
          "ld.param.u32 %r2, [n]; mov.u32 %r3, 0; mov.f32 %f1, 0f00000000;\n"
          "L: sin.approx.f32 %f1, %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L;\n"
          "st.global.f32 [%d3], %f1; ret;");
  ASSERT_FALSE(slice_.by_data);
  EXPECT_TRUE(left_out(ptx::Opcode::Sin));
  EXPECT_FALSE(left_out(ptx::Opcode::Setp));
  EXPECT_FALSE(left_out(ptx::Opcode::Branch));
}

TEST_F(SliceTest, WhatIsLeftOutCountsAsIfItWereThere) {
  compile(std::string(kAddress) +
          "ld.global.f32 %f1, [%d3]; sin.approx.f32 %f2, %f1; cos.approx.f32 %f3, %f2; sqrt.approx.f32 %f4, "
          "%f3;\n"
          "st.global.f32 [%d3], %f4; ret;");
  const std::size_t first = find(ptx::Opcode::Sin);
  const ptx::MicroOp& over = slice_.with_shared.code[first];
  EXPECT_EQ(over.kind, ptx::Kind::Branch);
  EXPECT_EQ(over.target, first + slice_.with_shared.steps[first]);
  unsigned instructions = 0;
  for (std::size_t i = first; i < over.target; ++i) instructions += kernel().code[i].machine_instructions;
  EXPECT_EQ(over.machine_instructions, instructions);
  EXPECT_EQ(over.target, find(ptx::Opcode::Store));
}

TEST_F(SliceTest, WhatIsLeftOutEndsWhereControlComesIn) {
  compile(std::string(kAddress) +
          "ld.param.u32 %r2, [n]; ld.global.f32 %f1, [%d3]; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;\n"
          "sin.approx.f32 %f1, %f1;\nL: cos.approx.f32 %f1, %f1; st.global.f32 [%d3], %f1; ret;");
  ASSERT_FALSE(slice_.by_data);
  EXPECT_EQ(slice_.with_shared.steps[find(ptx::Opcode::Sin)], 1);
}

TEST_F(SliceTest, AnAddressOfLoadedDataIsByData) {
  compile(std::string(kAddress) +
          "ld.global.u32 %r2, [%d3]; mul.wide.u32 %d4, %r2, 4; add.s64 %d5, %d1, %d4;\n"
          "ld.global.f32 %f1, [%d5]; st.global.f32 [%d3], %f1; ret;");
  EXPECT_TRUE(slice_.by_data);
  EXPECT_TRUE(slice_.deciding[find(ptx::Opcode::Load)]);
  EXPECT_FALSE(slice_.deciding[find(ptx::Opcode::Store)]);
}

TEST_F(SliceTest, ControlByLoadedDataOrAnAtomicIsByData) {
  compile(std::string(kAddress) +
          "ld.global.u32 %r2, [%d3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"
          "st.global.u32 [%d3], %r1;\nL: ret;");
  EXPECT_TRUE(slice_.by_data);
  compile(std::string(kAddress) +
          "ld.global.u32 %r2, [%d3]; setp.eq.u32 %p1, %r2, 0;\n"
          "@%p1 st.global.u32 [%d3], %r1; ret;");
  EXPECT_TRUE(slice_.by_data) << "whether there is an access";
  compile(std::string(kAddress) +
          "atom.global.add.u32 %r2, [%d3], 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"
          "st.global.u32 [%d3], %r1;\nL: ret;");
  EXPECT_TRUE(slice_.by_data);
  compile(std::string(kAddress) + "atom.global.add.u32 %r2, [%d3], 1; st.global.u32 [%d3], %r2; ret;");
  EXPECT_FALSE(slice_.by_data);
  EXPECT_EQ(told(ptx::Opcode::Atom), Told::Address);
}

TEST_F(SliceTest, SharedMemoryIsFollowedWhereItsValuesAreWanted) {
  const std::string use =
      "mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r4, %r5; st.shared.u32 [%r6], %r1; bar.sync 0;\n"
      "ld.shared.u32 %r7, [s];\n";
  compile(kAddress + use + "mul.wide.u32 %d4, %r7, 4; add.s64 %d5, %d1, %d4; st.global.u32 [%d5], %r1; ret;");
  ASSERT_FALSE(slice_.by_data);
  EXPECT_EQ(told(ptx::Opcode::Store), Told::Executed);
  EXPECT_EQ(told(ptx::Opcode::Load), Told::Executed);
  compile(kAddress + use + "st.global.u32 [%d3], %r7; ret;");
  EXPECT_EQ(told(ptx::Opcode::Store), Told::Address);
  EXPECT_EQ(told(ptx::Opcode::Store, false), Told::Access);
  EXPECT_EQ(told(ptx::Opcode::Load, false), Told::Access);
}

TEST_F(SliceTest, LanesThatExchangeStillMeet) {
  compile(std::string(kAddress) +
          "ld.global.u32 %r2, [%d3]; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n"
          "st.global.u32 [%d3], %r3; ret;");
  ASSERT_FALSE(slice_.by_data);
  EXPECT_FALSE(left_out(ptx::Opcode::Shfl));
  EXPECT_EQ(told(ptx::Opcode::Load), Told::Address);
}

TEST_F(SliceTest, AClockIsNotFollowed) {
  compile(std::string(kAddress) + "mov.u32 %r2, %clock; st.global.u32 [%d3], %r2; ret;");
  EXPECT_TRUE(slice_.by_data);
}

}  // namespace
}  // namespace duet::predict
