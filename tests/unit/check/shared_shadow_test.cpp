// The short way over groups and runs finds what the long way over lanes that lie in a row finds.
#include "check/shared_shadow.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace duet::check {
namespace {

constexpr unsigned kWarps = 4, kWidth = 32;
constexpr Bytes kBytes = 1024;

struct Block {
  Block(bool lockstep, unsigned piece) {
    order.start(kWarps, lockstep);
    shadow.start(order, kBytes, piece);
  }
  // What it tells: a line a race or an unwritten piece.
  void access(const SharedAccess& access, bool writes, bool short_way) {
    LaneRun whole[kMostRuns];
    std::vector<LaneRun> runs;
    for (unsigned i = 0, count = split(access.lanes, access.addresses, access.bytes, whole); i < count; ++i) {
      if (short_way || whole[i].one_address)
        runs.push_back(whole[i]);
      else
        for (unsigned k = 0; k < whole[i].lanes; ++k)
          runs.push_back({static_cast<std::uint8_t>(whole[i].first + k), 1, true});
    }
    const auto race = [&](std::uint64_t address, unsigned lane, const Touch& other, bool other_writes) {
      found.push_back("race " + std::to_string(address) + " lane " + std::to_string(lane) + " with " +
                      std::to_string(other.thread()) + " pc " + std::to_string(other.pc()) +
                      (other_writes ? " w" : " r"));
    };
    for (const LaneRun& run : runs) {
      if (writes)
        shadow.write(access, run, race);
      else
        shadow.read(access, run, race, [&](std::uint64_t address, unsigned lane) {
          found.push_back("unwritten " + std::to_string(address) + " lane " + std::to_string(lane));
        });
    }
  }
  void barrier() {
    for (unsigned warp = 0; warp < kWarps; ++warp) order.arrive(0, warp, true);
    order.completed(0);
  }
  BlockOrder order;
  SharedShadow shadow;
  std::vector<std::string> found;
};

struct Accesses {
  std::mt19937_64 random{7};
  std::vector<std::uint64_t> addresses = std::vector<std::uint64_t>(kWidth);
  std::vector<std::byte> values = std::vector<std::byte>(kWidth * 16);
  SharedAccess next(unsigned pc) {
    SharedAccess access;
    access.warp = static_cast<unsigned>(random() % kWarps);
    access.bytes = 4u << random() % 3;
    access.lanes = random() % 4 == 0 ? random() & 0xffffffff : 0xffffffff;
    access.addresses = addresses.data();
    access.values = values.data();
    const std::uint64_t places = kBytes / access.bytes;
    const unsigned shape = random() % 4;  // in a row, two half rows, a column, one place
    const std::uint64_t from = random() % 3 == 0 ? random() % places : access.warp * 32;
    for (unsigned lane = 0; lane < kWidth; ++lane) {
      const std::uint64_t at = shape == 0 ? lane : shape == 1 ? lane % 16 : shape == 2 ? lane * 3 : 0;
      addresses[lane] = (from + at) % places * access.bytes;
    }
    for (std::byte& value : values) value = std::byte(random() % 2);
    access.first = Touch(0, access.warp * kWidth, random() % 16 == 0, pc);
    if (access.lanes == 0) access.lanes = 1;
    return access;
  }
};

void same(bool lockstep, unsigned barrier_every) {
  Accesses accesses;
  std::size_t findings = 0;
  for (int round = 0; round < 300; ++round) {
    Block lanes(lockstep, 4), groups(lockstep, 4);
    for (unsigned step = 0; step < 60; ++step) {
      SharedAccess access = accesses.next(step);
      const bool writes = step < 4 || accesses.random() % 3 == 0;
      for (Block* block : {&lanes, &groups}) {
        access.first =
            Touch(block->order.time(access.warp), access.warp * kWidth, access.first.synchronises(), step);
        block->access(access, writes, block == &groups);
      }
      if (accesses.random() % barrier_every == 0)
        for (Block* block : {&lanes, &groups}) block->barrier();
    }
    ASSERT_EQ(groups.found, lanes.found) << "round " << round;
    findings += groups.found.size();
  }
  EXPECT_GT(findings, 100u);
}

TEST(SharedShadow, ShortWayFindsTheSame) { same(false, 8); }
TEST(SharedShadow, ShortWayFindsTheSameInStep) { same(true, 8); }
TEST(SharedShadow, ShortWayFindsTheSameWithABarrierNearlyEachTime) { same(false, 2); }

}  // namespace
}  // namespace duet::check
