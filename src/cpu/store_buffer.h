// The store buffer of a core: stores in program order, from their dispatch until their bytes are in L1.
//
//   Store& made = stores.add(sequence, access);   // at place stores.next() - 1
//   stores.put_over(piece, bytes, place);         // a load takes the bytes of older stores
//   stores.retired(place, 120);                   // it may be written to L1 from cycle 121 on
//   stores.drained(125);                          // the oldest one is in L1
//
// Stores have places, counted from 0. store_unit.h decides when they leave. A table of 8-byte granules tells
// most loads at once that no store has their bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/access.h"
#include "cpu/lookahead.h"

namespace duet::cpu {

struct Store {
  std::uint64_t sequence = 0;
  Access access;
  Cycle senior = kUnknown;   // when it retired
  Cycle drained = kUnknown;  // when it was in L1
  Cycle ready = 0;           // when its line is in L1
  bool asked = false;
  bool plain = true;    // neither uncached nor fenced
  bool fenced = false;  // bytes of earlier stores in write-combining buffers have to be written first
};

class StoreBuffer {
 public:
  explicit StoreBuffer(std::uint64_t entries)
      : size_(entries), stores_(std::bit_ceil(2 * entries + 1)), mask_(stores_.size() - 1) {}

  Store& at(std::uint64_t place) { return stores_[place & mask_]; }
  std::uint64_t oldest() const { return oldest_; }
  std::uint64_t next() const { return next_; }
  bool is_empty() const { return oldest_ == next_; }
  // The next store takes the place of this one, when it is in L1; kNoStore: a place is free.
  std::uint64_t last_before_room() const { return next_ >= size_ ? next_ - size_ : kNoStore; }

  Store& add(std::uint64_t sequence, const Access& access);
  Store& remove_last() {
    Store& gone = at(--next_);
    count_granules(gone.access, -1);
    return gone;
  }
  // The oldest one's bytes are in L1, or in a write-combining buffer.
  void drained(Cycle cycle) {
    at(oldest_).drained = last_drain_ = cycle;
    count_granules(at(oldest_).access, -1);
    ++oldest_;
  }
  // `rest` is left of a store.
  void replace(Access& of_store, const Access& rest) {
    count_granules(of_store, -1);
    of_store = rest;
    count_granules(of_store, 1);
  }

  // ---- bytes ----
  // False: no store has a byte of it.
  bool may_hold(const Piece& piece) const {
    return granules_[granule_of(piece.physical)] != 0 ||
           granules_[granule_of(piece.physical + piece.bytes - 1)] != 0;
  }
  // Puts the bytes of stores at places before `before` over those of `piece`.
  void put_over(const Piece& piece, std::byte* to, std::uint64_t before);

  // ---- time ----
  // Before this cycle no store can leave; kUnknown: until something happens.
  Cycle due() const { return due_; }
  void set_due(Cycle cycle) { due_ = cycle; }
  void due_by(Cycle cycle) { due_ = std::min(due_, cycle); }
  void retired(std::uint64_t place, Cycle cycle) {
    at(place).senior = cycle;
    due_by(cycle);
  }
  Cycle last_drain() const { return last_drain_; }
  // An atomic wrote to L1.
  void written_beside(Cycle cycle) { last_drain_ = std::max(last_drain_, cycle); }

 private:
  static constexpr unsigned kGranules = 1024;
  static unsigned granule_of(std::uint64_t physical) { return physical >> 3 & (kGranules - 1); }
  void count_granules(const Access& access, int by);

  const std::uint64_t size_;
  std::vector<Store> stores_;
  const std::uint64_t mask_;
  std::uint64_t oldest_ = 0, next_ = 0;
  Cycle last_drain_ = 0;
  Cycle due_ = kUnknown;
  std::array<std::uint16_t, kGranules> granules_{};  // by address: the number of stores to them
};

}  // namespace duet::cpu
