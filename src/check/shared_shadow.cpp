#include "check/shared_shadow.h"

namespace duet::check {

void SharedShadow::start(BlockOrder& order, Bytes bytes, unsigned piece) {
  const auto shift = static_cast<unsigned>(std::countr_zero(piece));
  const Bytes pieces = (bytes + piece - 1) >> shift;
  if (order.used_up() || shift != shift_) {
    order.begin_again();
    pieces_.clear();
  }
  order_ = &order;
  shift_ = shift;
  if (pieces_.size() < pieces) pieces_.resize(pieces);
}

}  // namespace duet::check
