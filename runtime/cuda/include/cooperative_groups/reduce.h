/* Reductions over a group: the result is every thread's. Source: CUDA C++ programming guide, cg::reduce. */
#ifndef DUET_COOPERATIVE_GROUPS_REDUCE_H
#define DUET_COOPERATIVE_GROUPS_REDUCE_H

#include "cooperative_groups.h"

#if defined(__clang__) && defined(__CUDA__)

namespace cooperative_groups {

#define DUET_GROUP_OPERATION(name, expression)                              \
  template <typename T = void>                                              \
  struct name {                                                             \
    template <typename V>                                                   \
    __device__ __forceinline__ V operator()(const V& a, const V& b) const { \
      return expression;                                                    \
    }                                                                       \
  };
DUET_GROUP_OPERATION(plus, a + b)
DUET_GROUP_OPERATION(less, b < a ? b : a)
DUET_GROUP_OPERATION(greater, a < b ? b : a)
DUET_GROUP_OPERATION(bit_and, a& b)
DUET_GROUP_OPERATION(bit_or, a | b)
DUET_GROUP_OPERATION(bit_xor, a ^ b)
#undef DUET_GROUP_OPERATION

template <unsigned kSize, typename Parent, typename T, typename F>
DUET_GROUP T reduce(const thread_block_tile<kSize, Parent>& group, const T& value, F&& operation) {
  T result = value;
  if constexpr (kSize <= 32) {
#pragma unroll
    for (unsigned delta = kSize / 2; delta != 0; delta /= 2)
      result = operation(result, group.shfl_xor(result, delta));
    return result;
  } else {
#pragma unroll
    for (unsigned delta = 16; delta != 0; delta /= 2)
      result = operation(result, duet::shuffled(result, [=](int word) {
                           return __shfl_xor_sync(~0u, word, static_cast<int>(delta));
                         }));
    bool first = true;
    T all = result;
    group.exchange(result, [&](const T& its) {
      all = first ? its : operation(all, its);
      first = false;
    });
    return all;
  }
}

template <typename T, typename F>
DUET_GROUP T reduce(const coalesced_group& group, const T& value, F&& operation) {
  T result = value;
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    const T other = group.shfl_down(result, delta);
    if (rank + delta < group.size()) result = operation(result, other);
  }
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#endif
#endif
