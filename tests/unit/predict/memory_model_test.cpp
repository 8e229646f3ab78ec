#include "predict/memory_model.h"

#include <gtest/gtest.h>

#include "config/loader.h"

namespace duet::predict {
namespace {

config::Machine gtx580() {
  return config::load_machine("gtx580", std::string(DUET_SOURCE_DIRECTORY) + "/machines").machine;
}

enum class Kind : std::uint8_t { Load, Store, Atomic };

Request line(std::uint64_t address, bool store = false) {
  Request request;
  request.address = address;
  request.sectors = 0xf;
  request.used_bytes = 128;
  request.store = store;
  return request;
}

unsigned access(MemoryModel& memory, Request request, Kind kind) {
  request.store = kind == Kind::Store;
  request.atomic = kind == Kind::Atomic;
  return memory.access(CacheRequest(request), memory.set_at(request.address));
}

TEST(MemoryModel, L2HasWhatWasReadOrCopied) {
  MemoryModel memory(gtx580());
  EXPECT_EQ(access(memory, line(0), Kind::Load), 1u);  // from DRAM
  EXPECT_EQ(access(memory, line(0), Kind::Load), 0u);
  memory.copied(PhysicalAddress(4096), 256, true);
  EXPECT_EQ(access(memory, line(4096 + 128), Kind::Load), 0u);
  EXPECT_EQ(access(memory, line(4096 + 256), Kind::Load), 1u);
  const MemoryLoad load = memory.take_load();
  EXPECT_EQ(load.requests, 4u);
  EXPECT_EQ(load.below[0], 2u);
  EXPECT_EQ(load.dram_reads, 2u);
}

// A launch that is not recorded leaves what the one before it left.
TEST(MemoryModel, WhatALaunchLeftCanBeLeftAgain) {
  MemoryModel memory(gtx580());
  access(memory, line(1 << 20), Kind::Load);  // before it
  const MemoryModel::Moments before = memory.moments();
  access(memory, line(0), Kind::Load);
  access(memory, line(128, true), Kind::Store);
  MemoryModel::Left left = memory.left_since(before);
  ASSERT_EQ(left.lines[0].size(), 2u);
  EXPECT_EQ(left.lines[0][0].address, 0u);
  EXPECT_EQ(left.lines[0][1].dirty, 0xf);

  MemoryModel other(gtx580());
  other.leave(left);
  EXPECT_EQ(access(other, line(0), Kind::Load), 0u);
  EXPECT_EQ(other.dirty_segments(), 4u);
  EXPECT_EQ(access(other, line(1 << 20), Kind::Load), 1u);
}

// A window of a long kernel writes a quarter of what L2 holds.
TEST(MemoryModel, InTheLongRunWhatIsWrittenGoesToDram) {
  const config::Machine machine = gtx580();
  const config::Cache& l2 = machine.gpu.l2;
  const std::uint64_t lines = l2.sets * l2.ways * machine.gpu.l2_slices;
  const auto load_of = [&](double times, std::uint64_t dirty_before) {
    MemoryModel memory(machine);
    for (std::uint64_t i = 0; i < dirty_before; ++i)
      access(memory, line((8 * lines + i) * 128, true), Kind::Store);
    memory.take_load();
    memory.begin_kernel();
    const MemoryModel::Held before = memory.held();
    for (std::uint64_t i = 0; i < lines / 4; ++i) access(memory, line(i * 128, true), Kind::Store);
    memory.write_back_in_time(times, before);
    return memory.take_load();
  };
  const auto share = [&](const MemoryLoad& load) {
    return static_cast<double>(load.dram_writes) / static_cast<double>(lines / 4);
  };
  EXPECT_EQ(load_of(1, 0).dram_writes, 0u) << "it fits";
  EXPECT_EQ(load_of(4, 0).dram_writes, 0u) << "it just fits";
  EXPECT_NEAR(share(load_of(400, 0)), 1, 0.03);
  EXPECT_GT(load_of(400, 0).dram_cycles, 0);
  // For what comes what others have left dirty leaves, and later what is the kernel's own.
  for (const double times : {1.0, 2.0, 4.0, 8.0, 400.0})
    EXPECT_NEAR(share(load_of(times, lines)), 1, 0.03) << times;
  EXPECT_EQ(load_of(2, lines / 2).dram_writes, 0u) << "free lines come first";
  // The lines/4 that were seen displaced nothing; of the three times as much that was not, half did.
  EXPECT_NEAR(share(load_of(4, lines / 2)), 0.5 * 3 / 4, 0.03);
}

TEST(MemoryModel, AStreamTakesTheBusAndARowAtATimeTheBank) {
  const config::Machine machine = gtx580();
  const config::Dram& dram = machine.gpu.dram;
  constexpr std::uint64_t kLines = 6 * 64 * 32;
  MemoryModel memory(machine);
  for (std::uint64_t i = 0; i < kLines; ++i) access(memory, line(i * 128), Kind::Load);
  const MemoryLoad stream = memory.take_load();
  const double bus = static_cast<double>(kLines * (128 / dram.burst_bytes) * dram.burst_cycles) / 6;
  EXPECT_GT(stream.dram_cycles, bus);
  EXPECT_LT(stream.dram_cycles, 1.6 * bus);
  EXPECT_GT(stream.row_hits, 0.8);

  // One bank of one channel, a new row each time: a row cycle each.
  MemoryModel rows(machine);
  constexpr std::uint64_t kRows = 256;
  for (std::uint64_t i = 0; i < kRows; ++i)
    access(rows, line(i * dram.row_bytes * dram.banks * dram.channels), Kind::Load);
  const MemoryLoad load = rows.take_load();
  EXPECT_EQ(load.row_hits, 0);
  EXPECT_GE(load.dram_cycles, static_cast<double>(kRows * dram.timing.rc));
}

// Without a limit as many requests are put in order as the caches can have under way: two rows of a bank, in
// turn, are opened once for each such number of requests.
TEST(MemoryModel, AQueueWithoutALimitIsAsLongAsTheCachesCanFill) {
  const auto activates = [](std::uint64_t entries) {
    config::Machine machine = gtx580();
    const config::Dram& dram = machine.gpu.dram;
    machine.gpu.dram.queue_entries = entries;
    MemoryModel memory(machine);
    const Bytes row = dram.row_bytes * dram.banks * dram.channels;
    constexpr std::uint64_t kRequests = 512;  // two each 256 bytes of the channel's row
    for (std::uint64_t i = 0; i < kRequests; ++i) {
      const std::uint64_t column = i / 4 % 16 * dram.interleave_bytes * dram.bank_groups * dram.channels;
      access(memory, line(i / 64 * 2 * row + i % 2 * row + column + i / 2 % 2 * 128), Kind::Load);
    }
    return static_cast<double>(kRequests) * (1 - memory.take_load().row_hits);
  };
  const config::Machine machine = gtx580();
  const std::uint64_t most = machine.gpu.l2.mshrs * machine.gpu.l2_slices / machine.gpu.dram.channels;
  EXPECT_EQ(activates(0), activates(most));
  EXPECT_EQ(activates(0), 16);
  EXPECT_GT(activates(2), 500);
}

TEST(MemoryModel, WritesGoToDramWhenTheyAreDisplaced) {
  const config::Machine machine = gtx580();
  MemoryModel memory(machine);
  const std::uint64_t lines = machine.gpu.l2.capacity() * machine.gpu.l2_slices / 128;
  for (std::uint64_t i = 0; i < lines; ++i) access(memory, line(i * 128, true), Kind::Store);
  EXPECT_EQ(memory.take_load().dram_writes, 0u);
  for (std::uint64_t i = lines; i < 2 * lines; ++i) access(memory, line(i * 128, true), Kind::Store);
  EXPECT_EQ(memory.take_load().dram_writes, lines);
}

// L2 is full of what a copy wrote. Half of a kernel is seen, and reads as much as L2 holds: what the other
// half would find there has left, and is written back.
TEST(MemoryModel, WhatIsNotSeenDisplacesToo) {
  const config::Machine machine = gtx580();
  const Bytes all = machine.gpu.l2.sets * machine.gpu.l2.ways * 128 * machine.gpu.l2_slices;
  MemoryModel memory(machine);
  memory.copied(PhysicalAddress(0), all, true);
  memory.begin_kernel();
  const MemoryModel::Counts then = memory.counts();
  for (std::uint64_t at = 0; at < all / 2; at += 128) access(memory, line(2 * all + at), Kind::Load);
  EXPECT_GT(memory.dirty_segments(), 0u);
  memory.pass(then, 1, 1);
  EXPECT_EQ(memory.dirty_segments(), 0u);
  EXPECT_EQ(access(memory, line(all - 128), Kind::Load), 1u);
  EXPECT_EQ(access(memory, line(2 * all + all / 2 - 128), Kind::Load), 0u);  // its own stays
}

// The same kernel, launched once more, of data that just fit: of what was not seen nothing comes again.
TEST(MemoryModel, WhatIsNotSeenFindsWhatIsThere) {
  const config::Machine machine = gtx580();
  const Bytes all = machine.gpu.l2.sets * machine.gpu.l2.ways * 128 * machine.gpu.l2_slices;
  MemoryModel memory(machine);
  for (unsigned launch = 0; launch < 3; ++launch) {
    memory.begin_kernel();
    MemoryModel::Counts then = memory.counts();
    for (const Bytes first : {Bytes{0}, 3 * all / 4}) {
      for (std::uint64_t at = first; at < first + all / 4; at += 128)
        EXPECT_EQ(access(memory, line(at), Kind::Load), launch == 0 ? 1u : 0u);
      if (first == 0) memory.pass(then, 2, 2);
    }
  }
}

// Data that do not fit into L2, but into the level below it: half of a kernel that writes them is seen. What
// leaves L2 is found below, also by those that come again, and nothing goes to DRAM.
TEST(MemoryModel, WhatIsNotSeenIsFoundInTheLevelBelow) {
  config::Machine machine = gtx580();
  const Bytes all = 2 * machine.gpu.l2.capacity() * machine.gpu.l2_slices;
  config::Level level;
  level.name = "L3";
  level.cache = machine.gpu.l2;
  level.cache.sets *= 4;
  level.slices = machine.gpu.l2_slices;
  machine.levels.push_back(level);
  MemoryModel memory(machine);
  for (unsigned launch = 0; launch < 3; ++launch) {
    memory.take_load();
    const MemoryModel::Held before = memory.held();
    memory.begin_kernel();
    const MemoryModel::Counts then = memory.counts();
    for (const Bytes first : {Bytes{0}, 3 * all / 4}) {
      for (std::uint64_t at = first; at < first + all / 4; at += 128) {
        access(memory, line(at), Kind::Load);
        access(memory, line(at, true), Kind::Store);
      }
      if (first == 0) memory.pass(then, 2, 3);
    }
    memory.write_back_in_time(2, before);
    const MemoryLoad load = memory.take_load();
    EXPECT_EQ(load.below[0], all / 2 / 128) << launch;
    EXPECT_EQ(load.below[1], launch == 0 ? all / 2 / 128 : 0) << launch;
    EXPECT_EQ(load.dram_writes, 0u) << launch;
  }
}

// A kernel of which half is seen goes through as much as L2 does not hold: what it used first the next one
// does not find, also when it only repeats the one before it.
TEST(MemoryModel, AStreamOfWhichPartIsSeenLeavesNothingOfItsBeginning) {
  const config::Machine machine = gtx580();
  const Bytes all = machine.gpu.l2.sets * machine.gpu.l2.ways * 128 * machine.gpu.l2_slices;
  MemoryModel memory(machine);
  const MemoryModel::Moments before = memory.moments();
  memory.begin_kernel();
  const MemoryModel::Counts then = memory.counts();
  for (std::uint64_t at = 0; at < all / 2; at += 128) access(memory, line(at, true), Kind::Store);
  memory.pass(then, 2, 2);
  EXPECT_EQ(memory.dirty_segments(), all / 32);  // all of it is written
  MemoryModel::Left left = memory.left_since(before);
  MemoryModel other(machine);
  other.leave(left);
  for (MemoryModel* const model : {&memory, &other}) {
    EXPECT_EQ(model->dirty_segments(), all / 32);
    EXPECT_EQ(access(*model, line(0), Kind::Load), 1u);
    EXPECT_EQ(access(*model, line(all / 2 - 128), Kind::Load), 1u);
  }
}

TEST(MemoryModel, ALineMayBeOnItsWay) {
  MemoryModel memory(gtx580());
  access(memory, line(0), Kind::Load);
  memory.begin_accesses(10);
  memory.at_access(3);
  access(memory, line(128), Kind::Load);
  memory.at_access(5);
  access(memory, line(128), Kind::Load);
  EXPECT_EQ(memory.brought_at(), 3u);
  access(memory, line(0), Kind::Load);
  EXPECT_EQ(memory.brought_at(), Request::kBefore);
  memory.begin_accesses(10);
  access(memory, line(128), Kind::Load);
  EXPECT_EQ(memory.brought_at(), Request::kBefore);  // of another kernel
}

}  // namespace
}  // namespace duet::predict
