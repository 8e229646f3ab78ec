#include "memory/virtual/page_table.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.h"

namespace duet::memory {

void PageTable::map(const PageRun& run) {
  if (run.bytes == 0) return;
  const auto after = runs_.upper_bound(run.first);
  if ((after != runs_.end() && after->first < run.end()) ||
      (after != runs_.begin() && std::prev(after)->second.end() > run.first))
    throw Error("page table: a page at " + std::to_string(run.first.value()) + " is mapped already");
  if (run.first % page_bytes_ != run.physical % page_bytes_)
    throw Error("page table: " + std::to_string(run.first.value()) + " lies elsewhere in its page than " +
                std::to_string(run.physical.value()) + " in its frame");
  runs_.emplace(run.first, run);
}

// Where a run crosses `at`, it becomes two.
void PageTable::split(VirtualAddress at) {
  auto it = runs_.upper_bound(at);
  if (it == runs_.begin()) return;
  PageRun& lower = std::prev(it)->second;
  if (lower.first == at || !lower.holds(at)) return;
  PageRun upper = lower;
  upper.first = at;
  upper.physical = lower[at];
  upper.bytes = lower.end() - at;
  lower.bytes = at - lower.first;
  runs_.emplace(at, upper);
}

void PageTable::unmap(VirtualAddress first, Bytes bytes) {
  split(first);
  split(first + bytes);
  runs_.erase(runs_.lower_bound(first), runs_.lower_bound(first + bytes));
  ++generation_;
}

void PageTable::remap(VirtualAddress address, PhysicalAddress frame) {
  const VirtualAddress page = address.aligned_down(page_bytes_);
  split(page);
  split(page + page_bytes_);
  for (auto it = runs_.lower_bound(page); it != runs_.end() && it->first < page + page_bytes_; ++it)
    it->second.physical = frame + (it->first - page);
  ++generation_;
}

const PageRun& PageTable::find(VirtualAddress address) const {
  static const PageRun kNothing;
  const auto after = runs_.upper_bound(address);
  if (after == runs_.begin()) return kNothing;
  const PageRun& run = std::prev(after)->second;
  return run.holds(address) ? run : kNothing;
}

VirtualAddress PageTable::virtual_of(PhysicalAddress physical) const {
  for (const auto& [first, run] : runs_)
    if (physical - run.physical < run.bytes) return first + (physical - run.physical);
  return {};
}

}  // namespace duet::memory
