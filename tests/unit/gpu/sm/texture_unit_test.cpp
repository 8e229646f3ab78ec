// When does the texture unit send its taps, and when is a fetch complete?
#include "gpu/sm/texture_unit.h"

#include <gtest/gtest.h>

#include "gpu/image.h"
#include "load_store_fixture.h"
#include "ptx/compiler.h"

namespace duet::gpu::test {
namespace {

constexpr unsigned kTexels = 64;

// A load-store unit with a texture unit before it, and the instruction "tex.1d" of one kernel.
class Textures {
 public:
  explicit Textures(unsigned width = 32) : unit(machine.space, 48), registers(width) {
    module_ = ptx::compile_module(
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<8>; .reg .b64 %d<2>;\n"
        "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\n"
        "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%d0, {%r0}];\nret;\n}\n",
        "k.ptx");
    const ptx::Kernel& kernel = module_.kernels.at(0);
    EXPECT_EQ(kernel.unsupported, "");
    for (const ptx::MicroOp& one : kernel.code)
      if (one.kind == ptx::Kind::Image) op = one;
    // Operands wherever the compiler has put them: here they lie in registers.
    op.guard = ptx::kNoPredicate;
    op.sources[0].bank = op.sources[1].bank = ptx::Bank::Register;
    op.sources[0].slot = 30;
    op.sources[1].slot = 34;
    for (unsigned c = 0; c < 4; ++c) op.destinations[c] = static_cast<std::uint16_t>(2 + 2 * c);

    const auto* texels = machine.space.allocate_device(4 * kTexels, memory::AllocationKind::Device);
    for (std::uint32_t i = 0; i < kTexels; ++i) {
      const std::uint32_t value = 1000 + i;
      machine.space.write(texels->base + 4 * i, &value, 4);
    }
    Image image;
    image.base = texels->base;
    image.width = kTexels;
    image.dimensions = 1;
    image.channel_bytes = 4;
    image.linear = true;
    const auto* descriptor = machine.space.allocate_device(sizeof image, memory::AllocationKind::Constants);
    machine.space.write(descriptor->base, &image, sizeof image);
    object_ = descriptor->base.value();
    prepare(registers);
  }

  void prepare(Registers<32>& warp) const {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.wide(30, lane) = object_;
      warp.word(34, lane) = lane;
    }
  }
  bool issue(std::uint32_t slot = 0) {
    const std::uint64_t lanes = LaneMask::first(registers.warp.width).bits();
    if (!unit.issue(slot, registers.warp, op, lanes, machine.memory)) return false;
    unit.start_at(machine.cycle);
    return true;
  }
  // One cycle, in the SM's order: answers, then taps.
  void step() {
    machine.step();
    for (const auto& completion : machine.unit.completions())
      EXPECT_TRUE(unit.take(completion, machine.cycle - 1));
    machine.unit.clear_completions();
    unit.tick(machine.cycle - 1, machine.unit);
  }

  Machine<32> machine;
  TextureUnit<32> unit;
  Registers<32> registers;
  ptx::MicroOp op;

 private:
  ptx::Module module_;
  Address object_ = 0;
};

TEST(TextureUnit, AFetchBringsTheTexelsOfItsLanes) {
  Textures textures;
  ASSERT_TRUE(textures.issue());
  for (unsigned i = 0; i < 20 && textures.unit.completions().empty(); ++i) textures.step();
  ASSERT_EQ(textures.unit.completions().size(), 1u);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(textures.registers.word(2, lane), 1000 + lane);
    EXPECT_EQ(textures.registers.word(8, lane), 1u);  // a channel that the texel does not have
  }
  EXPECT_TRUE(textures.unit.idle());
  EXPECT_EQ(textures.unit.outstanding(0), 0u);
}

TEST(TextureUnit, TheFilterTakesItsCycles) {
  Textures textures;
  ASSERT_TRUE(textures.issue());
  Cycle taken = 0;
  while (textures.unit.completions().empty()) {
    textures.step();
    taken = textures.machine.cycle - 1;
    ASSERT_LT(taken, 200u);
  }
  EXPECT_EQ(textures.unit.completions()[0].ready, taken + 1 + TextureUnit<32>::kFilterCycles);
  EXPECT_EQ(textures.unit.completions()[0].op, &textures.op);
}

