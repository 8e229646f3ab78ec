// Who has touched each piece of a block's shared memory last: its last writer and its last two readers, of
// different threads where there are two. A piece is as many bytes as the kernel's smallest access, so that
// neighbours never count as one. Stamps say what is ordered (block_order.h); they go on from block to block,
// so that nothing has to be cleared.
//   shadow.start(order, bytes, piece); shadow.read(access, report); shadow.write(access, report);
// Not seen: a reader between the last two. Writes of a value that is there already are no race.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "check/block_order.h"

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

// A warp's access to shared memory; all its addresses are inside and aligned.
struct SharedAccess {
  unsigned warp = 0, width = 32;
  std::uint64_t lanes = 0;
  const std::uint64_t* addresses = nullptr;  // by lane
  unsigned bytes = 0;                        // of a lane
  Touch first;                               // of lane 0
  const std::byte* values = nullptr;         // of a store: lane i's at + i * bytes
};

class SharedShadow {
 public:
  // At a block's start. `piece`: 1, 2, 4 or more bytes, a power of two.
  void start(BlockOrder& order, Bytes bytes, unsigned piece);

  // `race(address, lane, other, other_writes)`, `unwritten(address, lane)`.
  template <typename Race, typename Unwritten>
  void read(const SharedAccess& access, const Race& race, const Unwritten& unwritten);
  template <typename Race>
  void write(const SharedAccess& access, const Race& race);

 private:
  struct Piece {
    Touch writer, synchroniser, reader, other_reader;  // the second: who wrote to synchronise
    std::uint64_t value = 0;
  };
  bool races(const SharedAccess& access, unsigned lane, const Touch& other) const;
  // Whether this store's own lane, of that thread, has written there just now.
  bool meets_before(const SharedAccess& access, unsigned lane, std::uint64_t address, unsigned thread) const {
    const unsigned other = thread % access.width;
    if (other >= lane || (access.lanes >> other & 1) == 0) return false;
    return address - access.addresses[other] < access.bytes;
  }

  BlockOrder* order_ = nullptr;
  unsigned shift_ = 2;
  std::vector<Piece> pieces_;
};

inline bool SharedShadow::races(const SharedAccess& access, unsigned lane, const Touch& other) const {
  if (other.stamp() <= order_->base() || (other.synchronises() && access.first.synchronises())) return false;
  if (other.thread() == access.first.with_lane(lane).thread()) return false;
  return !order_->ordered(other.stamp(), other.thread() / access.width, access.warp);
}

template <typename Race, typename Unwritten>
void SharedShadow::read(const SharedAccess& access, const Race& race, const Unwritten& unwritten) {
  const BlockOrder::Stamp base = order_->base(), floor = order_->floor();
  const std::size_t count = std::max<std::size_t>(access.bytes >> shift_, 1);
  for (std::uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    // Of lanes side by side that read one address the first and the last say all.
    if (lane != 0 && (access.lanes >> (lane - 1) & 7) == 7 && lane + 1 < access.width &&
        access.addresses[lane - 1] == access.addresses[lane] &&
        access.addresses[lane + 1] == access.addresses[lane])
      continue;
    const Touch own = access.first.with_lane(lane);
    Piece* piece = pieces_.data() + (access.addresses[lane] >> shift_);
    for (std::size_t i = 0; i < count; ++i, ++piece) {
      const Touch writer = piece->writer, atomic = piece->synchroniser;
      if (writer.stamp() > floor) {
        if (races(access, lane, writer)) race(access.addresses[lane] + (i << shift_), lane, writer, true);
      } else if (writer.stamp() <= base && atomic.stamp() <= base) {
        unwritten(access.addresses[lane] + (i << shift_), lane);
      }
      if (atomic.stamp() > floor && races(access, lane, atomic))
        race(access.addresses[lane] + (i << shift_), lane, atomic, true);
      if (piece->reader.thread() != own.thread()) piece->other_reader = piece->reader;
      piece->reader = own;
    }
  }
}

template <typename Race>
void SharedShadow::write(const SharedAccess& access, const Race& race) {
  const BlockOrder::Stamp floor = order_->floor();
  const std::size_t count = std::max<std::size_t>(access.bytes >> shift_, 1);
  const std::size_t piece_bytes = std::min<std::size_t>(access.bytes, std::size_t{1} << shift_);
  for (std::uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Touch own = access.first.with_lane(lane);
    Piece* piece = pieces_.data() + (access.addresses[lane] >> shift_);
    for (std::size_t i = 0; i < count; ++i, ++piece) {
      std::uint64_t value = 0;
      if (access.values != nullptr)
        __builtin_memcpy(&value, access.values + lane * access.bytes + i * piece_bytes,
                         std::min<std::size_t>(piece_bytes, sizeof value));
      const std::uint64_t address = access.addresses[lane] + (i << shift_);
      const Touch writer = piece->writer;
      if (writer.stamp() > floor) {
        // Lanes of one store that meet are a race even where lanes run in step.
        const bool meets = order_->lockstep() && writer.thread() / access.width == access.warp &&
                           writer.thread() != own.thread() && writer.pc() == own.pc() &&
                           writer.stamp() == own.stamp() && !own.synchronises() &&
                           meets_before(access, lane, address, writer.thread());
        if ((meets || races(access, lane, writer)) && (access.values == nullptr || piece->value != value))
          race(address, lane, writer, true);
      }
      if (piece->synchroniser.stamp() > floor && races(access, lane, piece->synchroniser))
        race(address, lane, piece->synchroniser, true);
      for (const Touch& reader : {piece->reader, piece->other_reader})
        if (reader.stamp() > floor && races(access, lane, reader)) {
          race(address, lane, reader, false);
          break;
        }
      (own.synchronises() ? piece->synchroniser : piece->writer) = own;
      if (!own.synchronises()) piece->value = value;
    }
  }
}

}  // namespace duet::check
