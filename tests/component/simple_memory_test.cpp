// The simple memory: latency, bandwidth, byte masks, binding at service, and what it refuses.
#include "memory/simple_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "rig.h"

namespace duet::test {
namespace {

using namespace memory;

struct MemoryRig {
  explicit MemoryRig(std::size_t entries = 8, std::uint64_t mb_per_s = 1000)
      : unit(engine, "memory", nullptr, 1, {50'000, mb_per_s, 3}, pool, space, aperture, host),
        requests(entries, nullptr, &unit),
        responses(entries, &unit, nullptr) {
    unit.connect(requests, responses);
    base = space.allocate_device(4096, AllocationKind::Device)->physical;
  }
  RequestHandle send(Operation operation, Address address, unsigned bytes) {
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
  AddressSpace space{1_MiB, 4096};
  HostAperture aperture;
  PlainHost host;
  SimpleMemory unit;
  sim::Queue<Packet> requests, responses;
  Address base = 0;
};

TEST(SimpleMemory, ReadTakesTransferAndLatency) {
  MemoryRig rig;
  std::memset(rig.space.backing(rig.base), 0x5a, 128);
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
  std::memset(rig.space.backing(rig.base), 0, 128);
  const RequestHandle handle = rig.send(Operation::Write, rig.base, 128);
  rig.pool[handle].data.fill(std::byte{1});
  rig.pool[handle].mask = {};
  rig.pool[handle].mask.bits[0] = 1ull << 5;
  rig.pool[handle].mask.bits[1] = 1ull << 63;
  Packet packet;
  rig.answer(&packet);
  EXPECT_EQ(packet.payload_bytes, 0);  // an acknowledgement carries no data
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(rig.space.backing(rig.base)[i], i == 5 || i == 127 ? std::byte{1} : std::byte{0}) << i;
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
  std::byte* cell = rig.space.backing(rig.base);
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

TEST(SimpleMemory, WindowsReachPageableBytesThroughTheHostPort) {
  MemoryRig rig;
  auto bytes = pattern_bytes(200);
  const Address window = rig.aperture.open(bytes.data(), bytes.size(), true);
  const RequestHandle handle = rig.send(Operation::Read, window + 128, 72);
  rig.answer();
  EXPECT_EQ(std::memcmp(rig.pool[handle].data.data(), &bytes[128], 72), 0);
  rig.send(Operation::Read, window + 128, 73);  // one byte past the end
  EXPECT_THROW(rig.answer(), Error);
}

TEST(SimpleMemory, TriggersAndAtomicsAreRefusedByName) {
  MemoryRig triggered;
  triggered.pool[triggered.send(Operation::Read, triggered.base, 4)].trigger = Trigger::Full;
  EXPECT_THROW(triggered.answer(), Error);
  MemoryRig atomic;
  atomic.send(Operation::Atomic, atomic.base, 4);
  EXPECT_THROW(atomic.answer(), Error);
}

}  // namespace
}  // namespace duet::test
