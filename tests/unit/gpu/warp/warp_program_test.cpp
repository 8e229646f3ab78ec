// What do branches, barriers, exits and calls do to a warp, whoever runs it? The SM here executes one
// instruction of one warp when the test says so; stores are what the test sees.
#include "gpu/warp/warp_program.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"

namespace duet::gpu {
namespace {

constexpr unsigned kWidth = 32;

struct StepWarp : WarpState<kWidth, BlockState> {
  bool asleep = false, ended = false;
  bool choose = true;  // the path that runs has to be chosen
  LaneArrays registers;
  std::vector<std::uint64_t> predicates;
};

struct Stored {
  std::uint32_t warp = 0;
  std::uint64_t lanes = 0;
  std::vector<std::uint32_t> values;  // by lane; 0 where it stored nothing
};

class StepSm : private WarpProgram<kWidth, StepSm, StepWarp> {
 public:
  // `warps` of 32 threads, of a kernel with this body.
  explicit StepSm(const std::string& body, unsigned warps = 1, const char* target = "sm_60",
                  const std::string& before = "") {
    module_ = ptx::compile_module(
        std::string(".version 7.0\n.target ") + target + "\n.address_size 64\n" + before +
            ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n"
            "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\n" +
            body + "ret;\n}\n",
        "k.ptx");
    ptx::Kernel& kernel = module_.kernels.at(0);
    EXPECT_EQ(kernel.unsupported, "");
    ptx::bind_handlers(kernel);
    grid_.kernel = &kernel;
    grid_.block.x = warps * kWidth;
    grid_.parameters.resize(8);
    block_.start(grid_, 0);
    block_.arrays = grid_arrays(grid_, kWidth, kWidth);
    fill_grid_slots(block_.block_slots, grid_, kWidth, kWidth);
    fill_block_index(block_.block_slots, block_.index, kWidth);
    block_.warp_count = block_.live_warps = warps;
    for (unsigned i = 0; i < warps; ++i) {
      StepWarp& warp = *warps_.emplace_back(std::make_unique<StepWarp>());
      warp.registers.resize(std::size_t{kernel.register_slots} * kWidth * 4);
      warp.predicates.resize(kernel.predicates);
      warp.bind(block_, i, warp.registers.data(), warp.predicates.data(), kWidth);
      warp.start(grid_.block.count());
    }
  }

  // Executes a warp's next instruction; false: it cannot.
  bool step(unsigned number) {
    StepWarp& warp = *warps_.at(number);
    if (warp.asleep || warp.ended || block_.live_warps == 0) return false;
    if (std::exchange(warp.choose, false) && !next_path(warp)) return false;
    const ptx::MicroOp& op = warp.code[warp.pc];
    const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
    if (op.kind == ptx::Kind::Arithmetic ||
        (op.kind == ptx::Kind::Exchange && !lanes_missing(warp, op, lanes))) {
      if (lanes != 0) ptx::execute(warp.lanes, op, lanes);
      advance(warp, warp.pc + 1);
    } else if (op.kind == ptx::Kind::Store) {
      Stored stored{number, lanes, std::vector<std::uint32_t>(kWidth)};
      LaneMask(lanes).for_each(
          [&](unsigned lane) { stored.values[lane] = warp.lanes.lanes32(op.sources[1])[lane]; });
      if (lanes != 0) this->stored.push_back(stored);
      advance(warp, warp.pc + 1);
    } else {
      execute_control(warp, op, lanes);
    }
    return true;
  }
  // Until it sleeps or ends.
  void run(unsigned number) {
    for (unsigned i = 0; step(number); ++i) ASSERT_LT(i, 10'000u);
  }
  void run_all() {
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned i = 0; i < warps_.size(); ++i) moved |= step(i);
    }
  }
  bool asleep(unsigned number) const { return warps_.at(number)->asleep; }
  bool ended(unsigned number) const { return warps_.at(number)->ended; }
  std::string wait(unsigned number) const {
    return name_of_warp(*warps_.at(number)) + wait_at_barrier(*warps_.at(number));
  }

  std::vector<Stored> stored;
  std::vector<std::string> faults;
  unsigned executed_apart = 0;  // exchanges of paths that waited
  Cycle cycle = 0;
  DeviceServices device;

