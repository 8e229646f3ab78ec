// A cache with its data. L1, L2, L3 and the constant cache are this class; config::Cache decides.
//
//   Cache l1(engine, "L1 0", "l1", &sm, 0, config.l1, clock_hz, pool);
//   l1.connect_above(from_sm, to_sm);                            // once for each client
//   l1.connect_below(to_l2, from_l2, number, &destinations);    // `number`: its own on the crossbar
//
// A read is received (take_in()), and looked up latency_cycles later (look_up()). A hit is answered
// (serve_here()), 2 + latency_cycles edges after its push. A miss takes a register and fetches its sectors
// (miss(), fetch()), or joins a fetch of its line (join()). A read of bytes that may not be held goes below
// (pass_on()). Bytes from below are stored (fill()), and the waiting requests are answered (serve_waiting()).
//
// Guarantees: requests of class NonTriggered to one line take effect in the order of their arrival, and none
// of them waits for a full/empty bit. timing.md has all times, orders, commands, probes and full/empty bits,
// each with the test that checks it. Left out: states of a coherence protocol, banks of the data array.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/cache/access_rules.h"
#include "memory/cache/cache_observer.h"
#include "memory/cache/client_ports.h"
#include "memory/cache/lookup_pipeline.h"
#include "memory/cache/port_below.h"
#include "memory/cache/probe_port.h"
#include "memory/cache/recent_atomics.h"
#include "memory/cache/sweep.h"
#include "memory/cache/transits.h"
#include "memory/physical/physical_memory.h"
#include "sim/clock_cursor.h"
#include "sim/statistics.h"

namespace duet::memory {

class PendingPool;
class PendingRequests;
class StridePrefetcher;

struct CacheStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter read_hits{*this, "read_hits", "requests", "reads answered from the cache"};
  sim::Counter read_misses{*this, "read_misses", "requests", "reads for which bytes were fetched"};
  sim::Counter read_merges{*this, "read_merges", "requests", "reads that joined a fetch on its way"};
  sim::Counter write_hits{*this, "write_hits", "requests", "writes to a line that is held or on its way"};
  sim::Counter write_misses{*this, "write_misses", "requests", "writes that took a line"};
  sim::Counter atomics{*this, "atomics", "requests", "atomics performed here"};
  sim::Counter atomic_conflict_ps{*this, "atomic_conflict_ps", "ps",
                                  "atomics that waited for another one of the same word"};
  sim::Counter passed{*this, "passed", "requests", "writes, atomics and uncached reads that went below"};
  sim::Counter fills{*this, "fills", "fetches", "fetches that came back"};
  sim::Counter evictions{*this, "evictions", "lines", "lines replaced"};
  sim::Counter write_backs{*this, "write_backs", "requests", "lines written to memory below"};
  // Requests stopped before their lookup, each once, by the first cause.
  sim::Counter stalls{*this, "stalls", "requests", "held up at their lookup, for any of the causes"};
  sim::Counter stalls_mshr{*this, "stalls_mshr", "requests", "held up: no register for another miss"};
  sim::Counter stalls_target{*this, "stalls_target", "requests", "held up: no room in a miss for another"};
  sim::Counter stalls_way{*this, "stalls_way", "requests", "held up: all ways of the set wait for a fetch"};
  sim::Counter stalls_below{*this, "stalls_below", "requests", "held up: no room in the queue below"};
};

class Cache : public sim::Component {
 public:
  // `kind` begins the names of its statistics ("l2"), `level` is its level in hu2016's tree. Throws
  // duet::Error when the entry cannot be built.
  Cache(sim::Engine& engine, std::string name, const std::string& kind, const sim::Component* parent,
        int level, const config::Cache& config, std::uint64_t clock_hz, RequestPool& pool,
        const LineNumbering& numbering = {}, const config::FullEmpty& full_empty = {});

  // A client sends `requests` and reads `responses`. It must always go on reading them.
  void connect_above(Channel& requests, sim::Queue<Packet>& responses);
  // Packets below carry source `number` and the destination of their line; null: 0.
  void connect_below(Channel& requests, sim::Queue<Packet>& responses, std::uint16_t number,
                     const Destinations* destinations);

  // Makes it perfect: `memory` has the newest value of every byte that this cache may hold.
  void serve_from(const PhysicalMemory& memory) { memory_ = &memory; }

  // Its pending requests take entries of `pool`, in place of registers by lines, and those that cannot be
  // served hold up no others (timing.md). Not with full/empty bits, nor where atomics are performed here.
  void share(PendingPool& pool);

  // Makes a prefetcher that watches its reads; the cache fetches the prefetcher's lines. `memory` lies below.
  void prefetch_by(const config::StridePrefetch& config, const PhysicalMemory& memory);

