#include "sample/estimator.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sample/student.h"

namespace duet::sample {

namespace {

// Weighted sums of timed launches.
struct Sums {
  double weight = 0, work = 0, time = 0;
  explicit Sums(const std::vector<Timed>& timed) {
    for (const Timed& one : timed) {
      weight += one.weight;
      work += one.weight * one.work;
      time += one.weight * one.time;
    }
  }
};

// Windows by length. A window without a launch in time has only the fit.
struct Lengths {
  std::map<std::uint64_t, std::uint64_t> windows;  // of so many launches: how many
  double variance = 0;                             // over the variance of one launch
  double not_looked_at = 0;                        // launches in windows without one in time

  void add(std::uint64_t launches, bool timed) {
    const auto count = static_cast<double>(launches);
    variance += timed ? count * (count - 1) : count * count;
    if (timed)
      ++windows[launches];
    else
      not_looked_at += count;
  }

  // The most launches that may differ while the chance is 1 in 20 of timing none of them: shares f of windows
  // of c launches with the largest sum of f c where the product of (1 - f) is 1/20. There 1 - f is level / c.
  double unseen() const {
    const double chances = std::log(20.0);
    const auto cost = [&](double level) {
      double sum = 0;
      for (const auto& [launches, count] : windows)
        if (const auto c = static_cast<double>(launches); c > level)
          sum += static_cast<double>(count) * std::log(c / level);
      return sum;
    };
    double low = 1, high = windows.empty() ? 1 : static_cast<double>(windows.rbegin()->first);
    if (cost(low) > chances) {
      for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (cost(middle) > chances ? low : high) = middle;
      }
    } else {
      high = low;
    }
    double sum = not_looked_at;
    for (const auto& [launches, count] : windows)
      if (const auto c = static_cast<double>(launches); c > high)
        sum += static_cast<double>(count) * (c - high);
    return sum;
  }

  void bounds(const Fit& fit, Result& result) const {
    result.sampling = fit.quantile * fit.spread * std::sqrt(variance);
    result.unseen = unseen() * fit.mean * std::max(fit.largest, kLeastDifference);
  }
};

std::vector<Timed> timed_launches(const std::vector<Window>& windows) {
  std::vector<Timed> timed;
  for (const Window& window : windows)
    if (window.timed && window.time > 0)
      timed.push_back({window.work, window.time, static_cast<double>(window.launches)});
  return timed;
}

}  // namespace

double Fit::at(double work) const {
  if (covers(work)) return std::max(constant + slope * work, 0.1 * mean * (most == 0 ? 1 : work / most));
  const double edge = work < least ? least : most;
  const double there = std::max(constant + slope * edge, 0.0);
  return edge == 0 ? there : there * (1 + work / edge) / 2;
}

double Fit::unsure(double work) const {
  if (covers(work)) return 0;
  const double edge = work < least ? least : most;
  const double there = std::max(constant + slope * edge, 0.0);
  return edge == 0 ? there : there * std::abs(work / edge - 1) / 2;
}

Fit fit_of(const std::vector<Timed>& timed) {
  Fit fit;
  if (timed.empty()) return fit;
  const Sums sums(timed);
  const double work = sums.work / sums.weight, time = sums.time / sums.weight;
  fit.least = fit.most = timed[0].work;
  double squares = 0, products = 0;
  for (const Timed& one : timed) {
    fit.least = std::min(fit.least, one.work);
    fit.most = std::max(fit.most, one.work);
    squares += one.weight * (one.work - work) * (one.work - work);
    products += one.weight * (one.work - work) * (one.time - time);
  }
  fit.mean = time;
  double parameters = 1;
  fit.constant = time;
  if (fit.most > 1.02 * fit.least && timed.size() > 2) {
    parameters = 2;
    fit.slope = std::max(products / squares, 0.0);
    fit.constant = time - fit.slope * work;
    if (fit.constant < 0) fit.constant = 0, fit.slope = time / work;
  }
  double sum = 0, weighted = 0;
  for (const Timed& one : timed) {
    const double residual = one.time - fit.constant - fit.slope * one.work;
    sum += residual * residual;
    weighted += one.weight * residual * residual;
    fit.largest = std::max(fit.largest, std::abs(residual) / time);
  }
  const double count = static_cast<double>(timed.size()), freedom = std::max(count - parameters, 1.0);
  fit.spread = std::sqrt(std::max(sum, weighted / sums.weight * count) / freedom);
  fit.quantile = student(freedom);
  return fit;
}