 private:
  friend WarpProgram;
  void advance(StepWarp& warp, std::uint32_t pc) {
    warp.stack.move_to(pc);
    warp.choose = true;
  }
  void path_changed(StepWarp& warp) { warp.choose = true; }
  void sleep_at_barrier(StepWarp& warp) { warp.asleep = true; }
  bool sleeps_at_barrier(const StepWarp& warp) const { return warp.asleep; }
  void wake(StepWarp& warp) { warp.asleep = false; }
  void wake_paths(StepWarp& warp) {
    warp.asleep = false;
    warp.choose = true;
  }
  void warp_ended(StepWarp& warp) { warp.ended = true; }
  void results_written(StepWarp&, const ptx::MicroOp&) { ++executed_apart; }
  void hold_up(StepWarp&, Cycle, Cycle) {}
  template <typename F>
  void call(const F& perform) {
    perform();
  }
  void fault(BlockState& block, FaultKind, const std::string& text) {
    faults.push_back(text);
    block.live_warps = 0;
  }
  template <typename F>
  void for_each_warp(BlockState&, const F& f) {
    for (auto& warp : warps_) f(*warp);
  }
  bool read_bytes(const StepWarp&, unsigned, Address, std::byte*, Bytes) { return false; }
  SpecialContext special_context(const StepWarp& warp) const {
    return {config_, grid_, cycle * 1000, cycle, 3, warp.index, 0};
  }
  const DeviceServices& services() const { return device; }
  const memory::AddressSpace& address_space() const { return space_; }
  std::uint32_t sm_number() const { return 3; }

