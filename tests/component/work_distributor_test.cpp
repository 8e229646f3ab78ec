// Which block runs where and when: occupancy, sharing, reference counters, priorities, cooperative grids.
#include "gpu/front_end/work_distributor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "rig.h"

namespace duet::test {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;

void last_for(Rig& rig, Picoseconds duration) {
  for (auto& sm : rig.sms) sm->duration = [=](const gpu::Grid&, std::uint64_t) { return duration; };
}

std::vector<MockSm::Log> log_of(Rig& rig) {
  std::vector<MockSm::Log> all;
  for (auto& sm : rig.sms) all.insert(all.end(), sm->log.begin(), sm->log.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.block) < std::tie(b.begin, b.block);
  });
  return all;
}

TEST(WorkDistributor, EveryBlockRunsOnceInRoundRobinOrder) {
  Rig rig;
  rig.submit(rig.launch(1000));
  rig.finish();
  const auto log = log_of(rig);
  ASSERT_EQ(log.size(), 1000u);
  std::set<std::uint64_t> blocks;
  for (const auto& entry : log) blocks.insert(entry.block);
  EXPECT_EQ(blocks.size(), 1000u);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(log[i].block, i);
    EXPECT_EQ(log[i].sm, i % 16);
  }
}

// 999 blocks begin in the order of the machine, whatever the order in which SMs have room; the number of a
// block and its SM have nothing to do with each other.
TEST(WorkDistributor, BlocksBeginInTheOrderOfTheMachine) {
  for (const char* const name : {"in_order", "reversed", "scattered"}) {
    auto machine = gtx580();
    machine.gpu.front_end.block_order = name;
    Rig rig(machine);
    rig.submit(rig.launch(999));
    rig.finish();
    const auto log = log_of(rig);
    ASSERT_EQ(log.size(), 999u);
    const gpu::BlockOrder order(name, 999);
    for (std::uint32_t i = 0; i < 999; ++i) EXPECT_EQ(log[i].block, order.block(i)) << name << " " << i;
    EXPECT_EQ(log[1].sm, 1u) << name;
  }
}

TEST(WorkDistributor, OneBlockPerDispatchInterval) {
  auto machine = gtx580();
  machine.gpu.front_end.dispatch_cycles_per_block = 5;
  Rig rig(machine);
  const auto id = rig.submit(rig.launch(16));
  rig.finish();
  const auto log = log_of(rig);
  // 15 intervals of 5 cycles of 1/772 us, within the rounding of one edge.
  EXPECT_NEAR(static_cast<double>(log[15].begin - log[0].begin), 15 * 5 * 1e6 / 772, 1.0);
  EXPECT_EQ(rig.records[id].start_ps + 1, log[0].begin);
}

// Each limit alone decides how many blocks an SM holds.
TEST(WorkDistributor, NoLimitOfAnSmIsExceededAndEachIsReached) {
  struct Case {
    std::uint32_t threads, registers;
    Bytes shared;
    std::size_t expected;
  };
  for (const Case& limit : {Case{32, 0, 0, 8},          // block slots
                            Case{320, 0, 0, 4},         // warps: 48 / 10
                            Case{32, 200, 0, 5},        // registers: 32768 / 6400
                            Case{32, 0, 16_KiB, 3}}) {  // shared memory
    Rig rig;
    rig.kernel.registers = limit.registers;
    auto command = rig.launch(500, 0, limit.threads);
    command.grid->dynamic_shared_bytes = limit.shared;
    rig.submit(std::move(command));
    rig.finish();
    for (auto& sm : rig.sms) EXPECT_EQ(sm->most_resident, limit.expected) << limit.threads;
    EXPECT_EQ(log_of(rig).size(), 500u);
  }
}

TEST(WorkDistributor, KernelsOfSeveralStreamsShareTheSms) {
  Rig rig;
  last_for(rig, 100 * kMicrosecond);
  std::vector<driver::CommandId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(rig.submit(rig.launch(8, rig.driver().create_stream({}))));
  rig.finish();
  EXPECT_TRUE(rig.all_ran_at_once(ids));
}

