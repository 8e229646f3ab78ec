// The last accesses to each piece of a block's shared memory: its last writer and its last two readers, of
// different threads where there are two. A piece is as many bytes as the kernel's smallest access, so
// neighbours never count as one. Stamps give the order (block_order.h); they go on from block to block, so
// nothing has to be cleared.
//   shadow.start(order, bytes, piece); shadow.read(access, run, ...); shadow.write(access, run, ...);
// Not seen: a reader between the last two. A write of the same value is no race.
//
// Eight pieces are a group, with the latest stamps in it. So most runs of lanes need no look at pieces: in a
// group written before the last barrier no read is a race. The last two runs that read a whole group are kept
// whole until a single piece matters.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "check/block_order.h"
#include "check/lane_runs.h"

namespace duet::check {

// One thread's touch of a piece: stamp, thread of the block, whether it synchronises, instruction.
class Touch {
 public:
  static constexpr unsigned kThreadBits = 12, kCodeBits = 23;
  Touch() = default;
  Touch(BlockOrder::Stamp stamp, unsigned thread, bool synchronises, std::uint32_t pc)
      : bits_(std::uint64_t{stamp} << 36 | std::uint64_t{thread} << 24 | std::uint64_t{synchronises} << 23 |
              (pc & ((1u << kCodeBits) - 1))) {}
  BlockOrder::Stamp stamp() const { return static_cast<BlockOrder::Stamp>(bits_ >> 36); }
  unsigned thread() const { return static_cast<unsigned>(bits_ >> 24) & ((1u << kThreadBits) - 1); }
  bool synchronises() const { return (bits_ >> 23 & 1) != 0; }
  std::uint32_t pc() const { return static_cast<std::uint32_t>(bits_) & ((1u << kCodeBits) - 1); }
  std::uint64_t bits() const { return bits_; }
  Touch with_lane(unsigned lane) const {
    Touch touch;
    touch.bits_ = bits_ + (std::uint64_t{lane} << 24);
    return touch;
  }

 private:
  std::uint64_t bits_ = 0;
};

// A warp's access to shared memory; all addresses of its runs are inside and aligned.
struct SharedAccess {
  unsigned warp = 0, width = 32;
  std::uint64_t lanes = 0;
  const std::uint64_t* addresses = nullptr;  // by lane
  unsigned bytes = 0;                        // of a lane
  Touch first;                               // of lane 0
  const std::byte* values = nullptr;         // of a store: lane i's at + i * bytes
  bool strong = false;                       // BlockOrder::ordered
};

class SharedShadow {
 public:
  // At a block's start. `piece`: 1, 2, 4 or more bytes, a power of two.
  void start(BlockOrder& order, Bytes bytes, unsigned piece);

  // A run of the access's lanes. `race(address, lane, other, other_writes)`, `unwritten(address, lane)`.
  template <typename Race, typename Unwritten>
  void read(const SharedAccess& access, const LaneRun& run, const Race& race, const Unwritten& unwritten);
  template <typename Race>
  void write(const SharedAccess& access, const LaneRun& run, const Race& race);

 private:
  static constexpr std::size_t kGroup = 8;  // pieces
  static constexpr std::uint8_t kAll = 0xff;
  struct Piece {
    Touch writer, synchroniser, reader, other_reader;  // the second: the last synchronising write
    std::uint64_t value = 0;
  };
  // Consecutive threads that read a group, 2^shift pieces each.
  struct GroupRead {
    Touch first;
    unsigned shift = 0;
  };
  struct Group {
    BlockOrder::Stamp latest_write = 0, latest_read = 0;  // of its pieces; `newer` and `older` not counted
    BlockOrder::Stamp block = 0;                          // whose `written` is: BlockOrder::base()
    std::uint8_t written = 0;                             // a bit a piece
    GroupRead newer, older;                               // later than its pieces' accesses; stamp 0: none
  };

