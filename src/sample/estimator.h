// The time of all launches of one group (a kernel with one grid and block) from some of them, and its bound:
//   Group group(0.05, seed);                              an error of 5 %
//   const Group::Choice choice = group.next();            for each launch, in order
//   if (choice.timed) group.timed(choice.window, work, time);
//   else estimate = group.forwarded(work);                its estimated time, now
//   group.result()                                        for all, with the samples of the whole run
// `work` is the launch's warp instructions, by a functional execution.
//
// The first kFirst launches are timed. Windows follow: one launch of each, drawn at random, is timed, so
// changes are seen until the program's end. Times are a straight line over work (a regression estimator,
// Cochran, "Sampling Techniques", 1977, §7). The bound is the larger of `sampling` and `unseen`, plus
// `within` and `beyond`: docs/design/sample.md. For equal windows the sample size is SMARTS's (Wunderlich et
// al., ISCA 2003) and STEM's (Chung et al., MICRO 2025), with finite population correction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace duet::sample {

// Time over work, of timed launches.
struct Fit {
  double constant = 0, slope = 0;
  double least = 0, most = 0;  // work of the timed launches
  double spread = 0;           // standard deviation of the residuals
  double largest = 0;          // residual, as a share of the mean time
  double mean = 0;
  double quantile = 0;  // of Student's t, at 95 %

  bool covers(double work) const { return work >= 0.8 * least && work <= 1.25 * most; }
  double at(double work) const;
  // The possible error of the time because the work is beyond all timed launches'.
  double unsure(double work) const;
};

inline constexpr double kLeastDifference = 0.2;  // of launches without a sample

struct Timed {
  double work = 0, time = 0, weight = 1;
};
Fit fit_of(const std::vector<Timed>& timed);

struct Result {
  std::uint64_t launches = 0, timed = 0, extrapolated = 0;
  double timed_time = 0, estimated_time = 0;
  double sampling = 0, unseen = 0, within = 0, beyond = 0;
  double bound() const { return (sampling > unseen ? sampling : unseen) + within + beyond; }
  double time() const { return timed_time + estimated_time; }
};

// Consecutive launches. One is timed; none may be where the program has ended before.
struct Window {
  std::uint64_t launches = 0;
  bool timed = false;
  double work = 0, time = 0;  // of the launch in time
  double error = 0;           // of the time, where not all of its blocks were in time
};
// `forwarded`: the work of each launch without a time.
Result result_of(const std::vector<Window>& windows, const std::vector<double>& forwarded);

class Group {
 public:
  static constexpr std::uint64_t kFirst = 3;
  struct Choice {
    bool timed = true;
    std::uint32_t window = 0;
  };

  // `error`: of the time of all launches, at 95 % confidence.
  Group(double error, std::uint64_t seed) : error_(error), random_(seed) {}

  Choice next();
  // From now on all are timed.
  void time_all() { time_all_ = true; }
  // Whether the launch after the last one will be timed.
  bool times_next();
  void timed(std::uint32_t window, double work, double time, double error = 0);
  // A launch was timed only to warm caches for another one: it is no sample.
  void warming(double time, double error = 0) {
    warming_time_ += time;
    warming_error_ += error;
  }
  double forwarded(double work);
  Result result() const { return result_of(windows_, forwarded_); }

 private:
  std::uint64_t draw(std::uint64_t below);
  std::uint64_t window_length();
  void open_window();
  const Fit& fit();

  double error_;
  std::uint64_t random_;
  bool time_all_ = false, look_again_ = false;
  std::uint64_t launches_ = 0, known_ = 0;  // known: timed, with their time
  // The open window: its remaining launches, and the launches until the timed one.
  std::uint64_t left_ = 0, until_timed_ = 0;
  std::uint32_t open_ = 0;
  std::uint64_t all_timed_until_ = kFirst;
  std::vector<Window> windows_;
  std::vector<double> forwarded_;  // work
  double warming_time_ = 0, warming_error_ = 0;
  Fit fit_;
  std::uint64_t fitted_ = 0;  // timed launches in it
};

}  // namespace duet::sample
