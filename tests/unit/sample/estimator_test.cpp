#include "sample/estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace duet::sample {
namespace {

struct Launch {
  double work, time;
};

// What sampling makes of these launches, and what they take.
struct Sampling {
  Result result;
  double truth = 0;
  double error() const { return result.time() - truth; }
};

Sampling sampled(const std::vector<Launch>& launches, std::uint64_t seed, double error = 0.05) {
  Group group(error, seed);
  Sampling run;
  for (const Launch& launch : launches) {
    run.truth += launch.time;
    const Group::Choice choice = group.next();
    if (choice.timed)
      group.timed(choice.window, launch.work, launch.time);
    else
      group.forwarded(launch.work);
  }
  run.result = group.result();
  return run;
}

using Population = std::function<std::vector<Launch>(std::mt19937_64&)>;

// Of 300 populations: the share whose error is within the stated bound, and within half of it.
struct Coverage {
  double within = 0, within_half = 0, timed = 0, stated = 0;
};
Coverage coverage(const Population& population) {
  constexpr int kRuns = 300;
  Coverage found;
  for (int i = 0; i < kRuns; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    const std::vector<Launch> launches = population(random);
    const Sampling run = sampled(launches, static_cast<std::uint64_t>(i) * 77);
    found.within += std::abs(run.error()) <= run.result.bound() + 1e-9;
    found.within_half += std::abs(run.error()) <= run.result.bound() / 2 + 1e-9;
    found.timed += static_cast<double>(run.result.timed) / static_cast<double>(launches.size());
    found.stated += run.result.bound() / run.result.time();
  }
  found.within /= kRuns;
  found.within_half /= kRuns;
  found.timed /= kRuns;
  found.stated /= kRuns;
  return found;
}

// Times are 2 + 3 work, with a spread.
Population line(std::size_t count, double spread, double range) {
  return [=](std::mt19937_64& random) {
    std::vector<Launch> launches(count);
    std::uniform_real_distribution<double> work(1, range);
    std::normal_distribution<double> noise(1, spread);
    for (Launch& launch : launches) {
      launch.work = work(random);
      launch.time = (2 + 3 * launch.work) * std::max(noise(random), 0.1);
    }
    return launches;
  };
}

// Of equal work; some take another time.
Population two_kinds(std::size_t count, double share, double times) {
  return [=](std::mt19937_64& random) {
    std::vector<Launch> launches(count, {100, 10});
    std::bernoulli_distribution other(share);
    std::normal_distribution<double> noise(1, 0.01);
    for (Launch& launch : launches) launch.time *= (other(random) ? times : 1) * noise(random);
    return launches;
  };
}

// Later ones take longer, work being equal.
Population drift(std::size_t count, double growth) {
  return [=](std::mt19937_64& random) {
    std::vector<Launch> launches(count, {100, 10});
    std::normal_distribution<double> noise(1, 0.01);
    for (std::size_t i = 0; i < count; ++i)
      launches[i].time *= (1 + growth * static_cast<double>(i) / static_cast<double>(count)) * noise(random);
    return launches;
  };
}

TEST(Sample, EqualLaunchesAreFewInTimeAndNoBoundIsZero) {
  const Sampling run = sampled(std::vector<Launch>(1000, {100, 10}), 1);
  EXPECT_LT(run.result.timed, 60u);
  EXPECT_NEAR(run.error(), 0, 1e-6);
  EXPECT_GT(run.result.bound(), 0.005 * run.truth);
  EXPECT_LE(run.result.bound(), 0.055 * run.truth);
}

TEST(Sample, AFewLaunchesAreAllInTime) {
  const Sampling run = sampled(std::vector<Launch>(3, {100, 10}), 1);
  EXPECT_EQ(run.result.timed, 3u);
  EXPECT_EQ(run.result.bound(), 0);
}

TEST(Sample, TimeFollowsWork) {
  std::mt19937_64 random(1);
  const Sampling run = sampled(line(500, 0, 20)(random), 1);
  EXPECT_LT(run.result.timed, 200u);
  EXPECT_LT(std::abs(run.error()), 0.001 * run.truth);
}

// What is beyond all samples is between constant and proportional, the bound says so, and the next one is
// timed.
TEST(Sample, BeyondAllSamples) {
  Group group(0.05, 1);
  Group::Choice choice;
  for (int i = 0; i < 40 || choice.timed; ++i) {
    choice = group.next();
    if (choice.timed)
      group.timed(choice.window, 100, 10);
    else
      group.forwarded(100);
  }
  const Result before = group.result();
  while (group.next().timed) {
  }
  EXPECT_DOUBLE_EQ(group.forwarded(1000), 55);
  EXPECT_EQ(group.result().extrapolated, 1u);
  EXPECT_GE(group.result().bound(), before.bound() + 45);
  EXPECT_TRUE(group.next().timed);
}

// One that is timed for the sake of another is no sample.
TEST(Sample, SaysWhichLaunchIsTimedNext) {
  Group group(0.05, 3);
  for (int i = 0; i < 500; ++i) {
    const bool expected = group.times_next();
    const Group::Choice choice = group.next();
    EXPECT_EQ(choice.timed, expected) << i;
    if (choice.timed)
      group.timed(choice.window, 100, 10 + i % 3);
    else
      group.forwarded(100);
  }
}

TEST(Sample, AllInTimeFromNowOn) {
  Group group(0.05, 1);
  const auto step = [&] {
    const Group::Choice choice = group.next();
    if (choice.timed)
      group.timed(choice.window, 100, 10);
    else
      group.forwarded(100);
    return choice.timed;
  };
  bool all = true;
  for (int i = 0; i < 100; ++i) all &= step();
  EXPECT_FALSE(all);
  group.time_all();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(step());
}

// The bound holds in 95 of 100 populations, of each kind. Half of it does not: the control.
TEST(Sample, TheBoundCovers) {
  const std::pair<const char*, Population> all[] = {{"2 %", line(1000, 0.02, 1.01)},
                                                    {"10 %", line(1000, 0.1, 1.01)},
                                                    {"40 %", line(300, 0.4, 1.01)},
                                                    {"5 % and work", line(200, 0.05, 5)},
                                                    {"20 % and work", line(200, 0.2, 5)},
                                                    {"few", line(50, 0.05, 20)},
                                                    {"rare and long", two_kinds(500, 0.1, 3)},
                                                    {"two kinds", two_kinds(1000, 0.3, 1.5)},
                                                    {"very rare", two_kinds(200, 0.02, 2)},
                                                    {"drift", drift(500, 0.5)},
                                                    {"twice as long", drift(200, 1)}};
  double halves = 0;
  for (const auto& [name, population] : all) {
    const Coverage found = coverage(population);
    EXPECT_GE(found.within, 0.95) << name;
    EXPECT_LT(found.stated, 0.075) << name;
    EXPECT_LT(found.timed, 0.65) << name;
    halves += found.within_half;
  }
  EXPECT_LT(halves / std::size(all), 0.93);
}

}  // namespace
}  // namespace duet::sample
