// The activities of a run over time, for drawing it: the account's moments (machine/watch/time_account.h) in
// their order, bounded.
//
//   MomentHistory history;
//   history.add(moment, from, to);   // each stretch follows the one before it
//   history.take();                  // complete stretches since the last call
//   history.open();                  // the stretches still open
//
// The first kExact stretches are kept as they were. Later stretches are joined up to some length, keeping how
// long each moment was. The length begins with twice the mean of the first ones and doubles after every
// kExact / 2 stretches. So the number of stretches grows with the logarithm of the run's length.
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
