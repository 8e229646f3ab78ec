// The statistics of a core.
#pragma once

#include "sim/statistics.h"

namespace duet::cpu {

struct CoreStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter instructions{*this, "instructions", "instructions", "retired"};
  sim::Counter cycles{*this, "cycles", "cycles", "in which a thread had the core"};
  sim::Counter branches{*this, "branches", "instructions", "conditional branches"};
  sim::Counter mispredictions{*this, "mispredictions", "instructions",
                              "branches and jumps whose way was predicted wrongly"};
  sim::Counter late_targets{*this, "late_targets", "instructions",
                            "taken branches and jumps whose target was known at decode"};
  sim::Counter loads{*this, "loads", "instructions", "loads"};
  sim::Counter stores{*this, "stores", "instructions", "stores"};
  sim::Counter atomics{*this, "atomics", "instructions", "atomics, LR and SC"};
  sim::Counter serial{*this, "serial", "instructions", "that waited until all before had retired"};
  sim::Counter forwarded{*this, "forwarded", "loads", "whose bytes came from a store that was not in L1 yet"};
  sim::Counter l1_hits{*this, "l1_hits", "accesses", "loads, by line, that found it in L1"};
  sim::Counter l1_misses{*this, "l1_misses", "accesses", "loads, by line, that did not"};
  sim::Counter l2_hits{*this, "l2_hits", "accesses", "of those and of fetches: found in L2"};
  sim::Counter instruction_misses{*this, "instruction_misses", "lines",
                                  "fetches that did not find their line in the instruction cache"};
  sim::Counter data_tlb_misses{*this, "data_tlb_misses", "accesses", "not in the first level's data TLB"};
  sim::Counter instruction_tlb_misses{*this, "instruction_tlb_misses", "fetches",
                                      "of a page that is not in the first level's instruction TLB"};
  sim::Counter page_walks{*this, "page_walks", "walks", "through the page tables"};
  sim::Counter requests{*this, "requests", "lines", "asked of the directory"};
  sim::Counter l3_hits{*this, "l3_hits", "lines",
                       "asked for by loads, stores and fetches, not by a prefetcher alone: L3 had them"};
  sim::Counter lines_from_memory{*this, "lines_from_memory", "lines", "of the same: from DRAM"};
  sim::Counter lines_from_cores{*this, "lines_from_cores", "lines",
                                "of the same: held by another core, or not yet written back by one"};
  sim::Counter upgrades{*this, "upgrades", "lines", "of the same: held already, and now to be written"};
  sim::Counter prefetches{*this, "prefetches", "lines", "of these, by a prefetcher"};
  sim::Counter prefetches_used{*this, "prefetches_used", "lines", "prefetched and then used"};
  sim::Counter write_backs{*this, "write_backs", "lines", "given up dirty"};
  sim::Counter uncached_loads{*this, "uncached_loads", "loads", "sent to memory that no cache holds"};
  sim::Counter uncached_stores{*this, "uncached_stores", "stores",
                               "that left the store buffer for a write-combining buffer"};
  sim::Counter combined_writes{*this, "combined_writes", "requests", "sent from write-combining buffers"};
  sim::Counter suppressed_loads{*this, "suppressed_loads", "loads",
                                "that would have faulted, and gave 0 instead: of pre-execution programs"};
  sim::Counter private_hits{*this, "private_hits", "accesses",
                            "loads of pre-execution programs, by line of the GPU's memory, that L1 or L2 "
                            "answered: the shared level did not see them"};
  sim::Counter stale_hits{*this, "stale_hits", "accesses",
                          "of these: a write of the GPU had reached the shared level since the line came"};
  sim::Counter wrong_hits{*this, "wrong_hits", "accesses", "of these: and the line has other bytes there"};
  sim::Counter device_accesses{*this, "device_accesses", "accesses", "loads and stores of device pages"};
  sim::Counter squashes_value{*this, "squashes_value", "squashes",
                              "a load's value was not what had been taken before"};
  sim::Counter squashes_order{*this, "squashes_order", "squashes",
                              "a line was lost under loads that were not in order"};
  sim::Counter squashed{*this, "squashed", "instructions", "done again for one of these"};
  // Dispatch slots: cycles times dispatch_width, each used, or lost to the cause that held the next
  // instruction back. Serial instructions use none.
  sim::Counter slots_used{*this, "slots_used", "slots",
                          "an instruction was dispatched, also one that is `squashed` later"};
  sim::Counter slots_front_end{*this, "slots_front_end", "slots",
                               "lost: fetch had nothing more in the cycle"};
  sim::Counter slots_instruction_cache{*this, "slots_instruction_cache", "slots",
                                       "lost: waiting for an instruction's line"};
  sim::Counter slots_bad_speculation{*this, "slots_bad_speculation", "slots",
                                     "lost: after a wrong prediction, or a squash"};
  sim::Counter slots_memory_l2{*this, "slots_memory_l2", "slots",
                               "lost: the window is full behind a load that L2 serves"};
  sim::Counter slots_memory_below{*this, "slots_memory_below", "slots",
                                  "lost: the window is full behind a load from below"};
  sim::Counter slots_stores{*this, "slots_stores", "slots", "lost: no room for another store"};
  sim::Counter slots_core{*this, "slots_core", "slots",
                          "lost: the window is full, behind other instructions"};
  sim::Counter slots_serial{*this, "slots_serial", "slots",
                            "lost: before and in serial instructions, system calls included"};
};

}  // namespace duet::cpu
