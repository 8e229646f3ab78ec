// A line that is kept as one run finds what its pieces find.
#include "check/grid_shadow.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace duet::check {
namespace {

constexpr unsigned kLanes = 32;

// Accesses in the order of their making; all of different threads race.
struct Memory {
  GridShadow shadow{0};
  std::set<std::string> found;
  std::uint32_t stamp = 0;
  void access(GridAccess access, unsigned warp) {
    ++stamp;
    access.first = Touch(stamp, warp * kLanes, false, stamp);
    shadow.access(
        access,
        [](const GridTouch& now, const GridTouch& earlier, unsigned) {
          return now.block != earlier.block || now.touch.thread() != earlier.touch.thread();
        },
        [&](std::uint64_t address, unsigned lane, const GridTouch& earlier) {
          found.insert(std::to_string(address) + " " + std::to_string(lane) + " with " +
                       std::to_string(earlier.touch.pc()));
        });
  }
};

GridAccess run_of(std::uint32_t block, std::uint64_t address, unsigned lanes, bool writes) {
  GridAccess access;
  access.launch = 1;
  access.block = block;
  access.address = address;
  access.lanes = lanes;
  access.bytes = 4;
  access.writes = writes;
  return access;
}

TEST(GridShadow, OneThreadAByteIsNoRace) {
  Memory memory;
  for (unsigned round = 0; round < 3; ++round)
    for (std::uint32_t block = 0; block < 4; ++block)
      for (const bool writes : {false, true}) memory.access(run_of(block, 1024 + block * 128, 32, writes), 2);
  EXPECT_TRUE(memory.found.empty());
}

TEST(GridShadow, ANeighboursReadIsARace) {
  Memory memory;
  memory.access(run_of(0, 0, 32, true), 0);
  memory.access(run_of(1, 124, 2, false), 0);
  EXPECT_EQ(memory.found, std::set<std::string>{"124 0 with 1"});
}

TEST(GridShadow, AnotherLaunchForgets) {
  Memory memory;
  memory.access(run_of(0, 0, 32, true), 0);
  GridAccess later = run_of(1, 0, 32, false);
  later.launch = 2;
  memory.access(later, 0);
  EXPECT_TRUE(memory.found.empty());
}

TEST(GridShadow, WritesOfOneValueAreNoRace) {
  std::vector<std::byte> ones(kLanes * 4, std::byte{1}), twos(kLanes * 4, std::byte{2});
  Memory memory;
  GridAccess access = run_of(0, 0, 32, true);
  access.values = ones.data();
  memory.access(access, 0);
  access.block = 1;
  memory.access(access, 0);
  EXPECT_TRUE(memory.found.empty());
  access.block = 2;
  access.values = twos.data();
  memory.access(access, 0);
  EXPECT_EQ(memory.found.size(), 32u);
}

TEST(GridShadow, RunsFindWhatLanesFind) {
  std::mt19937 random(11);
  Memory runs, lanes;
  for (unsigned step = 0; step < 400; ++step) {
    const auto first = random() % 64;
    const unsigned count = 1 + static_cast<unsigned>(random() % kLanes);
    const unsigned warp = static_cast<unsigned>(random() % 3);
    const GridAccess whole =
        run_of(static_cast<std::uint32_t>(random() % 3), first * 4, count, random() % 4 == 0);
    runs.access(whole, warp);
    --runs.stamp;
    for (unsigned lane = 0; lane < count; ++lane) {
      GridAccess one = whole;
      one.address += lane * 4;
      one.lane = lane;
      one.lanes = 1;
      lanes.access(one, warp);
      if (lane + 1 != count) --lanes.stamp;
    }
    runs.stamp = lanes.stamp;
    ASSERT_EQ(runs.found, lanes.found) << "step " << step;
  }
  EXPECT_GT(runs.found.size(), 100u);
}

}  // namespace
}  // namespace duet::check
