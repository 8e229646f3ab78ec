// A resource that moves bytes at a rate, in integer picoseconds without accumulated rounding: back-to-back
// transfers carry the fraction of a picosecond along, so n packets take floor(n * bytes / rate).
#pragma once

#include "base/address.h"

namespace duet::memory {

class Bandwidth {
 public:
  // Megabytes (10^6 bytes) per second; 0: no limit.
  explicit Bandwidth(std::uint64_t mb_per_s) : mb_per_s_(mb_per_s) {}

  Picoseconds free_at() const { return free_at_; }
  // Starts a transfer at `now`, not before free_at(). Returns its end.
  Picoseconds reserve(Picoseconds now, Bytes bytes) {
    if (mb_per_s_ == 0) return free_at_ = now;
    if (now != free_at_) remainder_ = 0;
    const std::uint64_t work = remainder_ + bytes * kPicosecondsPerByteAtOneMbPerS;
    free_at_ = now + work / mb_per_s_;
    remainder_ = work % mb_per_s_;
    return free_at_;
  }

  // Something else uses the resource until then.
  void busy_until(Picoseconds time) {
    free_at_ = time;
    remainder_ = 0;
  }

 private:
  static constexpr std::uint64_t kPicosecondsPerByteAtOneMbPerS = 1'000'000;
  std::uint64_t mb_per_s_;
  Picoseconds free_at_ = 0;
  std::uint64_t remainder_ = 0;  // of work, in units of 1 / mb_per_s picoseconds
};

}  // namespace duet::memory