// hu2016 §3.4: a kernel without a free reference counter waits until one is recycled.
TEST(WorkDistributor, ReferenceCountersBoundTheKernelsInFlight) {
  for (const std::uint64_t counters : {1, 2, 4}) {
    auto machine = gtx580();
    machine.gpu.front_end.reference_counters = counters;
    Rig rig(machine);
    last_for(rig, 100 * kMicrosecond);
    std::vector<driver::CommandId> ids;
    for (int i = 0; i < 4; ++i) ids.push_back(rig.submit(rig.launch(1, rig.driver().create_stream({}))));
    rig.finish();
    std::vector<Picoseconds> starts;
    for (const auto id : ids) starts.push_back(rig.records[id].start_ps);
    const auto at_once = std::count_if(starts.begin(), starts.end(), [&](Picoseconds start) {
      return start < starts[0] + 100 * kMicrosecond;
    });
    EXPECT_EQ(static_cast<std::uint64_t>(at_once), counters);
  }
}

TEST(WorkDistributor, QueueWidthBoundsTheStreamsInFlight) {
  auto machine = gtx580();
  machine.gpu.front_end.queue_width = 2;
  Rig rig(machine);
  last_for(rig, 100 * kMicrosecond);
  std::vector<driver::CommandId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(rig.submit(rig.launch(1, rig.driver().create_stream({}))));
  rig.finish();
  EXPECT_LT(rig.records[ids[1]].start_ps, rig.records[ids[0]].start_ps + 100 * kMicrosecond);
  EXPECT_GT(rig.records[ids[2]].start_ps, rig.records[ids[0]].start_ps + 100 * kMicrosecond);
}

TEST(WorkDistributor, AHigherPriorityGetsTheNextFreeRoom) {
  auto machine = gtx580();
  machine.gpu.sm.count = 1;
  machine.gpu.sm.max_blocks = 1;
  Rig rig(machine);
  last_for(rig, 10 * kMicrosecond);
  const auto low = rig.driver().create_stream({}),
             high = rig.driver().create_stream({driver::StreamOrder::Alone, -1});
  const auto slow = rig.submit(rig.launch(10, low));
  const auto urgent = rig.submit(rig.launch(2, high));
  rig.finish();
  EXPECT_LT(rig.records[urgent].end_ps, rig.records[slow].start_ps + 50 * kMicrosecond);
  EXPECT_GT(rig.records[slow].end_ps, rig.records[slow].start_ps + 120 * kMicrosecond);
}

TEST(WorkDistributor, ACooperativeGridStartsOnlyWhenAllOfItFits) {
  Rig rig;
  last_for(rig, 50 * kMicrosecond);
  const auto s1 = rig.driver().create_stream({}), s2 = rig.driver().create_stream({});
  const auto first = rig.submit(rig.launch(4, s1));
  auto command = rig.launch(16 * 8, s2);  // all block slots of the machine
  command.grid->cooperative = true;
  const auto cooperative = rig.submit(std::move(command));
  rig.finish();
  EXPECT_FALSE(rig.driver().fault().has_value());
  EXPECT_GT(rig.records[cooperative].start_ps, rig.records[first].start_ps + 50 * kMicrosecond);
}

TEST(WorkDistributor, ACooperativeGridThatCanNeverFitIsAFault) {
  Rig rig;
  auto command = rig.launch(16 * 8 + 1);
  command.grid->cooperative = true;
  rig.submit(std::move(command));
  rig.finish();
  ASSERT_TRUE(rig.driver().fault().has_value());
  EXPECT_EQ(rig.driver().fault()->kind, gpu::FaultKind::LaunchTooLarge);
  EXPECT_NE(rig.driver().fault()->text.find("129 blocks does not fit: 128"), std::string::npos);
}

TEST(WorkDistributor, ABlockThatFitsNoSmIsAFault) {
  Rig rig;
  auto command = rig.launch(1);
  command.grid->dynamic_shared_bytes = 64_KiB;
  rig.submit(std::move(command));
  rig.finish();
  ASSERT_TRUE(rig.driver().fault().has_value());
  EXPECT_EQ(rig.driver().fault()->kind, gpu::FaultKind::LaunchTooLarge);
}

