#include "check/shared_shadow.h"

namespace duet::check {

void SharedShadow::start(BlockOrder& order, Bytes bytes, unsigned piece) {
  const auto shift = static_cast<unsigned>(std::countr_zero(piece));
  const Bytes groups = ((bytes + piece - 1) >> shift) / kGroup + 1;
  if (order.used_up() || shift != shift_) {
    order.begin_again();
    pieces_.clear();
    groups_.clear();
  }
  order_ = &order;
  shift_ = shift;
  if (groups_.size() >= groups) return;
  groups_.resize(groups);
  pieces_.resize(groups * kGroup);
}

// The readers of the whole group become those of its pieces.
void SharedShadow::into_pieces(Group& group) {
  if (group.newer.first.stamp() == 0) [[likely]]
    return;
  Piece* const pieces = pieces_.data() + static_cast<std::size_t>(&group - groups_.data()) * kGroup;
  for (GroupRead* const read : {&group.older, &group.newer}) {
    if (read->first.stamp() == 0) continue;
    for (unsigned i = 0; i < kGroup; ++i) touch(pieces[i], read->first.with_lane(i >> read->shift));
    group.latest_read = std::max(group.latest_read, read->first.stamp());
    *read = {};
  }
}

// Lanes from `lane` on read a whole group. False: its pieces have to be looked at.
bool SharedShadow::group_read(const SharedAccess& access, unsigned lane, unsigned shift, Group& group) {
  if (group.latest_write > order_->floor() || group.block != order_->base() || group.written != kAll)
    return false;
  const Touch own = access.first.with_lane(lane);
  const Touch newer = group.newer.first;
  if (newer.stamp() != 0 && group.newer.shift != shift) into_pieces(group);
  if (group.newer.first.stamp() != 0 && newer.thread() != own.thread()) group.older = group.newer;
  group.newer = {own, shift};
  return true;
}

// Lanes from `lane` on write a whole group. False: as above.
bool SharedShadow::group_write(const SharedAccess& access, unsigned lane, unsigned shift, Group& group) {
  const BlockOrder::Stamp floor = order_->floor();
  const Touch own = access.first.with_lane(lane);
  const auto harmless = [&](const GroupRead& read) {
    if (read.first.stamp() <= floor || (read.shift == shift && read.first.thread() == own.thread()))
      return true;
    const unsigned warp = read.first.thread() / access.width;
    return warp == access.warp && order_->lockstep() &&
           order_->ordered(read.first.stamp(), warp, access.warp);
  };
  if (group.latest_write > floor || group.latest_read > floor || !harmless(group.newer) ||
      !harmless(group.older))
    return false;
  const std::size_t piece_bytes = std::size_t{1} << shift_;
  const std::byte* from = access.values == nullptr ? nullptr : access.values + lane * access.bytes;
  Piece* const pieces = pieces_.data() + static_cast<std::size_t>(&group - groups_.data()) * kGroup;
  for (unsigned i = 0; i < kGroup; ++i) {
    pieces[i].writer = own.with_lane(i >> shift);
    pieces[i].value = 0;
    if (from == nullptr) continue;
    __builtin_memcpy(&pieces[i].value, from, std::min<std::size_t>(piece_bytes, sizeof pieces[i].value));
    from += piece_bytes;
  }
  group.block = order_->base();
  group.written = kAll;
  group.latest_write = own.stamp();
  return true;
}

}  // namespace duet::check
