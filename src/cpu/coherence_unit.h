// The lines of a core as the directory sees them: grants, probes, and lines given back.
//
//   coherence.granted(message);           // a line has come: caches take it, and its waiters go on
//   coherence.probed(message, cycle);     // another agent wants the line: it is given up, and answered for
//
// Guarantees: a probe comes after the cycles by which the core has gone ahead. Loads with bytes of a lost
// line are looked at (LoadUnit::line_lost). A probe of a reserved line waits (reservation.h).
#pragma once

#include "cpu/core_state.h"

namespace duet::cpu {

class BackEnd;
class FrontEnd;
class LoadUnit;
class PageWalker;

class CoherenceUnit final : public PrivateCaches::Owner {
 public:
  using Message = memory::CoherenceMessage;

  CoherenceUnit(CoreState& state, FrontEnd& front_end, PageWalker& walker, LoadUnit& loads, BackEnd& back_end)
      : state_(state), front_end_(front_end), walker_(walker), loads_(loads), back_end_(back_end) {}

  // In a tick at `now`.
  void granted(const Message& message, Picoseconds now);
  void probed(const Message& message, Cycle cycle);
  // The reservation is used, or lost.
  void answer_held_probe(Cycle cycle);
  // Core::drop_lines and Core::line_rewritten. False: the line is not held.
  std::uint64_t drop_lines(Cycle cycle);
  bool line_rewritten(std::uint64_t line, Cycle cycle);

 private:
  void line_evicted(std::uint64_t line, bool dirty) override;
  void instructions_left() override;
  void give_back(std::uint64_t line, bool dirty, Cycle at);
  void count_line(memory::GrantSource source);
  bool take_out(std::uint64_t line, bool& dirty);

  CoreState& state_;
  FrontEnd& front_end_;
  PageWalker& walker_;
  LoadUnit& loads_;
  BackEnd& back_end_;
};

}  // namespace duet::cpu
