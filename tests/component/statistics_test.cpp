// Statistics of a whole timed machine: each component's own, and the totals.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "config/loader.h"
#include "machine/system.h"
#include "rig.h"

namespace duet::test {
namespace {

machine::Options options_with(std::uint64_t seed) {
  machine::Options options;
  options.shuffle_seed = seed;
  return options;
}

// Copies of the driver's legacy stream, one after the other, and what each component counted meanwhile.
struct Machine {
  explicit Machine(std::uint64_t seed = 0)
      : config(config::load_machine("gtx580", DUET_SOURCE_DIRECTORY "/machines").machine),
        system(config, host, {}, options_with(seed)),
        thread(system.engine(), system.driver(), config.driver) {
    system.driver().create_stream({driver::StreamOrder::Barrier, 0, "the default stream"});
  }
  void copy_in(const std::vector<std::byte>& data) {
    const memory::Allocation* buffer =
        system.address_space().allocate_device(data.size(), memory::AllocationKind::Device);
    driver::Command command;
    command.kind = driver::CommandKind::Copy;
    command.cost = &config.driver.memcpy_async;
    command.copy.to.address = buffer->base;
    command.copy.from = {true, virtual_address(data.data()), 0, 0};
    command.copy.width_bytes = data.size();
    thread.submit(std::move(command));
    thread.wait(config.driver.device_synchronize, [this] { return system.driver().all_idle(); });
  }
  std::map<std::string, std::uint64_t> totals() {
    const auto values = system.statistics().totals();
    std::map<std::string, std::uint64_t> named;
    for (std::size_t i = 0; i < values.size(); ++i) named[system.statistics().declared()[i].name] = values[i];
    return named;
  }
  // By name of the component and of the statistic.
  std::map<std::string, std::map<std::string, std::uint64_t>> of_components() {
    const sim::Statistics& statistics = system.statistics();
    std::vector<std::uint64_t> values(statistics.statistic_of_value().size());
    statistics.of_components(values.data());
    std::map<std::string, std::map<std::string, std::uint64_t>> named;
    for (const sim::Statistics::Part& part : statistics.parts())
      for (std::size_t i = part.first; i < part.first + part.count; ++i)
        named[part.component->name()][statistics.declared()[statistics.statistic_of_value()[i]].name] =
            values[i];
    return named;
  }

  const config::Machine config;
  PlainHost host;
  machine::System system;
  host::NativeThread thread;
};

// 768 lines lie in all slices: each counts its own, and together they are what was copied.
TEST(MachineStatistics, SlicesAddUpToTheTotal) {
  Machine machine;
  machine.copy_in(pattern_bytes(96_KiB));
  const auto totals = machine.totals();
  const auto components = machine.of_components();
  std::uint64_t sum = 0;
  unsigned slices = 0, busy = 0;
  for (const auto& [name, values] : components) {
    if (!name.starts_with("L2 slice ")) continue;
    ++slices;
    const std::uint64_t writes = values.at("l2.write_hits") + values.at("l2.write_misses");
    busy += writes != 0;
    sum += writes;
  }
  EXPECT_EQ(slices, machine.config.gpu.l2_slices);
  EXPECT_EQ(busy, slices);
  EXPECT_EQ(totals.at("l2.write_hits") + totals.at("l2.write_misses"), sum);
  EXPECT_EQ(sum, 96_KiB / 128);
  EXPECT_EQ(totals.at("copy_engine.bytes"), 96_KiB);
  EXPECT_EQ(totals.at("copy_engine.packets"), 96_KiB / 128);
  EXPECT_EQ(totals.at("copy_engine.moves"), 1u);
  EXPECT_EQ(totals.at("driver.commands"), 1u);
}

// No two components have one name, so a report may name them by it; each total is the sum of its parts.
TEST(MachineStatistics, EveryTotalIsTheSumOfTheComponents) {
  Machine machine;
  machine.copy_in(pattern_bytes(40'000));
  std::set<std::string> names;
  for (const sim::Statistics::Part& part : machine.system.statistics().parts())
    EXPECT_TRUE(names.insert(part.component->name()).second) << part.component->name();
  const auto totals = machine.totals();
  std::map<std::string, std::uint64_t> sums;
  for (const auto& [name, values] : machine.of_components())
    for (const auto& [statistic, value] : values) sums[statistic] += value;
  unsigned compared = 0;
  for (const auto& [name, value] : totals) {
    if (!sums.contains(name) || name == "full_empty.most_waiting") continue;  // a state; the largest of all
    EXPECT_EQ(value, sums.at(name)) << name;
    ++compared;
  }
  EXPECT_GT(compared, 100u);
}

// What has not been ticked is not read again: who reads all for the first time finds the same.
TEST(MachineStatistics, WhatSleepsHasCountedNothing) {
  Machine machine;
  for (const Bytes bytes : {Bytes{4}, 20_KiB, Bytes{128}, 96_KiB, Bytes{1}}) {
    machine.copy_in(pattern_bytes(bytes));
    sim::Statistics all(machine.system.engine());
    EXPECT_EQ(machine.system.statistics().totals(), all.totals());
    std::vector<std::uint64_t> known(all.statistic_of_value().size()), read(known.size());
    machine.system.statistics().of_components(known.data());
    all.of_components(read.data());
    EXPECT_EQ(known, read);
  }
}

// What was counted in a time is the difference of two moments, whoever is ticked first.
TEST(MachineStatistics, ACopyCostsTheSameOnTopOfAnother) {
  const auto data = pattern_bytes(64_KiB);
  for (const std::uint64_t seed : {0, 7}) {
    Machine machine(seed);
    machine.copy_in(data);
    const auto before = machine.system.statistics().totals();
    machine.copy_in(data);
    const auto increase = machine.system.statistics().since(before, machine.system.statistics().totals());
    const auto& declared = machine.system.statistics().declared();
    std::map<std::string, std::uint64_t> rose;
    for (std::size_t i = 0; i < declared.size(); ++i) rose[declared[i].name] = increase[i];
    EXPECT_EQ(rose.at("copy_engine.bytes"), 64_KiB);
    EXPECT_EQ(rose.at("copy_engine.moves"), 1u);
    EXPECT_EQ(rose.at("l2.write_hits") + rose.at("l2.write_misses"), 64_KiB / 128);
    EXPECT_GE(rose.at("link.to_gpu_payload_bytes"), 64_KiB);
  }
}

}  // namespace
}  // namespace duet::test
