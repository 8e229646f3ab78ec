// The reorder window of a core: its instructions in program order, and their retirement.
//
//   WindowEntry& made = window.add();                      // number window.next() - 1
//   window.retire([](WindowEntry& first) { ... });         // for each one whose retirement is known from now
//   on while (window.next() > 17) undo(window.remove_last());   // a squash from number 17 on
//
// Instructions have numbers, counted from 1. An entry keeps its place until as many later ones as the window
// holds have been dispatched. The ring has twice the places, so squashed entries overwrite nothing in use.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/access.h"
#include "cpu/code_cache.h"
#include "cpu/lookahead.h"

namespace duet::cpu {

// Where the bytes of a load were.
enum class Level : std::uint8_t { L1, L2, Below };

struct WindowEntry {
  std::uint64_t pc = 0;
  Cycle dispatched = 0, start = kUnknown, complete = kUnknown, retire = kUnknown;
  Cycle ready = 0;                         // when the known operands are there
  std::array<std::uint64_t, 4> awaited{};  // instructions whose results are not known yet
  unsigned awaited_count = 0;
  std::uint64_t first_waiter = 0, next_waiter = 0;
  std::uint64_t old_value = 0, old_writer = 0;  // of the destination
  Cycle old_ready = 0;
  std::uint8_t destination = kNoRegister, old_fflags = 0;
  Treatment treatment = Treatment::Nothing;
  // Of a load.
  std::uint64_t behind = kNoStore;  // the youngest store whose bytes it takes
  bool forwarded = false;           // all of them; otherwise it is performed when the store is in L1
  Cycle bound = kUnknown;           // when its bytes were final
  Level level = Level::L1;
  unsigned lines_missing = 0;
  std::uint64_t store = 0;  // of a store its place, of a load how many stores are older
  Access access;
  // Of a load of an uncached page.
  std::uint64_t fence = 0;  // the fence before it; 0: there is none
  Cycle asked = kUnknown;   // when it was sent
  std::uint64_t arrived = 0;

  // It needs the result of `writer`; 0: of an instruction whose result is there at `known`.
  void await(std::uint64_t writer, Cycle known) {
    if (writer != 0)
      awaited[awaited_count++] = writer;
    else
      ready = std::max(ready, known);
  }
};

class ReorderWindow {
 public:
  ReorderWindow(std::uint64_t entries, std::uint64_t retire_width)
      : size_(entries),
        retire_width_(retire_width),
        entries_(std::bit_ceil(2 * entries + 1)),
        mask_(entries_.size() - 1) {}

  WindowEntry& entry(std::uint64_t sequence) { return entries_[sequence & mask_]; }
  // The next instruction's number, and the last one's whose retirement is known.
  std::uint64_t next() const { return next_; }
  std::uint64_t retired() const { return retired_; }
  // Everything in it has retired.
  bool is_empty() const { return retired_ + 1 == next_; }
  // As many instructions as it holds have been dispatched since.
  bool is_gone(std::uint64_t sequence) const { return sequence + size_ < next_; }
  // The oldest number that may still be looked at.
  std::uint64_t first() const { return next_ > size_ ? next_ - size_ : 1; }
  // The next instruction takes the place of this one, when it has retired; null: a place is free.
  WindowEntry* last_before_room() { return next_ > size_ ? &entry(next_ - size_) : nullptr; }
  // The oldest entry not retired by `cycle`, or the youngest. Cycles of calls never go back.
  const WindowEntry& oldest(Cycle cycle) {
    if (next_ > size_) oldest_ = std::max(oldest_, next_ - size_);
    oldest_ = std::min(oldest_, next_ - 1);
    while (oldest_ + 1 < next_ && entry(oldest_).retire <= cycle) ++oldest_;
    return entry(oldest_);
  }

  WindowEntry& add() { return entry(next_++); }

  // ---- retirement ----
  // Calls use(entry) for every entry whose retirement becomes known, in order.
  template <typename F>
  void retire(F use) {
    std::uint64_t retired = retired_, in_cycle = retired_in_cycle_;
    Cycle last = last_retire_;
    for (; retired + 1 < next_; ++retired) {
      WindowEntry& first = entry(retired + 1);
      if (first.complete == kUnknown) break;
      Cycle cycle = std::max({first.complete + 1, last, floor_});
      if (cycle == last && in_cycle == retire_width_) ++cycle;
      if (cycle != last) in_cycle = 0;
      last = cycle;
      ++in_cycle;
      first.retire = cycle;
      use(first);
    }
    retired_ = retired;
    last_retire_ = last;
    retired_in_cycle_ = in_cycle;
  }
  Cycle last_retire() const { return last_retire_; }
  // Nothing retires before `cycle`.
  void set_floor(Cycle cycle) { floor_ = cycle; }
  // How many have retired by then and have not been counted.
  std::uint64_t count_retired(Cycle until);

  // ---- squashes ----
  std::uint64_t squashes() const { return squashes_; }
  // remove_last() for all from `sequence` on comes between the two.
  void begin_squash() { ++squashes_; }
  WindowEntry& remove_last() { return entry(--next_); }
  void end_squash(std::uint64_t sequence);

 private:
  const std::uint64_t size_, retire_width_;
  std::vector<WindowEntry> entries_;
  const std::uint64_t mask_;
  std::uint64_t next_ = 1;
  std::uint64_t retired_ = 0;
  std::uint64_t oldest_ = 1;   // earlier ones have retired, as seen from dispatch
  std::uint64_t counted_ = 0;  // the last counted instruction
  std::uint64_t squashes_ = 0;
  Cycle last_retire_ = 0;
  std::uint64_t retired_in_cycle_ = 0;
  Cycle floor_ = 0;
};

}  // namespace duet::cpu
