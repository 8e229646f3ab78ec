#include "cpu/coherence_unit.h"

#include "cpu/back_end.h"
#include "cpu/front_end.h"
#include "cpu/load_unit.h"
#include "cpu/page_walker.h"

namespace duet::cpu {

using memory::CoherenceKind;

// The line is not held any more. Where it was held for reading, and the core has asked to write it, the
// directory may have granted the write already: the directory goes on counting this core as a holder, which
// it will be again.
void CoherenceUnit::give_back(std::uint64_t line, bool dirty, Cycle at) {
  state_.statistics.write_backs += dirty;
  state_.reservation.lost(line);
  if (state_.misses.find(line) == nullptr) state_.port.send(at, CoherenceKind::Put, line, dirty);
}

void CoherenceUnit::line_evicted(std::uint64_t line, bool dirty) {
  // All accesses of this tick are over before another agent can write the line.
  loads_.line_lost(line, state_.ahead.limit());
  give_back(line, dirty, state_.ahead.now());
}

void CoherenceUnit::instructions_left() { front_end_.forget_line(); }

bool CoherenceUnit::take_out(std::uint64_t line, bool& dirty) {
  const bool held = state_.caches.take_out(line, dirty);
  if (held) state_.reservation.lost(line);
  return held;
}

// Counts a line that an instruction waited for.
void CoherenceUnit::count_line(memory::GrantSource source) {
  CoreStatistics& statistics = state_.statistics;
  switch (source) {
    case memory::GrantSource::Domain:
      ++statistics.lines_from_cores;
      break;
    case memory::GrantSource::Own:
      ++statistics.upgrades;
      break;
    case memory::GrantSource::Cache:
      ++statistics.l3_hits;
      break;
    case memory::GrantSource::Memory:
      ++statistics.lines_from_memory;
      break;
    case memory::GrantSource::Nowhere:  // a core never overwrites a line unfetched
      break;
  }
}

void CoherenceUnit::granted(const Message& message, Picoseconds now) {
  const std::uint64_t line = message.line.value();
  const Cycle cycle = state_.ahead.now();
  PrivateCaches& caches = state_.caches;
  const LineMiss miss = state_.misses.take(line);
  if (miss.data || miss.fetch) count_line(message.source);
  PrivateLine arrived;
  arrived.line = line;
  arrived.bytes = message.bytes;
  arrived.exclusive = message.exclusive;
  arrived.brought = now;
  caches.fill(arrived, miss.prefetch && !miss.data && !miss.fetch);
  const bool into_l1 = miss.data || (!caches.l2().exists() && !miss.fetch);
  if (into_l1 && caches.l1().find(line) == nullptr) caches.place_in_l1(line, arrived);
  if (miss.fetch && caches.instruction_cache().find(line) == nullptr)
    caches.place_in_instruction_cache(line, arrived);
  if (miss.fetch) front_end_.line_came(line, cycle);
  walker_.line_came(line, cycle);
  loads_.line_came(miss.loads, cycle);
  back_end_.tell_waiters();
  loads_.retry_waiting(cycle);
  back_end_.retire_known();
}

void CoherenceUnit::answer_held_probe(Cycle cycle) {
  if (state_.reservation.held() != nullptr) probed(state_.reservation.take(cycle), cycle);
}

void CoherenceUnit::probed(const Message& message, Cycle cycle) {
  const std::uint64_t line = message.line.value();
  if (state_.reservation.keeps(line, cycle)) {
    state_.reservation.hold(message);
    return;
  }
  bool dirty = false, held = false;
  if (message.kind == CoherenceKind::Invalidate) {
    take_out(line, dirty);
    loads_.line_lost(line, cycle);
  } else {
    state_.caches.for_each_copy(line, [&](PrivateCache&, PrivateLine& copy) {
      held = true;
      dirty |= copy.dirty;
      copy.dirty = copy.exclusive = false;
    });
  }
  state_.port.send(cycle, CoherenceKind::Answer, line, dirty, held);
}

std::uint64_t CoherenceUnit::drop_lines(Cycle cycle) {
  PrivateCaches& caches = state_.caches;
  std::vector<std::uint64_t> lines;
  for (const PrivateCache* const cache : {&caches.l2(), &caches.l1(), &caches.instruction_cache()})
    for (const PrivateLine& held : cache->lines())
      if (held.line != PrivateLine::kNone) lines.push_back(held.line);
  std::uint64_t dropped = 0;
  for (const std::uint64_t line : lines) {
    bool dirty = false;
    if (!take_out(line, dirty)) continue;  // it went with an outer cache's
    give_back(line, dirty, cycle);
    ++dropped;
  }
  return dropped;
}

bool CoherenceUnit::line_rewritten(std::uint64_t line, Cycle cycle) {
  if (state_.caches.outer(line) == nullptr) return false;
  state_.reservation.lost(line);
  loads_.line_lost(line, cycle);
  return true;
}

}  // namespace duet::cpu
