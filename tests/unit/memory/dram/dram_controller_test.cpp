// The controller: latencies to the picosecond, data, order, clients, classes, and what it refuses.
#include "memory/dram/dram_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "dram_rig.h"

namespace duet::test {
namespace {

using namespace memory;

// When an answer to a request that the controller first sees at edge `seen` is there for the client, which
// looks one picosecond later.
Picoseconds expected(const DramRig& rig, Cycle seen, Cycle cycles) {
  return rig.clock.edge(seen + cycles) + 1;
}

TEST(DramController, UnloadedReadLatency) {
  DramRig rig;
  // Pushed at 1 ps, seen at edge 1: ACT, tRCD, RD, tCCD_L, RD, CL, burst, controller.
  const Cycle closed = 12 + 3 + 12 + 2 + 100;
  rig.read(DramRig::at(5, 7));
  rig.run();
  ASSERT_EQ(rig.client().answers.size(), 1u);
  EXPECT_EQ(rig.client().answers[0].time, expected(rig, 1, closed));

  // The row is open.
  rig.engine.run_until(rig.clock.edge(1000) - 2);
  rig.read(DramRig::at(5, 7, 1024));
  rig.run();
  EXPECT_EQ(rig.client().answers[1].time, expected(rig, 1000, 3 + 12 + 2 + 100));

  // Another row of the bank is open.
  rig.engine.run_until(rig.clock.edge(2000) - 2);
  rig.read(DramRig::at(5, 8));
  rig.run();
  EXPECT_EQ(rig.client().answers[2].time, expected(rig, 2000, 12 + closed));

  // A request pushed at an edge is seen at the next one; one burst needs one column command.
  rig.engine.run_until(rig.clock.edge(3000) - 1);
  rig.read(DramRig::at(5, 8), 64);
  rig.run();
  EXPECT_EQ(rig.client().answers[3].time, expected(rig, 3001, 12 + 2 + 100));

  const DramStatistics& statistics = rig.unit.statistics();
  EXPECT_EQ(statistics.reads, 4u);
  EXPECT_EQ(statistics.row_misses, 1u);
  EXPECT_EQ(statistics.row_hits, 2u);
  EXPECT_EQ(statistics.row_conflicts, 1u);
  EXPECT_EQ(statistics.activates, 2u);
  EXPECT_EQ(statistics.precharges, 1u);
  EXPECT_EQ(statistics.data_bus_busy_cycles, (2u + 2 + 2 + 1) * 2);
  EXPECT_EQ(statistics.refreshes, 0u);
}

TEST(DramController, UnloadedWriteIsAcknowledgedAfterItsData) {
  DramRig rig;
  rig.write(DramRig::at(0, 3));
  rig.run();
  ASSERT_EQ(rig.client().answers.size(), 1u);
  EXPECT_EQ(rig.client().answers[0].time, expected(rig, 1, 12 + 3 + 4 + 2 + 100));
  EXPECT_EQ(rig.unit.statistics().writes, 1u);
}

TEST(DramController, AnswersNameTheirRequestAndGoBack) {
  DramRig rig;
  const RequestHandle read = rig.read(256, 96), write = rig.write(4096, 32);
  rig.run();
  for (const auto& answer : rig.client().answers) {
    EXPECT_EQ(answer.packet.kind, PacketKind::Response);
    EXPECT_EQ(answer.packet.source, 3);
    EXPECT_EQ(answer.packet.destination, 9);
    EXPECT_EQ(answer.packet.payload_bytes, answer.packet.request == read ? 96 : 0);
  }
  auto order = rig.order();
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (std::vector{read, write}));
}

TEST(DramController, BurstsAreThoseThatTheRequestTouches) {
  DramRig rig;
  rig.read(32, 64);  // the end of one burst and the beginning of the next
  rig.read(256, 4);
  rig.read(512 + 64, 64);
  rig.run();
  EXPECT_EQ(rig.unit.statistics().data_bus_busy_cycles, 4u * 2);
}

TEST(DramController, WritesOnlyTheBytesOfTheMask) {
  DramRig rig;
  const Address base = DramRig::at(3, 1);
  std::memset(rig.bytes(base), 0, 128);
  const RequestHandle handle = rig.write(base);
  rig.pool[handle].data.fill(std::byte{1});
  rig.pool[handle].mask = {};
  rig.pool[handle].mask.bits[0] = 1ull << 5;
  rig.pool[handle].mask.bits[1] = 1ull << 63;
  rig.run();
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(rig.bytes(base)[i], i == 5 || i == 127 ? std::byte{1} : std::byte{0}) << i;
  const RequestHandle back = rig.read(base);
  rig.run();
  EXPECT_EQ(std::memcmp(rig.pool[back].data.data(), rig.bytes(base), 128), 0);
}

TEST(DramController, DataIsBoundAtTheLastColumnCommand) {
  DramRig rig;
  const Address base = DramRig::at(3, 1);
  const RequestHandle handle = rig.read(base);  // seen at edge 1, RD at 13 and 16
  rig.engine.run_until(rig.clock.edge(15));
  rig.bytes(base)[0] = std::byte{7};
  rig.engine.run_until(rig.clock.edge(16));
  rig.bytes(base)[1] = std::byte{8};
  rig.run();
  EXPECT_EQ(rig.pool[handle].data[0], std::byte{7});
  EXPECT_EQ(rig.pool[handle].data[1], std::byte{0});
}

// Writes and reads of a few lines in many rows: every read sees the writes that were sent before it and none
// that were sent after it, whatever the scheduler does with them.
TEST(DramController, RequestsToOneLineKeepTheirOrder) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"})
    for (const std::uint64_t entries : {1, 4, 64, 0}) {
      config::Gpu gpu = gtx580_dram();
      gpu.dram.scheduler = scheduler;
      gpu.dram.queue_entries = entries;
      gpu.dram.refresh = true;
      DramRig rig(gpu);
      Random random{entries + 1};
      std::vector<std::array<std::byte, 128>> model(24);
      std::vector<std::pair<RequestHandle, std::vector<std::byte>>> reads;
      for (unsigned i = 0; i < 3000; ++i) {
        const auto line = random(model.size());
        const Address address = DramRig::at(line % 3, line % 4, 128 * (line / 12));
        const unsigned offset = 32 * random(4), bytes = 32 * (1 + random(4 - offset / 32));
        if (random(2) == 0) {
          const RequestHandle handle = rig.read(address + offset, bytes);
          reads.push_back({handle, {&model[line][offset], &model[line][offset] + bytes}});
          continue;
        }
        const RequestHandle handle = rig.write(address + offset, bytes);
        Request& request = rig.pool[handle];
        request.mask.bits[0] &= ~(1ull << random(32));
        for (unsigned b = 0; b < bytes; ++b) {
          request.data[b] = static_cast<std::byte>(random(256));
          if (request.mask.test(b)) model[line][offset + b] = request.data[b];
        }
      }
      rig.run();
      ASSERT_EQ(rig.client().answers.size(), 3000u);
      unsigned wrong = 0;
      for (const auto& [handle, data] : reads)
        wrong += std::memcmp(rig.pool[handle].data.data(), data.data(), data.size()) != 0;
      EXPECT_EQ(wrong, 0u) << scheduler << " " << entries;
      for (unsigned line = 0; line < model.size(); ++line)
        EXPECT_EQ(std::memcmp(rig.bytes(DramRig::at(line % 3, line % 4, 128 * (line / 12))),
                              model[line].data(), 128),
                  0);
    }
}

