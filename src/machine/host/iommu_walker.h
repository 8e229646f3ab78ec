// Walks of the program's page tables for the GPU: an agent of the cores' coherent domain that reads the
// tables of the cores' own walkers (dashti2017 section 6.2.1; AMD I/O Virtualization Technology
// Specification).
//
//   the IOMMU's TLB misses page P     the entries of P are read, one after the other, from where they are
//   the upper ones were read lately   the last one alone (translation.iommu_walk_cache_entries)
//   P has no frame yet                a page request: after translation.iommu_fault_ns it has one, and its
//                                     entry is read again; another one is answered iommu_fault_page_ns later
//
// How many walks go on at a time is TranslationUnit's. Walks that want one line share it. Left out: the
// handler of page requests as code, because cores are interrupted by calls alone
// (runtime/core/driver_work.h); tables of the IOMMU's own that lead to the program's.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/machine.h"
#include "machine/host/cpu_memory.h"
#include "memory/virtual/page_table.h"
#include "memory/virtual/tlb.h"
#include "memory/virtual/translation_unit.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::machine {

struct IommuStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "entries", "of the program's page tables, read by the IOMMU's walks"};
  sim::Counter walk_cache_hits{*this, "walk_cache_hits", "walks", "that read the last entry alone"};
  sim::Counter page_requests{*this, "page_requests", "pages",
                             "that had no frame when the GPU asked for them first"};
};

class IommuWalker final : public sim::Component {
 public:
  // `pages` is the GPU's page table, whose addresses of the program's memory are the program's.
  IommuWalker(sim::Engine& engine, const sim::Component* parent, const config::Translation& config,
              const memory::PageTable& pages);

  void connect(CpuMemory& memory, const config::Cpu& cpu, memory::TranslationUnit& unit);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  struct Walk {
    VirtualAddress page;  // the program's
    unsigned level = 0;
  };
  void begin(Picoseconds now, std::uint64_t frame);
  void read(Picoseconds now, std::uint64_t frame);
  void granted(Picoseconds now, const memory::CoherenceMessage& grant);
  void leaf_read(std::uint64_t frame);
  void end(Picoseconds now, std::uint64_t frame);
  void say(Picoseconds now, const memory::CoherenceMessage& message);
  Picoseconds asks_from(Picoseconds now) const;
  VirtualAddress program_page(std::uint64_t frame);
  void index_pages();

  const config::Translation config_;
  const memory::PageTable& pages_;
  const unsigned page_shift_;
  CpuMemory* memory_ = nullptr;
  CpuMemory::Agent agent_;
  memory::TranslationUnit::WalkerEnd unit_;
  Picoseconds to_directory_ps_ = 0;
  Bytes line_bytes_ = 0;
  memory::Tlb walk_cache_;                                               // by 512 pages
  std::unordered_map<std::uint64_t, Walk> walks_;                        // by the GPU's frame
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> lines_;  // asked for: the walks, by frame
  struct PageRequest {
    Picoseconds answered;
    std::uint64_t frame;
  };
  std::deque<PageRequest> page_requests_;
  Picoseconds last_answer_ = 0;
  // Runs of pages that the IOMMU translates, by their physical addresses.
  std::map<PhysicalAddress, memory::PageRun> by_frame_;
  std::uint64_t indexed_generation_ = 0;
  IommuStatistics statistics_{*this, "iommu."};
};

}  // namespace duet::machine
