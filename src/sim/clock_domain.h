// A clock: edge k lies at floor(k * 10^12 * denominator / numerator) picoseconds, computed from k, so no
// period is ever rounded and added up (docs/architecture.md, "Rules that hold").
#pragma once

#include "base/units.h"

namespace duet::sim {

// Quotients by a known number, without a division: exact for all dividends.
class Divider {
 public:
  explicit constexpr Divider(std::uint64_t divisor)
      : divisor_(divisor), inverse_(~std::uint64_t{0} / divisor) {}
  constexpr std::uint64_t quotient(std::uint64_t dividend) const {
    // Too small by at most 1.
    const auto estimate =
        static_cast<std::uint64_t>(static_cast<unsigned __int128>(dividend) * inverse_ >> 64);
    return estimate + (dividend - estimate * divisor_ >= divisor_);
  }

 private:
  std::uint64_t divisor_, inverse_;
};

class ClockDomain {
 public:
  // Frequency in hertz as numerator / denominator.
  explicit constexpr ClockDomain(std::uint64_t hertz_numerator, std::uint64_t hertz_denominator = 1)
      : numerator_(hertz_numerator), denominator_(hertz_denominator) {}

  constexpr Picoseconds edge(Cycle k) const {
    return static_cast<Picoseconds>(static_cast<Wide>(k) * kPicosecondsPerSecond * denominator_ / numerator_);
  }
  // The number of the last edge at or before `time`.
  constexpr Cycle cycle_at(Picoseconds time) const {
    Cycle k = static_cast<Cycle>(static_cast<Wide>(time) * numerator_ /
                                 (static_cast<Wide>(kPicosecondsPerSecond) * denominator_));
    while (edge(k + 1) <= time) ++k;
    return k;
  }
  constexpr Picoseconds first_edge_after(Picoseconds time) const { return edge(cycle_at(time) + 1); }
  constexpr Picoseconds first_edge_at_or_after(Picoseconds time) const {
    const Cycle k = cycle_at(time);
    return edge(k) == time ? time : edge(k + 1);
  }

 private:
  using Wide = unsigned __int128;
  std::uint64_t numerator_;
  std::uint64_t denominator_;
};

}  // namespace duet::sim
