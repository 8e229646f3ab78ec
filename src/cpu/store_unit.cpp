#include "cpu/store_unit.h"

#include <algorithm>
#include <cstring>

#include "cpu/line_prefetcher.h"
#include "cpu/load_unit.h"
#include "cpu/uncached_unit.h"
#include "sim/engine.h"

namespace duet::cpu {

void StoreUnit::dispatched(std::uint64_t sequence, WindowEntry& made) {
  made.store = state_.stores.next();
  ++state_.statistics.stores;
  Store& place = state_.stores.add(sequence, made.access);
  place.asked = made.access.type != rv64::MemoryType::WriteBack;
  place.fenced = uncached_.take_store_fence();
  place.plain = !place.fenced && !place.asked;
}

bool StoreUnit::holds_lines(const Access& access) {
  for (unsigned i = 0; i < access.count; ++i)
    if (!state_.caches.holds_exclusively(state_.line_of(access.pieces[i].physical))) return false;
  return true;
}

// Its lines are on their way to L1 from `cycle` on, or there is no room for another miss. Work possible
// before this tick has waited for a message of this tick.
void StoreUnit::prepare(Store& store, Cycle cycle) {
  PrivateCaches& caches = state_.caches;
  cycle = std::max(cycle, state_.ahead.now());
  store.asked = true;
  const Cycle looked_up = cycle + state_.config.l1.latency_cycles, from_l2 = state_.l2_latency();
  for (unsigned i = 0; i < store.access.count; ++i) {
    const std::uint64_t line = state_.line_of(store.access.pieces[i].physical);
    if (const PrivateLine* const held = caches.l1().find(line); held != nullptr && held->exclusive) continue;
    prefetcher_.access(line, looked_up);
    if (const PrivateLine* const held = caches.outer(line); held != nullptr && held->exclusive) {
      caches.place_in_l1(line, *held);
      store.ready = std::max(store.ready, cycle + from_l2);
      continue;
    }
    if (const LineMiss* const miss = state_.misses.find(line)) {
      store.asked &= miss->exclusive;
      continue;
    }
    if (state_.misses.data_count() >= state_.config.l1.misses) {
      store.asked = false;
      continue;
    }
    state_.misses.for_data(state_.misses.ask(line, true, looked_up + from_l2));
    if (caches.outer(line) == nullptr) prefetcher_.after(line, looked_up + from_l2);
  }
}

// Writes stores to L1 whose time has come by `limit`, as far as the one at the place `up_to`. Its requests
// may bring the end of the tick nearer.
void StoreUnit::drain_stores(Cycle limit, std::uint64_t up_to) {
  StoreBuffer& stores = state_.stores;
  stores.set_due(kUnknown);
  while (!stores.is_empty()) {
    if (stores.oldest() > up_to) {
      stores.set_due(0);  // there may be more
      return;
    }
    prepare_next(limit);
    Store& oldest = stores.at(stores.oldest());
    if (oldest.senior == kUnknown) return;
    const Cycle cycle =
        std::max({oldest.senior + 1, stores.last_drain() + 1, oldest.ready, state_.ahead.now()});
    if (cycle > std::min(limit, state_.ahead.limit())) {
      stores.due_by(cycle);
      return;
    }
    if (!write_oldest(oldest, cycle)) return;
    stores.drained(cycle);
    loads_.store_drained(cycle);
  }
}

// The next retired stores ask for their lines.
void StoreUnit::prepare_next(Cycle limit) {
  StoreBuffer& stores = state_.stores;
  const std::uint64_t first = stores.oldest();
  const std::uint64_t end = std::min(stores.next(), first + 1 + state_.config.store_prefetches);
  for (std::uint64_t place = first; place < end; ++place) {
    Store& next = stores.at(place);
    if (next.senior == kUnknown) return;
    if (next.senior > std::min(limit, state_.ahead.limit())) {
      stores.due_by(next.senior);
      return;
    }
    if (!next.asked) prepare(next, std::max(next.senior, place == first ? Cycle{0} : stores.last_drain()));
  }
}

// False: it has to wait.
bool StoreUnit::write_oldest(Store& oldest, Cycle cycle) {
  if (!oldest.plain && oldest.fenced && uncached_.combining().in_use() != 0) {
    uncached_.send_all_combined(cycle);
    return false;
  }
  if (!oldest.plain && oldest.access.type != rv64::MemoryType::WriteBack)
    return uncached_.combine(oldest.access, cycle);
  if (!holds_lines(oldest.access)) {
    // Its line may have been lost since it came.
    bool on_their_way = true;
    for (unsigned i = 0; i < oldest.access.count; ++i) {
      const std::uint64_t line = state_.line_of(oldest.access.pieces[i].physical);
      on_their_way &= state_.caches.holds_exclusively(line) || state_.misses.find(line) != nullptr;
    }
    if (!on_their_way) prepare(oldest, cycle);
    write_held_part(oldest.access);
    return false;
  }
  write_to_l1(oldest.access);
  return true;
}

// Writes the part of a store over two lines whose line is held. Otherwise cores with stores to the same two
// lines would take them from each other for ever; no program may expect to see both parts at once.
void StoreUnit::write_held_part(Access& access) {
  if (access.count == 1) return;
  for (unsigned i = 0; i < 2; ++i) {
    if (!state_.caches.holds_exclusively(state_.line_of(access.pieces[i].physical))) continue;
    const unsigned first = access.pieces[0].bytes;
    Access low = access, high = access;
    low.count = high.count = 1;
    low.bytes = first;
    high.pieces[0] = access.pieces[1];
    high.bytes -= first;
    high.address += first;
    high.value >>= 8 * first;
    write_to_l1(i == 0 ? low : high);
    state_.stores.replace(access, i == 0 ? high : low);
    return;
  }
}

void StoreUnit::write_to_l1(const Access& access) {
  PrivateCache& l1 = state_.caches.l1();
  std::byte value[8];
  std::memcpy(value, &access.value, sizeof value);
  const std::byte* from = value;
  for (unsigned i = 0; i < access.count; ++i) {
    const Piece& piece = access.pieces[i];
    const std::uint64_t line = state_.line_of(piece.physical);
    PrivateLine* held = l1.find(line);
    if (held == nullptr) held = &state_.caches.place_in_l1(line, *state_.caches.outer(line));
    l1.use(*held);
    std::byte* const place = held->bytes + (piece.physical & state_.line_mask);
    if (!state_.alone || state_.tells_writes)
      state_.view.about_to_write(PhysicalAddress(piece.physical), piece.bytes, place, state_.number);
    std::memcpy(place, from, piece.bytes);
    held->dirty = true;
    from += piece.bytes;
  }
  const VirtualAddress address(access.address);
  if (state_.memory.may_have_code(address) || state_.memory.may_have_code(address + (access.bytes - 1)))
    code_written(access);
}

// Decoded instructions of this core go at once, other cores' when all have been ticked: so the order of ticks
// does not matter.
void StoreUnit::code_written(const Access& access) {
  const VirtualAddress first(access.address);
  const VirtualAddress first_page = first.aligned_down(rv64::kPageBytes);
  const VirtualAddress last_page = (first + (access.bytes - 1)).aligned_down(rv64::kPageBytes);
  state_.code.code_changed(first_page, (last_page - first_page) / rv64::kPageBytes + 1);
  engine_.after_ticks(
      [&memory = state_.memory, first, bytes = access.bytes] { memory.bytes_changed(first, bytes); });
}

}  // namespace duet::cpu
