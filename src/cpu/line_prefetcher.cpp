#include "cpu/line_prefetcher.h"

#include "rv64/memory.h"

namespace duet::cpu {

// False: there is no room for another miss.
bool LinePrefetcher::prefetch(std::uint64_t line, Cycle cycle) {
  if (misses_.count() >= config_.misses) return false;
  if (caches_.outer(line) != nullptr || misses_.find(line) != nullptr) return true;
  misses_.ask(line, false, cycle).prefetch = true;
  ++statistics_.prefetches;
  return true;
}

void LinePrefetcher::after(std::uint64_t line, Cycle cycle) {
  if (!next_lines_) return;
  for (std::uint64_t i = 1; i <= config_.prefetch_lines; ++i) {
    const std::uint64_t next = line + i * line_bytes_;
    if (next / rv64::kPageBytes != line / rv64::kPageBytes || !prefetch(next, cycle)) return;
  }
}

void LinePrefetcher::follow_stream(std::uint64_t line, Cycle cycle) {
  const auto line_bytes = static_cast<std::int64_t>(line_bytes_);
  const StreamDetector::Ahead ahead = streams_.observe(
      static_cast<std::int64_t>(line) / line_bytes, static_cast<std::int64_t>(rv64::kPageBytes) / line_bytes,
      static_cast<std::int64_t>(config_.prefetch_lines));
  for (unsigned i = 0; i < ahead.count; ++i) {
    const std::int64_t next = ahead.first + static_cast<int>(i) * ahead.step;
    if (prefetch(static_cast<std::uint64_t>(next * line_bytes), cycle)) continue;
    streams_.give_back(ahead.count - i);
    return;
  }
}

}  // namespace duet::cpu
