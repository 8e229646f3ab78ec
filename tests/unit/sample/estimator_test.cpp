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
struct Run {
  Result result;
  double truth = 0;
  double error() const { return result.time() - truth; }
};

Run sampled(const std::vector<Launch>& launches, std::uint64_t seed, double error = 0.05) {
  Group group(error, seed);
  Run run;
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

// Of 1000 populations: the share whose error is within `share` of the stated bound.
struct Coverage {
  double within = 0, timed = 0, stated = 0;
};
Coverage coverage(const Population& population, double share = 1) {
  constexpr int kRuns = 1000;
  Coverage found;
  for (int i = 0; i < kRuns; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    const std::vector<Launch> launches = population(random);
    const Run run = sampled(launches, static_cast<std::uint64_t>(i) * 77);
    found.within += std::abs(run.error()) <= share * run.result.bound() + 1e-9;
    found.timed += static_cast<double>(run.result.timed) / static_cast<double>(launches.size());
    found.stated += run.result.bound() / run.result.time();
  }
  found.within /= kRuns;
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

TEST(SampleCoverage, Print) {
  const std::pair<const char*, Population> all[] = {{"line 1000 2%", line(1000, 0.02, 1.01)},
                                                    {"line 1000 10%", line(1000, 0.1, 1.01)},
                                                    {"line 1000 40%", line(1000, 0.4, 1.01)},
                                                    {"line 200 5% range", line(200, 0.05, 5)},
                                                    {"line 200 20% range", line(200, 0.2, 5)},
                                                    {"line 50 5% range", line(50, 0.05, 20)},
                                                    {"line 5000 5% range", line(5000, 0.05, 20)},
                                                    {"kinds 1000 10% x3", two_kinds(1000, 0.1, 3)},
                                                    {"kinds 1000 30% x1.5", two_kinds(1000, 0.3, 1.5)},
                                                    {"kinds 200 2% x2", two_kinds(200, 0.02, 2)},
                                                    {"kinds 5000 50% x2", two_kinds(5000, 0.5, 2)},
                                                    {"drift 1000 50%", drift(1000, 0.5)},
                                                    {"drift 200 100%", drift(200, 1)},
                                                    {"drift 1000 10%", drift(1000, 0.1)}};
  for (const auto& [name, population] : all) {
    const Coverage whole = coverage(population), half = coverage(population, 0.5);
    std::printf("%-24s within %.3f half %.3f timed %.3f stated %.4f\n", name, whole.within, half.within,
                whole.timed, whole.stated);
  }
}

}  // namespace
}  // namespace duet::sample
