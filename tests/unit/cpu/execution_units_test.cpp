// The units of a core by the treatment of an instruction.
#include "cpu/execution_units.h"

#include <gtest/gtest.h>

namespace duet::cpu {
namespace {

config::Cpu with_units() {
  config::Cpu cpu;
  for (config::Cpu::Unit* const unit :
       {&cpu.integer, &cpu.multiply, &cpu.divide, &cpu.float_add, &cpu.float_multiply, &cpu.float_fused,
        &cpu.float_divide, &cpu.float_square_root, &cpu.float_move, &cpu.float_convert, &cpu.branch})
    *unit = {1, 1, 1};
  cpu.divide.latency_cycles = cpu.divide.interval_cycles = 20;
  cpu.branch.latency_cycles = 2;
  cpu.load_ports = cpu.store_ports = 1;
  cpu.issue_width = 2;
  return cpu;
}

TEST(ExecutionUnits, JumpsTakeABranchUnit) {
  ExecutionUnits units(with_units());
  EXPECT_EQ(units.latency(Treatment::Jump), 2u);
  EXPECT_EQ(units.start(Treatment::Jump, 10), 10u);
  EXPECT_EQ(units.start(Treatment::Branch, 10), 11u);
  EXPECT_EQ(units.start(Treatment::Integer, 10), 10u);
}

TEST(ExecutionUnits, AllKindsShareTheIssueSlots) {
  ExecutionUnits units(with_units());
  EXPECT_EQ(units.start(Treatment::Integer, 10), 10u);
  EXPECT_EQ(units.start_load(10), 10u);
  EXPECT_EQ(units.start_store(10), 11u);
}

TEST(ExecutionUnits, AnUnpipelinedUnitIsBusy) {
  ExecutionUnits units(with_units());
  EXPECT_EQ(units.start(Treatment::Divide, 10), 10u);
  EXPECT_EQ(units.start(Treatment::Divide, 11), 30u);
}

}  // namespace
}  // namespace duet::cpu