  config::Gpu config_;
  memory::PhysicalMemory physical_{1_MiB, 4_KiB};
  memory::AddressSpace space_{physical_};
  ptx::Module module_;
  Grid grid_;
  BlockState block_;
  std::vector<std::unique_ptr<StepWarp>> warps_;
};

constexpr std::uint64_t kAll = 0xffff'ffff;

TEST(WarpProgram, BothSidesOfABranchRunThenTheLanesMeet) {
  StepSm sm(
      "setp.lt.u32 %p0, %r0, 8;\n@%p0 bra T;\nst.global.u32 [%d0], 1;\nbra E;\n"
      "T: st.global.u32 [%d0], 2;\nE: st.global.u32 [%d0], 3;\n");
  sm.run(0);
  ASSERT_EQ(sm.stored.size(), 3u);
  EXPECT_EQ(sm.stored[0].lanes, 0xffu);
  EXPECT_EQ(sm.stored[0].values[0], 2u);
  EXPECT_EQ(sm.stored[1].lanes, kAll & ~0xffull);
  EXPECT_EQ(sm.stored[1].values[8], 1u);
  EXPECT_EQ(sm.stored[2].lanes, kAll);
  EXPECT_TRUE(sm.ended(0));
}

TEST(WarpProgram, AnIndexedBranchTakesEachLaneToItsTarget) {
  StepSm sm(
      "and.b32 %r1, %r0, 1;\nts: .branchtargets A, B;\nbrx.idx %r1, ts;\n"
      "A: st.global.u32 [%d0], 10;\nbra E;\nB: st.global.u32 [%d0], 11;\nE: st.global.u32 [%d0], 12;\n");
  sm.run(0);
  ASSERT_EQ(sm.stored.size(), 3u);
  for (unsigned i = 0; i < 2; ++i)
    EXPECT_EQ(sm.stored[i].lanes, sm.stored[i].values[0] == 10 ? 0x5555'5555u : 0xaaaa'aaaau);
  EXPECT_EQ(sm.stored[2].lanes, kAll);
}

TEST(WarpProgram, AnIndexBeyondTheTableIsAFaultOfItsThread) {
  StepSm sm(
      "shr.u32 %r1, %r0, 4;\nts: .branchtargets A, E;\nadd.u32 %r1, %r1, 1;\nbrx.idx %r1, ts;\n"
      "A: st.global.u32 [%d0], 1;\nE: st.global.u32 [%d0], 2;\n");
  sm.run(0);
  ASSERT_EQ(sm.faults.size(), 1u);
  EXPECT_NE(sm.faults[0].find("thread (16,0,0)"), std::string::npos) << sm.faults[0];
  EXPECT_TRUE(sm.stored.empty());
}

TEST(WarpProgram, ABarrierHoldsWarpsUntilTheLastHasCome) {
  StepSm sm("bar.sync 0;\nst.global.u32 [%d0], 1;\n", 3);
  sm.run(2);
  sm.run(0);
  EXPECT_TRUE(sm.asleep(0));
  EXPECT_TRUE(sm.asleep(2));
  EXPECT_TRUE(sm.stored.empty());
  EXPECT_NE(sm.wait(0).find("warp 0 of block (0,0,0) of kernel 'k' waits at barrier 0 (2 of 3 warps"),
            std::string::npos)
      << sm.wait(0);
  sm.run(1);
  EXPECT_FALSE(sm.asleep(0));
  EXPECT_FALSE(sm.asleep(2));
  sm.run_all();
  EXPECT_EQ(sm.stored.size(), 3u);
}

TEST(WarpProgram, ABarrierOfAThreadCountWaitsForThatMany) {
  StepSm sm("bar.sync 1, 64;\nst.global.u32 [%d0], 1;\n", 3);
  sm.run(0);
  EXPECT_TRUE(sm.asleep(0));
  sm.run(1);
  EXPECT_FALSE(sm.asleep(0));
  sm.run(2);
  EXPECT_TRUE(sm.asleep(2));  // the next phase
}

TEST(WarpProgram, WhoArrivesWithoutWaitingGoesOn) {
  StepSm sm(
      "setp.lt.u32 %p0, %r0, 32;\n@!%p0 bra S;\nbar.arrive 1, 64;\nst.global.u32 [%d0], 1;\nret;\n"
      "S: bar.sync 1, 64;\nst.global.u32 [%d0], 2;\n",
      2);
  sm.run(1);
  EXPECT_TRUE(sm.asleep(1));
  sm.run(0);
  EXPECT_TRUE(sm.ended(0));
  EXPECT_FALSE(sm.asleep(1));
}

// bar.arrive counts a warp once, though it ends: two arrive and end, and the third has not come.
TEST(WarpProgram, WhoHasArrivedAndEndedCountsOnce) {
  StepSm sm(
      "setp.lt.u32 %p0, %r0, 64;\n@!%p0 bra S;\nbar.arrive 1, 128;\nret;\n"
      "S: bar.sync 1, 128;\nst.global.u32 [%d0], 2;\n",
      4);
  sm.run(2);
  sm.run(0);
  sm.run(1);
  EXPECT_TRUE(sm.ended(1));
  EXPECT_TRUE(sm.asleep(2));
  sm.run(3);
  EXPECT_FALSE(sm.asleep(2));
}

TEST(WarpProgram, EndedWarpsCountAsArrived) {
  StepSm sm("setp.lt.u32 %p0, %r0, 32;\n@%p0 bra S;\nret;\nS: bar.sync 0;\nst.global.u32 [%d0], 1;\n", 3);
  sm.run(0);
  sm.run(1);
  EXPECT_TRUE(sm.asleep(0));
  sm.run(2);
  EXPECT_FALSE(sm.asleep(0));
}

TEST(WarpProgram, AReductionCountsThePredicatesOfAllWarps) {
  StepSm sm(
      "and.b32 %r1, %r0, 3;\nsetp.eq.u32 %p0, %r1, 0;\nbar.red.popc.u32 %r2, 0, %p0;\n"
      "st.global.u32 [%d0], %r2;\n",
      2);
  sm.run_all();
  ASSERT_EQ(sm.stored.size(), 2u);
  for (const Stored& stored : sm.stored) EXPECT_EQ(stored.values[5], 16u);
}

TEST(WarpProgram, BarrierSixteenIsAFault) {
  StepSm fifteen("bar.sync 15;\n"), sixteen("mov.u32 %r1, 16;\nbar.sync %r1;\n");
  fifteen.run(0);
  sixteen.run(0);
  EXPECT_TRUE(fifteen.faults.empty());
  EXPECT_TRUE(fifteen.ended(0));
  ASSERT_EQ(sixteen.faults.size(), 1u);
  EXPECT_NE(sixteen.faults[0].find("barrier 16"), std::string::npos) << sixteen.faults[0];
}

TEST(WarpProgram, LanesOnTwoPathsMeetInOneExchange) {
  StepSm sm(
      "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra T;\n"
      "xor.b32 %r1, %r0, 16;\nshfl.sync.idx.b32 %r2, %r0, %r1, 31, -1;\nbra E;\n"
      "T: add.u32 %r1, %r0, 16;\nshfl.sync.idx.b32 %r2, %r0, %r1, 31, -1;\n"
      "E: st.global.u32 [%d0], %r2;\n",
      1, "sm_70");
  sm.run(0);
  EXPECT_EQ(sm.executed_apart, 2u);  // one instruction of each path
  std::vector<std::uint32_t> values(kWidth, ~0u);
  for (const Stored& stored : sm.stored)
    LaneMask(stored.lanes).for_each([&](unsigned lane) { values[lane] = stored.values[lane]; });
  for (unsigned lane = 0; lane < kWidth; ++lane) EXPECT_EQ(values[lane], lane ^ 16) << lane;
}

constexpr const char* kBarrierOnTwoPaths =
    "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra T;\nbar.sync 0;\nst.global.u32 [%d0], 1;\nbra E;\n"
    "T: bar.sync 0;\nst.global.u32 [%d0], 2;\nE: st.global.u32 [%d0], 3;\n";

TEST(WarpProgram, AWarpWhosePathsStandAtABarrierHasArrivedOnce) {
  StepSm sm(kBarrierOnTwoPaths, 2, "sm_70");
  sm.run(0);
  EXPECT_TRUE(sm.asleep(0));
  EXPECT_TRUE(sm.stored.empty());
  EXPECT_NE(sm.wait(0).find("(1 of 2 warps"), std::string::npos) << sm.wait(0);
  sm.run(1);
  EXPECT_FALSE(sm.asleep(0));
  sm.run_all();
  EXPECT_TRUE(sm.ended(0));
  std::uint64_t first = 0;
  for (const Stored& stored : sm.stored)
    if (stored.warp == 0 && stored.values[31] != 3 && stored.values[0] != 3) first |= stored.lanes;
  EXPECT_EQ(first, kAll);
}

TEST(WarpProgram, BelowVoltaPathsOfAWarpArriveByThemselves) {
  StepSm sm(kBarrierOnTwoPaths, 1, "sm_60");
  sm.step(0);
  sm.run(0);
  EXPECT_TRUE(sm.ended(0));
  EXPECT_EQ(sm.stored.size(), 3u);
}

TEST(WarpProgram, LanesThatEndLetTheOthersPassTheirBarrier) {
  StepSm sm(
      "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra T;\nadd.u32 %r1, %r0, 1;\nret;\n"
      "T: bar.sync 0;\nst.global.u32 [%d0], 2;\n",
      1, "sm_70");
  sm.run(0);
  EXPECT_TRUE(sm.ended(0));
  ASSERT_EQ(sm.stored.size(), 1u);
  EXPECT_EQ(sm.stored[0].lanes, 0xffffu);
}

TEST(WarpProgram, ATrapNamesTheFirstThreadAndEndsTheBlock) {
  StepSm sm("setp.ge.u32 %p0, %r0, 37;\n@%p0 trap;\nst.global.u32 [%d0], 1;\n", 2);
  sm.run(0);
  EXPECT_TRUE(sm.faults.empty());
  sm.run(1);
  ASSERT_EQ(sm.faults.size(), 1u);
  EXPECT_NE(sm.faults[0].find("thread (37,0,0)"), std::string::npos) << sm.faults[0];
  EXPECT_EQ(sm.stored.size(), 1u);
}

TEST(WarpProgram, ASpecialRegisterIsReadWhenTheInstructionExecutes) {
  StepSm sm(
      "mov.u32 %r1, %clock;\nmov.u32 %r2, %smid;\nst.global.u32 [%d0], %r1;\nst.global.u32 [%d0], %r2;\n");
  sm.cycle = 1234;
  sm.run(0);
  ASSERT_EQ(sm.stored.size(), 2u);
  EXPECT_EQ(sm.stored[0].values[9], 1234u);
  EXPECT_EQ(sm.stored[1].values[9], 3u);
}

constexpr const char* kHeap =
    ".extern .func (.param .b64 r) malloc (.param .b64 s);\n.extern .func free (.param .b64 s);\n";

TEST(WarpProgram, EachLaneMakesItsOwnCall) {
  StepSm sm(
      "setp.lt.u32 %p0, %r0, 4;\n@!%p0 bra E;\n"
      "{ .param .b64 a; .param .b64 b; cvt.u64.u32 %d1, %r0; st.param.b64 [a], %d1;\n"
      "call.uni (b), malloc, (a); ld.param.b64 %d2, [b]; }\n"
      "cvt.u32.u64 %r1, %d2;\nst.global.u32 [%d0], %r1;\nE:\n",
      1, "sm_60", kHeap);
  sm.device.allocate = [](std::uint32_t number, Bytes bytes) { return VirtualAddress(number * 100 + bytes); };
  sm.run(0);
  EXPECT_TRUE(sm.faults.empty());
  ASSERT_EQ(sm.stored.size(), 1u);
  for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(sm.stored[0].values[lane], 300 + lane);
}

TEST(WarpProgram, NoLaneCallsAfterOneThatFaults) {
  StepSm sm(
      "{ .param .b64 a; cvt.u64.u32 %d1, %r0; add.u64 %d1, %d1, 5; st.param.b64 [a], %d1;\n"
      "call.uni free, (a); }\n",
      1, "sm_60", kHeap);
  unsigned calls = 0;
  sm.device.release = [&](std::uint32_t, VirtualAddress) { return ++calls < 3; };
  sm.run(0);
  EXPECT_EQ(calls, 3u);
  ASSERT_EQ(sm.faults.size(), 1u);
  EXPECT_NE(sm.faults[0].find("thread (2,0,0)"), std::string::npos) << sm.faults[0];
}

}  // namespace
}  // namespace duet::gpu
