// The simple memory: latency, bandwidth, byte masks, binding at service, atomics, and what it refuses.
#include "memory/simple_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "rig.h"

namespace duet::test {
namespace {

using namespace memory;

struct MemoryRig {
  explicit MemoryRig(std::size_t entries = 8, std::uint64_t mb_per_s = 1000)
      : unit(engine, "memory", nullptr, 1, {50'000, mb_per_s, 3}, pool, physical, host),
        requests(entries, nullptr, &unit),
        responses(entries, &unit, nullptr) {
    unit.connect(requests, responses);
    base = space.physical(space.allocate_device(4096, AllocationKind::Device)->base);
  }
  RequestHandle send(Operation operation, PhysicalAddress address, unsigned bytes) {
    Packet packet;
    packet.request = pool.allocate();
    packet.source = 9;
    Request& request = pool[packet.request];
    request.operation = operation;
    request.address = address;
    request.bytes = static_cast<std::uint16_t>(bytes);
    request.mask = ByteMask::first(bytes);
    requests.push(engine.now(), packet);
    return packet.request;
  }
  // Runs until an answer is visible and returns when that is.
  Picoseconds answer(Packet* packet = nullptr) {
    while (!responses.can_pop(engine.now()) && engine.now() < 100'000'000) engine.run_until(engine.now() + 1);
    const Packet got = responses.pop(engine.now());
    if (packet != nullptr) *packet = got;
    return engine.now();
  }
  sim::Engine engine;
  RequestPool pool;
  PhysicalMemory physical{1_MiB, 4096};
  AddressSpace space{physical};
  PlainHost host;
  SimpleMemory unit;
  sim::Queue<Packet> requests, responses;
  PhysicalAddress base;
};

TEST(SimpleMemory, ReadTakesTransferAndLatency) {
  MemoryRig rig;
  std::memset(rig.space.memory().bytes(rig.base), 0x5a, 128);
  const RequestHandle handle = rig.send(Operation::Read, rig.base, 128);
  Packet packet;
  EXPECT_EQ(rig.answer(&packet), 1u + 128'000 + 50'000 + 1);
  EXPECT_EQ(packet.request, handle);
  EXPECT_EQ(packet.destination, 9);
  EXPECT_EQ(packet.source, 3);
  EXPECT_EQ(packet.payload_bytes, 128);
  EXPECT_EQ(rig.pool[handle].data[127], std::byte{0x5a});
}

TEST(SimpleMemory, WritesOnlyTheBytesOfTheMask) {
  MemoryRig rig;
  std::memset(rig.space.memory().bytes(rig.base), 0, 128);
  const RequestHandle handle = rig.send(Operation::Write, rig.base, 128);
  rig.pool[handle].data.fill(std::byte{1});
  rig.pool[handle].mask = {};
  rig.pool[handle].mask.bits[0] = 1ull << 5;
  rig.pool[handle].mask.bits[1] = 1ull << 63;
  Packet packet;
  rig.answer(&packet);
  EXPECT_EQ(packet.payload_bytes, 0);  // an acknowledgement carries no data
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(rig.space.memory().bytes(rig.base)[i], i == 5 || i == 127 ? std::byte{1} : std::byte{0}) << i;
}

TEST(SimpleMemory, RequestsOfOneClientShareTheBandwidthInOrder) {
  MemoryRig rig;
  for (int i = 0; i < 3; ++i) rig.send(Operation::Read, rig.base, 100);
  EXPECT_EQ(rig.answer(), 1u + 100'000 + 50'000 + 1);
  EXPECT_EQ(rig.answer(), 1u + 200'000 + 50'000 + 1);
  EXPECT_EQ(rig.answer(), 1u + 300'000 + 50'000 + 1);
}

TEST(SimpleMemory, AValueIsBoundWhenTheRequestIsServiced) {
  MemoryRig rig;
  std::byte* cell = rig.space.memory().bytes(rig.base);
  *cell = std::byte{1};
  rig.send(Operation::Read, rig.base, 100);                             // serviced at 1 ps
  const RequestHandle second = rig.send(Operation::Read, rig.base, 1);  // serviced at 100,001 ps
  rig.engine.run_until(100'000);
  *cell = std::byte{2};
  rig.answer();
  rig.answer();
  EXPECT_EQ(rig.pool[second].data[0], std::byte{2});
}

TEST(SimpleMemory, OneEntryEverywhereStillProgresses) {
  MemoryRig rig(1);
  for (int i = 0; i < 10; ++i) {
    rig.send(Operation::Read, rig.base, 100);
    rig.answer();
  }
  EXPECT_FALSE(rig.responses.can_pop(rig.engine.now()));
}

TEST(SimpleMemory, WhatIsLentThroughTheHostPortIsReachedThere) {
  MemoryRig rig;
  auto bytes = pattern_bytes(200);
  const PhysicalAddress lent = rig.physical.lend(bytes.data(), bytes.size(), 0, true);
  const RequestHandle handle = rig.send(Operation::Read, lent + 128, 72);
  rig.answer();
  EXPECT_EQ(std::memcmp(rig.pool[handle].data.data(), &bytes[128], 72), 0);
  rig.send(Operation::Read, lent + 128, 73);  // one byte past the end
  EXPECT_THROW(rig.answer(), Error);
}

TEST(SimpleMemory, TriggersAreRefusedByName) {
  MemoryRig rig;
  rig.pool[rig.send(Operation::Read, rig.base, 4)].trigger = Trigger::Full;
  EXPECT_THROW(rig.answer(), Error);
}

TEST(SimpleMemory, AnAtomicUpdatesTheElementsOfItsMask) {
  MemoryRig rig;
  auto* words = reinterpret_cast<std::uint32_t*>(rig.space.memory().bytes(rig.base));
  for (unsigned i = 0; i < 8; ++i) words[i] = 10 * i;
  for (const bool wants_result : {true, false}) {
    Request& request = rig.pool[rig.send(Operation::Atomic, rig.base, 32)];
    request.atomic_operation = AtomicOperation::Add;
    request.atomic_type = AtomicType::U32;
    request.wants_result = wants_result;
    request.mask.bits = {0xf0f0, 0};  // words 1 and 3
    const std::uint32_t operands[] = {7, 7, 7, 7};
    std::memcpy(request.data.data(), operands, sizeof operands);
    Packet packet;
    rig.answer(&packet);
    EXPECT_EQ(packet.payload_bytes, wants_result ? 8 : 0);  // the old values of its words
    std::uint32_t old[4];
    std::memcpy(old, rig.pool[packet.request].data.data(), sizeof old);
    EXPECT_EQ(old[1], wants_result ? 10u : 17u);
    EXPECT_EQ(old[3], wants_result ? 30u : 37u);
  }
  const std::uint32_t expected[] = {0, 24, 20, 44, 40};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(words[i], expected[i]) << i;
}

// A line of which the host has mapped only the bytes from `kFirst` to before `kEnd`.
class PartOfALine : public testing::Test {
 protected:
  static constexpr unsigned kFirst = 40, kEnd = 100;
  void SetUp() override {
    bytes_ = static_cast<std::byte*>(std::aligned_alloc(4096, 4096));
    std::memset(bytes_, 1, 4096);
    line_ =
        rig_.space.physical(
            rig_.space.map_host(bytes_ + kFirst, kEnd - kFirst, AllocationKind::Registered, PageAttributes{})
                ->base) -
        kFirst;
  }
  void TearDown() override { std::free(bytes_); }
  MemoryRig rig_;
  std::byte* bytes_ = nullptr;
  PhysicalAddress line_;
};

TEST_F(PartOfALine, IsReadAsFarAsItExists) {
  const RequestHandle handle = rig_.send(Operation::Read, line_, 128);
  rig_.answer();
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(rig_.pool[handle].data[i], i >= kFirst && i < kEnd ? std::byte{1} : std::byte{0}) << i;
}

TEST_F(PartOfALine, TakesWritesAndAtomicsWhereItExists) {
  Request& write = rig_.pool[rig_.send(Operation::Write, line_, 128)];
  write.data.fill(std::byte{5});
  write.mask = {};
  for (unsigned i = kFirst; i < kEnd - 4; ++i) write.mask.bits[i / 64] |= 1ull << i % 64;
  rig_.answer();
  Request& atomic = rig_.pool[rig_.send(Operation::Atomic, line_, 128)];
  atomic.atomic_operation = AtomicOperation::Add;
  atomic.atomic_type = AtomicType::U32;
  atomic.mask = {};
  atomic.mask.bits[1] = 0xfull << (kEnd - 4 - 64);
  atomic.data.fill({});
  atomic.data[kEnd - 4] = std::byte{2};
  rig_.answer();
  for (unsigned i = 0; i < 128; ++i) {
    const int expected = i < kFirst || i >= kEnd ? 1 : i < kEnd - 4 ? 5 : i == kEnd - 4 ? 3 : 1;
    EXPECT_EQ(static_cast<int>(bytes_[i]), expected) << i;
  }
}

TEST_F(PartOfALine, RefusesWhatDoesNotExist) {
  Request& write = rig_.pool[rig_.send(Operation::Write, line_, 128)];
  write.mask = {};
  write.mask.bits[0] = 1ull << (kFirst - 1);
  EXPECT_THROW(rig_.answer(), Error);
}

}  // namespace
}  // namespace duet::test
