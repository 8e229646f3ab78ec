// Cores of a machine file over a memory of their own, with programs of a few words. A core ends at its first
// trap.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/loader.h"
#include "cpu/core.h"
#include "machine/host/cpu_memory.h"
#include "rv64_words.h"
#include "sim/statistics.h"

namespace duet::test {

class CoreRig final : public cpu::CoreClient {
 public:
  static constexpr std::uint64_t kCode = 0x10000, kData = 0x40000, kCodeStep = 0x4000;
  static constexpr Bytes kDataBytes = 0x10000;

  explicit CoreRig(const std::vector<std::string>& sets = {}, unsigned cores = 1, std::uint64_t seed = 0)
      : topology_(config::load_topology("xeon-e3-1245", DUET_SOURCE_DIRECTORY "/machines", sets).topology),
        engine(seed),
        memory(engine, *topology_.cpu, topology_.host) {
    memory.map(VirtualAddress(kCode), kCodeStep * cores, {true, true, true});
    memory.map(VirtualAddress(kData), kDataBytes, {true, true, false});
    registers.resize(cores);
    traps.resize(cores);
    ended_at.resize(cores);
    for (unsigned i = 0; i < cores; ++i) {
      memory.connect(this->cores.emplace_back(engine, &memory.node(), *topology_.cpu, i,
                                              cpu::Core::Surroundings{memory, memory, *this}));
      registers[i].pc = kCode + i * kCodeStep;
    }
  }

  const config::Cpu& config() const { return *topology_.cpu; }
  void put(std::uint64_t address, const rv::Words& words) {
    ASSERT_FALSE(memory.write(VirtualAddress(address), std::as_bytes(std::span(words))));
  }
  void program(unsigned core, const rv::Words& words) {
    ASSERT_LE(words.size() * 4, kCodeStep);
    put(kCode + core * kCodeStep, words);
  }
  void write(std::uint64_t address, std::uint64_t value) {
    ASSERT_FALSE(memory.write(VirtualAddress(address), std::as_bytes(std::span(&value, 1))));
  }
  std::uint64_t read(std::uint64_t address) {
    std::uint64_t value = 0;
    EXPECT_FALSE(memory.read(VirtualAddress(address), std::as_writable_bytes(std::span(&value, 1))));
    return value;
  }
  std::uint64_t& x(unsigned number, unsigned core = 0) { return registers[core].x[number]; }

  // Until every core has trapped. Returns the cycles of the last one.
  Cycle run() {
    for (unsigned i = 0; i < cores.size(); ++i) cores[i].assign(&registers[i], engine.now());
    const auto done = [this] {
      return std::all_of(traps.begin(), traps.end(), [](const auto& trap) { return trap.has_value(); });
    };
    EXPECT_TRUE(engine.run_while_not(done, engine.now() + kMostTime)) << engine.waiting_report();
    Picoseconds last = 0;
    for (const Picoseconds time : ended_at) last = std::max(last, time);
    return sim::ClockDomain(config().clock_khz * 1000).cycle_at(last);
  }

  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override {
    traps[core.number()] = trap;
    ended_at[core.number()] = now;
    core.assign(nullptr, now);
    return 0;
  }
  Cycle preempted(cpu::Core&, Picoseconds) override { return 0; }

  // What all components have counted under this name.
  std::uint64_t counted(const std::string& name) {
    sim::Statistics all(engine);
    for (std::size_t i = 0; i < all.declared().size(); ++i)
      if (all.declared()[i].name == name) return all.totals()[i];
    ADD_FAILURE() << name << " is not counted";
    return 0;
  }
  void set_type(std::uint64_t address, rv64::MemoryType type, Bytes bytes = rv64::kPageBytes) {
    memory.set_type(VirtualAddress(address), bytes, type);
  }
  // All that a core has counted.
  std::vector<std::uint64_t> statistics(unsigned core = 0) const {
    std::vector<std::uint64_t> values;
    const cpu::CoreStatistics& counted = cores[core].statistics();
    for (const sim::Counter* const counter : {&counted.instructions,
                                              &counted.cycles,
                                              &counted.branches,
                                              &counted.mispredictions,
                                              &counted.late_targets,
                                              &counted.loads,
                                              &counted.stores,
                                              &counted.atomics,
                                              &counted.serial,
                                              &counted.forwarded,
                                              &counted.l1_hits,
                                              &counted.l1_misses,
                                              &counted.l2_hits,
                                              &counted.instruction_misses,
                                              &counted.requests,
                                              &counted.prefetches,
                                              &counted.prefetches_used,
                                              &counted.write_backs,
                                              &counted.uncached_loads,
                                              &counted.uncached_stores,
                                              &counted.combined_writes,
                                              &counted.device_accesses,
                                              &counted.squashes_value,
                                              &counted.squashes_order,
                                              &counted.squashed,
                                              &counted.slots_front_end,
                                              &counted.slots_instruction_cache,
                                              &counted.slots_bad_speculation,
                                              &counted.slots_memory_l2,
                                              &counted.slots_memory_below,
                                              &counted.slots_stores,
                                              &counted.slots_core,
                                              &counted.slots_serial})
      values.push_back(*counter);
    return values;
  }

 private:
  static constexpr Picoseconds kMostTime = 20'000'000'000;  // 20 ms
  const config::Topology topology_;

 public:
  sim::Engine engine;
  machine::CpuMemory memory;
  std::deque<cpu::Core> cores;
  std::vector<rv64::Registers> registers;  // by core
  std::vector<std::optional<rv64::Trap>> traps;
  std::vector<Picoseconds> ended_at;
};

}  // namespace duet::test