TEST(DramController, AFullQueueOfAnswersStopsItsClientOnly) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"}) {
    SCOPED_TRACE(scheduler);
    config::Gpu gpu = gtx580_dram();
    gpu.dram.scheduler = scheduler;
    DramRig rig(gpu, 2, 4);
    rig.client(0).takes_answers = false;
    // Both clients use the same bank, rows that exclude each other.
    for (unsigned i = 0; i < 40; ++i) {
      rig.read(DramRig::at(2, 1, 128 * (i % 32)), 128, 0);
      rig.read(DramRig::at(2, 2, 128 * (i % 32)), 128, 1);
    }
    rig.run();
    EXPECT_EQ(rig.client(0).answers.size(), 0u);
    EXPECT_EQ(rig.client(1).answers.size(), 40u);
    EXPECT_EQ(rig.unit.waits_for(), "room in a client's queue of answers");
    rig.client(0).takes_answers = true;
    rig.engine.wake(rig.client(0), rig.engine.now() + 1);
    rig.run();
    EXPECT_EQ(rig.client(0).answers.size(), 40u);
    EXPECT_EQ(rig.unit.waits_for(), "");
  }
}

TEST(DramController, ClassesHaveEntriesOfTheirOwn) {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.queue_entries = 2;
  DramRig rig(gpu);
  for (unsigned i = 0; i < 30; ++i) rig.send(Operation::Write, 0, 128, 0, TrafficClass::TriggeredGpu);
  for (unsigned i = 0; i < 3; ++i) rig.read(DramRig::at(1 + i, 0));
  rig.run();
  ASSERT_EQ(rig.client().answers.size(), 33u);
  std::size_t last_read = 0;
  for (std::size_t i = 0; i < 33; ++i)
    if (rig.client().answers[i].packet.traffic_class == TrafficClass::NonTriggered) last_read = i;
  EXPECT_LE(last_read, 6u);  // not behind the thirty
}

TEST(DramController, OneEntryEverywhereStillProgresses) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"}) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.queue_entries = 1;
    gpu.dram.scheduler = scheduler;
    gpu.dram.refresh = true;
    DramRig rig(gpu, 2, 1);
    Random random;
    for (unsigned i = 0; i < 200; ++i)
      rig.send(random(2) ? Operation::Read : Operation::Write, 128 * random(1000), 128, i % 2,
               static_cast<TrafficClass>(random(3)));
    rig.run();
    EXPECT_EQ(rig.client(0).answers.size(), 100u);
    EXPECT_EQ(rig.client(1).answers.size(), 100u);
  }
}

