// Start, completion and retirement of instructions in the window, and squashes.
#include <algorithm>

#include "cpu/core.h"

namespace duet::cpu {

// All its operands are known.
void Core::issue(std::uint64_t sequence) {
  Entry& made = entry(sequence);
  const Cycle from = std::max(made.ready, made.dispatched + 1);
  switch (made.treatment) {
    case Treatment::Load:
      made.start = units_.start_load(from);
      scheduler_.leave(made.start);
      start_access(sequence, made.start);
      return;
    case Treatment::Store:
      made.start = units_.start_store(from);
      scheduler_.leave(made.start);
      start_access(sequence, made.start);
      return;
    case Treatment::Nothing:
      note_fence(sequence);
      made.start = from;
      scheduler_.leave(from);
      complete(sequence, from);
      return;
    default:
      made.start = units_.start(made.treatment, from);
      scheduler_.leave(made.start);
      complete(sequence, made.start + units_.latency(made.treatment));
  }
}

void Core::complete(std::uint64_t sequence, Cycle cycle) {
  Entry& made = entry(sequence);
  made.complete = cycle;
  if (made.destination != kNoRegister && writers_[made.destination] == sequence) {
    writers_[made.destination] = 0;
    ready_[made.destination] = cycle;
  }
  if (fetch_waits_ == sequence) {
    fetch_waits_ = 0;
    fetch_cycle_ = cycle + config_.redirect_cycles;
    fetched_ = 0;
    fetch_cause_ = Cause::Speculation;
  }
  if (made.first_waiter != 0) to_tell_.push_back(sequence);
}

// It waits for the last of its unknown operands.
void Core::link(std::uint64_t sequence) {
  Entry& waiter = entry(sequence);
  Entry& writer = entry(waiter.awaited[waiter.awaited_count - 1]);
  waiter.next_waiter = writer.first_waiter;
  writer.first_waiter = sequence;
}

void Core::tell_waiters() {
  if (telling_) return;
  telling_ = true;
  while (!to_tell_.empty()) {
    const std::uint64_t told = to_tell_.back();
    const std::uint64_t sequence = entry(told).first_waiter;
    if (sequence == 0) {
      to_tell_.pop_back();
      continue;
    }
    Entry& waiter = entry(sequence);
    entry(told).first_waiter = waiter.next_waiter;
    while (waiter.awaited_count != 0) {
      const Cycle known = entry(waiter.awaited[waiter.awaited_count - 1]).complete;
      if (known == kUnknown) break;
      waiter.ready = std::max(waiter.ready, known);
      --waiter.awaited_count;
    }
    if (waiter.awaited_count == 0)
      issue(sequence);  // this may squash
    else
      link(sequence);
  }
  telling_ = false;
}

void Core::retire_known() {
  while (retired_ + 1 < next_) {
    Entry& first = entry(retired_ + 1);
    if (first.complete == kUnknown) return;
    Cycle cycle = std::max({first.complete + 1, last_retire_, floor_});
    if (cycle == last_retire_ && retired_in_cycle_ == config_.retire_width) ++cycle;
    if (cycle != last_retire_) retired_in_cycle_ = 0;
    last_retire_ = cycle;
    ++retired_in_cycle_;
    first.retire = cycle;
    ++retired_;
    if (first.treatment == Treatment::Store) {
      store(first.store).senior = cycle;
      drain_at_ = std::min(drain_at_, cycle);
    }
  }
}

// Adds instructions retired by then to the statistics.
void Core::count_retired(Cycle until) {
  const auto has_left = [&](std::uint64_t sequence) {
    return sequence + config_.rob_entries < next_ || entry(sequence).retire <= until;
  };
  while (counted_ < retired_ && has_left(counted_ + 1)) {
    ++counted_;
    ++statistics_.instructions;
  }
}

void Core::undo(Entry& gone) {
  if (gone.destination == kNoRegister) {
    registers_->fflags = gone.old_fflags;
    return;
  }
  (gone.destination < 32 ? registers_->x[gone.destination] : registers_->f[gone.destination - 32]) =
      gone.old_value;
  registers_->fflags = gone.old_fflags;
  writers_[gone.destination] = gone.old_writer;
  ready_[gone.destination] = gone.old_ready;
  if (gone.old_writer != 0 && entry(gone.old_writer).complete != kUnknown) {
    writers_[gone.destination] = 0;
    ready_[gone.destination] = entry(gone.old_writer).complete;
  }
}

// The instruction and all later ones are to be executed again, from `cycle` on.
void Core::squash_from(std::uint64_t sequence, Cycle cycle) {
  if (sequence >= next_) return;
  ++squashes_;
  registers_->pc = entry(sequence).pc;
  statistics_.squashed += next_ - sequence;
  while (next_ > sequence) {
    Entry& gone = entry(--next_);
    undo(gone);
    if (gone.treatment == Treatment::Load) --loads_;
    if (gone.treatment == Treatment::Store) {
      const Store& undone = store(--next_store_);
      count_granules(undone.access, -1);
      store_fence_ |= undone.fenced;
    }
  }
  if (retired_ >= sequence) {
    retired_ = sequence - 1;
    last_retire_ = floor_;
    retired_in_cycle_ = 0;
    if (retired_ != 0) last_retire_ = std::max(floor_, entry(retired_).retire);
    for (std::uint64_t i = retired_; i != 0 && i + config_.retire_width > retired_; --i)
      retired_in_cycle_ += entry(i).retire == last_retire_;
  }
  drain_at_ = 0;
  rebuild_after_squash(cycle);
}

// Rebuilds the state beside the window from the window.
void Core::rebuild_after_squash(Cycle cycle) {
  const auto gone = [this](std::uint64_t sequence) { return sequence >= next_; };
  std::erase_if(to_tell_, gone);
  std::erase_if(waiting_for_miss_, gone);
  std::erase_if(behind_stores_, gone);
  for (Miss& miss : misses_) std::erase_if(miss.loads, gone);
  forget_squashed_uncached();
  for (Walk& walk : walks_) std::erase_if(walk.accesses, gone);
  if (fetch_waits_ >= next_) fetch_waits_ = 0;
  fetch_missing_ = fetch_walks_ = false;
  fetch_address_ = fetch_page_ = kNoLine;
  fetch_cycle_ = std::max(cycle + config_.redirect_cycles, fetch_waits_ != 0 ? fetch_cycle_ : 0);
  fetched_ = 0;
  fetch_cause_ = Cause::Speculation;
  scheduler_.clear();
  const std::uint64_t first = next_ > config_.rob_entries ? next_ - config_.rob_entries : 1;
  for (std::uint64_t i = first; i < next_; ++i) entry(i).first_waiter = entry(i).next_waiter = 0;
  for (std::uint64_t i = first; i < next_; ++i) {
    Entry& kept = entry(i);
    if (kept.awaited_count != 0) {
      const std::uint64_t writer = kept.awaited[kept.awaited_count - 1];
      const bool told = std::find(to_tell_.begin(), to_tell_.end(), writer) != to_tell_.end();
      if (entry(writer).complete != kUnknown && !told) to_tell_.push_back(writer);
      link(i);
    }
    if (kept.start == kUnknown || scheduler_.holds(kept.start)) {
      scheduler_.enter();
      if (kept.start != kUnknown) scheduler_.leave(kept.start);
    }
  }
}

}  // namespace duet::cpu
