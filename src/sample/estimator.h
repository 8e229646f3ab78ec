// The time of all launches of one group (a kernel with one grid and block) from that of a few, and how far
// off that may be:
//   Group group(0.05, seed);                              5 % asked for
//   const Group::Choice choice = group.next();            of each launch, in order
//   if (choice.timed) group.timed(choice.window, work, time);
//   else estimate = group.forwarded(work);               what it is thought to take, now
//   group.result()                                        of all, by what is known at the end
// `work` is what a functional execution counts of the launch: warp instructions.
//
// The first kFirst launches are timed. What follows is cut into windows; in each one launch, drawn at random,
// is timed, so a program that changes is looked at until its end. A window is as long as the bound at its end
// is within what was asked for, and at most half as long as all before it. Times are fitted by a straight
// line over work, each weighted with its window's length (a regression estimator, Cochran, "Sampling
// Techniques", 1977, §7). The bound is the largest of the first two at 95 % confidence, plus the others:
//   sampling      Student's t times the spread of the residuals, over windows of c launches: s^2 c (c - 1)
//                 each. For equal windows that is the sample size of SMARTS (Wunderlich et al., ISCA 2003)
//                 and STEM (Chung et al., MICRO 2025), with finite population correction.
//   unseen        launches that differ though none that was timed did: as many as would be missed 1 time in
//   20
//                 (for equal windows, 3 of n: the rule of three), each by the largest residual, at least 20 %
//   within        samples of which only the first blocks were timed (block_rate.h): each window's launches
//   are off
//                 as its sample is
//   extrapolated  launches whose work is beyond that of all timed ones (by a fifth, or a quarter): between
//   the
//                 time at the nearest and a proportional one
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
  // By how much the time may be another because the work is beyond that of all timed launches.
  double unsure(double work) const;
};

inline constexpr double kLeastDifference = 0.2;  // of launches that nobody has looked at

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

// Launches one after the other, of which one is timed; where the program has ended before, none may be.
struct Window {
  std::uint64_t launches = 0;
  bool timed = false;
  double work = 0, time = 0;  // of the launch in time
  double error = 0;           // of that time, where not all of its blocks were in time
};
// `forwarded`: the work of each launch that was not timed.
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
  // Whether that will be so of the launch after the last one.
  bool times_next();
  void timed(std::uint32_t window, double work, double time, double error = 0);
  // One that was not to be timed has been, so that caches are warm for another one: it is no sample.
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
  // The window that is open: how many launches are left of it, and in how many comes the one in time.
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