  bool races(const SharedAccess& access, unsigned lane, const Touch& other) const;
  // Whether a lane of this same store, of thread `thread`, has written there just now.
  bool meets_before(const SharedAccess& access, unsigned lane, std::uint64_t address, unsigned thread) const {
    const unsigned other = thread % access.width;
    if (other >= lane || (access.lanes >> other & 1) == 0) return false;
    return address - access.addresses[other] < access.bytes;
  }
  // How many pieces a lane has, as a power of two, where runs of them fill groups; or none.
  static constexpr unsigned kNoGroups = ~0u;
  unsigned pieces_of_lane(unsigned bytes) const {
    const unsigned shift = static_cast<unsigned>(std::countr_zero(bytes)) - shift_;
    return std::has_single_bit(bytes) && shift <= 3 ? shift : kNoGroups;
  }
  // f(lane, first piece) for lanes whose group is not whole in the run; group_f(lane, group) for the others.
  template <typename F, typename G>
  void for_each_part(const SharedAccess& access, const LaneRun& run, const F& f, const G& group_f);
  // Calls f(number, number within the lane, piece, group) for the pieces of a lane.
  template <typename F>
  void for_each_piece(const SharedAccess& access, unsigned lane, const F& f) {
    const std::size_t count = std::max<std::size_t>(access.bytes >> shift_, 1);
    const std::size_t first = access.addresses[lane] >> shift_;
    for (std::size_t i = 0; i < count; ++i) {
      Group& group = groups_[(first + i) / kGroup];
      into_pieces(group);
      f(first + i, i, pieces_[first + i], group);
    }
  }
  static void touch(Piece& piece, const Touch& own) {
    if (piece.reader.thread() != own.thread()) piece.other_reader = piece.reader;
    piece.reader = own;
  }
  void into_pieces(Group& group);
  bool group_read(const SharedAccess& access, unsigned lane, unsigned shift, Group& group);
  bool group_write(const SharedAccess& access, unsigned lane, unsigned shift, Group& group);
  template <typename Race, typename Unwritten>
  void lane_read(const SharedAccess& access, unsigned lane, const Race& race, const Unwritten& unwritten);
  template <typename Race>
  void lane_write(const SharedAccess& access, unsigned lane, const Race& race);

