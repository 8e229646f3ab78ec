// Full/empty bits at a DRAM controller: the bits themselves against a map of bytes, and who waits for whom.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "dram_rig.h"

namespace duet::test {
namespace {

using memory::Action;
using memory::Agent;
using memory::ByteMask;
using memory::FullEmptyBits;
using memory::Operation;
using memory::RequestHandle;
using memory::TrafficClass;
using memory::Trigger;

// Byte by byte: which granules are empty, and which words have been filled, or emptied, since. A granule that
// spans channels has a part in each.
class BitsModel {
 public:
  BitsModel(Bytes granule, const memory::AddressMap& map, unsigned channel)
      : granule_(granule), map_(map), channel_(channel) {}
  void change(Address address, const ByteMask& mask, bool to_empty) {
    std::set<Address> words;
    for (unsigned i = 0; i < 128; ++i)
      if (mask.test(i)) words.insert((address + i) / 4);
    for (const Address word : words) {
      const Address granule = word * 4 / granule_;
      if ((empty_.count(granule) != 0) == to_empty)
        moved_[granule].erase(word);
      else
        moved_[granule].insert(word);
    }
    for (const Address word : words) {
      const Address granule = word * 4 / granule_;
      std::size_t own = 0;
      for (Address b = granule * granule_; b < (granule + 1) * granule_; b += 4)
        own += map_.place(PhysicalAddress(b)).channel == channel_;
      if (moved_[granule].size() != own) continue;
      moved_[granule].clear();
      if (to_empty)
        empty_.insert(granule);
      else
        empty_.erase(granule);
    }
  }
  bool full(Address byte) const { return empty_.count(byte / granule_) == 0; }

