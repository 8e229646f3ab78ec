// The back end of a core: start, completion and retirement of instructions in the window, and squashes.
//
//   back_end.dispatched(17, made);         // issues 17, or lets it wait for its operands
//   back_end.complete(17, 120);        // the result of 17 is there in cycle 120
//   back_end.tell_waiters();           // issues the instructions that waited for it
//   back_end.squash_from(18, 120);     // 18 and all later ones are executed again
//
// Guarantee: after a squash the state of registers, window and queues is that before the first squashed
// instruction was dispatched. A load's start leads to page_walker.h; a store's data and address make it
// complete.
#pragma once

#include "cpu/core_state.h"

namespace duet::cpu {

class FrontEnd;
class PageWalker;
class UncachedUnit;

class BackEnd {
 public:
  BackEnd(CoreState& state, FrontEnd& front_end, PageWalker& walker, UncachedUnit& uncached)
      : state_(state), front_end_(front_end), walker_(walker), uncached_(uncached) {}

  void dispatched(std::uint64_t sequence, WindowEntry& made);
  void complete(std::uint64_t sequence, Cycle cycle);
  void tell_waiters() {
    state_.wakeup.tell([this](std::uint64_t sequence) { issue(sequence, state_.entry(sequence)); });
  }
  void retire_known();
  // Adds instructions retired by then to the statistics.
  void count_retired(Cycle until) { state_.statistics.instructions += state_.window.count_retired(until); }
  void squash_from(std::uint64_t sequence, Cycle cycle);

 private:
  void issue(std::uint64_t sequence, WindowEntry& made);
  void undo(WindowEntry& gone);
  void rebuild_after_squash(Cycle cycle);

  CoreState& state_;
  FrontEnd& front_end_;
  PageWalker& walker_;
  UncachedUnit& uncached_;
};

}  // namespace duet::cpu
