#include "report/results/groups.h"

#include <algorithm>

namespace duet::report {

namespace {

// The group of `key`, or of `others` when it would be one too many.
template <typename Map>
typename Map::mapped_type& group_of(Map& groups, const typename Map::key_type& key,
                                    const typename Map::key_type& others) {
  const auto found = groups.find(key);
  if (found != groups.end()) return found->second;
  return groups[groups.size() < kMostGroups ? key : others];
}

}  // namespace

void Spread::add(std::uint64_t value) {
  ++count;
  sum += value;
  min = std::min(min, value);
  max = std::max(max, value);
}

template <typename Record>
void Times::add(const Record& record) {
  first_start_ps = std::min(first_start_ps, record.start_ps);
  last_end_ps = std::max(last_end_ps, record.end_ps);
  queued.add(record.driver_start_ps - record.queued_ps);
  prepared.add(record.start_ps - record.driver_start_ps);
  executed.add(record.end_ps - record.start_ps);
}

void KernelGroups::add(const KernelResult& kernel) {
  const auto& g = kernel.grid;
  const auto& b = kernel.block;
  KernelGroup& group =
      group_of(groups, {kernel.name, {g[0], g[1], g[2], b[0], b[1], b[2]}}, {kernel.name, Dimensions{}});
  ++group.launches;
  group.fast_forwarded += kernel.fast_forwarded;
  group.times.add(kernel);
  group.cycles.add(kernel.cycles);
  group.warp_instructions.add(kernel.warp_instructions);
  group.thread_instructions.add(kernel.thread_instructions);
  group.registers.add(kernel.registers);
  group.least_occupancy = std::min(group.least_occupancy, kernel.occupancy);
  group.most_occupancy = std::max(group.most_occupancy, kernel.occupancy);
  group.least_achieved_occupancy = std::min(group.least_achieved_occupancy, kernel.achieved_occupancy);
  group.most_achieved_occupancy = std::max(group.most_achieved_occupancy, kernel.achieved_occupancy);
  for (std::size_t i = 0; i < kIssueSlots; ++i) {
    group.issue_slots[i] += kernel.issue_slots[i];
    group.warp_cycles[i] += kernel.warp_cycles[i];
  }
  for (const CounterIncrease& increase : kernel.counters) {
    if (group.counters.size() <= increase.counter) group.counters.resize(increase.counter + 1);
    group.counters[increase.counter].add(increase.value);
  }
}

void CopyGroups::add(const CopyRecord& copy) {
  CopyGroup& group = group_of(groups, {copy.kind, copy.trigger, copy.action, copy.bytes},
                              {copy.kind, copy.trigger, copy.action, kDiffer});
  ++group.copies;
  group.times.add(copy);
  group.bytes.add(copy.bytes);
}

}  // namespace duet::report
