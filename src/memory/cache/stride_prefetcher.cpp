#include "memory/cache/stride_prefetcher.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "sim/engine.h"

namespace duet::memory {

StridePrefetcher::StridePrefetcher(const config::StridePrefetch& config, const PhysicalMemory& memory,
                                   unsigned line_bytes, sim::Component& component)
    : config_(config),
      memory_(memory),
      line_bytes_(line_bytes),
      entries_(config.sets * config.ways),
      statistics_(component, "l1_prefetch.") {
  if (config.ways == 0 || !std::has_single_bit(config.sets))
    throw Error(component.name() + ": prefetch_sets must be a power of two, and prefetch_ways not 0");
}

void StridePrefetcher::observe(const CacheEvent& event) {
  const bool loads = event.operation == Operation::Read && event.by.agent == Agent::Sm;
  switch (event.kind) {
    case CacheEvent::Kind::Hit:
      if (!loads) return;
      statistics_.used += unseen_.erase(event.line.value());
      break;
    case CacheEvent::Kind::Merge:
      if (!loads) return;
      statistics_.late += unseen_.erase(event.line.value());
      break;
    case CacheEvent::Kind::Miss:
      statistics_.useless += unseen_.erase(event.line.value());
      if (!loads) return;
      break;
    case CacheEvent::Kind::Evict:
    case CacheEvent::Kind::Drop:
      statistics_.useless += unseen_.erase(event.line.value());
      return;
    default:
      return;
  }
  train(event);
}

// Sets by the PC and the warp; the least recently used entry goes.
StridePrefetcher::Entry* StridePrefetcher::find(std::uint32_t pc, std::uint16_t warp, bool take) {
  const std::size_t set = (std::size_t{warp} + std::size_t{pc} * 7) & (config_.sets - 1);
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(set * config_.ways);
  const auto end = begin + static_cast<std::ptrdiff_t>(config_.ways);
  const auto found = std::find_if(begin, end, [&](const Entry& entry) {
    return entry.last_use != 0 && entry.pc == pc && entry.warp == warp;
  });
  if (found != end) return &*found;
  if (!take) return nullptr;
  const auto oldest = std::min_element(
      begin, end, [](const Entry& one, const Entry& other) { return one.last_use < other.last_use; });
  *oldest = Entry{};
  oldest->pc = pc;
  oldest->warp = warp;
  return &*oldest;
}

void StridePrefetcher::train(const CacheEvent& event) {
  const PhysicalAddress address = event.line + first_byte(event.bytes);
  Entry* const entry = find(event.pc, event.warp, event.begins);
  if (entry == nullptr) return;
  if (event.begins) {
    const auto stride = static_cast<std::int64_t>(address.value() - entry->address.value());
    if (entry->last_use == 0) {
      entry->seen = 0;
    } else if (stride == entry->stride) {
      entry->seen = std::min(entry->seen + 1, config_.confidence);
    } else {
      entry->stride = stride;
      entry->seen = 1;
    }
    entry->address = address;
    entry->last_use = ++uses_;
  }
  if (entry->stride == 0 || entry->seen < config_.confidence) return;
  for (std::uint64_t i = 0; i < config_.degree; ++i)
    want(event, PhysicalAddress(address.value() +
                                static_cast<std::uint64_t>(entry->stride) * (config_.distance + i)));
}

// Not beyond the memory with frames.
void StridePrefetcher::want(const CacheEvent& event, PhysicalAddress address) {
  const PhysicalAddress line = address.aligned_down(line_bytes_);
  if (line == event.line || !memory_.map().is_at(Home::DeviceDram, line) ||
      memory_.backing(line).bytes == nullptr)
    return;
  for (const Wanted& other : wanted_)
    if (other.line == line) return;
  if (wanted_.size() == config_.queue_entries) {
    ++statistics_.dropped;
    return;
  }
  wanted_.push_back({line, event});
}

void StridePrefetcher::is_sent() {
  ++statistics_.issued;
  statistics_.useless += !unseen_.insert(wanted_.front().line.value()).second;
  wanted_.pop_front();
}

void StridePrefetcher::has_no_room() {
  ++statistics_.dropped;
  wanted_.pop_front();
}

void StridePrefetcher::has_no_room_for_any() {
  statistics_.dropped += wanted_.size();
  wanted_.clear();
}

}  // namespace duet::memory
