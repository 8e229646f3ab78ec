// The order in which the blocks of a grid are dispatched (gpu.front_end.block_order). For 10 blocks:
//
//   in_order    0 1 2 3 4 5 6 7 8 9     as yang2012 section 4.1 takes it to be
//   reversed    9 8 7 6 5 4 3 2 1 0
//   scattered   0 7 4 1 8 5 2 9 6 3     n * step modulo their count
//
// `scattered` stands for a dispatcher of unknown order: a fixed permutation without neighbours beside each
// other. Its step is the first number from 0.618 of the count on (Knuth, The Art of Computer Programming,
// vol. 3, section 6.4) without a common divisor. Left out: orders that depend on the SMs' room.
#pragma once

#include <cstdint>
#include <string>

namespace duet::gpu {

class BlockOrder {
 public:
  // A name of config::kBlockOrders. Throws duet::Error with one line.
  BlockOrder(const std::string& name, std::uint64_t blocks);
  bool in_order() const { return kind_ == Kind::InOrder; }
  // The linear index of the n-th dispatched block, from 0.
  std::uint64_t block(std::uint64_t n) const;

 private:
  enum class Kind : std::uint8_t { InOrder, Reversed, Scattered } kind_;
  std::uint64_t blocks_, step_ = 1;
};

}  // namespace duet::gpu
