#include "sample/block_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <queue>
#include <random>

namespace duet::sample {
namespace {

// Blocks of which `places` are on the GPU at once, each with its work and time.
struct Outcome {
  double truth = 0, estimate = 0, error = 0;
  std::uint64_t timed = 0;
};

using Block = std::function<std::pair<double, double>(std::uint64_t)>;

Outcome run_of(std::uint64_t blocks, std::size_t places, const Block& block, double error = 0.025) {
  BlockRate rate(blocks, error);
  using Done = std::pair<double, double>;  // time, work
  const auto play = [&](bool stop, double& end, double& left) {
    std::priority_queue<Done, std::vector<Done>, std::greater<>> running;
    std::uint64_t next = 0, work = 0;
    bool stopped = false;
    const auto begin = [&](double now) {
      const auto [its_work, its_time] = block(next++);
      running.emplace(now + its_time, its_work);
    };
    while (next < blocks && running.size() < places) begin(0);
    while (!running.empty()) {
      const auto [now, its_work] = running.top();
      running.pop();
      work += static_cast<std::uint64_t>(its_work);
      end = now;
      if (stop && !stopped && next < blocks) stopped = rate.ends(next, work, static_cast<Picoseconds>(now));
      if (!stopped && next < blocks) begin(now);
    }
    for (std::uint64_t i = next; i < blocks; ++i) left += block(i).first;
    return next;
  };
  Outcome run;
  double none = 0, drained = 0, left = 0;
  play(false, run.truth, none);
  run.timed = play(true, drained, left);
  run.estimate = drained + (left > 0 ? rate.time(left) : 0);
  run.error = left > 0 ? rate.error(left) : 0;
  return run;
}

TEST(BlockRate, EqualBlocksNeedFourWaves) {
  const Outcome run = run_of(10000, 100, [](std::uint64_t) { return std::pair(100.0, 1e6); });
  EXPECT_EQ(run.timed, 499u);  // the 400th is done, and 99 are on the GPU
  EXPECT_NEAR(run.estimate / run.truth, 1, 0.01);
  EXPECT_GT(run.error, 0);
  EXPECT_LT(run.error / run.truth, 0.02);
}

// A last wave of one block: it takes as long as any, which the bound knows.
TEST(BlockRate, ALastWaveIsInTheBound) {
  const Outcome run = run_of(10001, 100, [](std::uint64_t) { return std::pair(100.0, 1e6); });
  EXPECT_LT(run.timed, 600u);
  EXPECT_GT(run.error, 0);
  EXPECT_LE(std::abs(run.estimate - run.truth), run.error + 1);
}

TEST(BlockRate, FewBlocksAreAllInTime) {
  const Outcome run = run_of(55, 10, [](std::uint64_t) { return std::pair(100.0, 1e6); });
  EXPECT_EQ(run.timed, 55u);
}

// Time follows work, which the blocks that are not in time have too. (Blocks that are on the GPU when a batch
// ends are not in it: larger ones are missing.)
TEST(BlockRate, WorkThatGrowsIsCounted) {
  const Outcome run = run_of(2000, 10, [](std::uint64_t i) {
    const double work = 100 + static_cast<double>(i);
    return std::pair(work, work * 1e4);
  });
  EXPECT_LT(run.timed, 500u);
  EXPECT_NEAR(run.estimate / run.truth, 1, 0.05);
}

// Caches that fill: the first blocks are slow.
TEST(BlockRate, ABeginningIsCutOff) {
  const Outcome run = run_of(3000, 10, [](std::uint64_t i) {
    return std::pair(100.0, 1e6 * (1 + 2 * std::exp(-static_cast<double>(i) / 20)));
  });
  EXPECT_LT(run.timed, 400u);
  EXPECT_NEAR(run.estimate / run.truth, 1, 0.03);
}

// Of random times 19 of 20 estimates are within what is stated; with a tenth of the bound far fewer.
TEST(BlockRate, ItsErrorIsWithinTheBound) {
  int within = 0, within_a_tenth = 0, early = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<double> times(6000);
    for (double& time : times) time = 1e6 * std::exp(std::normal_distribution(0.0, 0.5)(random));
    const Outcome run = run_of(
        6000, 10, [&](std::uint64_t i) { return std::pair(100.0, times[i]); }, 0.05);
    const double off = std::abs(run.estimate - run.truth);
    // The end, when fewer blocks than places are left, is not in the bound: a block or two.
    within += off <= run.error + 3e6;
    within_a_tenth += off <= run.error / 10;
    early += run.timed < 6000;
  }
  EXPECT_GE(within, 280);
  EXPECT_LE(within_a_tenth, 150);
  EXPECT_GE(early, 250);
}

}  // namespace
}  // namespace duet::sample
