#include "predict/code_fetch.h"

#include <algorithm>
#include <cmath>

namespace duet::predict {

CodeFetch::CodeFetch(const config::Machine& machine, const KernelRecording& recording,
                     const gpu::TimedKernel& timed, const Changes& changes, TagArray& tags, MemoryPath& path,
                     MemoryModel* memory)
    : cache_(machine.gpu.instruction_cache),
      end_(recording.grid->code_physical.value() +
           timed.machine_instructions * machine.gpu.sm.instruction_bytes),
      all_there_(changes.code_there),
      tags_(tags),
      path_(path),
      memory_(memory) {}

std::vector<CodeFetch::Coming>::iterator CodeFetch::first_to_come() {
  return std::min_element(coming_.begin(), coming_.end(),
                          [](const Coming& a, const Coming& b) { return a.arrival < b.arrival; });
}

void CodeFetch::arrived(Cycle now) {
  while (!coming_.empty()) {
    const auto first = first_to_come();
    if (first->arrival > now) return;
    tags_.read(first->line * cache_.line_bytes, (1u << cache_.line_bytes / 32) - 1);
    coming_.erase(first);
  }
}

Cycle CodeFetch::from_below(std::uint64_t address, Cycle from) {
  const unsigned depth = memory_ == nullptr ? 0 : memory_->fetch(address);
  const auto now = static_cast<double>(from);
  return static_cast<Cycle>(std::ceil(first_ && memory_ != nullptr
                                          ? path_.fetch_with_all(depth, memory_->slice_of(address), now)
                                          : path_.fetch(depth, now)));
}

// Asks for the lines after this one, as the instruction cache does: one a cycle.
void CodeFetch::look_ahead(std::uint64_t line, Cycle from) {
  for (std::uint64_t ahead = line + 1; ahead <= line + cache_.prefetch_lines; ++ahead) {
    const std::uint64_t address = ahead * cache_.line_bytes;
    if (address >= end_ || coming_.size() >= cache_.mshrs) return;
    if (tags_.holds(address) ||
        std::any_of(coming_.begin(), coming_.end(), [&](const Coming& c) { return c.line == ahead; }))
      continue;
    coming_.push_back({ahead, from_below(address, ++from), 0});
    prefetched_.push_back(ahead);
  }
}

CodeFetch::Answer CodeFetch::fetch(std::uint64_t address, Cycle now) {
  const std::uint64_t line = address / cache_.line_bytes;
  Cycle at = std::max(now, port_);
  arrived(at);
  const bool hit = tags_.read(address, (1u << cache_.line_bytes / 32) - 1, false) || all_there_;
  port_ = at + 1;
  const auto coming =
      std::find_if(coming_.begin(), coming_.end(), [&](const Coming& c) { return c.line == line; });
  if (!hit && coming != coming_.end()) {
    at = coming->arrival + coming->waiting++;
  } else if (!hit && coming_.size() >= cache_.mshrs) {
    return {first_to_come()->arrival, true};
  } else if (!hit) {
    const Cycle from = at;
    at = from_below(address, from);
    coming_.push_back({line, at, 1});
    look_ahead(line, from);
    first_ = false;
  }
  if (!prefetched_.empty() && std::erase(prefetched_, line) != 0) look_ahead(line, port_);
  return {at};
}

}  // namespace duet::predict
