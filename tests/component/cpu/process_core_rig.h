// A process whose machine has a processor, for component tests that run a few instructions of RV64 on core 0.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <span>
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

// A machine whose cores and GPU have one DRAM, kernels, and data of the program.
struct OneDramRig : ProcessCoreRig {
  static constexpr Bytes kDataBytes = 1_MiB;
  static constexpr std::uint64_t kData = 0x100000;
  OneDramRig(const std::string& machine, const char* kernels, const std::vector<std::string>& sets,
             std::uint64_t shuffle)
      : ProcessCoreRig(machine_without_tlb(machine, sets), options(shuffle)),
        module(process.load_module(kernels, "kernels.ptx").module),
        memory(processor.memory()) {
    memory.map(VirtualAddress(kCode), 0x1000, {true, true, true});
    memory.map(VirtualAddress(OneDramRig::kData), OneDramRig::kDataBytes, {true, true, false});
  }
  static machine::RunOptions options(std::uint64_t shuffle) {
    machine::RunOptions own = shuffled(shuffle);
    own.simulated_host = true;
    return own;
  }
  Picoseconds run(const rv::Words& program) {
    EXPECT_FALSE(memory.write(VirtualAddress(kCode), std::as_bytes(std::span(program))));
    return run_to_end();
  }
  // The first core's access to a word of the data.
  void write_word(std::uint64_t at, std::uint64_t value) {
    registers.x[rv::a0] = OneDramRig::kData + at;
    registers.x[rv::a1] = value;
    run({rv::sd(rv::a1, 0, rv::a0), rv::kEcall});
  }
  std::uint64_t read_word(std::uint64_t at) {
    registers.x[rv::a0] = OneDramRig::kData + at;
    run({rv::ld(rv::a1, 0, rv::a0), rv::kEcall});
    return registers.x[rv::a1];
  }

  const ptx::Module& module;
  machine::CpuMemory& memory;
};

}  // namespace duet::test
