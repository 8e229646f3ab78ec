#include "gpu/block_order.h"

#include <numeric>

#include "config/names.h"

namespace duet::gpu {

namespace {
__extension__ using Wide = unsigned __int128;
constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // of 2^64
}  // namespace

BlockOrder::BlockOrder(const std::string& name, std::uint64_t blocks)
    : kind_(static_cast<Kind>(config::place_of("gpu.front_end.block_order", name, config::kBlockOrders))),
      blocks_(blocks) {
  if (kind_ != Kind::Scattered || blocks_ < 2) return;
  step_ = static_cast<std::uint64_t>(Wide{blocks_} * kGoldenRatio >> 64) + 1;
  while (std::gcd(step_, blocks_) != 1) ++step_;
}

std::uint64_t BlockOrder::block(std::uint64_t n) const {
  if (kind_ == Kind::Reversed) return blocks_ - 1 - n;
  return kind_ == Kind::InOrder ? n : static_cast<std::uint64_t>(Wide{n} * step_ % blocks_);
}

}  // namespace duet::gpu