  // The sender of `commands` reads the tags of completed ones in `done`; null: nobody reads them.
  void connect_commands(sim::Queue<CacheCommand>& commands, sim::Queue<std::uint32_t>* done);
  // The sender of `probes` reads `answers`, and must always go on reading them.
  void connect_prober(sim::Queue<Packet>& probes, sim::Queue<Packet>& answers);
  ~Cache() override;
  // `observer` sees all later events. It outlives the cache's last tick.
  void connect_observer(CacheObserver& observer) {
    observers_.push_back(&observer);
    observed_ = true;
  }

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }

  // Outside simulated time, before the memory below is touched: calls store(line's physical address, its
  // data, mask) for the dirty bytes in [base, base + bytes), including write-backs on their way, and drops
  // the bytes of the range.
  template <typename F>
  void flush_range(PhysicalAddress base, Bytes bytes, F store);

  // Outside simulated time: the bytes of memory below at `address`, within a line, are held as if they had
  // been used just now, clean. False where the line is not held and its set has no free way, or where this
  // cache may not hold them.
  bool warm(PhysicalAddress address, const std::byte* data, unsigned bytes, const Cacheability& cacheability);

  // Calls f(when, sector) with the address of each held sector; `when` orders their lines by use.
  template <typename F>
  void for_each_held(const F& f) const;

  // Outside simulated time, and changing nothing: the byte where it is newer than below, also on its way
  // there.
  std::optional<std::byte> dirty_byte(PhysicalAddress address) const;
  // The same of `bytes` bytes, all of one line, at their places in `to`; others are left there.
  void copy_dirty_bytes(PhysicalAddress address, unsigned bytes, std::byte* to) const;
  // The same, and clean bytes too.
  void copy_held_bytes(PhysicalAddress address, unsigned bytes, std::byte* to) const;

  const CacheStatistics& statistics() const { return statistics_; }
  // Nothing is inside or on its way. Write-backs count.
  bool idle() const;
  // The line that holds `address`, or null.
  const Line* find(PhysicalAddress address);

 private:
  std::string on_their_way_below() const;

  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint64_t kProbe = 1, kCommand = 2, kPrefetch = 4;  // in called_

  // cache.cpp: the work of an edge.
  template <bool kCalled>
  Picoseconds step(Picoseconds now);
  void receive(Picoseconds now);
  void serve_waiting(Picoseconds now);
  bool turn_after_probe(std::uint32_t mshr, const CacheEntry& entry);
  void lookup(Picoseconds now);
  Picoseconds accept(Picoseconds now);
  void take_in(Picoseconds now, sim::Queue<Packet>& requests, LookupPipeline& pipeline, std::uint32_t client);
  void fill(const Packet& packet);
  void fetch(Picoseconds now, std::uint32_t mshr, const LineAccess& by, const ByteMask& bytes);
  void write_back(Picoseconds now, PhysicalAddress line, std::uint32_t index, const ByteMask& bytes,
                  const CacheEntry* then);
  void release_transit(std::uint32_t index);

  // cache_commands.cpp
  void serve_commands(Picoseconds now);
  void give_up(std::uint32_t index, const ByteMask& bytes);
  bool sweep_on(Picoseconds now);
  bool finish_sweep(Picoseconds now);

  // cache_probes.cpp
  void serve_probe(Picoseconds now);
  void take_away(std::uint32_t index, const ByteMask& bytes);
  bool changing_below(PhysicalAddress line) const;
  Picoseconds next_call(Picoseconds now);

  // cache_pending.cpp
  void lookup_pending(Picoseconds now);
  bool retry_aside(Picoseconds now);
  Outcome pending_room(Picoseconds now, CacheEntry& entry);
  void keep_pending(Picoseconds now, CacheEntry& entry);

  // cache_prefetch.cpp
  void look_for_wanted();
  void serve_prefetcher(Picoseconds now, bool idle);
  Picoseconds next_prefetch(Picoseconds now);

  // cache_lookup.cpp: the work of a request.
  LineAccess access(const CacheEntry& entry) { return rules_.access(pool_[entry.packet.request]); }
  [[noreturn]] void refuse(const LineAccess& access) const;
  Outcome look_up(Picoseconds now, CacheEntry& entry);
  bool fetches_first(const LineAccess& access, std::uint32_t line) const;
  Outcome join(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line);
  Outcome miss(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line);
  Outcome take_way(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t& index);
  Outcome take_turn(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line);
  Outcome serve_here(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line);
  Outcome pass_on(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line);
  Outcome clean(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line);
  Outcome serve_in_memory(Picoseconds now, CacheEntry& entry, const LineAccess& access);
  Outcome atomic(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::byte* bytes);
  // At this moment: the registers in use, with the triggered requests that went below themselves; and whether
  // a request at the end of the pipeline cannot be looked up.
  std::size_t registers_held() const {
    return misses_.in_use() + transits_.size() - transits_.size_of(TrafficClass::NonTriggered);
  }
  bool held_up() const {
    return std::any_of(pipelines_.begin(), pipelines_.end(), [](const LookupPipeline& pipeline) {
      return pipeline.size() != 0 && pipeline.front().entry.stalled;
    });
  }
  static LineUser user(const Request& request) { return {request.agent, request.unit}; }
  Outcome stall(CacheEntry& entry, sim::Counter& cause);
  Outcome stalled_below(Outcome outcome, CacheEntry& entry);

  void release_miss(std::uint32_t mshr);
  void detach(std::uint32_t mshr);
  void forget(std::uint32_t index, const ByteMask& bytes);
  void drop(std::uint32_t index, const ByteMask& bytes, const Request* by);

  // Tells the observers, if there are any. `by` may be null.
  void observe(CacheEvent::Kind kind, PhysicalAddress line, const ByteMask& bytes, const Request* by) {
    if (observed_) [[unlikely]]
      tell(kind, line, bytes, by);
  }
  void tell(CacheEvent::Kind kind, PhysicalAddress line, const ByteMask& bytes, const Request* by);

  config::Cache config_;
  AccessRules rules_;
  sim::ClockCursor clock_;
  RequestPool pool_;
  ClientPorts clients_;
  std::array<LookupPipeline, kTrafficClasses> pipelines_;
  Picoseconds next_lookup_ = kNever;  // when the first head of a pipeline is ready
  LineArray lines_;
  MissTable misses_;
  Transits transits_;
  PortBelow below_;
  ProbePort probes_;
  Sweep sweep_;
  RecentAtomics recent_atomics_;
  const PhysicalMemory* memory_ = nullptr;  // of a perfect cache
  std::vector<CacheObserver*> observers_;
  bool observed_ = false;  // there are some
  std::unique_ptr<StridePrefetcher> prefetcher_;
  std::unique_ptr<PendingRequests> pending_;   // null: registers by lines, lookups in order
  bool kept_ = false, stalled_below_ = false;  // what became of a request of pending_ at its lookup
  std::uint64_t called_ = 0;   // kProbe, kCommand, kPrefetch: some may be here or on their way to here
  Picoseconds port_free_ = 0;  // an atomic keeps serving and lookup busy until then
  bool again_ = false;         // the next edge has something to do
  CacheStatistics statistics_;
  sim::State registers_held_{statistics_, "registers_held", "registers", "registers for misses in use",
                             [this] { return registers_held(); }};
  sim::State held_up_{statistics_, "held_up", "caches", "caches whose next request cannot be looked up",
                      [this] { return std::uint64_t{held_up()}; }};
};

