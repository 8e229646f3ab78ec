// Bank conflicts and latency of shared memory. With 32 banks and words a stride of s apart, 32 lanes meet
// gcd(s, 32) times in a bank.
#include <numeric>

#include "gpu/sm/shared_memory.h"
#include "load_store_fixture.h"

namespace duet::gpu::test {
namespace {

using ptx::Kind;
using ptx::StateSpace;
using ptx::Type;

std::array<std::uint32_t, 64> strided(std::uint32_t bytes) {
  std::array<std::uint32_t, 64> offsets;
  for (unsigned i = 0; i < 64; ++i) offsets[i] = i * bytes;
  return offsets;
}
constexpr std::uint64_t kAll = LaneMask::first(32).bits();

TEST(SharedMemoryBanks, StridesOfWords) {
  SharedMemoryBanks banks(32);
  for (unsigned stride = 1; stride <= 40; ++stride)
    EXPECT_EQ(banks.passes(strided(4 * stride).data(), kAll, 4, 32, false), std::gcd(stride, 32u))
        << "stride " << stride;
}

TEST(SharedMemoryBanks, LanesOfOneWordDoNotConflict) {
  SharedMemoryBanks banks(32);
  EXPECT_EQ(banks.passes(strided(0).data(), kAll, 4, 32, false), 1u);
  EXPECT_EQ(banks.passes(strided(1).data(), kAll, 1, 32, false), 1u);
  EXPECT_EQ(banks.passes(strided(2).data(), kAll, 2, 32, false), 1u);
  std::array<std::uint32_t, 64> offsets;
  for (unsigned i = 0; i < 32; ++i) offsets[i] = i % 2 * 128;  // two words of bank 0, sixteen lanes each
  EXPECT_EQ(banks.passes(offsets.data(), kAll, 4, 32, false), 2u);
}

TEST(SharedMemoryBanks, OnlyLanesThatTakePartCount) {
  SharedMemoryBanks banks(32);
  const auto offsets = strided(128);
  EXPECT_EQ(banks.passes(offsets.data(), 1, 4, 32, false), 1u);
  EXPECT_EQ(banks.passes(offsets.data(), 0b10110, 4, 32, false), 3u);
}

TEST(SharedMemoryBanks, WideAccessesGoByPartsOfTheWarp) {
  SharedMemoryBanks banks(32);
  EXPECT_EQ(banks.passes(strided(8).data(), kAll, 8, 32, false), 2u);
  EXPECT_EQ(banks.passes(strided(16).data(), kAll, 8, 32, false), 4u);  // two-way in each half
  EXPECT_EQ(banks.passes(strided(0).data(), kAll, 8, 32, false), 2u);
  EXPECT_EQ(banks.passes(strided(0).data(), 0xffff, 8, 32, false), 1u);  // one half only
  EXPECT_EQ(banks.passes(strided(16).data(), kAll, 16, 32, false), 4u);
  EXPECT_EQ(banks.passes(strided(32).data(), kAll, 32, 32, false), 8u);
}

TEST(SharedMemoryBanks, OtherNumbersOfBanks) {
  SharedMemoryBanks none(0), sixteen(16), odd(31);
  EXPECT_EQ(none.passes(strided(128).data(), kAll, 4, 32, false), 1u);
  EXPECT_EQ(none.passes(strided(128).data(), kAll, 8, 32, false), 2u);
  EXPECT_EQ(sixteen.passes(strided(4).data(), kAll, 4, 32, false), 2u);
  EXPECT_EQ(odd.passes(strided(128).data(), kAll, 4, 32, false), 2u);  // 32 words in 31 banks
  EXPECT_EQ(odd.passes(strided(124).data(), kAll, 4, 32, false), 32u);
}

TEST(SharedMemoryBanks, AtomicsOnOneWordAreServedOneAfterAnother) {
  SharedMemoryBanks banks(32);
  EXPECT_EQ(banks.passes(strided(4).data(), kAll, 4, 32, true), 1u);
  EXPECT_EQ(banks.passes(strided(0).data(), kAll, 4, 32, true), 32u);
  EXPECT_EQ(banks.passes(strided(0).data(), 0b111, 4, 32, true), 3u);
}

TEST(SharedMemoryBanks, WideWarps) {
  SharedMemoryBanks banks(32);
  EXPECT_EQ(banks.passes(strided(4).data(), ~0ull, 4, 64, false), 2u);
  EXPECT_EQ(banks.passes(strided(8).data(), ~0ull, 8, 64, false), 4u);
  EXPECT_EQ(banks.passes(strided(0).data(), ~0ull, 4, 64, true), 64u);
}

// The values are there at the last pass plus the latency, and the unit is busy for the passes.
TEST(SharedMemory, LatencyAndBusyTime) {
  for (unsigned stride : {1u, 2u, 32u}) {
    const unsigned passes = std::gcd(stride, 32u);
    Machine<32> machine;
    Registers<32> registers, other;
    for (unsigned i = 0; i < 32; ++i) {
      registers.address(i) = 4 * stride * i;
      other.address(i) = 4 * i;
    }
    const ptx::MicroOp op = memory_op(Kind::Load, StateSpace::Shared, Type::U32);
    const Cycle start = machine.cycle + 5;
    ASSERT_EQ(machine.unit.issue(1, registers.warp, op, kAll, machine.memory),
              LoadStoreUnit<32>::Issue::Taken);
    machine.unit.start_at(start);
    ASSERT_EQ(machine.unit.issue(2, other.warp, op, kAll, machine.memory), LoadStoreUnit<32>::Issue::Taken);
    machine.unit.start_at(start);
    EXPECT_EQ(machine.step(), start) << "nothing happens before the operands are there";
    EXPECT_EQ(machine.unit.outstanding_reads(1), 1u);
    machine.cycle = start;
    EXPECT_EQ(machine.step(), start + passes) << "busy for the passes";
    EXPECT_EQ(machine.unit.outstanding_reads(1), 0u);
    machine.run();
    ASSERT_EQ(machine.completed.size(), 2u);
    EXPECT_EQ(machine.completed[0].warp, 1u);
    EXPECT_EQ(machine.completed[0].op, &op);
    EXPECT_EQ(machine.completed[0].ready, start + passes - 1 + 26);
    EXPECT_EQ(machine.completed[1].ready, start + passes + 26);
    EXPECT_EQ(machine.unit.statistics().shared_accesses, 2u);
    EXPECT_EQ(machine.unit.statistics().shared_conflict_cycles, passes - 1);
  }
}

TEST(SharedMemory, TheHighestLaneWins) {
  Machine<32> machine;
  Registers<32> registers;
  for (unsigned i = 0; i < 32; ++i) {
    registers.address(i) = 64 + i % 2 * 4;
    registers.word(kSourceSlot, i) = 1000 + i;
  }
  machine.run(registers.warp, memory_op(Kind::Store, StateSpace::Shared, Type::U32));
  std::uint32_t words[2];
  std::memcpy(words, machine.shared.data() + 64, 8);
  EXPECT_EQ(words[0], 1030u);
  EXPECT_EQ(words[1], 1031u);
}

TEST(SharedMemory, AtomicsOfOneWordInAscendingOrderOfLanes) {
  Machine<32> machine;
  Registers<32> registers;
  std::memset(machine.shared.data(), 0, 128);
  for (unsigned i = 0; i < 32; ++i) {
    registers.address(i) = 16;
    registers.word(kSourceSlot, i) = i;
  }
  machine.run(registers.warp,
              atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, true, StateSpace::Shared));
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(registers.word(kDestinationSlot, i), i * (i - 1) / 2 * (i > 0));
  EXPECT_EQ(machine.completed.at(0).ready, 100u + 31 + 26);
}

}  // namespace
}  // namespace duet::gpu::test
