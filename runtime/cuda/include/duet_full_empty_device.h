/* Loads and stores of device code that name what they do with full/empty bits (lustig2013, sections 4.5 and
 * 9). Included by duet_full_empty.h. CUDA C++, for clang and Duet: PTX that other assemblers do not know.
 *
 *   T duetLoad<Trigger><Action>(const T* address);
 *   void duetStore<Trigger><Action>(T* address, T value);
 *
 *   Trigger   Now    takes place at once, whatever the bits are (not written where the action is Fill)
 *             Full   waits until every granule that the access touches is full
 *             Empty  waits until every one is empty
 *   Action    (none) leaves the bits as they are
 *             Fill   makes these granules full once the access takes place
 *             Empty  makes them empty
 *
 *              none             Fill               Empty
 *   now        duetLoadNow      duetLoadFill       duetLoadNowEmpty
 *   full       duetLoadFull     duetLoadFullFill   duetLoadFullEmpty
 *   empty      duetLoadEmpty    duetLoadEmptyFill  duetLoadEmptyEmpty     and the same with duetStore.
 *
 * A plain load is duetLoadFull, a plain store duetStoreFill. T is trivially copyable, of 4 or 8 bytes, and
 * aligned. The compiler neither moves, merges nor removes these accesses, and a warp's accesses to tracked
 * memory take place in program order where one of them changes bits. What the memory beside them holds is
 * ordered as by plain accesses: __threadfence() before a fill that says that other words have been written.
 *
 * Errors: the kernel ends with cudaErrorIllegalAddress, and a line that names the instruction, where memory
 * has no bits (all but Now, which is a plain access there). A functional GPU refuses the kernel
 * (cudaErrorIllegalInstruction).
 *
 * Lanes of one instruction that touch one granule are one access: each gets the value and the bit changes
 * once. The lanes of a warp go on together, when all that they touch is as they want it, so one must not wait
 * for another of its warp. What waits holds its places on the way to memory. Two kernels that wait for each
 * other's accesses share the controller's queue of triggered GPU requests, in which only the head is observed
 * (lustig2013 4.3): they need gpu.full_empty.look_ahead to be the number of accesses that wait in a
 * controller at once, or one side that does not wait. */
#ifndef DUET_FULL_EMPTY_DEVICE_H
#define DUET_FULL_EMPTY_DEVICE_H

#define DUET_FULL_EMPTY_ACCESS(names, modifiers)                                                            \
  template <class T>                                                                                        \
  static __device__ __forceinline__ T duetLoad##names(const T* address) {                                   \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "full/empty bits: values of 4 or 8 bytes");             \
    if constexpr (sizeof(T) == 4) {                                                                         \
      unsigned int v;                                                                                       \
      asm volatile("ld" modifiers ".u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");                    \
      return __builtin_bit_cast(T, v);                                                                      \
    } else {                                                                                                \
      unsigned long long v;                                                                                 \
      asm volatile("ld" modifiers ".u64 %0, [%1];" : "=l"(v) : "l"(address) : "memory");                    \
      return __builtin_bit_cast(T, v);                                                                      \
    }                                                                                                       \
  }                                                                                                         \
  template <class T>                                                                                        \
  static __device__ __forceinline__ void duetStore##names(T* address, T value) {                            \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "full/empty bits: values of 4 or 8 bytes");             \
    if constexpr (sizeof(T) == 4)                                                                           \
      asm volatile("st" modifiers ".u32 [%0], %1;" ::"l"(address), "r"(__builtin_bit_cast(unsigned, value)) \
                   : "memory");                                                                             \
    else                                                                                                    \
      asm volatile("st" modifiers ".u64 [%0], %1;" ::"l"(address),                                          \
                   "l"(__builtin_bit_cast(unsigned long long, value))                                       \
                   : "memory");                                                                             \
  }

DUET_FULL_EMPTY_ACCESS(Now, ".now")
DUET_FULL_EMPTY_ACCESS(Full, ".full")
DUET_FULL_EMPTY_ACCESS(Empty, ".empty")
DUET_FULL_EMPTY_ACCESS(Fill, ".fill")
DUET_FULL_EMPTY_ACCESS(FullFill, ".full.fill")
DUET_FULL_EMPTY_ACCESS(EmptyFill, ".empty.fill")
DUET_FULL_EMPTY_ACCESS(NowEmpty, ".now.empty")
DUET_FULL_EMPTY_ACCESS(FullEmpty, ".full.empty")
DUET_FULL_EMPTY_ACCESS(EmptyEmpty, ".empty.empty")
#undef DUET_FULL_EMPTY_ACCESS

#endif