template <typename F>
void Cache::for_each_held(const F& f) const {
  if (lines_.held() == 0) return;
  for (std::uint32_t index = 0; index < lines_.lines(); ++index) {
    if (lines_.tag(index) == LineArray::kNoTag) continue;
    for (Bytes at = 0; at < config_.line_bytes; at += config_.sector_bytes)
      if (lines_[index].valid.test(static_cast<unsigned>(at)))
        f(lines_.last_use(index), lines_.tag(index) + at);
  }
}

template <typename F>
void Cache::flush_range(PhysicalAddress base, Bytes bytes, F store) {
  if (bytes == 0) return;
  const PhysicalAddress end = base + bytes;
  transits_.for_each([&](const Transit& transit) {
    if (transit.own == kNoRequest) return;
    Request& request = pool_[transit.own];
    const ByteMask mask = request.mask & part_of_range(base, bytes, request.address, request.bytes);
    if (!any(mask)) return;
    store(request.address, static_cast<const std::byte*>(request.data.data()), mask);
    request.mask = request.mask & ~mask;
  });
  const unsigned line_bytes = lines_.line_bytes();
  const auto visit = [&](std::uint32_t index) {
    const PhysicalAddress line = lines_.tag(index);
    const ByteMask range = part_of_range(base, bytes, line, line_bytes);
    const ByteMask dirty = lines_[index].dirty & range;
    if (any(dirty)) store(line, static_cast<const std::byte*>(lines_.data(index)), dirty);
    forget(index, range);
  };
  const PhysicalAddress first = lines_.line_of(base);
  if ((end - first) / line_bytes < lines_.lines()) {
    for (PhysicalAddress line = first; line < end; line += line_bytes)
      if (const std::uint32_t index = lines_.find(line); index != kNone) visit(index);
  } else if (lines_.held() != 0) {
    for (std::uint32_t index = 0; index < lines_.lines(); ++index) {
      const PhysicalAddress line = lines_.tag(index);
      if (line != LineArray::kNoTag && line >= first && line < end) visit(index);
    }
  }
}

}  // namespace duet::memory
