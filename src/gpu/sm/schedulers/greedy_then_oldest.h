// The last issuing warp goes on; when it cannot, the oldest warp does. Source: Rogers, O'Connor and Aamodt,
// "Cache-Conscious Wavefront Scheduling", MICRO 2012 (GTO); GPGPU-Sim's manual.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace duet::gpu {

class GreedyThenOldest {
 public:
  static constexpr const char* kName = "gto";

  void launched(unsigned warp) { age_[warp] = next_age_++; }
  void issued(unsigned warp) { last_ = warp; }
  unsigned pick(std::uint64_t ready) const {
    if ((ready >> last_) & 1) return last_;
    auto best = static_cast<unsigned>(std::countr_zero(ready));
    for (std::uint64_t rest = ready & (ready - 1); rest != 0; rest &= rest - 1) {
      const auto warp = static_cast<unsigned>(std::countr_zero(rest));
      if (age_[warp] < age_[best]) best = warp;
    }
    return best;
  }
  std::uint64_t state() const { return last_; }

 private:
  unsigned last_ = 0;
  std::uint64_t next_age_ = 0;
  std::array<std::uint64_t, 64> age_{};  // by slot
};

}  // namespace duet::gpu
