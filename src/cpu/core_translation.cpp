// The cost of translations: TLBs of two levels, and one walker. It reads the entries of page tables as loads
// do, one after the other. A cache of last-level tables spares it the levels above.
#include <algorithm>

#include "cpu/core.h"

namespace duet::cpu {

void Core::forget_translations() {
  translations_.fill({});
  for (Tlb* const tlb : {&instruction_tlb_, &data_tlb_, &l2_tlb_, &walk_cache_}) tlb->forget();
  fetch_address_ = fetch_page_ = kNoLine;
}

// Moves `cycle` to where the translation is there; false where it has to be walked for from then on.
bool Core::find_translation(Tlb& first, std::uint64_t page, Cycle& cycle) {
  if (!first.exists() || first.find(page)) return true;
  ++(&first == &data_tlb_ ? statistics_.data_tlb_misses : statistics_.instruction_tlb_misses);
  if (l2_tlb_.exists()) cycle += config_.tlb.l2_latency_cycles;
  if (!l2_tlb_.find(page)) return false;
  first.insert(page);
  return true;
}

// A load or store whose address is known: when its translation is there, it goes on.
void Core::start_access(std::uint64_t sequence, Cycle cycle) {
  Entry& made = entry(sequence);
  if (made.access.count == 0) [[unlikely]] {  // a suppressed fault: its walk is not simulated
    made.bound = cycle;
    complete(sequence, cycle + config_.l1.latency_cycles);
    return;
  }
  const std::uint64_t first = made.access.address >> rv64::kPageShift;
  const std::uint64_t last = (made.access.address + made.access.bytes - 1) >> rv64::kPageShift;
  for (std::uint64_t page = first; page <= last; ++page) {
    if (find_translation(data_tlb_, page, cycle)) continue;
    walk_to(page, cycle).accesses.push_back(sequence);
    run_walks();
    return;
  }
  if (made.treatment == Treatment::Load)
    perform(sequence, cycle);
  else
    complete(sequence, cycle + 1);
}

// Of the next instruction; false while a walk for it is under way.
bool Core::translate_fetch(std::uint64_t page, Cycle cycle) {
  Cycle there = cycle;
  if (!find_translation(instruction_tlb_, page, there)) {
    walk_to(page, there).fetch = fetch_walks_ = true;
    run_walks();
    if (fetch_walks_) return false;
  } else if (there != cycle) {
    fetch_cycle_ += there - cycle;
    fetched_ = 0;
    fetch_cause_ = Cause::InstructionCache;
  }
  fetch_page_ = page;
  return true;
}

Core::Walk& Core::walk_to(std::uint64_t page, Cycle cycle) {
  for (Walk& walk : walks_)
    if (walk.page == page) return walk;
  ++statistics_.page_walks;
  Walk& made = walks_.emplace_back();
  made.page = page;
  made.at = cycle;
  return made;
}

// As far as the lines are near.
void Core::run_walks() {
  if (running_walks_) return;
  running_walks_ = true;
  while (!walks_.empty() && walk_line_ == kNoLine) {
    Walk& walk = walks_.front();
    if (!walk.begun) {
      walk.begun = true;
      walk.at = std::max(walk.at, walker_free_);
      walk.level = walk_cache_.find(walk.page >> 9) ? 0 : 2;
    }
    if (!read_table(walk)) break;
    if (walk.level-- == 0) finish_walk();
  }
  running_walks_ = false;
}

// One entry; false while its line is on its way.
bool Core::read_table(Walk& walk) {
  const PhysicalAddress entry =
      view_.page_table_entry(VirtualAddress(walk.page << rv64::kPageShift), walk.level, number_);
  const std::uint64_t line = line_of(entry.value());
  walk.at += config_.l1.latency_cycles;
  if (PrivateLine* const held = l1_.find(line)) {
    l1_.use(*held);
    return true;
  }
  if (l2_.exists()) walk.at += config_.l2.latency_cycles;
  if (PrivateLine* const held = outer(line)) {
    place_in_l1(line, *held);
    return true;
  }
  Miss* miss = find_miss(line);
  if (miss == nullptr) miss = &ask(line, false, walk.at);
  if (!miss->data) ++data_misses_;
  miss->data = miss->walk = true;
  walk_line_ = line;
  return false;
}

// The walk's line has come.
void Core::table_is_there(Cycle cycle) {
  walk_line_ = kNoLine;
  walks_.front().at = cycle;
  if (walks_.front().level-- == 0) finish_walk();
  run_walks();
}

void Core::finish_walk() {
  const Walk done = std::move(walks_.front());
  walks_.pop_front();
  walker_free_ = done.at;
  l2_tlb_.insert(done.page);
  walk_cache_.insert(done.page >> 9);
  if (done.fetch) {
    instruction_tlb_.insert(done.page);
    if (fetch_walks_) {
      fetch_walks_ = false;
      fetch_cycle_ = std::max(fetch_cycle_, done.at);
      fetched_ = 0;
      fetch_cause_ = Cause::InstructionCache;
    }
  }
  if (done.accesses.empty()) return;
  data_tlb_.insert(done.page);
  for (const std::uint64_t sequence : done.accesses)
    if (sequence < next_ && entry(sequence).complete == kUnknown) start_access(sequence, done.at);
}

}  // namespace duet::cpu