  BlockOrder* order_ = nullptr;
  unsigned shift_ = 2;
  std::vector<Piece> pieces_;
  std::vector<Group> groups_;
};

inline bool SharedShadow::races(const SharedAccess& access, unsigned lane, const Touch& other) const {
  if (other.stamp() <= order_->base() || (other.synchronises() && access.first.synchronises())) return false;
  if (other.thread() == access.first.with_lane(lane).thread()) return false;
  return !order_->ordered(other.stamp(), other.thread() / access.width, access.warp, access.strong);
}

template <typename F, typename G>
void SharedShadow::for_each_part(const SharedAccess& access, const LaneRun& run, const F& f,
                                 const G& group_f) {
  const unsigned shift = pieces_of_lane(access.bytes);
  const unsigned end = run.first + run.lanes;
  if (run.one_address || shift == kNoGroups || access.first.synchronises()) {
    for (unsigned lane = run.first; lane < end; ++lane) f(lane);
    return;
  }
  const unsigned of_group = kGroup >> shift;
  for (unsigned lane = run.first; lane < end;) {
    const std::size_t piece = access.addresses[lane] >> shift_;
    if (piece % kGroup == 0 && end - lane >= of_group && group_f(lane, shift, groups_[piece / kGroup])) {
      lane += of_group;
      continue;
    }
    const unsigned stop = std::min(end, lane + static_cast<unsigned>((kGroup - piece % kGroup) >> shift));
    for (; lane < stop; ++lane) f(lane);
  }
}

template <typename Race, typename Unwritten>
void SharedShadow::lane_read(const SharedAccess& access, unsigned lane, const Race& race,
                             const Unwritten& unwritten) {
  const BlockOrder::Stamp base = order_->base(), floor = order_->floor();
  const Touch own = access.first.with_lane(lane);
  for_each_piece(access, lane, [&](std::size_t at, std::size_t i, Piece& piece, Group& group) {
    group.latest_read = std::max(group.latest_read, own.stamp());
    if (group.latest_write > floor || group.block != base || (group.written >> at % kGroup & 1) == 0) {
      const Touch writer = piece.writer, atomic = piece.synchroniser;
      const std::uint64_t address = access.addresses[lane] + (i << shift_);
      if (writer.stamp() > floor) {
        if (races(access, lane, writer)) race(address, lane, writer, true);
      } else if (writer.stamp() <= base && atomic.stamp() <= base) {
        unwritten(address, lane);
      }
      if (atomic.stamp() > floor && races(access, lane, atomic)) race(address, lane, atomic, true);
    }
    touch(piece, own);
  });
}

template <typename Race, typename Unwritten>
void SharedShadow::read(const SharedAccess& access, const LaneRun& run, const Race& race,
                        const Unwritten& unwritten) {
  if (run.one_address && run.lanes > 2) {  // the first and the last say all
    lane_read(access, run.first, race, unwritten);
    lane_read(access, run.first + run.lanes - 1u, race, unwritten);
    return;
  }
  for_each_part(
      access, run, [&](unsigned lane) { lane_read(access, lane, race, unwritten); },
      [&](unsigned lane, unsigned shift, Group& group) { return group_read(access, lane, shift, group); });
}

template <typename Race>
void SharedShadow::lane_write(const SharedAccess& access, unsigned lane, const Race& race) {
  const BlockOrder::Stamp floor = order_->floor();
  const std::size_t piece_bytes = std::min<std::size_t>(access.bytes, std::size_t{1} << shift_);
  const Touch own = access.first.with_lane(lane);
  for_each_piece(access, lane, [&](std::size_t at, std::size_t i, Piece& piece, Group& group) {
    std::uint64_t value = 0;
    if (access.values != nullptr)
      __builtin_memcpy(&value, access.values + lane * access.bytes + i * piece_bytes,
                       std::min<std::size_t>(piece_bytes, sizeof value));
    const std::uint64_t address = access.addresses[lane] + (i << shift_);
    if (group.latest_write > floor) {
      const Touch writer = piece.writer;
      if (writer.stamp() > floor) {
        // Two lanes of one store at one place are a race even where lanes run in step.
        const bool meets = order_->lockstep() && writer.thread() / access.width == access.warp &&
                           writer.thread() != own.thread() && writer.pc() == own.pc() &&
                           writer.stamp() == own.stamp() && !own.synchronises() &&
                           meets_before(access, lane, address, writer.thread());
        if ((meets || races(access, lane, writer)) && (access.values == nullptr || piece.value != value))
          race(address, lane, writer, true);
      }
      if (piece.synchroniser.stamp() > floor && races(access, lane, piece.synchroniser))
        race(address, lane, piece.synchroniser, true);
    }
    if (group.latest_read > floor)
      for (const Touch& reader : {piece.reader, piece.other_reader})
        if (reader.stamp() > floor && races(access, lane, reader)) {
          race(address, lane, reader, false);
          break;
        }
    (own.synchronises() ? piece.synchroniser : piece.writer) = own;
    if (!own.synchronises()) piece.value = value;
    if (group.block != order_->base()) group.block = order_->base(), group.written = 0;
    group.written = static_cast<std::uint8_t>(group.written | 1u << at % kGroup);
    group.latest_write = std::max(group.latest_write, own.stamp());
  });
}

template <typename Race>
void SharedShadow::write(const SharedAccess& access, const LaneRun& run, const Race& race) {
  for_each_part(
      access, run, [&](unsigned lane) { lane_write(access, lane, race); },
      [&](unsigned lane, unsigned shift, Group& group) { return group_write(access, lane, shift, group); });
}

}  // namespace duet::check
