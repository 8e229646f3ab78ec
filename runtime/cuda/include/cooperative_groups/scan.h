/* Scans over the threads of a group within a warp, in the order of their ranks. Source: CUDA C++ programming
 * guide, cg::inclusive_scan and cg::exclusive_scan. */
#ifndef DUET_COOPERATIVE_GROUPS_SCAN_H
#define DUET_COOPERATIVE_GROUPS_SCAN_H

#include "cooperative_groups/reduce.h"

#if defined(__clang__) && defined(__CUDA__)

namespace cooperative_groups {

template <typename Group, typename T, typename F>
DUET_GROUP T inclusive_scan(const Group& group, const T& value, F&& operation) {
  T result = value;
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    const T other = group.shfl_up(result, delta);
    if (rank >= delta) result = operation(other, result);
  }
  return result;
}
template <typename Group, typename T>
DUET_GROUP T inclusive_scan(const Group& group, const T& value) {
  return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename F>
DUET_GROUP T exclusive_scan(const Group& group, const T& value, F&& operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
DUET_GROUP T exclusive_scan(const Group& group, const T& value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#endif
#endif
