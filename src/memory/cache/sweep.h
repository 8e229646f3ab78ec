// The clean and invalidate commands of a cache (cache_command.h), one after the other: each sweeps over the
// lines of its range.
//
//   const std::uint64_t visited = sweep.take(now, lines, name); ... sweep.begin_at(when);
//   for (; sweep.has_line(); sweep.next_line())
//     clean(sweep.line(lines));  // kNone: that line of the range is not held
//   sweep.wait_for(writes); ... sweep.acknowledged(); ... sweep.finish(now);
//
// Left out: the work on a line (cache_commands.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory/cache/cache_command.h"
#include "memory/cache/line_array.h"
#include "sim/queue.h"

namespace duet::memory {

class Sweep {
 public:
  enum class Stage : std::uint8_t { Idle, Begins, Goes, Waits };

  // `done` may be null. `called`, a bit of it, is set when a command is pushed.
  void connect(sim::Queue<CacheCommand>& commands, sim::Queue<std::uint32_t>* done, std::uint64_t* called,
               std::uint64_t bit) {
    commands_ = &commands;
    done_ = done;
    commands.mark_pushes(called, bit);
  }
  bool connected() const { return commands_ != nullptr; }
  Stage stage() const { return stage_; }
  bool idle() const { return stage_ == Stage::Idle; }
  bool has_command(Picoseconds now) const { return commands_->can_pop(now); }
  // There is one, here or on its way.
  bool has_any() const { return !idle() || !commands_->empty(); }
  Picoseconds next_arrival(Picoseconds now) const { return commands_->next_arrival(now); }

  // The next command. Returns how many lines it visits. Throws duet::Error, in the name of `owner`, for one
  // that neither cleans nor invalidates.
  std::uint64_t take(Picoseconds now, const LineArray& lines, const std::string& owner);
  void begin_at(Picoseconds when) { begins_ = when; }
  bool has_begun(Picoseconds now) const { return now >= begins_; }

  const CacheCommand& command() const { return command_; }
  void go() { stage_ = Stage::Goes; }
  bool has_line() const { return at_ < count_; }
  void next_line() { ++at_; }
  // kNone: that line of the range is not held.
  std::uint32_t line(const LineArray& lines) const {
    auto index = static_cast<std::uint32_t>(at_);
    if (by_address_) index = lines.find(first_ + at_ * lines.line_bytes());
    return index == LineArray::kNone || lines.tag(index) == LineArray::kNoTag ? LineArray::kNone : index;
  }

  // All lines have been seen; so many writes below are not acknowledged yet.
  void wait_for(std::size_t writes) {
    stage_ = Stage::Waits;
    unacknowledged_ = writes;
  }
  void acknowledged() { --unacknowledged_; }
  // Answers the command. False: writes are missing, or there is no room.
  bool finish(Picoseconds now) {
    if (stage_ != Stage::Waits || unacknowledged_ != 0) return false;
    if (done_ != nullptr) {
      if (!done_->can_push(now)) return false;
      done_->push(now, command_.tag);
    }
    stage_ = Stage::Idle;
    return true;
  }

 private:
  sim::Queue<CacheCommand>* commands_ = nullptr;
  sim::Queue<std::uint32_t>* done_ = nullptr;
  Stage stage_ = Stage::Idle;
  bool by_address_ = false;  // the lines of its range; otherwise all lines of the cache
  CacheCommand command_;
  PhysicalAddress first_;             // line of its range
  std::uint64_t count_ = 0, at_ = 0;  // lines
  Picoseconds begins_ = 0;
  std::size_t unacknowledged_ = 0;  // writes below
};

inline std::uint64_t Sweep::take(Picoseconds now, const LineArray& lines, const std::string& owner) {
  command_ = commands_->pop(now);
  if (command_.operation != Operation::Clean && command_.operation != Operation::Invalidate)
    throw Error(owner + ": a command cleans or invalidates");
  const Bytes line_bytes = lines.line_bytes();
  count_ = lines.lines();
  by_address_ = false;
  if (command_.bytes == CacheCommand::kWhole) {
    command_.base = PhysicalAddress();
  } else {
    first_ = lines.line_of(command_.base);
    const Bytes span = command_.base - first_ + command_.bytes + line_bytes - 1;
    by_address_ = span / line_bytes < count_;
    count_ = command_.bytes == 0 ? 0 : std::min(count_, span / line_bytes);
  }
  at_ = 0;
  stage_ = Stage::Begins;
  return count_;
}

}  // namespace duet::memory