 private:
  Bytes granule_;
  const memory::AddressMap& map_;
  unsigned channel_;
  std::set<Address> empty_;
  std::map<Address, std::set<Address>> moved_;
};

TEST(FullEmptyBits, AgreeWithAMapOfBytes) {
  Random random;
  for (const Bytes granule : {4, 8, 32, 128, 256, 1024, 4096}) {
    config::Gpu gpu = with_full_empty(2);
    gpu.full_empty.granule_bytes = granule;
    const memory::AddressMap map(gpu.dram);
    FullEmptyBits bits(gpu.full_empty, map, 1);
    BitsModel model(granule, map, 1);
    unsigned changes = 0;
    bool before = true;
    for (unsigned step = 0; step < 400 + 16 * granule; ++step) {
      const Address line = random(64) * 128;
      if (map.place(PhysicalAddress(line)).channel != 1) continue;
      const auto first = static_cast<unsigned>(random(128));
      const Address address = line + first;
      ByteMask mask;
      do {
        mask = ByteMask::first(static_cast<unsigned>(1 + random(128 - first)));
        if (granule < 128 && random(2) == 0) mask.bits[0] &= random(~0ull >> 1) * 0x1'0001;
      } while (!any(mask));
      // Mostly the same for a while, so that wide granules change at all.
      const bool to_empty =
          (step / (20 + 4 * granule) % 2 == 0) != (random(granule <= 32 ? 4 : 2 * granule) == 0);
      to_empty ? bits.empty(PhysicalAddress(address), mask) : bits.fill(PhysicalAddress(address), mask);
      model.change(address, mask, to_empty);
      changes += before != model.full(line);
      before = model.full(line);
      const Address asked = random(64) * 128;
      if (map.place(PhysicalAddress(asked)).channel != 1) continue;
      const ByteMask all = ByteMask::first(128), full = bits.full(PhysicalAddress(asked), all);
      bool every = true, none = true;
      for (unsigned i = 0; i < 128; ++i) {
        const bool expected = model.full(asked + i);
        ASSERT_EQ(full.test(i), expected) << "granule " << granule << ", byte " << asked + i;
        every &= expected;
        none &= !expected;
      }
      EXPECT_EQ(bits.all_full(PhysicalAddress(asked), all), every);
      EXPECT_EQ(bits.all_empty(PhysicalAddress(asked), all), none);
    }
    EXPECT_GT(changes, 1u) << "granule " << granule;
    bits.reset(PhysicalAddress(0), 64 * 128);
    EXPECT_TRUE(bits.all_full(PhysicalAddress(0), ByteMask::first(128)));
  }
}

struct FullEmpty : ::testing::Test {
  FullEmpty() { gpu = with_full_empty(); }
  void build() { rig = std::make_unique<DramRig>(gpu); }
  RequestHandle send(Operation operation, Address address, unsigned bytes, Trigger trigger, Action action,
                     Agent agent = Agent::Sm) {
    const auto traffic_class = trigger == Trigger::None ? TrafficClass::NonTriggered
                               : agent == Agent::Sm     ? TrafficClass::TriggeredGpu
                                                        : TrafficClass::TriggeredCpu;
    const RequestHandle handle = rig->send(operation, address, bytes, 0, traffic_class);
    memory::Request& request = rig->pool[handle];
    request.tracked = true;
    request.trigger = trigger;
    request.action = action;
    request.agent = agent;
    return handle;
  }
  RequestHandle read(Address address, unsigned bytes = 128, Agent agent = Agent::Sm) {
    return send(Operation::Read, address, bytes, Trigger::Full, Action::None, agent);
  }
  RequestHandle fill(Address address, unsigned bytes = 128) {
    return send(Operation::Write, address, bytes, Trigger::None, Action::Fill, Agent::CopyEngine);
  }
  void empty(Address address, unsigned bytes = 128) {
    send(Operation::SetBits, address, bytes, Trigger::None, Action::Empty, Agent::CopyEngine);
    rig->run();
    rig->client().answers.clear();
  }
  bool answered(RequestHandle handle) const {
    for (const RequestHandle one : rig->order())
      if (one == handle) return true;
    return false;
  }
  config::Gpu gpu;
  std::unique_ptr<DramRig> rig;
};

TEST_F(FullEmpty, AReadOfFullMemoryDoesNotWait) {
  build();
  const RequestHandle tracked = read(0);
  rig->run();
  ASSERT_TRUE(answered(tracked));
  const Picoseconds with = rig->client().answers[0].time;
  build();
  rig->read(0);
  rig->run();
  EXPECT_EQ(with, rig->client().answers[0].time);
}

TEST_F(FullEmpty, AReadWaitsForTheFillAndSeesItsBytes) {
  build();
  empty(0);
  const RequestHandle waiting = read(0, 64);
  rig->run();
  EXPECT_FALSE(answered(waiting));
  EXPECT_NE(rig->unit.waits_for().find("full"), std::string::npos);
  const RequestHandle half = fill(0, 32);
  rig->pool[half].data.fill(std::byte{7});
  rig->run();
  EXPECT_FALSE(answered(waiting)) << "only the first half is full";
  const RequestHandle rest = fill(32, 32);
  rig->pool[rest].data.fill(std::byte{9});
  rig->run();
  ASSERT_TRUE(answered(waiting));
  EXPECT_EQ(rig->pool[waiting].data[0], std::byte{7});
  EXPECT_EQ(rig->pool[waiting].data[63], std::byte{9});
  EXPECT_TRUE(rig->unit.waits_for().empty());
}

// What a report is told: who heads the queue, who could go behind it, and who wrote the words without
// filling.
TEST_F(FullEmpty, WhoWaitsAndWhoStandsBehindIsTold) {
  build();
  empty(0);
  empty(256);
  const RequestHandle head = read(0, 64), behind = read(512, 32), last = read(256, 128);
  rig->pool[head].unit = 3;
  rig->pool[head].requester = 7;
  rig->pool[head].pc = 42;
  rig->run();
  const auto waiting = rig->unit.waiting_requests();
  ASSERT_EQ(waiting.size(), 3u);
  EXPECT_EQ(waiting[0].unit, 3u);
  EXPECT_EQ(waiting[0].requester, 7u);
  EXPECT_EQ(waiting[0].pc, 42u);
  EXPECT_EQ(waiting[0].operation, Operation::Read);
  const bool satisfied[] = {false, true, false};
  const unsigned bytes[] = {64, 32, 128};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(waiting[i].place, i);
    EXPECT_EQ(waiting[i].queue, 2u) << "triggered requests of the GPU";
    EXPECT_EQ(waiting[i].satisfied, satisfied[i]);
    EXPECT_EQ(waiting[i].bytes, bytes[i]);
    EXPECT_FALSE(waiting[i].written);
  }
  EXPECT_FALSE(answered(behind));
  fill(0, 64);
  rig->run();
  EXPECT_TRUE(answered(behind));
  EXPECT_FALSE(answered(last));
  EXPECT_EQ(rig->unit.waiting_requests().size(), 1u);
}

TEST_F(FullEmpty, AWriteThatDoesNotFillIsRememberedUntilTheNextChangeOfItsBits) {
  build();
  const auto write = [&](Address address, unsigned bytes, std::uint32_t command) {
    const RequestHandle handle =
        send(Operation::Write, address, bytes, Trigger::None, Action::None, Agent::CopyEngine);
    rig->pool[handle].pc = command;
    rig->run();
  };
  const auto written = [&](std::size_t i) { return rig->unit.waiting_requests().at(i).written; };
  write(0, 128, 1);  // full words: nobody will wait for them
  write(128, 128, 2);
  empty(0);
  empty(128);
  write(128, 64, 3);
  read(0, 128);
  rig->run();
  EXPECT_FALSE(written(0)) << "it was written before it was emptied";
  write(32, 4, 4);
  ASSERT_TRUE(written(0));
  EXPECT_EQ(written(0)->pc, 4u);
  EXPECT_EQ(written(0)->agent, Agent::CopyEngine);
  empty(0);
  EXPECT_FALSE(written(0)) << "it has been emptied again";
  write(32, 4, 5);
  fill(32, 4);
  rig->run();
  EXPECT_FALSE(written(0)) << "those words are full";
  rig->unit.reset_bits(PhysicalAddress(0), 4096);
  EXPECT_TRUE(rig->unit.waiting_requests().at(0).satisfied);
}

TEST_F(FullEmpty, AReadBringsWhatElseIsFull) {
  build();
  empty(0);
  fill(0, 8);
  fill(64, 4);
  rig->run();
  const RequestHandle some = read(0);
  rig->pool[some].required = ByteMask::first(8);
  rig->run();
  ASSERT_TRUE(answered(some));
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(rig->pool[some].mask.test(i), i < 8 || (i >= 64 && i < 68)) << i;
}

TEST_F(FullEmpty, OnlyTheHeadOfAQueueIsObserved) {
  build();
  empty(0);
  const RequestHandle head = read(0), behind = read(4096);
  rig->run();
  EXPECT_FALSE(answered(behind));
  fill(0);
  rig->run();
  EXPECT_TRUE(answered(head));
  EXPECT_TRUE(answered(behind));
}

TEST_F(FullEmpty, LookingPastTheHead) {
  gpu.full_empty.look_ahead = 2;
  build();
  empty(0, 4);
  const RequestHandle head = read(0, 4), second = read(0, 4), third = read(4096);
  rig->run();
  EXPECT_FALSE(answered(third)) << "two entries are observed";
  fill(0, 4);
  rig->run();
  EXPECT_TRUE(answered(head) && answered(second) && answered(third));
  empty(0, 4);
  const RequestHandle again = read(0, 4), passes = read(64, 4);
  rig->run();
  EXPECT_FALSE(answered(again));
  EXPECT_TRUE(answered(passes));
}

TEST_F(FullEmpty, ACpuReadAndAGpuReadDoNotBlockEachOther) {
  build();
  empty(0);
  empty(4096);
  const RequestHandle cpu = read(0, 128, Agent::CopyEngine), gpu_read = read(4096);
  rig->run();
  fill(4096);
  rig->run();
  EXPECT_TRUE(answered(gpu_read));
  EXPECT_FALSE(answered(cpu));
}

// What waits for empty is behind nothing that it waits for.
TEST_F(FullEmpty, AWriteThatWaitsForEmptyKeepsReadsBackUnlessTheyAreApart) {
  for (const bool apart : {false, true}) {
    gpu.full_empty.queues = apart ? 4 : 3;
    build();
    send(Operation::Write, 0, 4, Trigger::Empty, Action::Fill, Agent::CopyEngine);
    rig->run();
    const RequestHandle taking = send(Operation::Read, 0, 4, Trigger::Full, Action::Empty, Agent::CopyEngine);
    rig->run();
    EXPECT_EQ(answered(taking), apart);
  }
}

TEST_F(FullEmpty, WithTwoQueuesTheyDo) {
  gpu.full_empty.queues = 2;
  build();
  empty(0);
  empty(4096);
  read(0, 128, Agent::CopyEngine);
  const RequestHandle gpu_read = read(4096);
  rig->run();
  fill(4096);
  rig->run();
  EXPECT_FALSE(answered(gpu_read));
}

// lustig2013 §4.3: with a single queue the write that would fill cannot pass.
TEST_F(FullEmpty, WithOneQueueTheReadBlocksItsOwnFill) {
  gpu.full_empty.queues = 1;
  build();
  empty(0);
  const RequestHandle waiting = read(0);
  rig->run();
  const RequestHandle release = fill(0);
  rig->run();
  EXPECT_FALSE(answered(waiting));
  EXPECT_FALSE(answered(release));
}

// §6.3: without a trigger, then the CPU's, then the GPU's.
TEST_F(FullEmpty, TheCpuGoesBeforeTheGpu) {
  build();
  empty(0);
  const RequestHandle gpu_read = read(0), cpu = read(0, 128, Agent::CopyEngine);
  rig->run();
  const RequestHandle write = fill(0);
  rig->run();
  EXPECT_EQ(rig->order(), (std::vector<RequestHandle>{write, cpu, gpu_read}));
}

TEST_F(FullEmpty, ATakingReadLetsOnlyOneThrough) {
  build();
  empty(0, 4);
  const RequestHandle one = send(Operation::Read, 0, 4, Trigger::Full, Action::Empty);
  const RequestHandle two = send(Operation::Read, 0, 4, Trigger::Full, Action::Empty);
  rig->run();
  fill(0, 4);
  rig->run();
  EXPECT_TRUE(answered(one));
  EXPECT_FALSE(answered(two));
  fill(0, 4);
  rig->run();
  EXPECT_TRUE(answered(two));
}

TEST_F(FullEmpty, AWriteWaitsForEmpty) {
  build();
  const RequestHandle write = send(Operation::Write, 0, 4, Trigger::Empty, Action::Fill, Agent::CopyEngine);
  rig->run();
  EXPECT_FALSE(answered(write));
  const RequestHandle taking = send(Operation::Read, 0, 4, Trigger::Full, Action::Empty);
  rig->run();
  EXPECT_TRUE(answered(taking));
  EXPECT_TRUE(answered(write));
  const RequestHandle after = read(0, 4);
  rig->run();
  EXPECT_TRUE(answered(after)) << "the write has filled";
}

TEST_F(FullEmpty, AtomicsWaitForFullAndCount) {
  build();
  empty(0, 4);
  std::vector<RequestHandle> atomics;
  for (unsigned i = 0; i < 3; ++i) {
    atomics.push_back(send(Operation::Atomic, 0, 4, Trigger::Full, Action::Fill));
    memory::Request& request = rig->pool[atomics.back()];
    request.atomic_operation = AtomicOperation::Add;
    request.atomic_type = AtomicType::U32;
    request.data[0] = std::byte{1};
  }
  rig->run();
  EXPECT_FALSE(answered(atomics[0]));
  const RequestHandle write = fill(0, 4);
  rig->pool[write].data[0] = std::byte{40};
  rig->run();
  for (unsigned i = 0; i < 3; ++i) {
    ASSERT_TRUE(answered(atomics[i]));
    EXPECT_EQ(rig->pool[atomics[i]].data[0], std::byte(40 + i)) << "the old value, in arrival order";
  }
  EXPECT_EQ(rig->bytes(0)[0], std::byte{43});
  EXPECT_EQ(rig->unit.full_empty_statistics().atomics, 3u);
}

TEST_F(FullEmpty, InlineBitsCostABurst) {
  build();
  read(0);
  rig->run();
  const std::uint64_t sideband = rig->unit.statistics().data_bus_busy_cycles;
  gpu.full_empty.bits = "inline";
  build();
  read(0);
  rig->run();
  EXPECT_EQ(sideband, 2 * gpu.dram.burst_cycles);
  EXPECT_EQ(rig->unit.statistics().data_bus_busy_cycles, 3 * gpu.dram.burst_cycles);
}

TEST_F(FullEmpty, ANarrowStoreFillsAndIsCounted) {
  for (const bool fills : {true, false}) {
    gpu.full_empty.narrow_store = fills ? "fill" : "keep";
    build();
    empty(0, 8);
    fill(1, 5);  // three bytes of the first word, two of the second
    rig->run();
    const RequestHandle after = read(0, 4);
    rig->run();
    EXPECT_EQ(answered(after), fills);
    EXPECT_EQ(rig->unit.full_empty_statistics().narrow_stores, 1u);
  }
}

TEST_F(FullEmpty, AnOverrideLetsGoWhatWaitsForItsLine) {
  build();
  empty(0);
  empty(4096);
  const RequestHandle one = read(0, 4), other = read(4096, 4, Agent::CopyEngine);
  rig->run();
  send(Operation::SetBits, 64, 4, Trigger::None, Action::None, Agent::CopyEngine);
  rig->run();
  EXPECT_TRUE(answered(one));
  EXPECT_TRUE(rig->pool[one].released);
  EXPECT_FALSE(answered(other));
  const RequestHandle later = read(0, 4);
  rig->run();
  EXPECT_FALSE(answered(later)) << "the bits are as they were";
}

// A request comes back nack_cycles after its arrival, not before, as often as nack_limit says.
TEST_F(FullEmpty, WhoWaitsTooLongIsRefused) {
  gpu.full_empty.nack_cycles = 500;
  gpu.full_empty.nack_limit = 2;
  build();
  empty(0);
  const Cycle sent = rig->clock.cycle_at(rig->engine.now());
  memory::Packet packet;
  packet.request = read(0);
  packet.traffic_class = TrafficClass::TriggeredGpu;
  for (unsigned refusals = 1; refusals <= 2; ++refusals) {
    rig->run();
    ASSERT_EQ(rig->client().answers.size(), refusals);
    EXPECT_EQ(rig->client().answers.back().packet.kind, memory::PacketKind::Nack);
    rig->client().send(packet);
  }
  const Cycle first = rig->clock.cycle_at(rig->client().answers[0].time);
  EXPECT_GE(first, sent + 500 + gpu.dram.controller_cycles);
  EXPECT_LE(first, sent + 500 + gpu.dram.controller_cycles + 4);
  rig->run();
  EXPECT_EQ(rig->client().answers.size(), 2u) << "now it waits";
  fill(0);
  rig->run();
  EXPECT_EQ(rig->client().answers.back().packet.kind, memory::PacketKind::Response);
  EXPECT_EQ(rig->unit.full_empty_statistics().nacks, 2u);
}

TEST_F(FullEmpty, AFillIsMeantForSoManyReads) {
  gpu.full_empty.reads_per_fill = 3;
  build();
  empty(0, 4);
  std::vector<RequestHandle> takers;
  for (unsigned i = 0; i < 4; ++i)
    takers.push_back(send(Operation::Read, 0, 4, Trigger::Full, Action::Empty));
  fill(0, 4);
  rig->run();
  EXPECT_TRUE(answered(takers[2]));
  EXPECT_FALSE(answered(takers[3]));
  fill(0, 4);
  rig->run();
  EXPECT_TRUE(answered(takers[3]));
  empty(0, 4);
  const RequestHandle after = read(0, 4);
  rig->run();
  EXPECT_FALSE(answered(after)) << "a change of bits empties at once";
}

TEST_F(FullEmpty, UntrackedMemoryHasNoBits) {
  build();
  const RequestHandle handle = rig->read(0);
  rig->pool[handle].trigger = Trigger::Full;
  EXPECT_THROW(rig->run(), Error);
}

}  // namespace
}  // namespace duet::test
