// The load queue of a core: the numbers of loads in program order, and loads waiting to be performed.
//
//   loads.add(17);                               // load 17 is dispatched
//   loads.for_each([](std::uint64_t sequence) { ... return true; });   // the last ones, oldest first
//   loads.wait_for_miss(17);                     // no room for another miss: performed later
//
// It remembers as many loads as the queue has entries; the window (reorder_window.h) knows their
// retirements.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/units.h"

namespace duet::cpu {

class LoadQueue {
 public:
  explicit LoadQueue(std::uint64_t entries) : size_(entries), numbers_(2 * entries + 1) {}

  void add(std::uint64_t sequence) { numbers_[count_++ % numbers_.size()] = sequence; }
  void remove_last() { --count_; }
  // The next load takes the entry of this one, when it has retired; 0: an entry is free.
  std::uint64_t last_before_room() const {
    return count_ >= size_ ? numbers_[(count_ - size_) % numbers_.size()] : 0;
  }
  // Calls use(number) from the oldest load to the youngest, until it returns false.
  template <typename F>
  void for_each(F use) const {
    for (std::uint64_t place = count_ > size_ ? count_ - size_ : 0; place < count_; ++place)
      if (!use(numbers_[place % numbers_.size()])) return;
  }

  // ---- loads that cannot be performed yet ----
  // Behind a store with a part of its bytes.
  void wait_for_stores(std::uint64_t sequence) { behind_stores_.push_back(sequence); }
  std::size_t waiting_for_stores() const { return behind_stores_.size(); }
  std::vector<std::uint64_t> take_waiting_for_stores() { return std::exchange(behind_stores_, {}); }
  // Until there is room for another miss.
  void wait_for_miss(std::uint64_t sequence) { for_miss_.push_back(sequence); }
  std::deque<std::uint64_t>& waiting_for_miss() { return for_miss_; }
  // Numbers from `next` on are squashed.
  void forget_waiting(std::uint64_t next) {
    const auto gone = [next](std::uint64_t sequence) { return sequence >= next; };
    std::erase_if(behind_stores_, gone);
    std::erase_if(for_miss_, gone);
  }

 private:
  const std::uint64_t size_;
  std::vector<std::uint64_t> numbers_;  // in a ring
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> behind_stores_;
  std::deque<std::uint64_t> for_miss_;
};

}  // namespace duet::cpu