TEST(WorkDistributor, AKernelThatRunsBesideAFaultingOneEndsInOrder) {
  Rig rig;
  const auto s1 = rig.driver().create_stream({}), s2 = rig.driver().create_stream({});
  last_for(rig, 20 * kMicrosecond);
  gpu::Grid* bad = nullptr;
  for (auto& sm : rig.sms) sm->at_end = [&](gpu::Grid& grid, std::uint64_t) { return &grid == bad; };
  auto command = rig.launch(8, s1);
  bad = command.grid.get();
  rig.submit(std::move(command));
  const auto good = rig.submit(rig.launch(8, s2));
  const auto skipped = rig.submit(rig.launch(8, s2));
  rig.finish();
  EXPECT_TRUE(rig.driver().fault().has_value());
  EXPECT_GE(rig.records[good].end_ps, rig.records[good].start_ps + 20 * kMicrosecond);
  EXPECT_EQ(rig.records[skipped].start_ps, rig.records[skipped].end_ps);
  EXPECT_EQ(log_of(rig).size(), 16u);
}

// Executes blocks as a core does: it claims one, keeps it for a while, and claims the next.
class MockCore : public sim::Component, public gpu::BlockWatcher {
 public:
  MockCore(Rig& rig, std::uint64_t launch_id)
      : Component(rig.engine, "mock core", nullptr, 2, sim::Role::None),
        queues_(rig.board.connect_cores(*this, 1)),
        launch_id_(launch_id) {
    rig.board.work_distributor().watch(*this);
  }
  void kernel_starts(const gpu::Grid&) override { engine().wake_after(*this, engine().now()); }
  Picoseconds tick(Picoseconds now) override {
    if (queues_.grants.can_pop(now)) {
      const gpu::BlockGrant grant = queues_.grants.pop(now);
      refused = grant.grid == nullptr;
      if (refused) return kNever;
      blocks.push_back(grant.block);
      has_ = grant;
      return until_ = now + kBlock;
    }
    if (has_ && now >= until_) {
      queues_.done.push(now, {has_->grid, has_->block, 0, false});
      has_.reset();
      ends = now;
    }
    if (!has_ && queues_.claims.can_push(now)) queues_.claims.push(now, {launch_id_, 0});
    return kNever;
  }

  static constexpr Picoseconds kBlock = 7 * kMicrosecond;
  std::vector<std::uint64_t> blocks;
  bool refused = false;
  Picoseconds ends = 0;

 private:
  machine::Board::CoreQueues queues_;
  const std::uint64_t launch_id_;
  std::optional<gpu::BlockGrant> has_;
  Picoseconds until_ = 0;
};

TEST(WorkDistributor, ACoreTakesBlocksFromTheFarEnd) {
  Rig rig;
  last_for(rig, 3 * kMicrosecond);
  auto command = rig.launch(1000);
  command.grid->launch_id = 17;
  MockCore core(rig, 17);
  const auto id = rig.submit(std::move(command));
  rig.finish();
  EXPECT_TRUE(core.refused);
  ASSERT_GT(core.blocks.size(), 2u);
  for (std::size_t i = 0; i < core.blocks.size(); ++i) EXPECT_EQ(core.blocks[i], 999 - i);
  const auto log = log_of(rig);  // the SMs have the others, each once
  EXPECT_EQ(log.size(), 1000 - core.blocks.size());
  std::set<std::uint64_t> blocks;
  for (const auto& entry : log) blocks.insert(entry.block);
  EXPECT_EQ(blocks.size(), log.size());
  EXPECT_EQ(*blocks.rbegin(), 999 - core.blocks.size());
  EXPECT_GE(rig.records[id].end_ps, core.ends);
}

// The SMs are done long before the core, and nobody else's launch is taken.
TEST(WorkDistributor, AKernelWaitsForTheBlocksOfACore) {
  Rig rig;
  last_for(rig, 1000);
  auto command = rig.launch(200);
  command.grid->launch_id = 17;
  MockCore core(rig, 17);
  const auto id = rig.submit(std::move(command));
  rig.finish();
  EXPECT_EQ(core.blocks, std::vector<std::uint64_t>{199});
  EXPECT_GE(rig.records[id].end_ps, rig.records[id].start_ps + MockCore::kBlock);

  Rig other;
  MockCore stranger(other, 18);
  auto unknown = other.launch(200);
  unknown.grid->launch_id = 17;
  other.submit(std::move(unknown));
  other.finish();
  EXPECT_TRUE(stranger.refused);
  EXPECT_TRUE(stranger.blocks.empty());
}

}  // namespace
}  // namespace duet::test
