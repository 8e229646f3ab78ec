// The counts of an SM by instruction of a kernel (`duet run --lines`): for each kernel with blocks here an
// array by index in Kernel::code. An empty issue slot has a reason, and counts for the next instruction of
// the warp that waits for this reason; for a warp at a barrier, for the barrier. Without such a warp it
// counts for no instruction. The reporter takes the counts between ticks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/instruction_counts.h"
#include "ptx/kernel.h"

namespace duet::gpu {

struct LineCounts {
  explicit LineCounts(std::size_t instructions = 0) : by_pc(instructions) {}

  std::vector<InstructionCounts> by_pc;
  std::uint64_t no_warp_slots = 0;

  LineCounts& operator+=(const LineCounts& other) {
    return each(other, [](std::uint64_t& own, std::uint64_t its) { own += its; });
  }
  LineCounts& operator-=(const LineCounts& other) {
    return each(other, [](std::uint64_t& own, std::uint64_t its) { own -= its; });
  }
  void add(const LineCounts& other, std::uint64_t times) {
    each(other, [times](std::uint64_t& own, std::uint64_t its) { own += its * times; });
  }

 private:
  template <typename F>
  LineCounts& each(const LineCounts& other, const F& f) {
    for (std::size_t pc = 0; pc < by_pc.size(); ++pc)
      for (std::size_t i = 0; i < kInstructionCounts; ++i) f(by_pc[pc][i], other.by_pc[pc][i]);
    f(no_warp_slots, other.no_warp_slots);
    return *this;
  }
};

// Of one SM.
class LinesOfKernels {
 public:
  // The counts of a block's kernel; they stay at their address.
  LineCounts& of(const ptx::Kernel& kernel) {
    Entry& entry = entries_[&kernel];
    if (entry.counts == nullptr) entry.counts = std::make_unique<LineCounts>(kernel.code.size());
    entry.changed = true;
    return *entry.counts;
  }
  // Adds the kernel's counts since the last call to `total`. `stays`: blocks of it are here.
  void take(const ptx::Kernel& kernel, LineCounts& total, bool stays) {
    const auto entry = entries_.find(&kernel);
    if (entry == entries_.end() || !entry->second.changed) return;
    total += *entry->second.counts;
    std::fill(entry->second.counts->by_pc.begin(), entry->second.counts->by_pc.end(), InstructionCounts{});
    entry->second.counts->no_warp_slots = 0;
    entry->second.changed = stays;
  }

 private:
  struct Entry {
    std::unique_ptr<LineCounts> counts;
    bool changed = false;
  };
  std::unordered_map<const ptx::Kernel*, Entry> entries_;
};

}  // namespace duet::gpu
