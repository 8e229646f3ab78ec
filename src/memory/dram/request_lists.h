// The requests that a DRAM controller has admitted: one list per bank and direction, oldest first, and the
// rule of order within a line. A request whose line an older one still occupies is held outside of the lists
// and takes its place, by age, when the older one leaves. Entries are allocated once; where their number has
// no limit they double when all are taken.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/dram/timing_rules.h"
#include "memory/packet.h"

namespace duet::memory {

inline constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};
enum class Direction : std::uint8_t { Read, Write };

struct DramEntry {
  Packet packet;
  Request* request = nullptr;
  std::uint64_t line = 0;
  std::uint64_t sequence = 0;  // of admission: age
  std::uint32_t row = 0;
  std::uint8_t bank = 0, client = 0, traffic_class = 0;
  Direction direction = Direction::Read;
  std::uint8_t bursts_left = 0;
  bool started = false, activated = false, precharged = false;  // its own commands so far
  bool listed = false;                                          // not held
  std::uint32_t previous = kNoEntry, next = kNoEntry;           // in its list
  std::uint32_t same_bucket = kNoEntry;
  std::uint32_t successor = kNoEntry;  // held until this one leaves
};

class RequestLists {
 public:
  // capacity 0: no limit.
  RequestLists(std::size_t capacity, unsigned banks);

  DramEntry& operator[](std::uint32_t index) { return entries_[index]; }
  const DramEntry& operator[](std::uint32_t index) const { return entries_[index]; }
  std::size_t size() const { return entries_.size() - free_.size(); }

  // The entry's fields up to bursts_left are the caller's to fill in between the two calls. References to
  // entries end here.
  std::uint32_t allocate();
  // Returns whether the request is in its list; otherwise it is held.
  bool admit(std::uint32_t index);
  // The request is done. Returns the request held for it, now in its list, or kNoEntry.
  std::uint32_t remove(std::uint32_t index);

  // Oldest of the list, or kNoEntry; DramEntry::next leads on.
  std::uint32_t first(unsigned bank, Direction direction) const {
    return lists_[2 * bank + static_cast<unsigned>(direction)].first;
  }

 private:
  struct List {
    std::uint32_t first = kNoEntry, last = kNoEntry;
  };
  void insert(std::uint32_t index);
  void add_entries(std::size_t size);
  std::uint32_t& bucket(std::uint64_t line) {
    return buckets_[(line * 0x9e37'79b9'7f4a'7c15) >> bucket_shift_];
  }

  std::vector<DramEntry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<List> lists_;
  std::vector<std::uint32_t> buckets_;  // by line; the youngest entry of a line comes first
  unsigned bucket_shift_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace duet::memory
