#include "cpu/reorder_window.h"

namespace duet::cpu {

std::uint64_t ReorderWindow::count_retired(Cycle until) {
  const std::uint64_t before = counted_;
  while (counted_ < retired_ && (is_gone(counted_ + 1) || entry(counted_ + 1).retire <= until)) ++counted_;
  return counted_ - before;
}

void ReorderWindow::end_squash(std::uint64_t sequence) {
  if (retired_ < sequence) return;
  retired_ = sequence - 1;
  last_retire_ = floor_;
  retired_in_cycle_ = 0;
  if (retired_ != 0) last_retire_ = std::max(floor_, entry(retired_).retire);
  for (std::uint64_t i = retired_; i != 0 && i + retire_width_ > retired_; --i)
    retired_in_cycle_ += entry(i).retire == last_retire_;
}

}  // namespace duet::cpu
