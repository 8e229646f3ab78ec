// Program order of a warp's accesses to tracked memory (docs/design/full-empty.md, hazard (c)).
// Loads that wait and stores travel in two classes. The classes pass each other on the way to the bits, and
// an access of one class may wait there for an access of the other. So a warp's access is issued only when no
// access of the warp on its way touches the same place: granules, or lines, or (order_grain) all tracked
// memory. Accesses of one class with the same action keep their order anyway and go together. Accesses that
// name another action (docs/design/full-empty.md) go alone, as others may wait for them elsewhere.
// Like a table beside the pending instructions, it keeps the lines of all warps' accesses on the SM in
// order_entries places, each with its words. An access without a place is issued all the same; until it
// completes, its warp issues only accesses that go with it. A line of a granule wider than a line is its
// granule. Left out: cycles for comparing the lines of an access.
#pragma once

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "gpu/sm/coalescer.h"
#include "gpu/sm/memory_instruction.h"
#include "memory/granules.h"

namespace duet::gpu {

template <unsigned W>
class TrackedOrder {
 public:
  using Instruction = MemoryInstruction<W>;
  using Entries = std::vector<std::unique_ptr<Instruction>>;

  TrackedOrder(const config::FullEmpty& config, std::size_t warps, const Entries& entries)
      : on_(config.program_order),
        by_granule_(config.order_grain == "granule" && config.granule_bytes < memory::kLineBytes),
        granule_(config.granule_bytes),
        unit_shift_(static_cast<unsigned>(
            std::countr_zero(std::max<Bytes>(memory::kLineBytes, config.granule_bytes)))),
        places_(on_ && (config.order_grain == "granule" || config.order_grain == "line")
                    ? config.order_entries
                    : 0),
        entries_(entries),
        warps_(warps) {}

  // Whether an access of a warp is on its way; a barrier, a fence or a release waits for it.
  bool holds_back(std::uint32_t warp) const { return on_ && warps_[warp].in_flight != 0; }
  // Whether it may be of any warp.
  bool busy() const { return in_flight_ != 0; }

  // Whether the access may be issued beside its warp's accesses on their way.
  bool may_go(Instruction& instruction) {
    instruction.place_count = 0;
    const Warp& own = warps_[instruction.warp];
    if (!on_ || own.in_flight == 0) return true;
    const Company company = instruction.company;
    if (own.alike && own.company == company && goes_with_its_like(company)) return true;
    if (places_ == 0 || company == Company::None) return false;
    describe(instruction);
    for (std::uint32_t i = own.first; i != kNoEntry; i = entries_[i]->next_of_warp) {
      const Instruction& earlier = *entries_[i];
      if (earlier.company == company && goes_with_its_like(company)) continue;
      if (!earlier.listed || meet(earlier, instruction)) return false;
    }
    return true;
  }

  // After may_go(): entry `index` is issued, or complete.
  void add(std::uint32_t index, Instruction& instruction) {
    Warp& own = warps_[instruction.warp];
    own.alike = own.in_flight == 0 || (own.alike && own.company == instruction.company);
    own.company = instruction.company;
    ++own.in_flight;
    ++in_flight_;
    instruction.next_of_warp = std::exchange(own.first, index);
    instruction.listed = places_ != 0 && instruction.company != Company::None;
    if (!instruction.listed) return;
    if (instruction.place_count == 0) describe(instruction);
    instruction.listed = used_ + instruction.place_count <= places_;
    if (instruction.listed) used_ += instruction.place_count;
  }
  void remove(std::uint32_t index, const Instruction& instruction) {
    Warp& own = warps_[instruction.warp];
    --own.in_flight;
    --in_flight_;
    if (instruction.listed) used_ -= instruction.place_count;
    if (own.first == index) {
      own.first = instruction.next_of_warp;
      return;
    }
    std::uint32_t before = own.first;
    while (entries_[before]->next_of_warp != index) before = entries_[before]->next_of_warp;
    entries_[before]->next_of_warp = instruction.next_of_warp;
  }

 private:
  static constexpr std::uint32_t kNoEntry = ~0u;
  struct Warp {
    std::uint32_t in_flight = 0;
    std::uint32_t first = kNoEntry;  // of accesses on their way, the last issued
    Company company = Company::None;
    bool alike = true;  // all of them may go together
  };

  static bool goes_with_its_like(Company company) {
    return company != Company::None && company != Company::Atomics;
  }

  static bool meet(const Instruction& a, const Instruction& b) {
    if ((a.place_hash & b.place_hash) == 0) return false;
    for (unsigned i = 0; i < a.place_count; ++i)
      for (unsigned j = 0; j < b.place_count; ++j)
        if (a.places[i].unit == b.places[j].unit && (a.places[i].words & b.places[j].words) != 0) return true;
    return false;
  }

  void describe(Instruction& instruction) const {
    instruction.place_count = 0;
    instruction.place_hash = 0;
    const std::uint32_t* offsets = instruction.offsets.data();
    constexpr std::uint32_t kLineMask = ~(std::uint32_t{memory::kLineBytes} - 1);
    for (unsigned p = 0; p < instruction.part_count; ++p) {
      const MemoryPart& part = instruction.parts[p];
      if (!part.tracked) continue;
      for (std::uint64_t rest = part.lanes; rest != 0;) {
        const std::uint32_t line = offsets[std::countr_zero(rest)] & kLineMask;
        const std::uint64_t group = lanes_where<W>(offsets, 0, kLineMask, line) & rest;
        std::uint32_t words = ~0u;
        if (by_granule_)
          words = memory::granules_of(
              memory::words_of(touched_bytes(offsets, 0u - line, group, instruction.bytes)), granule_);
        note(instruction, (part.base + line) >> unit_shift_, words);
        rest &= ~group;
      }
    }
  }

  void note(Instruction& instruction, std::uint64_t unit, std::uint32_t words) const {
    if (granule_ > memory::kLineBytes)
      for (unsigned i = 0; i < instruction.place_count; ++i)
        if (instruction.places[i].unit == unit) return;
    instruction.places[instruction.place_count++] = {unit, words};
    instruction.place_hash |= 1ull << (unit * 0x9e37'79b9'7f4a'7c15 >> 58);
  }

  bool on_, by_granule_;
  Bytes granule_;
  unsigned unit_shift_;
  std::uint64_t places_, used_ = 0;
  const Entries& entries_;
  std::vector<Warp> warps_;
  std::uint32_t in_flight_ = 0;
};

}  // namespace duet::gpu
