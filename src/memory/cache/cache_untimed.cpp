// Fetches that step aside, what happens outside simulated time, and reports.
#include "memory/cache/cache.h"

namespace duet::memory {

// From now on only those who already wait see this fetch. They see the bytes as they are now and as the fetch
// brings them; all of them are reads.
void Cache::detach(std::uint32_t mshr) {
  MissTable::Register& miss = misses_[mshr];
  const std::uint32_t from = miss.line_index, to = lines_.side_line(mshr);
  lines_[to] = Line{};
  lines_[to].valid = lines_[from].valid;
  copy_masked(lines_.data(to), lines_.data(from), lines_[from].valid);
  miss.line_index = to;
  lines_[from].mshr = kNone;
  lines_.drop_bytes(from, {});
}

// Drops bytes of a held line, and keeps later requests from a fetch that is on its way.
void Cache::forget(std::uint32_t index, const ByteMask& bytes) {
  if (const std::uint32_t mshr = lines_[index].mshr; mshr != kNone) {
    if (misses_[mshr].ordered == 0) {
      detach(mshr);
    } else {
      misses_.append(misses_[mshr], CacheEntry{}, true);
    }
  }
  lines_.drop_bytes(index, bytes);
}

void Cache::drop_clean() {
  invalidate_after_ = kNever;
  for (std::uint32_t index = 0; index < lines_.lines(); ++index)
    if (lines_.tag(index) != LineArray::kNoTag) forget(index, ~lines_[index].dirty);
}

bool Cache::idle() const {
  for (const Pipeline& pipeline : pipelines_)
    if (pipeline.size != 0) return false;
  return misses_.in_use() == 0 && in_transit_ == 0;
}

const Line* Cache::find(Address address) {
  const std::uint32_t index = lines_.find(lines_.line_of(address));
  return index == kNone ? nullptr : &lines_[index];
}

std::string Cache::waits_for() const {
  if (misses_.first_ready() != kNone) return "room for answers above or for packets below";
  if (misses_.in_use() != 0 || in_transit_ != 0)
    return "answers to " + std::to_string(misses_.in_use()) + " lines and " + std::to_string(in_transit_) +
           " writes or other requests below";
  for (const Pipeline& pipeline : pipelines_)
    if (pipeline.size != 0) return "room for the request at the head of its pipeline";
  return {};
}

}  // namespace duet::memory
