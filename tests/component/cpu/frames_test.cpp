// Which frames pages have does not depend on who is ticked first.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "process_core_rig.h"

namespace duet::test {
namespace {

using namespace rv;

constexpr std::uint64_t kOfCore = 0x1000000, kOfCalls = 0x2000000, kTouched = 64;

// At one time core 0 has touched pages, so that its list of frames is short, and a system call touches more
// than are left for such calls. Where the frames of both lie, and of pages that are touched later.
std::vector<std::uint64_t> frames(bool call_first) {
  machine::RunOptions options;
  options.simulated_host = true;
  ProcessCoreRig rig(machine_without_tlb("lustig2013", {}), options);
  machine::CpuMemory& memory = rig.processor.memory();
  memory.map(VirtualAddress(ProcessCoreRig::kCode), rv64::kPageBytes, {true, true, true});
  const Words program{kEcall};
  EXPECT_FALSE(memory.write(VirtualAddress(ProcessCoreRig::kCode), std::as_bytes(std::span(program))));
  for (const std::uint64_t base : {kOfCore, kOfCalls})
    memory.map(VirtualAddress(base), 2 * kTouched * rv64::kPageBytes, {true, true, false});
  sim::Engine& engine = rig.process.engine();
  const auto by_core = [&] {
    for (std::uint64_t page = 0; page < 40; ++page)
      memory.page_of(VirtualAddress(kOfCore + page * rv64::kPageBytes), rv64::Access::Store, 0);
  };
  const auto by_call = [&] {
    engine.after_ticks([&] {
      const std::array<std::byte, 1> byte{};
      for (std::uint64_t page = 0; page < kTouched; ++page)
        EXPECT_FALSE(memory.write(VirtualAddress(kOfCalls + page * rv64::kPageBytes), byte));
    });
  };
  if (call_first) by_call();
  by_core();
  if (!call_first) by_call();
  rig.run_to_end();
  std::vector<std::uint64_t> places;
  for (std::uint64_t page = 0; page < kTouched; ++page) {
    places.push_back(memory.place_of(VirtualAddress(kOfCore + page * rv64::kPageBytes), 0).value());
    places.push_back(memory.place_of(VirtualAddress(kOfCalls + page * rv64::kPageBytes)).value());
  }
  return places;
}

TEST(Frames, OfCoresAndSystemCallsDoNotDependOnWhoIsFirst) { EXPECT_EQ(frames(true), frames(false)); }

// As pages of an array that is touched in its order.
TEST(Frames, FollowEachOtherInRuns) {
  const std::vector<std::uint64_t> places = frames(true);
  for (std::size_t page = 1; page < kTouched; ++page)
    for (const std::size_t of : {0u, 1u})
      EXPECT_EQ((places[2 * page + of] - places[2 * page - 2 + of]) % (kTouched * rv64::kPageBytes),
                rv64::kPageBytes)
          << page;
}

}  // namespace
}  // namespace duet::test
