// What the work-items of a group do together. Each function is a barrier, too.
//
//   work_group_reduce_add(x)  ->  every item's x in local memory, half of the items add the other half's, and so on
//
// They use no lanes of a warp, and so fit warps of any width.

// A word for each item of the largest group; one for all functions of a kernel.
static __attribute__((noinline)) __local ulong* scratch(void) {
  __local ulong* words;
  __asm__("{\n\t.shared .align 8 .b8 words[8192];\n\tmov.u64 %0, words;\n\t}" : "=l"(words));
  return words;
}

CONSTANT uint group_size(void) { return size(0) * size(1) * size(2); }
CONSTANT uint place_in_group(void) { return (item(2) * size(1) + item(1)) * size(0) + item(0); }

void OVERLOAD_TOGETHER work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  if ((flags & CLK_GLOBAL_MEM_FENCE) != 0 &&
      (scope == memory_scope_device || scope == memory_scope_all_svm_devices))
    fence(scope);
  __syncthreads();
}
void OVERLOAD_TOGETHER work_group_barrier(cl_mem_fence_flags flags) {
  work_group_barrier(flags, memory_scope_work_group);
}

int OVERLOAD_TOGETHER work_group_all(int predicate) { return __nvvm_bar0_and(predicate != 0); }
int OVERLOAD_TOGETHER work_group_any(int predicate) { return __nvvm_bar0_or(predicate != 0); }

#define SUM(a, b) ((a) + (b))
#define LEAST(a, b) ((b) < (a) ? (b) : (a))
#define MOST(a, b) ((a) < (b) ? (b) : (a))

#define REDUCE_AND_SCAN(name, operation, T, neutral)                         \
  T OVERLOAD_TOGETHER work_group_reduce_##name(T x) {                        \
    __local T* const words = (__local T*)scratch();                          \
    const uint own = place_in_group(), items = group_size();                 \
    words[own] = x;                                                          \
    __syncthreads();                                                         \
    for (uint rest = items; rest > 1;) {                                     \
      const uint half_of_them = (rest + 1) / 2;                              \
      if (own + half_of_them < rest)                                         \
        words[own] = operation(words[own], words[own + half_of_them]);       \
      rest = half_of_them;                                                   \
      __syncthreads();                                                       \
    }                                                                        \
    const T result = words[0];                                               \
    __syncthreads();                                                         \
    return result;                                                           \
  }                                                                          \
  T OVERLOAD_TOGETHER work_group_scan_inclusive_##name(T x) {                \
    __local T* const words = (__local T*)scratch();                          \
    const uint own = place_in_group(), items = group_size();                 \
    words[own] = x;                                                          \
    __syncthreads();                                                         \
    for (uint before = 1; before < items; before *= 2) {                     \
      const T other = own >= before ? words[own - before] : neutral;         \
      __syncthreads();                                                       \
      if (own >= before) words[own] = operation(other, words[own]);          \
      __syncthreads();                                                       \
    }                                                                        \
    const T result = words[own];                                             \
    __syncthreads();                                                         \
    return result;                                                           \
  }                                                                          \
  T OVERLOAD_TOGETHER work_group_scan_exclusive_##name(T x) {                \
    const T with_own = work_group_scan_inclusive_##name(x);                  \
    __local T* const words = (__local T*)scratch();                          \
    const uint own = place_in_group();                                       \
    words[own] = with_own;                                                   \
    __syncthreads();                                                         \
    const T result = own == 0 ? neutral : words[own - 1];                    \
    __syncthreads();                                                         \
    return result;                                                           \
  }
#define TOGETHER(T, least, most)                 \
  REDUCE_AND_SCAN(add, SUM, T, 0)                \
  REDUCE_AND_SCAN(min, LEAST, T, most)           \
  REDUCE_AND_SCAN(max, MOST, T, least)           \
  BROADCAST(T)
#define BROADCAST(T)                                                                      \
  static inline __attribute__((overloadable)) T of_item(T x, ulong number) {                                            \
    __local T* const words = (__local T*)scratch();                                       \
    if (place_in_group() == number) words[0] = x;                                         \
    __syncthreads();                                                                      \
    const T result = words[0];                                                            \
    __syncthreads();                                                                      \
    return result;                                                                        \
  }                                                                                       \
  T OVERLOAD_TOGETHER work_group_broadcast(T x, size_t a) { return of_item(x, a); }       \
  T OVERLOAD_TOGETHER work_group_broadcast(T x, size_t a, size_t b) {                     \
    return of_item(x, b * size(0) + a);                                                   \
  }                                                                                       \
  T OVERLOAD_TOGETHER work_group_broadcast(T x, size_t a, size_t b, size_t c) {           \
    return of_item(x, (c * size(1) + b) * size(0) + a);                                   \
  }
TOGETHER(int, INT_MIN, INT_MAX)
TOGETHER(uint, 0, UINT_MAX)
TOGETHER(long, LONG_MIN, LONG_MAX)
TOGETHER(ulong, 0, ULONG_MAX)
TOGETHER(float, -INFINITY, INFINITY)
TOGETHER(double, -(double)INFINITY, (double)INFINITY)
