#include "cpu/page_walker.h"

#include <algorithm>
#include <utility>

#include "cpu/back_end.h"
#include "cpu/front_end.h"
#include "cpu/load_unit.h"

namespace duet::cpu {

PageWalker::PageWalker(CoreState& state, FrontEnd& front_end, LoadUnit& loads, BackEnd& back_end)
    : state_(state),
      front_end_(front_end),
      loads_(loads),
      back_end_(back_end),
      instruction_tlb_(state.config.tlb.instruction_entries, state.config.tlb.ways),
      data_tlb_(state.config.tlb.data_entries, state.config.tlb.ways),
      l2_tlb_(state.config.tlb.l2_entries, state.config.tlb.l2_ways),
      walk_cache_(state.config.tlb.walk_cache_entries, state.config.tlb.walk_cache_entries) {}

void PageWalker::forget_translations() {
  for (memory::Tlb* const tlb : {&instruction_tlb_, &data_tlb_, &l2_tlb_, &walk_cache_}) tlb->forget();
}

// Moves `cycle` to where the translation is there; false where it has to be walked for from then on.
bool PageWalker::find(memory::Tlb& first, std::uint64_t page, Cycle& cycle) {
  if (!first.exists() || first.find(page)) return true;
  ++(&first == &data_tlb_ ? state_.statistics.data_tlb_misses : state_.statistics.instruction_tlb_misses);
  if (l2_tlb_.exists()) cycle += state_.config.tlb.l2_latency_cycles;
  if (!l2_tlb_.find(page)) return false;
  first.insert(page);
  return true;
}

void PageWalker::start_access(std::uint64_t sequence, Cycle cycle) {
  WindowEntry& made = state_.entry(sequence);
  if (made.access.count == 0) [[unlikely]] {  // a suppressed fault: its walk is not simulated
    made.bound = cycle;
    back_end_.complete(sequence, cycle + state_.config.l1.latency_cycles);
    return;
  }
  const std::uint64_t first = made.access.address >> rv64::kPageShift;
  const std::uint64_t last = (made.access.address + made.access.bytes - 1) >> rv64::kPageShift;
  for (std::uint64_t page = first; page <= last; ++page) {
    if (find(data_tlb_, page, cycle)) continue;
    walk_to(page, cycle).accesses.push_back(sequence);
    run();
    return;
  }
  if (made.treatment == Treatment::Load)
    loads_.perform(sequence, cycle);
  else
    back_end_.complete(sequence, cycle + 1);
}

Cycle PageWalker::translate_fetch(std::uint64_t page, Cycle cycle) {
  Cycle there = cycle;
  if (find(instruction_tlb_, page, there)) return there;
  walk_to(page, there).fetch = true;
  front_end_.walk();
  run();
  return front_end_.walks() ? kUnknown : cycle;  // with its lines near, it has ended and moved the front end
}

PageWalker::Walk& PageWalker::walk_to(std::uint64_t page, Cycle cycle) {
  for (Walk& walk : walks_)
    if (walk.page == page) return walk;
  ++state_.statistics.page_walks;
  Walk& made = walks_.emplace_back();
  made.page = page;
  made.at = cycle;
  return made;
}

// As far as the lines are near.
void PageWalker::run() {
  if (running_) return;
  running_ = true;
  while (!walks_.empty() && line_ == kNoLine) {
    Walk& walk = walks_.front();
    if (!walk.begun) {
      walk.begun = true;
      walk.at = std::max(walk.at, free_);
      walk.level = walk_cache_.find(walk.page >> 9) ? 0 : 2;
    }
    if (!read_table(walk)) break;
    if (walk.level-- == 0) finish();
  }
  running_ = false;
}

// One entry; false while its line is on its way.
bool PageWalker::read_table(Walk& walk) {
  const PhysicalAddress entry =
      state_.view.page_table_entry(VirtualAddress(walk.page << rv64::kPageShift), walk.level, state_.number);
  const std::uint64_t line = state_.line_of(entry.value());
  PrivateCaches& caches = state_.caches;
  walk.at += state_.config.l1.latency_cycles;
  if (PrivateLine* const held = caches.l1().find(line)) {
    caches.l1().use(*held);
    return true;
  }
  walk.at += state_.l2_latency();
  if (PrivateLine* const held = caches.outer(line)) {
    caches.place_in_l1(line, *held);
    return true;
  }
  LineMiss* miss = state_.misses.find(line);
  if (miss == nullptr) miss = &state_.misses.ask(line, false, walk.at);
  state_.misses.for_data(*miss);
  line_ = line;
  return false;
}

void PageWalker::table_is_there(Cycle cycle) {
  line_ = kNoLine;
  walks_.front().at = cycle;
  if (walks_.front().level-- == 0) finish();
  run();
}

void PageWalker::finish() {
  const Walk done = std::move(walks_.front());
  walks_.pop_front();
  free_ = done.at;
  l2_tlb_.insert(done.page);
  walk_cache_.insert(done.page >> 9);
  if (done.fetch) {
    instruction_tlb_.insert(done.page);
    front_end_.walk_ended(done.at);
  }
  if (done.accesses.empty()) return;
  data_tlb_.insert(done.page);
  for (const std::uint64_t sequence : done.accesses)
    if (sequence < state_.window.next() && state_.entry(sequence).complete == kUnknown)
      start_access(sequence, done.at);
}

}  // namespace duet::cpu
