// The TLB of an SM, before its L1: a request of memory with a translation goes on when its page's is known.
// Example, with translation.tlb_misses = 2: requests of pages A, A, B, C, A arrive, and none is held. A and B
// are asked for; C waits at the head until one of them is known, and so do those behind it.
//
// Guarantees: requests of one page keep their order. Others may be overtaken while they wait. A request that
// needs no translation, or whose page is held, goes on a cycle after it came. Left out: pages larger than the
// program's.
#pragma once

#include <bit>
#include <deque>
#include <string>
#include <unordered_map>

#include "memory/channel.h"
#include "memory/virtual/translation_unit.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::memory {

struct TlbStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter hits{*this, "hits", "requests", "whose page the SM's TLB held, or was waiting for"};
  sim::Counter misses{*this, "misses", "pages", "asked of the second TLB"};
};

class TlbPort final : public sim::Component {
 public:
  TlbPort(sim::Engine& engine, std::string name, const sim::Component* parent,
          const config::Translation& config, std::uint64_t clock_hz, TranslationUnit& unit,
          const RequestPool& pool, Bytes page_bytes);
  void connect(Channel& from_sm, Channel& to_l1) {
    from_sm_ = &from_sm;
    to_l1_ = &to_l1;
  }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  bool send_ready(Picoseconds now);
  bool take(Picoseconds now, sim::Queue<Packet>& requests);

  sim::ClockCursor clock_;
  const RequestPool& pool_;
  const unsigned page_shift_;
  const std::size_t most_pages_;
  Tlb held_;
  TranslationUnit::Client unit_;
  Channel* from_sm_ = nullptr;
  Channel* to_l1_ = nullptr;
  std::unordered_map<std::uint64_t, std::deque<Packet>> waiting_;  // by page
  std::deque<Packet> ready_;
  TlbStatistics statistics_{*this, "tlb."};
};

}  // namespace duet::memory
