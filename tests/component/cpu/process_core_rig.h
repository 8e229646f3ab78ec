// A process whose machine has a processor, for component tests that run a few instructions of RV64 on core 0.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "component/process_rig.h"
#include "config/loader.h"
#include "machine/host/processor.h"
#include "rv64_words.h"

namespace duet::test {

// Translation is off: it is tested elsewhere.
inline config::Machine machine_without_tlb(const std::string& name, const std::vector<std::string>& sets) {
  std::vector<std::string> all{"cpu.tlb.instruction_entries=0", "cpu.tlb.data_entries=0"};
  all.insert(all.end(), sets.begin(), sets.end());
  return config::load_machine(name, DUET_SOURCE_DIRECTORY "/machines", all).machine;
}

struct ProcessCoreRig : ProcessRig, machine::ProcessorClient {
  static constexpr std::uint64_t kCode = 0x10000;
  ProcessCoreRig(const config::Machine& machine, const machine::RunOptions& options)
      : ProcessRig(machine, options), processor(*process.system().processor()) {
    processor.serve(*this);
  }
  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override {
    EXPECT_EQ(trap.cause, rv64::TrapCause::SystemCall);
    ended_at = now;
    core.assign(nullptr, now);
    return 0;
  }
  Cycle preempted(cpu::Core&, Picoseconds) override { return 0; }
  void rings() override {}

  // The core begins at now with what lies at kCode, and stops at an ecall.
  void begin() {
    registers.pc = kCode;
    ended_at.reset();
    processor.cores()[0]->assign(&registers, process.engine().now());
  }
  // Returns its time.
  Picoseconds run_to_end() {
    const Picoseconds before = process.engine().now();
    begin();
    EXPECT_TRUE(process.engine().run_while_not([this] { return ended_at.has_value(); }));
    return *ended_at - before;
  }

  machine::Processor& processor;
  rv64::Registers registers;
  std::optional<Picoseconds> ended_at;
};

}  // namespace duet::test
