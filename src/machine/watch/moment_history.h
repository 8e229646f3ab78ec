// What went on when, for who draws a run: the account's moments (machine/watch/time_account.h) in their
// order, bounded.
//
//   MomentHistory history;
//   history.add(moment, from, to);   // each stretch follows the one before it
//   history.take();                  // stretches that are complete, since it was last asked
//   history.open();                  // what is not told yet
//
// The first kExact stretches are kept as they were. Then stretches are taken together until they have some
// length, which begins with twice the mean of those before and doubles after every kExact / 2: of those only
// is kept how long each moment was. So the number of stretches grows with the logarithm of the run's length.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "report/journal/journal_records.h"

namespace duet::machine {

class MomentHistory {
 public:
  static constexpr std::uint64_t kExact = 4'000;
  using Times = std::array<Picoseconds, report::kMomentKinds>;

  void add(std::size_t moment, Picoseconds from, Picoseconds to);
  std::vector<report::MomentStretch> take() { return std::exchange(complete_, {}); }
  Picoseconds open_start_ps() const { return start_ps_; }
  const Times& open() const { return open_; }

 private:
  bool full(std::size_t moment, Picoseconds length) const;
  void close();

  Picoseconds start_ps_ = 0, end_ps_ = 0, least_ = 0;  // least_: length of those that are taken together
  std::uint64_t kept_ = 0;
  Times open_{};
  std::vector<report::MomentStretch> complete_;
};

}  // namespace duet::machine
