#include "cpu/line_misses.h"

#include <utility>

namespace duet::cpu {

LineMiss& LineMisses::ask(std::uint64_t line, bool exclusive, Cycle cycle) {
  ++statistics_.requests;
  LineMiss& made = misses_.emplace_back();
  made.line = line;
  made.exclusive = exclusive;
  port_.send(cycle, exclusive ? memory::CoherenceKind::GetExclusive : memory::CoherenceKind::GetShared, line);
  return made;
}

LineMiss LineMisses::take(std::uint64_t line) {
  LineMiss* const found = find(line);
  LineMiss miss = std::move(*found);
  misses_.erase(misses_.begin() + (found - misses_.data()));
  if (miss.data) --data_;
  return miss;
}

}  // namespace duet::cpu
