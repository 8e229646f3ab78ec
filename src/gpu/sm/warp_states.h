// The warps of an SM by state: a bit a slot says that its warp may issue, or why it cannot.
//
//   states.change(slot, IssueSlot::Issued, IssueSlot::Memory);      // it waits for a load now
//   states.ready() & scheduler.warps()                              // the scheduler's warps that may issue
//   states.first_wait(scheduler.warps())                            // why its issue slot stays empty
//
// IssueSlot::Issued stands for a warp that may issue, as far as is known; NoWarp for a slot without one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/issue_slot.h"

namespace duet::gpu {

class WarpStates {
 public:
  std::uint64_t ready() const { return ready_; }
  std::uint64_t waiting_for(IssueSlot reason) const { return waiting_[static_cast<unsigned>(reason)]; }

  void change(unsigned slot, IssueSlot before, IssueSlot after) {
    const std::uint64_t bit = 1ull << slot;
    std::uint64_t& old = waiting_[static_cast<unsigned>(before)];
    old &= ~bit;
    if (old == 0) reasons_ &= ~(1u << static_cast<unsigned>(before));
    if (after == IssueSlot::Issued) {
      ready_ |= bit;
      return;
    }
    ready_ &= ~bit;
    if (after == IssueSlot::NoWarp) return;
    waiting_[static_cast<unsigned>(after)] |= bit;
    reasons_ |= 1u << static_cast<unsigned>(after);
  }

  // The first reason, in the order of IssueSlot, for which some of `warps` wait, and these warps. NoWarp and
  // no warp: none of them waits.
  struct Wait {
    unsigned reason = static_cast<unsigned>(IssueSlot::NoWarp);
    std::uint64_t warps = 0;
  };
  Wait first_wait(std::uint64_t warps) const {
    for (std::uint32_t rest = reasons_; rest != 0; rest &= rest - 1) {
      const auto reason = static_cast<unsigned>(std::countr_zero(rest));
      if (const std::uint64_t waiting = waiting_[reason] & warps; waiting != 0) return {reason, waiting};
    }
    return {};
  }

  // Equal states have equal words.
  template <typename F>
  void for_each_word(F f) const {
    f(ready_);
    for (const std::uint64_t slots : waiting_) f(slots);
  }

 private:
  std::uint64_t ready_ = 0;
  std::array<std::uint64_t, static_cast<unsigned>(IssueSlot::Count)> waiting_{};  // by reason
  std::uint32_t reasons_ = 0;  // one bit each: reasons with a waiting warp
};

}  // namespace duet::gpu
