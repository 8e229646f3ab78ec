// OpenCL C 2.0's atomics and fences: an instruction without order, between fences.
//
//   atomic_fetch_add_explicit(p, 1, memory_order_acq_rel, memory_scope_device)
//     ->  membar.gl; atom.global.add.u32; membar.gl
//
// A PTX target before sm_70 has no instruction with an order. The scope is the fence's: a work-group's is .cta, the
// device's .gl, all devices' .sys. A read-modify-write is the device's, or where it concerns all devices .sys. Inside,
// accesses are not volatile: an atomic one is never left out, and clang finds its state space only where it may change
// the pointer.
static inline void fence(memory_scope scope) {
  switch (scope) {
    case memory_scope_work_item:
      break;
    case memory_scope_device:
      __nvvm_membar_gl();
      break;
    case memory_scope_all_svm_devices:
      __nvvm_membar_sys();
      break;
    default:
      __nvvm_membar_cta();
  }
}
static inline void fence_before(memory_order order, memory_scope scope) {
  if (order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst) fence(scope);
}
static inline void fence_after(memory_order order, memory_scope scope) {
  if (order == memory_order_acquire || order == memory_order_acq_rel || order == memory_order_seq_cst) fence(scope);
}

void OVERLOAD_EFFECT atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  if (order == memory_order_relaxed) return;
  fence((flags & CLK_GLOBAL_MEM_FENCE) != 0 || scope == memory_scope_work_item ? scope : memory_scope_work_group);
}

