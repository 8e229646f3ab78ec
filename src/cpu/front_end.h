// The front end of a core: fetch, and its predictions.
//
//   if (!front_end.fetch(pc, cycle)) return;        // the line is missing, or its translation
//   const Prediction right = front_end.follow(code, next, taken);
//   front_end.resume(sequence, right, taken);       // after a wrong one: when the branch has been executed
//
// Guarantees: an instruction enters when the one as many places before it as the front end has has been
// dispatched; fetch_width of them a cycle, none behind a taken branch in its cycle. Left out: wrong paths,
// which touch no cache.
#pragma once

#include <vector>

#include "cpu/branch_predictor.h"
#include "cpu/core_state.h"

namespace duet::cpu {

class LinePrefetcher;
class PageWalker;
class StoreUnit;

class FrontEnd {
 public:
  FrontEnd(CoreState& state, StoreUnit& stores, PageWalker& walker, LinePrefetcher& prefetcher);

  // It waits for a line, a translation or a mispredicted branch.
  bool is_stalled() const { return missing_ || walks_ || branch_ != 0; }
  // The instruction `next` enters: the cycle in which it can be dispatched.
  Cycle enter(std::uint64_t next) {
    const Cycle place = dispatched_[(next - places_) % kRemembered];
    if (place > cycle_) {
      cycle_ = place;
      fetched_ = 0;
    }
    return dispatch_cycle();
  }
  // When an instruction fetched now can be dispatched.
  Cycle dispatch_cycle() const { return cycle_ + state_.config.front_end_cycles; }
  // Whether the instruction's line is there. A line of L2 makes fetch so much later. `earliest` is when the
  // instruction could be dispatched; stores may drain until then.
  bool fetch(std::uint64_t pc, Cycle earliest) {
    return (pc & ~state_.line_mask) == address_ || fetch_line(pc, earliest);
  }
  void dispatched(std::uint64_t sequence, Cycle cycle) {
    dispatched_[sequence % kRemembered] = cycle;
    if (++fetched_ >= state_.config.fetch_width) {
      ++cycle_;
      fetched_ = 0;
    }
    cause_ = Cause::FrontEnd;
  }
  // Where the program goes on, and whether the front end knew.
  Prediction follow(const CodeEntry& code, std::uint64_t& next, bool& taken);
  void resume(std::uint64_t sequence, Prediction prediction, bool taken);

  // The instruction has been executed: fetch may have waited for it.
  void executed(std::uint64_t sequence, Cycle cycle) {
    if (branch_ == sequence) redirect(cycle);
  }
  // Instructions from the window's next number on are fetched again, from `cycle` on.
  void squashed(Cycle cycle);
  // A serial instruction has gone: the next one may be dispatched in `cycle`.
  void go_on(Cycle cycle);
  // The line of an instruction has come.
  void line_came(std::uint64_t line, Cycle cycle);
  // A walk for the next instruction has ended.
  void walk_ended(Cycle cycle);
  bool walks() const { return walks_; }
  void walk() { walks_ = true; }
  // The line in use may have left the instruction cache.
  void forget_line() { address_ = kNoLine; }
  void forget_translation() { address_ = page_ = kNoLine; }
  // Nothing is fetched until start(): a device access is under way.
  void stop() {
    missing_ = true;
    line_ = kNoLine;
  }
  void start() { missing_ = false; }

  // Of the last delay of fetch; and of the one at present, where fetch is stalled.
  Cause cause() const { return cause_; }
  Cause stall_cause() const { return missing_ || walks_ ? Cause::InstructionCache : Cause::Speculation; }

 private:
  static constexpr std::uint64_t kNoLine = PrivateLine::kNone;
  static constexpr std::uint64_t kRemembered = 2048;
  bool fetch_line(std::uint64_t pc, Cycle earliest);
  bool translate(std::uint64_t page, Cycle cycle);
  bool stores_drained(Cycle cycle, std::uint64_t squashes);
  void redirect(Cycle cycle);
  // Fetch goes on in `cycle`.
  void move_to(Cycle cycle, Cause cause) {
    cycle_ = cycle;
    fetched_ = 0;
    cause_ = cause;
  }

  CoreState& state_;
  StoreUnit& stores_;
  PageWalker& walker_;
  LinePrefetcher& prefetcher_;
  BranchPredictor predictor_;
  const std::uint64_t places_;     // instructions between fetch and dispatch
  std::vector<Cycle> dispatched_;  // of the last kRemembered instructions, by number
  Cycle cycle_ = 0;
  unsigned fetched_ = 0;                              // in the cycle
  std::uint64_t line_ = kNoLine;                      // physical, the missing one
  std::uint64_t address_ = kNoLine, page_ = kNoLine;  // virtual, of the line and page in use
  bool missing_ = false, walks_ = false;
  std::uint64_t branch_ = 0;  // the mispredicted branch to be executed first
  Cause cause_ = Cause::FrontEnd;
};

}  // namespace duet::cpu
