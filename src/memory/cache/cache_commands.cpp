// Clean and Invalidate as commands (cache_command.h): one after the other, each a pass over its lines.
#include "base/error.h"
#include "memory/cache/cache_steps.h"

namespace duet::memory {

void Cache::connect_commands(sim::Queue<CacheCommand>& commands, sim::Queue<std::uint32_t>* done) {
  commands_ = &commands;
  commands_done_ = done;
  commands.mark_pushes(&called_, kCommand);
}

// Before all other work of an edge: takes commands and goes on with the current one.
void Cache::serve_commands(Picoseconds now) {
  if (commands_ == nullptr) return;
  for (;;) {
    if (pass_.stage == Pass::Stage::Idle) {
      if (now < port_free_ || !commands_->can_pop(now)) return;
      begin_pass(now);
    }
    if (pass_.stage == Pass::Stage::Begins && now < pass_.begins) return;
    if (pass_.stage != Pass::Stage::Waits && !go_on_with_pass(now)) return;
    if (!finish_pass(now)) return;
  }
}

void Cache::begin_pass(Picoseconds now) {
  pass_ = Pass{};
  pass_.command = commands_->pop(now);
  CacheCommand& command = pass_.command;
  if (command.operation != Operation::Clean && command.operation != Operation::Invalidate)
    throw Error(name() + ": a command cleans or invalidates");
  const Bytes line_bytes = lines_.line_bytes();
  Bytes lines = lines_.lines();
  if (command.bytes == CacheCommand::kWhole) {
    command.base = PhysicalAddress();
  } else {
    pass_.first = lines_.line_of(command.base);
    const Bytes span = command.base - pass_.first + command.bytes + line_bytes - 1;
    pass_.by_address = span / line_bytes < lines;
    lines = command.bytes == 0 ? 0 : std::min(lines, span / line_bytes);
  }
  pass_.count = lines;
  pass_.stage = Pass::Stage::Begins;
  const std::uint64_t cycles = config_.command_cycles + lines * config_.command_line_cycles;
  pass_.begins = cycles == 0 ? now : clock_.edge_after(now, cycles);
  if (cycles != 0) port_free_ = pass_.begins;
}

// Returns whether all lines have been seen. One dirty line a cycle goes below.
bool Cache::go_on_with_pass(Picoseconds now) {
  pass_.stage = Pass::Stage::Goes;
  const CacheCommand& command = pass_.command;
  for (; pass_.at < pass_.count && lines_.held() != 0; ++pass_.at) {
    std::uint32_t index = static_cast<std::uint32_t>(pass_.at);
    if (pass_.by_address) index = lines_.find(pass_.first + pass_.at * lines_.line_bytes());
    if (index == kNone || lines_.tag(index) == LineArray::kNoTag) continue;
    const PhysicalAddress line = lines_.tag(index);
    const ByteMask range = part_of_range(command.base, command.bytes, line, lines_.line_bytes());
    const ByteMask dirty = lines_[index].dirty & range;
    if (command.operation == Operation::Invalidate) {
      if (any(range)) forget(index, range & ~dirty);
      continue;
    }
    if (!any(dirty)) continue;
    const Outcome room = room_below(now, TrafficClass::NonTriggered);
    if (room != Outcome::Done) {
      again_ |= room == Outcome::NextCycle;
      return false;
    }
    write_back(now, line, index, dirty, nullptr);
  }
  if (command.operation == Operation::Clean) {
    for (std::uint32_t i = first_transit_; i != kNone; i = transits_[i].next) {
      Transit& transit = transits_[i];
      if (transit.own == kNoRequest) continue;
      transit.awaited = any(part_of_range(command.base, command.bytes, transit.line, lines_.line_bytes()));
      pass_.unacknowledged += transit.awaited;
    }
  }
  pass_.stage = Pass::Stage::Waits;
  return true;
}

// Answers the command when all its writes have been acknowledged.
bool Cache::finish_pass(Picoseconds now) {
  if (pass_.stage != Pass::Stage::Waits || pass_.unacknowledged != 0) return false;
  if (commands_done_ != nullptr) {
    if (!commands_done_->can_push(now)) return false;
    commands_done_->push(now, pass_.command.tag);
  }
  pass_.stage = Pass::Stage::Idle;
  again_ |= commands_->can_pop(now);
  return true;
}

}  // namespace duet::memory
