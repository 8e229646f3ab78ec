// When may an instruction issue, when does it start to execute, and what do register banks cost?
#include "gpu/sm/execution_units.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

config::Sm machine(std::uint64_t units, std::uint64_t collectors, std::uint64_t banks = 4) {
  config::Sm sm;
  sm.sp_units = units;
  sm.sfu_units = 1;
  sm.dp_units = 0;
  sm.collector_units = collectors;
  sm.register_banks = banks;
  return sm;
}

TEST(ExecutionUnits, OperandsOfDifferentBanksAreReadTogether) {
  ExecutionUnits units(machine(1, 1));
  const std::uint16_t registers[] = {0, 1, 2};
  EXPECT_EQ(units.collect(100, 0, registers, 3), 100 + ExecutionUnits::kCollectCycles);
  EXPECT_EQ(units.statistics().register_conflict_cycles, 0u);
}

TEST(ExecutionUnits, EachFurtherOperandOfABankCostsACycle) {
  ExecutionUnits units(machine(1, 1));
  const std::uint16_t registers[] = {0, 4, 8};
  EXPECT_EQ(units.collect(100, 0, registers, 3), 100 + ExecutionUnits::kCollectCycles + 2);
  EXPECT_EQ(units.statistics().register_conflict_cycles, 2u);
}

TEST(ExecutionUnits, ABankIsBusyForTheNextInstructionToo) {
  ExecutionUnits units(machine(1, 1));
  const std::uint16_t three[] = {0, 4, 8}, one[] = {0};
  units.collect(100, 0, three, 3);  // reads at 101, 102, 103
  EXPECT_EQ(units.collect(102, 0, one, 1), 104 + 1u);
  EXPECT_EQ(units.collect(104, 0, one, 1), 104 + ExecutionUnits::kCollectCycles);
}

TEST(ExecutionUnits, TheSameRegisterOfTwoWarpsLiesInTwoBanks) {
  for (const std::uint64_t banks : {4, 3}) {
    ExecutionUnits units(machine(1, 1, banks));
    const std::uint16_t one[] = {0};
    units.collect(100, 0, one, 1);
    EXPECT_EQ(units.collect(100, 1, one, 1), 100 + ExecutionUnits::kCollectCycles);
    EXPECT_EQ(units.collect(100, static_cast<std::uint32_t>(banks), one, 1),
              100 + ExecutionUnits::kCollectCycles + 1);
  }
}

TEST(ExecutionUnits, WithoutBanksOperandsAreReadAtOnce) {
  ExecutionUnits units(machine(1, 1, 0));
  const std::uint16_t registers[] = {0, 4, 8};
  EXPECT_EQ(units.collect(100, 0, registers, 3), 100 + ExecutionUnits::kCollectCycles);
}

TEST(ExecutionUnits, AUnitTakesAnInstructionEveryInterval) {
  ExecutionUnits units(machine(1, 8));
  EXPECT_EQ(units.start(Pipe::Sp, 102, 4), 102u);
  EXPECT_EQ(units.start(Pipe::Sp, 105, 4), 106u);  // a cycle too early
  EXPECT_EQ(units.start(Pipe::Sp, 110, 4), 110u);  // just then
}

TEST(ExecutionUnits, ACollectorIsHeldUntilItsInstructionStarts) {
  ExecutionUnits units(machine(1, 2));
  EXPECT_LE(units.next_issue(Pipe::Sp), 100u);
  EXPECT_EQ(units.start(Pipe::Sp, 102, 10), 102u);
  EXPECT_LE(units.next_issue(Pipe::Sp), 100u);  // the second collector
  EXPECT_EQ(units.start(Pipe::Sp, 102, 10), 112u);
  EXPECT_EQ(units.next_issue(Pipe::Sp), 102u);
  EXPECT_EQ(units.start(Pipe::Sp, 104, 10), 122u);
  EXPECT_EQ(units.next_issue(Pipe::Sp), 112u);
}

TEST(ExecutionUnits, ASecondUnitTakesWhatTheFirstCannot) {
  ExecutionUnits units(machine(2, 1));
  EXPECT_EQ(units.start(Pipe::Sp, 102, 10), 102u);
  EXPECT_LE(units.next_issue(Pipe::Sp), 100u);
  EXPECT_EQ(units.start(Pipe::Sp, 102, 10), 102u);
  EXPECT_EQ(units.next_issue(Pipe::Sp), 102u);
}

TEST(ExecutionUnits, PipesDoNotHoldEachOtherUp) {
  ExecutionUnits units(machine(1, 1));
  units.start(Pipe::Sfu, 500, 10);
  EXPECT_EQ(units.next_issue(Pipe::Sfu), 500u);
  EXPECT_LE(units.next_issue(Pipe::Sp), 100u);
}

TEST(ExecutionUnits, APipeWithoutUnitsNeverIssues) {
  EXPECT_EQ(ExecutionUnits(machine(1, 1)).next_issue(Pipe::Dp), ~Cycle{0});
}

}  // namespace
}  // namespace duet::gpu
