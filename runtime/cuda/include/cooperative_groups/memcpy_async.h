/* Copies by a group. They are made at once, word by word, and wait() is the group's barrier: the programs'
 * results are those of copies in the background, their time is not. */
#ifndef DUET_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define DUET_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "cooperative_groups.h"

#if defined(__clang__) && defined(__CUDA__)

namespace cooperative_groups {

template <typename Group, typename To, typename From, typename Bytes>
DUET_GROUP void memcpy_async(const Group& group, To* to, const From* from, const Bytes& bytes) {
  const unsigned long long size = static_cast<unsigned long long>(bytes);
  const unsigned long long rank = group.thread_rank(), threads = group.size();
  char* const target = reinterpret_cast<char*>(to);
  const char* const source = reinterpret_cast<const char*>(from);
  const bool words =
      ((reinterpret_cast<unsigned long long>(to) | reinterpret_cast<unsigned long long>(from) | size) & 3) ==
      0;
  if (words)
    for (unsigned long long i = rank; i < size / 4; i += threads)
      reinterpret_cast<unsigned*>(target)[i] = reinterpret_cast<const unsigned*>(source)[i];
  else
    for (unsigned long long i = rank; i < size; i += threads) target[i] = source[i];
}
/* Both layouts count elements; as many are copied as both have. */
template <typename Group, typename T, typename ToCount, typename FromCount>
DUET_GROUP void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                             const FromCount& from_count) {
  const unsigned long long count = to_count < from_count ? to_count : from_count;
  memcpy_async(group, to, from, count * sizeof(T));
}

template <typename Group>
DUET_GROUP void wait(const Group& group) {
  group.sync();
}
template <unsigned kStages, typename Group>
DUET_GROUP void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif
#endif