// FETCH(operation, C type of the object, of the operand, address space, PTX's operation and type, constraint)
#define FETCH(operation, T, V, space, ptx, letter)                                                               \
  T OVERLOAD_EFFECT atomic_fetch_##operation##_explicit(volatile space atomic_##T* p, V value, memory_order order,  \
                                                        memory_scope scope) {                                     \
    T old;                                                                                                        \
    fence_before(order, scope);                                                                                   \
    if (scope == memory_scope_all_svm_devices)                                                                    \
      __asm__ volatile("atom.sys." ptx " %0, [%1], %2;"                                                           \
                       : "=" letter(old)                                                                          \
                       : "l"((volatile T*)p), letter(NEGATED_##operation((T)value))                                \
                       : "memory");                                                                               \
    else                                                                                                          \
      old = __opencl_atomic_fetch_##operation((space atomic_##T*)p, (T)value, memory_order_relaxed, memory_scope_device);            \
    fence_after(order, scope);                                                                                    \
    return old;                                                                                                   \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_fetch_##operation##_explicit(volatile space atomic_##T* p, V value, memory_order order) { \
    return atomic_fetch_##operation##_explicit(p, value, order, memory_scope_device);                             \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_fetch_##operation(volatile space atomic_##T* p, V value) {                             \
    return atomic_fetch_##operation##_explicit(p, value, memory_order_seq_cst, memory_scope_device);              \
  }
#define NEGATED_add(value) value
#define NEGATED_sub(value) -(value)
#define NEGATED_and(value) value
#define NEGATED_or(value) value
#define NEGATED_xor(value) value
#define NEGATED_min(value) value
#define NEGATED_max(value) value

#define FETCHES(T, V, space, sign, bits, letter)             \
  FETCH(add, T, V, space, "add.u" #bits, letter)             \
  FETCH(sub, T, V, space, "add.u" #bits, letter)             \
  FETCH(and, T, V, space, "and.b" #bits, letter)             \
  FETCH(or, T, V, space, "or.b" #bits, letter)               \
  FETCH(xor, T, V, space, "xor.b" #bits, letter)             \
  FETCH(min, T, V, space, "min." sign #bits, letter)         \
  FETCH(max, T, V, space, "max." sign #bits, letter)

// EXCHANGES(C type, address space, bits, unsigned type of as many bits, constraint)
#define EXCHANGES(T, space, bits, U, letter)                                                                      \
  void OVERLOAD_EFFECT atomic_init(volatile space atomic_##T* p, T value) { *(volatile space T*)p = value; }      \
  void OVERLOAD_EFFECT atomic_store_explicit(volatile space atomic_##T* p, T value, memory_order order,           \
                                             memory_scope scope) {                                                \
    fence_before(order, scope);                                                                                   \
    __opencl_atomic_store((space atomic_##T*)p, value, memory_order_relaxed, memory_scope_device);                                   \
    if (order == memory_order_seq_cst) fence(scope);                                                              \
  }                                                                                                               \
  void OVERLOAD_EFFECT atomic_store_explicit(volatile space atomic_##T* p, T value, memory_order order) {         \
    atomic_store_explicit(p, value, order, memory_scope_device);                                                  \
  }                                                                                                               \
  void OVERLOAD_EFFECT atomic_store(volatile space atomic_##T* p, T value) {                                      \
    atomic_store_explicit(p, value, memory_order_seq_cst, memory_scope_device);                                   \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_load_explicit(volatile space atomic_##T* p, memory_order order, memory_scope scope) {  \
    if (order == memory_order_seq_cst) fence(scope);                                                              \
    const T value = __opencl_atomic_load((space atomic_##T*)p, memory_order_relaxed, memory_scope_device);                           \
    fence_after(order, scope);                                                                                    \
    return value;                                                                                                 \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_load_explicit(volatile space atomic_##T* p, memory_order order) {                      \
    return atomic_load_explicit(p, order, memory_scope_device);                                                   \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_load(volatile space atomic_##T* p) {                                                   \
    return atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device);                                    \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_exchange_explicit(volatile space atomic_##T* p, T value, memory_order order,           \
                                             memory_scope scope) {                                                \
    U old;                                                                                                        \
    fence_before(order, scope);                                                                                   \
    if (scope == memory_scope_all_svm_devices)                                                                    \
      __asm__ volatile("atom.sys.exch.b" #bits " %0, [%1], %2;"                                                   \
                       : "=" letter(old)                                                                          \
                       : "l"((volatile T*)p), letter(as_##U(value))                                               \
                       : "memory");                                                                               \
    else                                                                                                          \
      old = __opencl_atomic_exchange((space atomic_##U*)p, as_##U(value), memory_order_relaxed,          \
                                     memory_scope_device);                                                        \
    fence_after(order, scope);                                                                                    \
    return as_##T(old);                                                                                           \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_exchange_explicit(volatile space atomic_##T* p, T value, memory_order order) {         \
    return atomic_exchange_explicit(p, value, order, memory_scope_device);                                        \
  }                                                                                                               \
  T OVERLOAD_EFFECT atomic_exchange(volatile space atomic_##T* p, T value) {                                      \
    return atomic_exchange_explicit(p, value, memory_order_seq_cst, memory_scope_device);                         \
  }                                                                                                               \
  static inline U swapped_##space##T(volatile space atomic_##T* p, T expected, T desired, memory_scope scope) {   \
    U old = as_##U(expected);                                                                                     \
    if (scope == memory_scope_all_svm_devices)                                                                    \
      __asm__ volatile("atom.sys.cas.b" #bits " %0, [%1], %2, %3;"                                                \
                       : "=" letter(old)                                                                          \
                       : "l"((volatile T*)p), letter(as_##U(expected)), letter(as_##U(desired))                   \
                       : "memory");                                                                               \
    else                                                                                                          \
      __opencl_atomic_compare_exchange_strong((space atomic_##U*)p, &old, as_##U(desired),               \
                                              memory_order_relaxed, memory_order_relaxed, memory_scope_device);   \
    return old;                                                                                                   \
  }                                                                                                               \
  COMPARE(strong, T, space, , U)                                                                                  \
  COMPARE(weak, T, space, , U)                                                                                    \
  COMPARE(strong, T, space, __global, U)                                                                          \
  COMPARE(weak, T, space, __global, U)                                                                            \
  COMPARE(strong, T, space, __local, U)                                                                           \
  COMPARE(weak, T, space, __local, U)

// An `expected` in private memory has the name of one in any memory.
#define COMPARE(kind, T, space, where, U)                                                                         \
  bool OVERLOAD_EFFECT atomic_compare_exchange_##kind##_explicit(volatile space atomic_##T* p, where T* expected, \
                                                                 T desired, memory_order success,                 \
                                                                 memory_order failure, memory_scope scope) {      \
    const U wanted = as_##U(*expected);                                                                           \
    fence_before(success, scope);                                                                                 \
    const U old = swapped_##space##T(p, *expected, desired, scope);                                               \
    fence_after(old == wanted ? success : failure, scope);                                                        \
    if (old != wanted) *expected = as_##T(old);                                                                   \
    return old == wanted;                                                                                         \
  }                                                                                                               \
  bool OVERLOAD_EFFECT atomic_compare_exchange_##kind##_explicit(                                                 \
      volatile space atomic_##T* p, where T* expected, T desired, memory_order success, memory_order failure) {   \
    return atomic_compare_exchange_##kind##_explicit(p, expected, desired, success, failure, memory_scope_device); \
  }                                                                                                               \
  bool OVERLOAD_EFFECT atomic_compare_exchange_##kind(volatile space atomic_##T* p, where T* expected, T desired) { \
    return atomic_compare_exchange_##kind##_explicit(p, expected, desired, memory_order_seq_cst,                  \
                                                     memory_order_seq_cst, memory_scope_device);                  \
  }

#define FLAGS(space)                                                                                              \
  bool OVERLOAD_EFFECT atomic_flag_test_and_set_explicit(volatile space atomic_flag* p, memory_order order,       \
                                                         memory_scope scope) {                                    \
    return atomic_exchange_explicit((volatile space atomic_int*)p, 1, order, scope) != 0;                         \
  }                                                                                                               \
  bool OVERLOAD_EFFECT atomic_flag_test_and_set_explicit(volatile space atomic_flag* p, memory_order order) {     \
    return atomic_flag_test_and_set_explicit(p, order, memory_scope_device);                                      \
  }                                                                                                               \
  bool OVERLOAD_EFFECT atomic_flag_test_and_set(volatile space atomic_flag* p) {                                  \
    return atomic_flag_test_and_set_explicit(p, memory_order_seq_cst, memory_scope_device);                       \
  }                                                                                                               \
  void OVERLOAD_EFFECT atomic_flag_clear_explicit(volatile space atomic_flag* p, memory_order order,              \
                                                  memory_scope scope) {                                           \
    atomic_store_explicit((volatile space atomic_int*)p, 0, order, scope);                                        \
  }                                                                                                               \
  void OVERLOAD_EFFECT atomic_flag_clear_explicit(volatile space atomic_flag* p, memory_order order) {            \
    atomic_flag_clear_explicit(p, order, memory_scope_device);                                                    \
  }                                                                                                               \
  void OVERLOAD_EFFECT atomic_flag_clear(volatile space atomic_flag* p) {                                         \
    atomic_flag_clear_explicit(p, memory_order_seq_cst, memory_scope_device);                                     \
  }

#define IN_SPACE(space)                         \
  FETCHES(int, int, space, "s", 32, "r")        \
  FETCHES(uint, uint, space, "u", 32, "r")      \
  FETCHES(long, long, space, "s", 64, "l")      \
  FETCHES(ulong, ulong, space, "u", 64, "l")    \
  EXCHANGES(int, space, 32, uint, "r")          \
  EXCHANGES(uint, space, 32, uint, "r")         \
  EXCHANGES(float, space, 32, uint, "r")        \
  EXCHANGES(long, space, 64, ulong, "l")        \
  EXCHANGES(ulong, space, 64, ulong, "l")       \
  EXCHANGES(double, space, 64, ulong, "l")      \
  FLAGS(space)                                  \
  FETCH(add, ulong, long, space, "add.u64", "l") \
  FETCH(sub, ulong, long, space, "add.u64", "l") \
  FETCH(and, ulong, long, space, "and.b64", "l") \
  FETCH(or, ulong, long, space, "or.b64", "l")   \
  FETCH(xor, ulong, long, space, "xor.b64", "l") \
  FETCH(min, ulong, long, space, "min.u64", "l") \
  FETCH(max, ulong, long, space, "max.u64", "l") \
  FETCH(and, long, ulong, space, "and.b64", "l") \
  FETCH(or, long, ulong, space, "or.b64", "l")   \
  FETCH(xor, long, ulong, space, "xor.b64", "l") \
  FETCH(min, long, ulong, space, "min.s64", "l") \
  FETCH(max, long, ulong, space, "max.s64", "l")

IN_SPACE()
IN_SPACE(__global)
IN_SPACE(__local)

// The 64-bit atomics of the extensions to 1.x.
#define OLDER(T, space)                                                                                          \
  T OVERLOAD_EFFECT atom_add(volatile space T* p, T value) { return OLD_FETCH(add, T, space, value); }           \
  T OVERLOAD_EFFECT atom_sub(volatile space T* p, T value) { return OLD_FETCH(sub, T, space, value); }           \
  T OVERLOAD_EFFECT atom_inc(volatile space T* p) { return OLD_FETCH(add, T, space, 1); }                        \
  T OVERLOAD_EFFECT atom_dec(volatile space T* p) { return OLD_FETCH(sub, T, space, 1); }                        \
  T OVERLOAD_EFFECT atom_min(volatile space T* p, T value) { return OLD_FETCH(min, T, space, value); }           \
  T OVERLOAD_EFFECT atom_max(volatile space T* p, T value) { return OLD_FETCH(max, T, space, value); }           \
  T OVERLOAD_EFFECT atom_and(volatile space T* p, T value) { return OLD_FETCH(and, T, space, value); }           \
  T OVERLOAD_EFFECT atom_or(volatile space T* p, T value) { return OLD_FETCH(or, T, space, value); }             \
  T OVERLOAD_EFFECT atom_xor(volatile space T* p, T value) { return OLD_FETCH(xor, T, space, value); }           \
  T OVERLOAD_EFFECT atom_xchg(volatile space T* p, T value) {                                                    \
    return __opencl_atomic_exchange((space atomic_##T*)p, value, memory_order_relaxed,                  \
                                    memory_scope_device);                                                        \
  }                                                                                                              \
  T OVERLOAD_EFFECT atom_cmpxchg(volatile space T* p, T expected, T desired) {                                   \
    __opencl_atomic_compare_exchange_strong((space atomic_##T*)p, &expected, desired,                   \
                                            memory_order_relaxed, memory_order_relaxed, memory_scope_device);    \
    return expected;                                                                                             \
  }
#define OLD_FETCH(operation, T, space, value)                                                              \
  __opencl_atomic_fetch_##operation((space atomic_##T*)p, value, memory_order_relaxed,            \
                                    memory_scope_device)
OLDER(long, __global)
OLDER(long, __local)
OLDER(ulong, __global)
OLDER(ulong, __local)
