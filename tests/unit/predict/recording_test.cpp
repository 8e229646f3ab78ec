// Rounds in which a warp does again what it did in the one before, waiting for what another one writes.
#include "predict/recording.h"

#include <gtest/gtest.h>

namespace duet::predict {
namespace {

// A warp that loads words, each by an instruction of its own.
class Warp {
 public:
  Warp() {
    block.code = &ops;
    block.begin(1, 1000);
    block.accesses.resize(1);
  }
  void step() { block.step(0, 7); }
  // Whether a round was dropped.
  bool load(unsigned op, std::uint64_t address, Path path = Path::L1) {
    add(op, address, path);
    return block.polls(0, ops[op]);
  }
  void clock(unsigned op, Cycle cycle) {
    block.step(0, op);
    block.reads_clock(0, op, cycle);
  }
  void other_access(std::uint64_t address) {
    add(0, address, Path::L1);
    block.moves_on(0);
  }
  std::size_t steps() const { return block.warps[0].size(); }
  std::size_t accesses() const { return block.accesses[0].size(); }

  Block block;

 private:
  void add(unsigned op, std::uint64_t address, Path path) {
    block.step(0, op);
    block.accesses[0].push_back({static_cast<std::uint32_t>(block.requests.size()), 1, 0});
    block.requests.push_back({.address = address, .path = path, .sectors = 1});
    block.mark_access(0);
  }
  std::vector<ptx::MicroOp> ops = std::vector<ptx::MicroOp>(8);
};

TEST(Room, IsEachWarps) {
  Block block;
  block.begin(2, 3);
  for (unsigned i = 0; i < 5; ++i) block.step(0, i);
  block.step(1, 7);
  EXPECT_EQ(block.warps[0], (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(block.warps[1].size(), 1u);
  EXPECT_EQ(block.room, (std::vector<std::uint32_t>{0, 2}));
  block.mark_access(0);
  EXPECT_EQ(block.warps[0].back(), 2u) << "of a step that was not kept";
}

TEST(Polls, OneWordIsLookedAtOnce) {
  Warp warp;
  EXPECT_FALSE(warp.load(1, 512));
  for (int round = 0; round < 100; ++round) {
    warp.step();
    EXPECT_TRUE(warp.load(1, 512));
  }
  EXPECT_EQ(warp.steps(), 1u);
  EXPECT_EQ(warp.accesses(), 1u);
  EXPECT_EQ(warp.block.kept, 1u);
  EXPECT_EQ(warp.block.dropped(), 200u);
  EXPECT_FALSE(warp.load(1, 544)) << "the next one";
  EXPECT_EQ(warp.accesses(), 2u);
}

TEST(Polls, ARoundOfUpToFourLoads) {
  for (const unsigned length : {2u, 3u, 4u}) {
    Warp warp;
    unsigned dropped = 0;
    for (int round = 0; round < 10; ++round)
      for (unsigned i = 0; i < length; ++i) dropped += warp.load(i, 1024 * i);
    EXPECT_EQ(dropped, 9u) << length;
    EXPECT_EQ(warp.accesses(), length);
    EXPECT_EQ(warp.steps(), length);
  }
}

TEST(Polls, WhatDiffersStays) {
  Warp warp;
  for (unsigned i = 0; i < 20; ++i) EXPECT_FALSE(warp.load(1, 32 * i)) << "other words";
  for (unsigned i = 0; i < 20; ++i) EXPECT_FALSE(warp.load(i % 5, 4096)) << "five instructions";
  EXPECT_FALSE(warp.load(1, 0, Path::Shared));
  EXPECT_FALSE(warp.load(1, 0, Path::Shared)) << "of shared memory no address is known";
  EXPECT_EQ(warp.accesses(), 42u);
}

TEST(Polls, SomethingElseBetweenThemIsNoWait) {
  Warp warp;
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(warp.load(1, 512));
    warp.other_access(8192);
  }
  EXPECT_EQ(warp.accesses(), 40u);
}

// Read once before a loop, and in each of its rounds: a round of three steps after the first look.
TEST(Clock, AWarpThatWaitsByItWaitsOnce) {
  Warp warp;
  warp.clock(1, 100);
  warp.clock(2, 130);
  const std::uint32_t room = warp.block.room[0];
  for (Cycle now = 150; now <= 250; now += 20) {
    warp.step();
    warp.step();
    warp.clock(2, now);
  }
  EXPECT_EQ(warp.steps(), 2u);
  EXPECT_EQ(warp.block.room[0], room);
  EXPECT_EQ(warp.block.dropped(), 18u);
  ASSERT_EQ(warp.block.holds[0].size(), 1u);
  EXPECT_EQ(warp.block.holds[0][0].step, 1u);
  EXPECT_EQ(warp.block.holds[0][0].cycles, 250u - 130u);
  EXPECT_TRUE(warp.block.holds[0][0].by_clock);
}

TEST(Clock, WorkBetweenTwoLooksIsWork) {
  Warp warp;
  warp.clock(2, 100);
  warp.load(1, 512);
  warp.clock(2, 200);  // an access in between
  for (int i = 0; i < 200; ++i) warp.step();
  warp.clock(2, 300);  // much in between
  warp.clock(1, 310);  // another place
  EXPECT_EQ(warp.steps(), 205u);
  EXPECT_TRUE(warp.block.holds.empty());
}

}  // namespace
}  // namespace duet::predict
