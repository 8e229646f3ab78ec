#include "cpu/private_caches.h"

namespace duet::cpu {

PrivateLine& PrivateCaches::place(PrivateCache& cache, std::uint64_t line, const PrivateLine& from,
                                  std::optional<PrivateLine>& victim) {
  const PrivateLine copy = from;
  PrivateLine& placed = cache.insert(line, victim);
  placed.bytes = copy.bytes;
  placed.exclusive = copy.exclusive;
  placed.brought = copy.brought;
  return placed;
}

PrivateLine& PrivateCaches::place_in_l1(std::uint64_t line, const PrivateLine& from) {
  std::optional<PrivateLine> victim;
  PrivateLine& placed = place(l1_, line, from, victim);
  if (!victim) return placed;
  if (l2_.exists()) {
    if (victim->dirty) l2_.find(victim->line)->dirty = true;
  } else if (PrivateLine* const other = instruction_cache_.find(victim->line)) {
    other->dirty |= victim->dirty;
  } else {
    owner_->line_evicted(victim->line, victim->dirty);
  }
  return placed;
}

void PrivateCaches::place_in_instruction_cache(std::uint64_t line, const PrivateLine& from) {
  std::optional<PrivateLine> victim;
  place(instruction_cache_, line, from, victim);
  if (!victim) return;
  // Without L2 a load may have read it here.
  if (!l2_.exists() && l1_.find(victim->line) == nullptr) owner_->line_evicted(victim->line, victim->dirty);
  owner_->instructions_left();
}

void PrivateCaches::fill(const PrivateLine& arrived, bool prefetched) {
  if (outer(arrived.line) != nullptr) {
    for_each_copy(arrived.line, [&](PrivateCache&, PrivateLine& copy) {
      copy.exclusive = arrived.exclusive;
      copy.bytes = arrived.bytes;
    });
    return;
  }
  if (!l2_.exists()) return;
  std::optional<PrivateLine> victim;
  place(l2_, arrived.line, arrived, victim).prefetched = prefetched;
  if (!victim) return;
  // L1's copy goes with it; its dirtiness was the victim's too.
  bool dirty = victim->dirty;
  take_out(victim->line, dirty);
  owner_->line_evicted(victim->line, dirty);
}

bool PrivateCaches::take_out(std::uint64_t line, bool& dirty) {
  bool held = false;
  for_each_copy(line, [&](PrivateCache& cache, PrivateLine& copy) {
    held = true;
    dirty |= copy.dirty;
    cache.remove(copy);
  });
  if (held) owner_->instructions_left();
  return held;
}

}  // namespace duet::cpu
