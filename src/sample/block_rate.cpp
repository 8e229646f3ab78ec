#include "sample/block_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sample/student.h"

namespace duet::sample {

bool BlockRate::ends(std::uint64_t dispatched, std::uint64_t work, Picoseconds now) {
  if (wave_ == 0) wave_ = dispatched;
  if (++ended_ % wave_ != 0) return false;
  if (ended_ != wave_ && work > work_)
    batches_.push_back({static_cast<double>(work - work_), static_cast<double>(now - now_)});
  work_ = work;
  now_ = now;
  return dispatched + 2 * wave_ <= blocks_ && known(blocks_ - dispatched);
}

bool BlockRate::known(std::uint64_t left) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t cut = 0; cut + kBatches <= batches_.size() && 2 * cut <= batches_.size(); ++cut) {
    double work = 0, time = 0, squares = 0;
    for (std::size_t i = cut; i < batches_.size(); ++i) work += batches_[i].work, time += batches_[i].time;
    for (std::size_t i = cut; i < batches_.size(); ++i) {
      const double residual = batches_[i].time - time / work * batches_[i].work;
      squares += residual * residual;
    }
    const auto count = static_cast<double>(batches_.size() - cut);
    if (squares / (count * count) >= best) continue;
    best = squares / (count * count);
    count_ = count;
    mean_ = time / work;
    batch_work_ = work / count;
    // Both ends of a batch are known to a block.
    const double block = time / count / static_cast<double>(wave_);
    spread_ = std::sqrt(std::max(squares / (count - 1), block * block / 6));
  }
  if (batches_.size() < kBatches) return false;
  const double waves = static_cast<double>(left) / static_cast<double>(wave_), work = waves * batch_work_;
  last_ = (std::ceil(waves) - waves) * batch_work_ * mean_;
  return error(work) <= error_ * time(work);
}

double BlockRate::error(double work) const {
  const double batches = work / batch_work_;  // unobserved ones
  return student(count_ - 1) * spread_ * std::sqrt(batches + batches * batches / count_) + last_ / 2;
}

}  // namespace duet::sample
