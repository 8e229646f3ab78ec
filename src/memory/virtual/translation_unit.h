// Where the pages of a GPU's requests are translated when the TLB of their SM (tlb_port.h) has them not: the
// GPU's second TLB, walks of the GPU's own table, and the IOMMU behind the link with TLB and walkers of its
// own (dashti2017 section 6.2.1; Vesely et al., ISPASS 2016).
//
//   TranslationUnit unit(engine, gpu_node, config, core_clock_hz, link_latency_ps);
//   TlbPort port(engine, "TLB of SM 0", sm, config, core_clock_hz, unit, pool, page_bytes);
//
//   a miss at edge k     the second TLB answers at edge k + l2_tlb_cycles
//   not there            a walk of table_walk_ns; or link, iommu_ns, iommu_walk_ns where its TLB misses, link
//
// A page is known by its frame: within an allocation one stands for the other. Walks of one page are one
// walk. Where the processor is simulated somebody reads the program's tables for the IOMMU's walks
// (connect_walker), in place of iommu_walk_ns. Left out: bytes of the GPU's own table, which take no room in
// caches and DRAM; invalidations, because a frame that changes its page keeps its place in TLBs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/machine.h"
#include "memory/request.h"
#include "memory/virtual/tlb.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::memory {

struct PageAsk {
  std::uint64_t page = 0;
  Translation by = Translation::None;
};

struct TranslationStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter l2_hits{*this, "l2_tlb_hits", "pages", "misses of SMs' TLBs that the second one answered"};
  sim::Counter l2_misses{*this, "l2_tlb_misses", "pages", "and those that it did not have"};
  sim::Counter table_walks{*this, "table_walks", "walks", "of the GPU's own table"};
  sim::Counter iommu_hits{*this, "iommu_hits", "pages", "translations that the IOMMU's TLB had"};
  sim::Counter iommu_walks{*this, "iommu_walks", "walks", "of the program's page tables, by the IOMMU"};
  sim::Counter walk_waits{*this, "walk_waits", "walks", "that found no walker free"};
};

class TranslationUnit final : public sim::Component {
 public:
  TranslationUnit(sim::Engine& engine, const sim::Component* parent, const config::Translation& config,
                  std::uint64_t clock_hz, Picoseconds link_latency_ps);

  struct Client {
    sim::Queue<PageAsk>* asks = nullptr;
    sim::Queue<std::uint64_t>* answers = nullptr;
  };
  // Of somebody who waits for so many pages at most.
  Client connect_client(sim::Component& client, std::size_t pages);
  // The other end of the IOMMU's walks: pages to walk for, and those whose walks have ended, in any order.
  struct WalkerEnd {
    sim::Queue<std::uint64_t>* walks = nullptr;
    sim::Queue<std::uint64_t>* walked = nullptr;
  };
  WalkerEnd connect_walker(sim::Component& walker);

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  enum class Step : std::uint8_t { SecondTlb, AtIommu, Walked, Known };
  struct Event {
    Step step;
    std::uint64_t page;
    Translation by;
    std::size_t client;  // SecondTlb
  };
  // Of one kind.
  struct Walkers {
    std::uint64_t free = 0;
    Picoseconds walk_ps = 0;
    std::deque<std::uint64_t> waiting;
  };
  void begin_walk(Picoseconds now, Translation by, std::uint64_t page, Picoseconds before);
  void walk(Picoseconds now, Translation by, std::uint64_t page, Picoseconds before);
  void end_walk(Picoseconds now, Translation by);
  void perform(Picoseconds now, const Event& event);
  void known(Picoseconds now, std::uint64_t page);
  void at(Picoseconds time, const Event& event) { events_.emplace(time, event); }
  Walkers& walkers_of(Translation by) { return by == Translation::Iommu ? iommu_ : table_; }

  const config::Translation config_;
  sim::ClockCursor clock_;
  const Picoseconds link_latency_ps_, iommu_ps_;
  Tlb second_tlb_, iommu_tlb_;
  Walkers table_, iommu_;
  std::deque<sim::Queue<PageAsk>> asks_;
  std::deque<sim::Queue<std::uint64_t>> answers_;
  std::optional<sim::Queue<std::uint64_t>> walks_, walked_;  // with a walker
  std::size_t next_client_ = 0;
  std::multimap<Picoseconds, Event> events_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> waiting_;  // clients, by page
  TranslationStatistics statistics_{*this, "translation."};
};

}  // namespace duet::memory
