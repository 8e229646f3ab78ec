// Stores of a core to the GPU's page, where each word is the doorbell of a user queue: what arrives at the
// other end of the link, when, and what the GPU finds then in the program's memory.
#include "link/link.h"
#include "root_rig.h"

namespace duet::test {
namespace {

using namespace rv;

constexpr std::uint64_t kDoorbells = kRootData, kPacket = kRootData + 4096;
constexpr std::uint16_t kProcessor = 5;
constexpr Word kFenceDevice = 0x0340000f;  // of loads and stores before accesses to devices

// The GPU's end: it reads the packet as soon as a doorbell arrives.
class Listener final : public sim::Component {
 public:
  explicit Listener(RootRig& rig, std::uint64_t latency_ps)
      : Component(rig.cpu.engine, "listener", nullptr, 2, sim::Role::None),
        link(rig.cpu.engine, "link", "link.", nullptr, 0, latency_ps, 4),
        rig_(rig),
        doorbells_(link.add_output(kProcessor, this)) {
    rig.root.connect({&rig.from_link, &rig.to_link, &rig.to_memory, &rig.from_memory,
                      &link.add_input(&rig.root, 1), kProcessor});
    rig.cpu.set_type(kDoorbells, rv64::MemoryType::Device);
    rig.cpu.memory.give_to_device(VirtualAddress(kDoorbells));
  }
  Picoseconds tick(Picoseconds now) override {
    while (doorbells_.can_pop(now)) {
      heard.push_back(doorbells_.pop(now));
      times.push_back(now);
      reads.push_back(rig_.read(now, rig_.at(kPacket)));
    }
    const Picoseconds arrival = doorbells_.next_arrival(now);
    return arrival == kNever ? kNever : next_opportunity(arrival);
  }

  link::Direction link;
  std::vector<memory::Packet> heard;
  std::vector<Picoseconds> times;
  std::vector<std::size_t> reads;

 private:
  RootRig& rig_;
  sim::Queue<memory::Packet>& doorbells_;
};

TEST(Doorbell, AStoreGoesAcrossTheLinkBehindWhatTheCoreHasStored) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    RootRig rig({}, 1, seed);
    Listener gpu(rig, 100'000);
    rig.cpu.x(a1) = kDoorbells;
    rig.cpu.x(a2) = kPacket;
    rig.cpu.x(a0) = 6;
    rig.cpu.program(0, {sd(a0, 0, a2), kFenceDevice, sd(a0, 8 * 3, a1), addi(a0, a0, 1), sd(a0, 0, a2),
                        kFenceDevice, sd(a0, 8 * 4, a1), kEcall});
    rig.cpu.run();
    rig.rest();
    ASSERT_EQ(gpu.heard.size(), 2u);
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(gpu.heard[i].kind, memory::PacketKind::Doorbell);
      EXPECT_EQ(gpu.heard[i].tag, 3 + i);
      EXPECT_EQ(gpu.heard[i].argument, 7 + i);  // so many packets are written
      EXPECT_GE(rig.device.answer(gpu.reads[i]).word(), 6u + i);
    }
    EXPECT_EQ(rig.cpu.read(kDoorbells + 8 * 3), 0u);  // it is no memory
  }
}

TEST(Doorbell, TheLinksLatencyIsItsTime) {
  std::vector<Picoseconds> rung, read;
  for (const Picoseconds latency : {100'000, 101'000}) {
    RootRig rig;
    Listener gpu(rig, latency);
    rig.cpu.x(a1) = kDoorbells;
    rig.cpu.program(0, {sd(a0, 0, a1), kEcall});
    rig.cpu.run();
    rig.rest();
    ASSERT_EQ(gpu.times.size(), 1u);
    rung.push_back(gpu.times[0]);
    read.push_back(rig.device.answer(gpu.reads[0]).time);
    EXPECT_LT(rig.cpu.ended_at[0], rung.back() + 60'000);  // the core does not wait for the link
  }
  EXPECT_EQ(rung[1] - rung[0], 1000u);
  EXPECT_NEAR(static_cast<double>(read[1] - read[0]), 1000, 304);  // up to an edge of the directory's clock
}

// A link that takes one doorbell after a while holds the next stores back, and none is lost.
TEST(Doorbell, ALinkThatIsFullLosesNone) {
  RootRig rig({}, 2);
  Listener gpu(rig, 1'000'000);
  constexpr unsigned kStores = 40;
  for (unsigned core = 0; core < 2; ++core) {
    rig.cpu.x(a1, core) = kDoorbells;
    rig.cpu.x(s0, core) = kStores;
    rig.cpu.program(core, loop(s0, {sd(s0, 8 * core, a1)}) + Words{kEcall});
  }
  rig.cpu.run();
  rig.rest();
  ASSERT_EQ(gpu.heard.size(), 2 * kStores);
  for (unsigned core = 0; core < 2; ++core) {
    std::uint64_t next = kStores + 1;
    for (const memory::Packet& doorbell : gpu.heard) {
      if (doorbell.tag != core) continue;
      EXPECT_EQ(doorbell.argument, next--);
    }
  }
}

TEST(Doorbell, OtherAccessesAreNothing) {
  RootRig rig;
  Listener gpu(rig, 100'000);
  rig.cpu.x(a1) = kDoorbells;
  rig.cpu.x(a0) = ~0ull;
  rig.cpu.x(a2) = 5;
  rig.cpu.program(0, {store(2, a0, 0, a1), store(0, a0, 9, a1), ld(a2, 0, a1), load(2, a3, 4, a1), kEcall});
  rig.cpu.run();
  rig.rest();
  EXPECT_TRUE(gpu.heard.empty());
  EXPECT_EQ(rig.cpu.x(a2), 0u);
  EXPECT_EQ(rig.count("core.device_accesses"), 4u);
}

}  // namespace
}  // namespace duet::test
