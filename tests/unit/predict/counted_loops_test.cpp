// Which loops only count, and how often they are executed still.
#include "predict/counted_loops.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "predict/slice.h"
#include "ptx/compiler.h"

namespace duet::predict {
namespace {

using gpu::iterations_left;
using ptx::Comparison;

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min(),
                       kMost = std::numeric_limits<std::int32_t>::max();

std::uint64_t left(Comparison comparison, std::int64_t value, std::int64_t bound, std::int64_t step) {
  return iterations_left(comparison, value, bound, step, kLeast, kMost);
}

bool goes_on(Comparison comparison, std::int32_t a, std::int32_t b) {
  switch (comparison) {
    case Comparison::Eq:
      return a == b;
    case Comparison::Ne:
      return a != b;
    case Comparison::Lt:
      return a < b;
    case Comparison::Le:
      return a <= b;
    case Comparison::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

TEST(CountedLoops, AsManyIterationsAsOneByOne) {
  for (const Comparison comparison :
       {Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge})
    for (std::int32_t value = -9; value <= 9; ++value)
      for (std::int32_t bound = -9; bound <= 9; ++bound)
        for (std::int32_t step = -4; step <= 4; ++step) {
          std::uint64_t times = 1;
          for (std::int32_t at = value; goes_on(comparison, at, bound) && times < 100; at += step) ++times;
          const std::uint64_t said = left(comparison, value, bound, step);
          if (times == 100)
            EXPECT_EQ(said, 0u) << "it does not end without wrapping";
          else
            EXPECT_EQ(said, times) << static_cast<int>(comparison) << ' ' << value << ' ' << bound << ' '
                                   << step;
        }
}

TEST(CountedLoops, WhatWrapsIsNotCounted) {
  EXPECT_EQ(left(Comparison::Lt, kMost - 3, kMost, 5), 0u);
  EXPECT_EQ(left(Comparison::Lt, kMost - 3, kMost - 1, 2), 2u);
  EXPECT_EQ(left(Comparison::Le, kMost - 3, kMost, 1), 0u) << "never ends";
  EXPECT_EQ(left(Comparison::Gt, kLeast + 3, kLeast, -5), 0u);
  EXPECT_EQ(iterations_left(Comparison::Gt, 3, 0, -2, 0, kMost), 0u) << "unsigned";
}

// Of one lane, with a 64-bit counter in slots 0 and 1, its bound in 2 and 3, its step in 4 and 5.
std::uint64_t finished(std::uint64_t counter, std::uint64_t bound, std::uint64_t step, bool is_signed,
                       std::uint64_t& left_at) {
  alignas(64) std::array<std::byte, 6 * ptx::Warp<32>::kSlotBytes> registers{};
  std::uint64_t predicate = 1;
  ptx::Warp<32> warp;
  warp.registers = registers.data();
  warp.banks[static_cast<unsigned>(ptx::Bank::Register)] = registers.data();
  warp.predicates = &predicate;
  warp.destination64(0)[0] = counter;
  warp.destination64(2)[0] = bound;
  warp.destination64(4)[0] = step;
  gpu::CountedLoop loop;
  loop.steps = {{0, true, {.slot = 4}}};
  loop.stepped_before = true;
  loop.bound.slot = 2;
  loop.is_signed = is_signed;
  std::uint64_t sum = 0;
  const std::uint64_t times = gpu::finish_loop(warp, loop, 1, sum);
  EXPECT_EQ(sum, times);
  EXPECT_EQ(predicate, times == 0 ? 1u : 0u) << "it has ended";
  left_at = warp.destination64(0)[0];
  return times;
}

TEST(CountedLoops, ValuesThatDoNotFitAreNotCounted) {
  std::uint64_t at = 0;
  EXPECT_EQ(finished(10, 20, 3, false, at), 4u);  // 13, 16, 19, 22
  EXPECT_EQ(at, 22u);
  EXPECT_EQ(finished(10, ~std::uint64_t{0} - 4, 3, false, at), 0u) << "an unsigned bound above 2^63";
  EXPECT_EQ(at, 10u);
  EXPECT_EQ(finished(std::uint64_t{1} << 63, 20, 3, true, at), 0u) << "the least of all numbers";
  EXPECT_EQ(finished(~std::uint64_t{0} - 4, 20, 5, true, at), 5u) << "from -5: 0, 5, 10, 15, 20";
}

class FinderTest : public testing::Test {
 protected:
  const gpu::PartialCode& compile(const std::string& body) {
    const ptx::Module module = ptx::compile_module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<16>; .reg .pred %p<4>;\n"
        "ld.param.u64 %d1, [a]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mov.u32 %r3, 0; mov.u32 %r4, "
        "0;\n" +
            body + "\n}\n",
        "k.ptx");
    slice_ = slice_of(module.kernels.at(0));
    return slice_.counting;
  }
  Slice slice_;
};

TEST_F(FinderTest, ALoopAroundValuesOnly) {
  const gpu::PartialCode& code = compile(
      "L: ld.global.f32 %f1, [%d1]; sin.approx.f32 %f2, %f1; add.s64 %d1, %d1, 8; add.u32 %r3, %r3, 4;\n"
      "setp.lt.s32 %p1, %r3, %r2; @%p1 bra L;\nst.global.f32 [%d1], %f2; ret;");
  ASSERT_EQ(code.loops.size(), 1u);
  const gpu::CountedLoop& loop = code.loops[0];
  EXPECT_EQ(loop.steps.size(), 2u) << "the address is stored to behind it";
  EXPECT_EQ(loop.comparison, Comparison::Lt);
  EXPECT_TRUE(loop.is_signed);
  EXPECT_TRUE(loop.goes_on_if);
  EXPECT_TRUE(loop.stepped_before);
}

TEST_F(FinderTest, TheOtherWayRound) {
  const gpu::PartialCode& code = compile(
      "L: setp.le.u32 %p1, %r2, %r3; add.u32 %r3, %r3, 1; @!%p1 bra L;\nst.global.u32 [%d1], %r3; ret;");
  ASSERT_EQ(code.loops.size(), 1u);
  EXPECT_EQ(code.loops[0].comparison, Comparison::Lt) << "goes on while not (bound <= counter)";
  EXPECT_FALSE(code.loops[0].goes_on_if);
  EXPECT_FALSE(code.loops[0].stepped_before);
}

TEST_F(FinderTest, WhatIsNoneOfThem) {
  EXPECT_TRUE(
      compile("L: add.u32 %r3, %r3, 1; st.global.u32 [%d1], %r3; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; ret;")
          .loops.empty())
      << "it stores";
  EXPECT_TRUE(compile("L: add.u32 %r3, %r3, %r3; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; ret;").loops.empty())
      << "the step changes";
  EXPECT_TRUE(
      compile("L: add.u32 %r4, %r4, 1; add.u32 %r3, %r3, %r4; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; ret;")
          .loops.empty())
      << "the step changes";
  EXPECT_TRUE(
      compile("L: add.u32 %r3, %r3, 1; add.u32 %r2, %r2, -1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; ret;")
          .loops.empty())
      << "the bound changes";
  EXPECT_TRUE(compile("L: add.u32 %r3, %r3, 1; bar.sync 0; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; ret;")
                  .loops.empty())
      << "a barrier";
  EXPECT_TRUE(compile("L: add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, %r1; @%p2 bra M;\n"
                      "setp.lt.u32 %p1, %r3, %r2; @%p1 bra L;\nM: ret;")
                  .loops.empty())
      << "two ways out";
}

}  // namespace
}  // namespace duet::predict