// splitmix64 (Steele et al., OOPSLA 2014).
std::uint64_t Group::draw(std::uint64_t below) {
  random_ += 0x9e37'79b9'7f4a'7c15ull;
  std::uint64_t x = random_;
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebull;
  return (x ^ (x >> 31)) % below;
}

// Of many launches not after each.
const Fit& Group::fit() {
  if (fitted_ == 0 || known_ - fitted_ > fitted_ / 64) {
    fit_ = fit_of(timed_launches(windows_));
    fitted_ = known_;
  }
  return fit_;
}

std::uint64_t Group::window_length() {
  Lengths lengths;
  for (const Window& window : windows_) lengths.add(window.launches, window.timed);
  const Fit& fit = this->fit();
  double time = warming_time_, beyond = warming_error_;
  for (const Window& window : windows_) {
    time += window.time;
    beyond += static_cast<double>(window.launches) * window.error;
  }
  for (const double work : forwarded_) {
    time += fit.at(work);
    beyond += fit.unsure(work);
  }
  std::uint64_t length = 1;
  while (2 * length <= launches_ / 2) length *= 2;
  for (; length > 1; length /= 2) {
    Lengths with = lengths;
    with.add(length, true);
    Result result;
    with.bounds(fit, result);
    result.beyond = beyond;
    if (result.bound() <= error_ * (time + static_cast<double>(length) * fit.mean)) break;
  }
  return length;
}

void Group::open_window() {
  const std::uint64_t length = window_length();
  if (length == 1) {
    all_timed_until_ = launches_ + 1 + launches_ / 64;
    return;
  }
  left_ = length;
  until_timed_ = draw(length);
  open_ = static_cast<std::uint32_t>(windows_.size());
  windows_.emplace_back();
}

bool Group::times_next() {
  if (time_all_ || look_again_ || launches_ < all_timed_until_ || known_ < kFirst) return true;
  if (left_ == 0) open_window();
  return left_ == 0 || (until_timed_ == 0 && !windows_[open_].timed);
}

Group::Choice Group::next() {
  const bool timed = times_next();
  ++launches_;
  if (left_ == 0 || time_all_ || look_again_) {
    look_again_ = false;
    windows_.push_back({1, true, 0, 0});
    return {true, static_cast<std::uint32_t>(windows_.size() - 1)};
  }
  Window& window = windows_[open_];
  if (until_timed_ != 0) --until_timed_;
  window.timed |= timed;
  ++window.launches;
  --left_;
  return {timed, open_};
}

void Group::timed(std::uint32_t window, double work, double time, double error) {
  windows_[window].work = work;
  windows_[window].time = time;
  windows_[window].error = error;
  ++known_;
}

double Group::forwarded(double work) {
  forwarded_.push_back(work);
  look_again_ |= !fit().covers(work);
  return fit().at(work);
}

Result result_of(const std::vector<Window>& windows, const std::vector<double>& forwarded) {
  Result result;
  Lengths lengths;
  for (const Window& window : windows) {
    lengths.add(window.launches, window.timed && window.time > 0);
    result.launches += window.launches;
    result.timed += window.timed;
    result.timed_time += window.time;
    result.within += static_cast<double>(window.launches) * window.error;
  }
  const Fit fit = fit_of(timed_launches(windows));
  for (const double work : forwarded) {
    result.estimated_time += fit.at(work);
    result.beyond += fit.unsure(work);
    result.extrapolated += !fit.covers(work);
  }
  if (!forwarded.empty()) lengths.bounds(fit, result);
  return result;
}

}  // namespace duet::sample
