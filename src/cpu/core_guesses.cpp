// Programs whose loads are guesses (yang2012 section 4): the answers of private caches to them, and how the
// programs begin with empty caches.
#include "cpu/core.h"

namespace duet::cpu {

void Core::count_held(std::uint64_t sequence, const PrivateLine& held) {
  using Held = MemoryView::Held;
  const Held state = view_.state_of_held(VirtualAddress(entry(sequence).access.address), held.bytes,
                                         {PhysicalAddress(held.line), held.brought, number_});
  if (state == Held::Coherent) return;
  ++statistics_.private_hits;
  if (state == Held::Fresh) return;
  ++statistics_.stale_hits;
  statistics_.wrong_hits += state == Held::Wrong;
}

std::uint64_t Core::drop_lines(Picoseconds now) {
  std::vector<std::uint64_t> lines;
  for (const PrivateCache* const cache : {&l2_, &l1_, &instruction_cache_})
    for (const PrivateLine& held : cache->lines())
      if (held.line != kNoLine) lines.push_back(held.line);
  std::uint64_t dropped = 0;
  for (const std::uint64_t line : lines) {
    bool dirty = false;
    if (!take_out(line, dirty)) continue;  // it went with an outer cache's
    put(line, dirty, ahead_.cycle_at(now) + 1);
    ++dropped;
  }
  return dropped;
}

}  // namespace duet::cpu
