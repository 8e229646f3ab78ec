// The next ready warp after the last issuing one. Source: GPGPU-Sim's manual (LRR).
#pragma once

#include <bit>
#include <cstdint>

namespace duet::gpu {

class LooseRoundRobin {
 public:
  static constexpr const char* kName = "lrr";

  void issued(unsigned warp) { last_ = warp; }
  unsigned pick(std::uint64_t ready) const {
    const std::uint64_t above = last_ >= 63 ? 0 : ready & (~0ull << (last_ + 1));
    return static_cast<unsigned>(std::countr_zero(above != 0 ? above : ready));
  }
  std::uint64_t state() const { return last_; }

 private:
  unsigned last_ = 0;
};

}  // namespace duet::gpu