TEST(TextureUnit, ResultsAreReadyNoEarlierThanTheSmWants) {
  for (const Cycle later : {0u, 1u, 150u}) {
    Textures textures;
    ASSERT_TRUE(textures.issue());
    const Cycle wanted = textures.machine.cycle + later;
    textures.unit.ready_from(wanted);
    while (textures.unit.completions().empty()) {
      textures.step();
      ASSERT_LT(textures.machine.cycle, 200u);
    }
    const Cycle own = textures.machine.cycle + TextureUnit<32>::kFilterCycles;
    EXPECT_EQ(textures.unit.completions()[0].ready, std::max(wanted, own));
  }
}

TEST(TextureUnit, AWarpsAddressesTakeAQuarterOfItsLanesInCycles) {
  for (const unsigned width : {32u, 16u}) {
    Textures textures(width);
    ASSERT_TRUE(textures.issue(0));
    ASSERT_TRUE(textures.issue(1));
    const Cycle first = textures.machine.cycle;
    EXPECT_EQ(textures.unit.tick(first, textures.machine.unit), first + width / 4);
    EXPECT_EQ(textures.unit.tick(first + width / 4 - 1, textures.machine.unit), first + width / 4);
    EXPECT_TRUE(textures.unit.sends());
    EXPECT_EQ(textures.unit.tick(first + width / 4, textures.machine.unit), ~Cycle{0});
    EXPECT_FALSE(textures.unit.sends());
  }
}

TEST(TextureUnit, ItBeginsWhenTheOperandsAreCollected) {
  Textures textures;
  const Cycle now = textures.machine.cycle;
  ASSERT_TRUE(textures.issue());
  textures.unit.start_at(now + 5);
  EXPECT_EQ(textures.unit.tick(now + 4, textures.machine.unit), now + 5);
  EXPECT_TRUE(textures.unit.sends());
  EXPECT_EQ(textures.unit.tick(now + 5, textures.machine.unit), ~Cycle{0});
}

TEST(TextureUnit, ItHoldsSoManyInstructionsAndNotOneMore) {
  Textures textures;
  for (unsigned i = 0; i < TextureUnit<32>::kInFlight; ++i) {
    EXPECT_TRUE(textures.unit.can_issue()) << i;
    ASSERT_TRUE(textures.issue(i));
  }
  EXPECT_FALSE(textures.unit.can_issue());
  for (unsigned i = 0; i < 100 && !textures.unit.can_issue(); ++i) textures.step();
  EXPECT_TRUE(textures.unit.can_issue());
}

TEST(TextureUnit, AFullLoadStoreUnitIsAskedAgainInTheNextCycle) {
  Textures textures;
  Registers<32> loads;
  const ptx::MicroOp load = memory_op(ptx::Kind::Load, ptx::StateSpace::Shared, ptx::Type::U32);
  while (textures.machine.unit.can_issue()) ASSERT_TRUE(textures.machine.issue(loads.warp, load));
  ASSERT_TRUE(textures.issue());
  const Cycle now = textures.machine.cycle;
  EXPECT_EQ(textures.unit.tick(now, textures.machine.unit), now + 1);
  EXPECT_TRUE(textures.unit.sends());
}

TEST(TextureUnit, AnObjectThatIsNoneIsAFaultAndNothingIsHeld) {
  Textures textures;
  textures.registers.wide(30, 7) = 12345;
  EXPECT_FALSE(textures.issue());
  EXPECT_EQ(textures.unit.fault().kind, FaultKind::IllegalInstruction);
  EXPECT_EQ(textures.unit.fault().lane, 7u);
  EXPECT_TRUE(textures.unit.idle());
  EXPECT_TRUE(textures.unit.quiet());
}

}  // namespace
}  // namespace duet::gpu::test
