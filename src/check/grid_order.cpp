#include "check/grid_order.h"

#include <algorithm>

namespace duet::check {

namespace {

using Row = GridOrder::Row;
using Rows = GridOrder::Rows;
using Clock = GridOrder::Clock;

bool within(const Row& row, const Row& other) {
  if (row == nullptr || row == other) return true;
  return other != nullptr &&
         std::equal(row->begin(), row->end(), other->begin(), [](auto a, auto b) { return a <= b; });
}

void raise(Row& to, const Row& from) {
  if (within(from, to)) return;
  if (within(to, from)) {
    to = from;
    return;
  }
  auto both = std::make_shared<std::vector<BlockOrder::Stamp>>(*to);
  for (std::size_t i = 0; i < both->size(); ++i) (*both)[i] = std::max((*both)[i], (*from)[i]);
  to = std::move(both);
}

void raise(Clock& to, const Clock& from) {
  if (from == nullptr || from == to) return;
  if (to == nullptr) {
    to = from;
    return;
  }
  auto both = std::make_shared<Rows>(*to);
  both->all |= from->all;
  both->by_block.resize(std::max(both->by_block.size(), from->by_block.size()));
  for (std::size_t i = 0; i < from->by_block.size(); ++i) raise(both->by_block[i], from->by_block[i]);
  to = std::move(both);
}

}  // namespace

void GridOrder::Block::start(GridOrder& grid, std::uint32_t number, unsigned warps) {
  grid_ = &grid;
  number_ = number;
  warps_.assign(warps, {});
}

void GridOrder::Block::fence(unsigned warp, const BlockOrder& own) {
  Warp& at = warps_[warp];
  raise(at.known, at.pending);
  at.fenced = at.known;
  at.own = std::make_shared<const std::vector<Stamp>>(own.covered_by_fence(warp));
}

// `to` comes to cover what is known of others, and of the block itself.
void GridOrder::Block::release(Clock& to, const Clock& known, const Row& own) const {
  raise(to, known);
  if (own == nullptr) return;
  auto rows = to == nullptr ? std::make_shared<Rows>() : std::make_shared<Rows>(*to);
  if (grid_->blocks_ > kMostBlocks) {
    rows->all = true;
  } else {
    rows->by_block.resize(std::max<std::size_t>(rows->by_block.size(), number_ + std::size_t{1}));
    raise(rows->by_block[number_], own);
  }
  to = std::move(rows);
}

void GridOrder::Block::pass(unsigned warp, std::uint64_t address, const StrongAccess& access,
                            const BlockOrder& own) {
  Warp& at = warps_[warp];
  if (!access.writes && !grid_->passed_on_.contains(address)) return;
  Clock& clock = grid_->passed_on_[address];
  if (access.reads) raise(access.acquires ? at.known : at.pending, clock);
  if (!access.writes) return;
  if (access.releases)
    release(clock, at.known, std::make_shared<const std::vector<Stamp>>(own.covered(warp)));
  else
    release(clock, at.fenced, at.own);
}

void GridOrder::Block::met(const std::vector<unsigned>& warps) {
  Warp all;
  for (const unsigned warp : warps) {
    Warp& at = warps_[warp];
    raise(at.known, at.pending);
    raise(all.known, at.known);
    raise(all.fenced, at.fenced);
    raise(all.own, at.own);
  }
  for (const unsigned warp : warps) {
    warps_[warp].known = all.known;
    warps_[warp].fenced = all.fenced;
    warps_[warp].own = all.own;
  }
}

bool GridOrder::Block::ordered(std::uint32_t block, unsigned of, Stamp stamp, unsigned warp,
                               bool strong) const {
  const Warp& at = warps_[warp];
  if (at.known != nullptr && at.known->covers(block, of, stamp)) return true;
  return strong && at.pending != nullptr && at.pending->covers(block, of, stamp);
}

}  // namespace duet::check
