// Memory of cores that the GPU reaches across the link and through its L2 (machines/kaveri.toml, ONION), or
// past it (ONION+): what each side finds, and what crosses the link for it.
#include <gtest/gtest.h>

#include "process_core_rig.h"

namespace duet::test {
namespace {

using namespace rv;

// `bump` adds one to words of 8 bytes: `words` of them, `stride` bytes apart; `twice` does so twice, one pass
// after the other.
constexpr const char* kKernels = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry bump(.param .u64 first, .param .u64 words, .param .u64 stride, .param .u64 passes) {
  .reg .u64 %d<8>;
  .reg .pred %p;
  ld.param.u64 %d5, [passes];
A:
  ld.param.u64 %d1, [first];
  ld.param.u64 %d2, [words];
  ld.param.u64 %d4, [stride];
L:
  ld.global.cg.u64 %d3, [%d1];
  add.u64 %d3, %d3, 1;
  st.global.u64 [%d1], %d3;
  add.u64 %d1, %d1, %d4;
  sub.u64 %d2, %d2, 1;
  setp.ne.u64 %p, %d2, 0;
  @%p bra L;
  sub.u64 %d5, %d5, 1;
  setp.ne.u64 %p, %d5, 0;
  @%p bra A;
  ret;
}
)";

struct Kaveri final : OneDramRig {
  explicit Kaveri(bool through_l2, const std::vector<std::string>& sets = {}, std::uint64_t shuffle = 0)
      : OneDramRig("kaveri", kKernels, sets, shuffle) {
    memory::PageAttributes pages;
    pages.cacheability = {false, false, through_l2};
    pages.home = through_l2 ? memory::Home::HostInL2 : memory::Home::HostDram;
    process.system().address_space().map_host(reinterpret_cast<void*>(OneDramRig::kData),
                                              OneDramRig::kDataBytes, memory::AllocationKind::Pinned, pages,
                                              0, nullptr, true);
  }
  // As the driver does for memory that L2 may hold (the row `svm-fine`).
  void bump(std::uint64_t words, std::uint64_t stride, std::uint64_t passes = 1, bool maintained = true) {
    driver::Command command =
        launch_of(*module.find_kernel("bump"), 1, 1, {OneDramRig::kData, words, stride, passes});
    driver::CacheJob job;
    job.address = VirtualAddress(OneDramRig::kData);
    job.bytes = OneDramRig::kDataBytes;
    job.invalidate = true;
    if (maintained) command.caches_before = {job};
    job.invalidate = false;
    job.clean = true;
    if (maintained) command.caches_after = {job};
    finish(thread->submit(std::move(command)));
  }
};

TEST(Onion, CoresAndGpuFindWhatTheOtherHasWritten) {
  for (const bool through_l2 : {true, false}) {
    Kaveri machine(through_l2);
    for (std::uint64_t round = 0; round < 3; ++round) {
      machine.write_word(8, 100 * round);  // a core holds the line, dirty
      machine.bump(4, 8);
      EXPECT_EQ(machine.read_word(8), 100 * round + 1) << through_l2;
      EXPECT_EQ(machine.read_word(0), round + 1) << through_l2;
      EXPECT_EQ(machine.read_word(64), 0u);
    }
  }
}

// Without the driver's commands L2 keeps what it has: the control of the test above.
TEST(Onion, L2KeepsWhatNobodyHasItGiveUp) {
  Kaveri machine(true);
  machine.write_word(0, 50);
  machine.bump(1, 8, 1, false);
  EXPECT_EQ(machine.read_word(0), 50u) << "L2 has the new value";
  machine.bump(1, 8);
  EXPECT_NE(machine.read_word(0), 50u);
}

// The second pass finds lines in L2, or reads and writes across the link again.
TEST(Onion, L2HoldsLinesOfTheProgram) {
  const auto packets = [](bool through_l2, std::uint64_t passes) {
    Kaveri machine(through_l2);
    machine.bump(64, 64, passes);
    return machine.statistic("host_bridge.requests");
  };
  EXPECT_EQ(packets(true, 1), 128u);  // 64 lines are read, and written back
  EXPECT_EQ(packets(true, 2), 128u);
  EXPECT_EQ(packets(false, 1), 128u);
  EXPECT_EQ(packets(false, 2), 256u);
}

// Words of a line that are written leave as one packet for each run of them; one with masks.
TEST(Onion, AWriteWithHolesIsAPacketForEachRun) {
  const auto sent = [](const char* masks, std::uint64_t words, std::uint64_t stride) {
    Kaveri machine(true, {std::string("link.byte_masks=") + masks});
    machine.bump(words, stride);
    const std::uint64_t packets = machine.statistic("link.to_host_packets");
    Kaveri none(true, {std::string("link.byte_masks=") + masks});
    none.bump(1, 8);  // its line is one packet
    return packets - none.statistic("link.to_host_packets") + 1;
  };
  EXPECT_EQ(sent("false", 8, 8), 1u) << "the whole line";
  EXPECT_EQ(sent("false", 4, 8), 1u) << "half of it, without holes";
  EXPECT_EQ(sent("false", 4, 16), 4u);
  EXPECT_EQ(sent("false", 3, 16), 3u);
  EXPECT_EQ(sent("false", 2, 32), 2u);
  EXPECT_EQ(sent("true", 4, 16), 1u);
}

TEST(Onion, TheOrderOfTicksDoesNotShow) {
  const auto run = [](std::uint64_t shuffle) {
    Kaveri machine(true, {}, shuffle);
    machine.write_word(16, 5);
    machine.bump(300, 16, 2);
    EXPECT_EQ(machine.read_word(16), 7u);
    return machine.process.engine().now();
  };
  const Picoseconds plain = run(0);
  for (const std::uint64_t shuffle : {3u, 4u}) EXPECT_EQ(run(shuffle), plain);
}

}  // namespace
}  // namespace duet::test
