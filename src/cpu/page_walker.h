// What translations cost: TLBs of two levels, and one walker. It reads the entries of page tables as loads
// do, one after the other. A cache of last-level tables spares it the levels above.
//
//   walker.start_access(17, 120);          // load 17 has its address: it goes on now, or when the walk has
//   ended walker.translate_fetch(page, 120);     // 120, later by L2's TLB, or kUnknown: a walk is under way
//
// Guarantees: one walk at a time, in the order of their beginnings; a page is walked to once for all that
// wait. Left out: pages larger than 4 KiB; dirty and accessed bits.
#pragma once

#include <deque>
#include <vector>

#include "cpu/core_state.h"
#include "memory/virtual/tlb.h"

namespace duet::cpu {

class BackEnd;
class FrontEnd;
class LoadUnit;

class PageWalker {
 public:
  PageWalker(CoreState& state, FrontEnd& front_end, LoadUnit& loads, BackEnd& back_end);

  // A load or store whose address is known: when its translation is there, it goes on.
  void start_access(std::uint64_t sequence, Cycle cycle);
  // When the translation of the next instruction is there; kUnknown while a walk for it is under way.
  Cycle translate_fetch(std::uint64_t page, Cycle cycle);
  // The line of a page table has come.
  void line_came(std::uint64_t line, Cycle cycle) {
    if (line_ == line) table_is_there(cycle);
  }
  void forget_translations();
  // Accesses from number `next` on are squashed.
  void forget_accesses(std::uint64_t next) {
    for (Walk& walk : walks_)
      std::erase_if(walk.accesses, [next](std::uint64_t sequence) { return sequence >= next; });
  }

 private:
  static constexpr std::uint64_t kNoLine = PrivateLine::kNone;
  // Under way or queued.
  struct Walk {
    std::uint64_t page = 0;
    Cycle at = 0;  // where it is in time
    bool begun = false;
    unsigned level = 0;
    bool fetch = false;                   // for the next instruction
    std::vector<std::uint64_t> accesses;  // waiting loads and stores
  };
  bool find(memory::Tlb& first, std::uint64_t page, Cycle& cycle);
  Walk& walk_to(std::uint64_t page, Cycle cycle);
  void run();
  bool read_table(Walk& walk);
  void table_is_there(Cycle cycle);
  void finish();

  CoreState& state_;
  FrontEnd& front_end_;
  LoadUnit& loads_;
  BackEnd& back_end_;
  memory::Tlb instruction_tlb_, data_tlb_, l2_tlb_, walk_cache_;
  std::deque<Walk> walks_;        // the first is under way
  std::uint64_t line_ = kNoLine;  // the line it waits for
  bool running_ = false;
  Cycle free_ = 0;  // when the walker is
};

}  // namespace duet::cpu