TEST(DramController, CyclesInWhichARequestFindsNoEntry) {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.queue_entries = 1;
  DramRig rig(gpu);
  rig.read(DramRig::at(0, 0));
  rig.read(DramRig::at(1, 0));
  rig.run();
  // Both are seen at edge 1; the first one's last RD is at 1 + 12 + 3, and its entry is free one cycle later.
  EXPECT_EQ(rig.unit.statistics().queue_full_cycles, 16u);
}

// Of n entries the request after the n-th waits; without a limit none does, of as many as there are.
TEST(DramController, WithoutALimitNoRequestWaitsForAnEntry) {
  const auto full_cycles = [](std::uint64_t entries, unsigned requests) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.queue_entries = entries;
    DramRig rig(gpu, 1, 1024);
    for (unsigned i = 0; i < requests; ++i) rig.write(DramRig::at(i % 4, i / 128, 128 * (i / 4 % 32)));
    rig.engine.run_until(rig.clock.edge(3));
    const sim::Queue<Packet>& waiting = rig.ends[0]->requests.of(0);
    EXPECT_EQ(waiting.empty(), entries == 0 || requests <= entries) << entries << " " << requests;
    rig.run();
    EXPECT_EQ(rig.client().answers.size(), requests);
    return std::uint64_t{rig.unit.statistics().queue_full_cycles};
  };
  EXPECT_EQ(full_cycles(64, 64), 0u);
  EXPECT_GT(full_cycles(64, 65), 0u);
  for (const unsigned requests : {64u, 65u, 128u, 129u, 1024u}) EXPECT_EQ(full_cycles(0, requests), 0u);
}

TEST(DramController, ResultsDoNotDependOnTheOrderOfTicks) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"}) {
    std::vector<std::vector<Picoseconds>> times;
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      config::Gpu gpu = gtx580_dram();
      gpu.dram.scheduler = scheduler;
      gpu.dram.refresh = true;
      DramRig rig(gpu, 2, 3, seed);
      Random random;
      for (unsigned i = 0; i < 1000; ++i)
        rig.send(random(3) ? Operation::Read : Operation::Write, 128 * random(4000), 128, i % 2);
      rig.run();
      times.emplace_back();
      for (unsigned c = 0; c < 2; ++c)
        for (const auto& answer : rig.client(c).answers) times.back().push_back(answer.time);
    }
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i], times[0]) << scheduler << " " << i;
  }
}

// Requests to one line keep their order, also behind one that cannot be answered; those to its neighbour go
// on.
TEST(DramController, LinesMayBeShorter) {
  for (const Bytes line : {32, 64, 128})
    for (const unsigned apart : {32u, 64u}) {
      SCOPED_TRACE(testing::Message() << line << " " << apart);
      DramRig rig(gtx580_dram(), 2, 4);
      rig.unit.keep_order_in(line);
      rig.client(0).takes_answers = false;
      for (unsigned i = 0; i < 40; ++i) rig.read(DramRig::at(2, 1, 0), 32, 0);
      rig.run();
      rig.read(DramRig::at(2, 1, apart), 32, 1);
      rig.run();
      EXPECT_EQ(rig.client(1).answers.size(), apart < line ? 0u : 1u);
    }
  DramRig rig(gtx580_dram());
  rig.unit.keep_order_in(32);
  rig.read(0, 32);
  rig.run();
  rig.read(16, 32);
  EXPECT_THROW(rig.run(), Error);
}

TEST(DramController, WhatItCannotDoIsRefusedByName) {
  const auto refused = [](auto change, const std::string& what) {
    DramRig rig(gtx580_dram(2));
    change(rig.pool[rig.read(0)]);
    try {
      rig.run();
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("dram 0"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  refused([](Request& request) { request.operation = Operation::Clean; }, "maintenance");
  refused([](Request& request) { request.operation = Operation::Invalidate; }, "maintenance");
  refused([](Request& request) { request.trigger = Trigger::Full; }, "full/empty");
  refused([](Request& request) { request.action = Action::Fill; }, "full/empty");
  refused([](Request& request) { request.address = PhysicalAddress(64); }, "leaves its line");
  refused([](Request& request) { request.bytes = 0; }, "empty");
  refused([](Request& request) { request.address = PhysicalAddress(256); }, "belongs to channel 1");
  refused([](Request& request) { request.address = PhysicalAddress(128_MiB); }, "not in device memory");
  refused([](Request& request) { request.address = PhysicalAddress(1_GiB * 1024); }, "not in device memory");
}

TEST(DramController, NumbersThatDoNotFitAreRefused) {
  const auto refused = [](auto change) {
    config::Gpu gpu = gtx580_dram();
    change(gpu.dram);
    EXPECT_THROW(DramRig{gpu}, Error);
  };
  refused([](config::Dram& dram) { dram.scheduler = "lottery"; });
  refused([](config::Dram& dram) { dram.row_policy = "ajar"; });
  refused([](config::Dram& dram) { dram.refresh_unit = "row"; });
  refused([](config::Dram& dram) { dram.standard = "SRAM"; });
  refused([](config::Dram& dram) {
    dram.refresh = true;
    dram.timing.refi = 100;
  });
  refused([](config::Dram& dram) { dram.banks = 128; });
}

}  // namespace
}  // namespace duet::test
