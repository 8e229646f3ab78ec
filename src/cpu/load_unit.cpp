#include "cpu/load_unit.h"

#include <algorithm>

#include "cpu/back_end.h"
#include "cpu/early_execution.h"
#include "cpu/line_prefetcher.h"
#include "cpu/uncached_unit.h"

namespace duet::cpu {

void LoadUnit::dispatched(std::uint64_t sequence, WindowEntry& made) {
  const Access& access = made.access = execution_.access();
  StoreBuffer& stores = state_.stores;
  made.store = stores.next();
  state_.loads.add(sequence);
  ++state_.statistics.loads;
  if (access.type != rv64::MemoryType::WriteBack) {
    made.fence = uncached_.load_fence();
    made.asked = kUnknown;
    made.arrived = 0;
  }
  bool maybe = false;
  for (unsigned i = 0; i < access.count; ++i) maybe |= stores.may_hold(access.pieces[i]);
  if (!maybe) return;
  for (std::uint64_t place = stores.next(); place-- > stores.oldest();) {
    const Store& older = stores.at(place);
    const std::uint64_t first = older.access.address, end = first + older.access.bytes;
    if (end <= access.address || access.address + access.bytes <= first) continue;
    const bool covers = first <= access.address && access.address + access.bytes <= end;
    made.behind = place;
    if (!covers || access.type != rv64::MemoryType::WriteBack) return;
    made.forwarded = true;
    ++state_.statistics.forwarded;
    const WindowEntry& of_store = state_.entry(older.sequence);
    if (!state_.window.is_gone(older.sequence)) {  // its data may not be there yet
      const bool known = of_store.complete != kUnknown;
      made.await(known ? 0 : older.sequence, known ? of_store.complete : 0);
    }
    return;
  }
}

// Whether every missing line is on its way, or may be asked for.
bool LoadUnit::lines_can_be_had(const Access& access) {
  unsigned wanted = 0;
  for (unsigned i = 0; i < access.count; ++i) {
    const std::uint64_t line = state_.line_of(access.pieces[i].physical);
    if (state_.caches.find_for_data(line) == nullptr && state_.misses.find(line) == nullptr) ++wanted;
  }
  const unsigned taken = state_.misses.data_count();
  return taken + wanted <= state_.config.l1.misses || (wanted != 0 && taken == 0);
}

void LoadUnit::perform(std::uint64_t sequence, Cycle cycle) {
  WindowEntry& made = state_.entry(sequence);
  if (made.behind != kNoStore && made.behind >= state_.stores.oldest()) {
    if (!made.forwarded) {
      state_.loads.wait_for_stores(sequence);
      return;
    }
    made.bound = cycle;
    back_end_.complete(sequence, cycle + state_.config.l1.latency_cycles);
    return;
  }
  if (made.access.type != rv64::MemoryType::WriteBack) [[unlikely]]
    return uncached_.perform(sequence, cycle);
  made.forwarded = false;  // the store is in L1
  if (!lines_can_be_had(made.access)) {
    made.level = Level::Below;
    state_.loads.wait_for_miss(sequence);
    return;
  }
  Cycle there = cycle;
  for (unsigned i = 0; i < made.access.count; ++i) {
    Level level = Level::L1;
    const std::uint64_t line = state_.line_of(made.access.pieces[i].physical);
    const Cycle line_there = reach_line(sequence, line, cycle, level);
    made.level = std::max(made.level, level);
    if (line_there != kUnknown) there = std::max(there, line_there);
    if (sequence >= state_.window.next()) return;  // its victim in L1 has squashed it
  }
  if (made.lines_missing != 0) return;
  made.bound = cycle;
  performed(sequence, there);
}

// When the line's bytes can be used; kUnknown while it is on its way.
Cycle LoadUnit::reach_line(std::uint64_t sequence, std::uint64_t line, Cycle cycle, Level& level) {
  CoreStatistics& statistics = state_.statistics;
  const Cycle looked_up = cycle + state_.config.l1.latency_cycles;
  if (PrivateLine* const held = state_.caches.l1().find(line)) {
    state_.caches.l1().use(*held);
    ++statistics.l1_hits;
    if (state_.guesses) count_held(sequence, *held);
    return looked_up;
  }
  ++statistics.l1_misses;
  prefetcher_.access(line, looked_up);
  if (PrivateLine* const held = state_.caches.outer(line)) {
    ++statistics.l2_hits;
    if (state_.guesses) count_held(sequence, *held);
    if (held->prefetched) {
      held->prefetched = false;
      ++statistics.prefetches_used;
      prefetcher_.after(line, looked_up);
    }
    state_.caches.place_in_l1(line, *held);
    level = Level::L2;
    return looked_up + state_.config.l2.latency_cycles;
  }
  level = Level::Below;
  const Cycle asked = looked_up + state_.l2_latency();
  LineMiss* miss = state_.misses.find(line);
  const bool is_new = miss == nullptr;
  if (is_new) miss = &state_.misses.ask(line, false, asked);
  state_.misses.for_data(*miss);
  miss->loads.push_back(sequence);
  ++state_.entry(sequence).lines_missing;
  if (is_new) prefetcher_.after(line, asked);
  return kUnknown;
}

// Its lines are there. Where its bytes differ from its execution's, all later instructions are executed
// again.
void LoadUnit::performed(std::uint64_t sequence, Cycle cycle) {
  const WindowEntry& load = state_.entry(sequence);
  const std::uint64_t value = execution_.read(load.access, load.store);
  if (value != load.access.value) correct(sequence, value, cycle);
  back_end_.complete(sequence, cycle);
}

void LoadUnit::correct(std::uint64_t sequence, std::uint64_t value, Cycle cycle) {
  ++state_.statistics.squashes_value;
  back_end_.squash_from(sequence + 1, cycle);
  WindowEntry& load = state_.entry(sequence);
  const CodeEntry* const code = state_.code.find(load.pc);
  if (code == nullptr || code->treatment != Treatment::Load) return;
  load.access.value = value;
  // Its own operands are overwritten where it loads into the register of its address.
  rv64::Registers& registers = *state_.registers;
  const std::uint8_t destination = load.destination;
  if (destination != kNoRegister)
    (destination < 32 ? registers.x[destination] : registers.f[destination - 32]) = load.old_value;
  execution_.run_again(*code, load.pc, value);
  registers.pc = load.pc + code->instruction.length;
}

void LoadUnit::line_came(const std::vector<std::uint64_t>& loads, Cycle cycle) {
  for (const std::uint64_t sequence : loads) {
    if (sequence >= state_.window.next()) continue;
    WindowEntry& load = state_.entry(sequence);
    if (load.treatment != Treatment::Load || load.complete != kUnknown || load.lines_missing == 0) continue;
    if (--load.lines_missing != 0) continue;
    load.bound = cycle;
    performed(sequence, cycle);
  }
}

void LoadUnit::retry_waiting(Cycle cycle) {
  std::deque<std::uint64_t>& waiting = state_.loads.waiting_for_miss();
  while (!waiting.empty()) {
    const std::uint64_t sequence = waiting.front();
    if (!lines_can_be_had(state_.entry(sequence).access)) return;
    waiting.pop_front();
    perform(sequence, cycle);
    back_end_.tell_waiters();
  }
}

void LoadUnit::perform_behind_stores(Cycle cycle) {
  for (const std::uint64_t sequence : state_.loads.take_waiting_for_stores())
    if (sequence < state_.window.next()) perform(sequence, std::max(state_.entry(sequence).start, cycle));
  back_end_.tell_waiters();
  back_end_.retire_known();
}

void LoadUnit::line_lost(std::uint64_t line, Cycle cycle) {
  bool older_waits = false;
  std::uint64_t wrong = 0;
  state_.loads.for_each([&](std::uint64_t sequence) {
    if (state_.window.is_gone(sequence)) return true;
    const WindowEntry& load = state_.entry(sequence);
    if (load.retire != kUnknown && load.retire <= cycle) return true;
    // A load with bytes of this cycle keeps them: the requester of the line writes it later. Otherwise cores
    // could take it from each other for ever.
    const bool waits = load.bound == kUnknown || load.bound > cycle;
    // Bytes from a store are the line's too as soon as the store is in L1.
    const bool of_line = !load.forwarded || load.behind < state_.stores.oldest();
    if (load.bound != kUnknown && of_line && (waits || older_waits) && state_.touches(load.access, line))
      wrong = sequence;
    older_waits |= waits;
    return wrong == 0;
  });
  if (wrong == 0) return;
  ++state_.statistics.squashes_order;
  back_end_.squash_from(wrong, cycle);
}

// Of a load that is a guess (yang2012 section 4): what a private cache answered.
void LoadUnit::count_held(std::uint64_t sequence, const PrivateLine& held) {
  using Held = MemoryView::Held;
  const Held state =
      state_.view.state_of_held(VirtualAddress(state_.entry(sequence).access.address), held.bytes,
                                {PhysicalAddress(held.line), held.brought, state_.number});
  if (state == Held::Coherent) return;
  ++state_.statistics.private_hits;
  if (state == Held::Fresh) return;
  ++state_.statistics.stale_hits;
  state_.statistics.wrong_hits += state == Held::Wrong;
}

}  // namespace duet::cpu
