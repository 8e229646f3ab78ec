// Instructions that wait for the results of others: each waits in the list of the last unknown one.
//
//   wakeup.link(20);                                        // 20 needs the result of 17: it joins the list
//   of 17 wakeup.completed(17, window.entry(17));                 // the cycle of the result of 17 is known
//   wakeup.tell([&](std::uint64_t ready) { issue(ready); });   // issues 20, and whatever follows from it
//
// Guarantees: an instruction is issued once, when its last operand is known. The call may complete or squash
// instructions; completions during a call are told by the outermost one.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/reorder_window.h"

namespace duet::cpu {

class Wakeup {
 public:
  explicit Wakeup(ReorderWindow& window) : window_(window) {}

  // It waits for the last of its unknown operands.
  void link(std::uint64_t sequence) {
    WindowEntry& waiter = window_.entry(sequence);
    WindowEntry& writer = window_.entry(waiter.awaited[waiter.awaited_count - 1]);
    waiter.next_waiter = writer.first_waiter;
    writer.first_waiter = sequence;
  }
  void completed(std::uint64_t sequence, const WindowEntry& entry) {
    if (entry.first_waiter != 0) to_tell_.push_back(sequence);
  }
  // Calls issue(number) for every instruction whose operands are all known from now on.
  template <typename F>
  void tell(F issue) {
    if (to_tell_.empty() || telling_) return;
    telling_ = true;
    while (!to_tell_.empty()) {
      const std::uint64_t told = to_tell_.back();
      const std::uint64_t sequence = window_.entry(told).first_waiter;
      if (sequence == 0) {
        to_tell_.pop_back();
        continue;
      }
      WindowEntry& waiter = window_.entry(sequence);
      window_.entry(told).first_waiter = waiter.next_waiter;
      while (waiter.awaited_count != 0) {
        const Cycle known = window_.entry(waiter.awaited[waiter.awaited_count - 1]).complete;
        if (known == kUnknown) break;
        waiter.ready = std::max(waiter.ready, known);
        --waiter.awaited_count;
      }
      if (waiter.awaited_count == 0)
        issue(sequence);  // this may squash
      else
        link(sequence);
    }
    telling_ = false;
  }
  // After a squash: lists of the instructions that are left.
  void rebuild();

 private:
  ReorderWindow& window_;
  std::vector<std::uint64_t> to_tell_;  // completed, their waiters not yet told
  bool telling_ = false;
};

}  // namespace duet::cpu
