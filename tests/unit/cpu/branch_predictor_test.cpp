// The branch predictor: directions by either table, targets, returns.
#include "cpu/branch_predictor.h"

#include <gtest/gtest.h>

#include <random>

namespace duet::cpu {
namespace {

constexpr std::uint64_t kPc = 0x1000, kTarget = 0x2000;

// table_entries, history_bits, target_entries, return_entries
config::BranchPredictor tables(std::uint64_t entries = 1024, std::uint64_t history = 8,
                               std::uint64_t targets = 64, std::uint64_t returns = 4) {
  config::BranchPredictor config;
  config.table_entries = entries;
  config.history_bits = history;
  config.target_entries = targets;
  config.return_entries = returns;
  return config;
}

// How often the last half of `rounds` was predicted wrongly, for directions that repeat.
unsigned wrong_in_the_end(const config::BranchPredictor& config, const std::vector<bool>& pattern) {
  BranchPredictor predictor(config);
  constexpr unsigned kRounds = 2000;
  unsigned wrong = 0;
  for (unsigned i = 0; i < kRounds; ++i) {
    const Prediction prediction = predictor.conditional(kPc, kTarget, pattern[i % pattern.size()]);
    wrong += i >= kRounds / 2 && prediction == Prediction::Wrong;
  }
  return wrong;
}

TEST(BranchPredictor, LearnsOneDirectionInTwoSteps) {
  BranchPredictor predictor(tables());
  EXPECT_EQ(predictor.conditional(kPc, kTarget, true), Prediction::Wrong);  // tables begin with "not taken"
  predictor.conditional(kPc, kTarget, true);
  for (int i = 0; i < 20; ++i) predictor.conditional(kPc, kTarget, true);
  EXPECT_EQ(predictor.conditional(kPc, kTarget, true), Prediction::Right);
  EXPECT_EQ(predictor.conditional(kPc, kTarget, false), Prediction::Wrong);
  EXPECT_EQ(predictor.conditional(kPc, kTarget, true), Prediction::Right);  // one exception changes nothing
}

// A loop of eight: its end is in a history of eight branches, and not in one of three.
TEST(BranchPredictor, FindsALoopsEndInAHistoryThatReachesOverIt) {
  const std::vector<bool> loop{true, true, true, true, true, true, true, false};
  EXPECT_EQ(wrong_in_the_end(tables(1024, 8), loop), 0u);
  EXPECT_EQ(wrong_in_the_end(tables(1024, 3), loop), 1000u / 8);
  EXPECT_EQ(wrong_in_the_end(tables(1024, 0), loop), 1000u / 8);
}

TEST(BranchPredictor, TakesTheTableThatIsRightMoreOften) {
  // Random directions of another branch fill the history with noise: the bimodal table is right still.
  BranchPredictor predictor(tables(1024, 10));
  std::minstd_rand random(3);
  unsigned wrong = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    predictor.conditional(kPc + 64, kTarget, random() % 2 != 0);
    const bool was_wrong = predictor.conditional(kPc, kTarget, true) == Prediction::Wrong;
    wrong += i >= 2000 && was_wrong;
  }
  EXPECT_LE(wrong, 20u);
}

TEST(BranchPredictor, KnowsATargetOnceItHasSeenIt) {
  BranchPredictor predictor(tables());
  EXPECT_EQ(predictor.direct_jump(kPc, kTarget), Prediction::LateTarget);
  EXPECT_EQ(predictor.direct_jump(kPc, kTarget), Prediction::Right);
  EXPECT_EQ(predictor.indirect_jump(kPc + 8, kTarget), Prediction::Wrong);
  EXPECT_EQ(predictor.indirect_jump(kPc + 8, kTarget), Prediction::Right);
  EXPECT_EQ(predictor.indirect_jump(kPc + 8, kTarget + 4), Prediction::Wrong);
  EXPECT_EQ(predictor.indirect_jump(kPc + 8, kTarget), Prediction::Wrong);
}

// 64 targets: branches 128 bytes apart share a place.
TEST(BranchPredictor, TargetsThatShareAPlaceDriveEachOtherOut) {
  BranchPredictor predictor(tables());
  predictor.direct_jump(kPc, kTarget);
  predictor.direct_jump(kPc + 128, kTarget);
  EXPECT_EQ(predictor.direct_jump(kPc, kTarget), Prediction::LateTarget);
  predictor.direct_jump(kPc + 126, kTarget);
  EXPECT_EQ(predictor.direct_jump(kPc, kTarget), Prediction::Right);
}

TEST(BranchPredictor, RemembersAsManyReturnsAsItHasPlaces) {
  BranchPredictor predictor(tables());
  for (std::uint64_t depth = 1; depth <= 5; ++depth) predictor.call(kPc + 16 * depth);
  for (std::uint64_t depth = 5; depth >= 2; --depth)
    EXPECT_EQ(predictor.return_to(kPc + 16 * depth), Prediction::Right) << depth;
  EXPECT_EQ(predictor.return_to(kPc + 16), Prediction::Wrong);  // its place was taken by the fifth call
  EXPECT_EQ(predictor.return_to(kPc), Prediction::Wrong);
  predictor.call(kPc);
  EXPECT_EQ(predictor.return_to(kPc + 4), Prediction::Wrong);
}

}  // namespace
}  // namespace duet::cpu
