// Clean and Invalidate as commands (cache_command.h): one after the other, each sweeps over its lines.
#include "memory/cache/cache_steps.h"

namespace duet::memory {

void Cache::connect_commands(sim::Queue<CacheCommand>& commands, sim::Queue<std::uint32_t>* done) {
  sweep_.connect(commands, done, &called_, kCommand);
}

// Before all other work of an edge: takes commands and goes on with the current one.
void Cache::serve_commands(Picoseconds now) {
  if (!sweep_.connected()) return;
  for (;;) {
    if (sweep_.idle()) {
      if (now < port_free_ || !sweep_.has_command(now)) return;
      const std::uint64_t lines = sweep_.take(now, lines_, name());
      const std::uint64_t cycles = config_.command_cycles + lines * config_.command_line_cycles;
      sweep_.begin_at(cycles == 0 ? now : clock_.edge_after(now, cycles));
      if (cycles != 0) port_free_ = clock_.edge_after(now, cycles);
    }
    if (sweep_.stage() == Sweep::Stage::Begins && !sweep_.has_begun(now)) return;
    if (sweep_.stage() != Sweep::Stage::Waits && !sweep_on(now)) return;
    if (!finish_sweep(now)) return;
  }
}

// What is on its way to reads that wait for it is not for later ones.
void Cache::give_up(std::uint32_t index, const ByteMask& bytes) {
  const std::uint32_t mshr = lines_[index].mshr;
  if (mshr != kNone && misses_[mshr].ordered == 0) detach(mshr);
  if (lines_.tag(index) != LineArray::kNoTag) forget(index, bytes);
}

// Returns whether all lines have been seen. One dirty line a cycle goes below.
bool Cache::sweep_on(Picoseconds now) {
  sweep_.go();
  const CacheCommand& command = sweep_.command();
  for (; sweep_.has_line() && lines_.held() != 0; sweep_.next_line()) {
    const std::uint32_t index = sweep_.line(lines_);
    if (index == kNone) continue;
    const PhysicalAddress line = lines_.tag(index);
    const ByteMask range = part_of_range(command.base, command.bytes, line, lines_.line_bytes());
    const ByteMask dirty = lines_[index].dirty & range;
    if (command.operation == Operation::Invalidate) {
      if (any(range)) give_up(index, range & ~dirty);
      continue;
    }
    if (!any(dirty)) continue;
    const Outcome room = below_.room(now, TrafficClass::NonTriggered);
    if (room != Outcome::Done) {
      again_ |= room == Outcome::NextCycle;
      return false;
    }
    write_back(now, line, index, dirty, nullptr);
  }
  std::size_t writes = 0;
  if (command.operation == Operation::Clean) {
    transits_.for_each([&](Transit& transit) {
      if (transit.own == kNoRequest) return;
      transit.awaited = any(part_of_range(command.base, command.bytes, transit.line, lines_.line_bytes()));
      writes += transit.awaited;
    });
  }
  sweep_.wait_for(writes);
  return true;
}

bool Cache::finish_sweep(Picoseconds now) {
  if (!sweep_.finish(now)) return false;
  again_ |= sweep_.has_command(now);
  return true;
}

}  // namespace duet::memory
