// An atomic operation on *data with *value, for each order, scope and type:
// memory_atomic_add_global_scar_system_s64_kernel.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define scope_agent memory_scope_device
#define scope_system memory_scope_all_svm_devices
#define order_rlx memory_order_relaxed
#define order_scacq memory_order_acquire
#define order_screl memory_order_release
#define order_scar memory_order_acq_rel
// What a load, or an exchange that fails, may have of an order.
#define load_rlx memory_order_relaxed
#define load_scacq memory_order_acquire
#define load_screl memory_order_relaxed
#define load_scar memory_order_acquire

#define add(type, order, load_order, scope) atomic_fetch_add_explicit(data, *value, order, scope)
#define sub(type, order, load_order, scope) atomic_fetch_sub_explicit(data, *value, order, scope)
#define min_(type, order, load_order, scope) atomic_fetch_min_explicit(data, *value, order, scope)
#define max_(type, order, load_order, scope) atomic_fetch_max_explicit(data, *value, order, scope)
#define and_(type, order, load_order, scope) atomic_fetch_and_explicit(data, *value, order, scope)
#define or_(type, order, load_order, scope) atomic_fetch_or_explicit(data, *value, order, scope)
#define xor_(type, order, load_order, scope) atomic_fetch_xor_explicit(data, *value, order, scope)
#define exch(type, order, load_order, scope) atomic_exchange_explicit(data, *value, order, scope)
#define cas(type, order, load_order, scope) \
  type expected = *value;                   \
  atomic_compare_exchange_strong_explicit(data, &expected, *value, order, load_order, scope)
// Up to the value and from 0 again, and down.
#define CHANGE(type, order, load_order, scope, changed)                      \
  type old = atomic_load_explicit(data, memory_order_relaxed, scope);        \
  while (!atomic_compare_exchange_strong_explicit(data, &old, changed, order, load_order, scope)) {}
#define wrapinc(type, order, load_order, scope) \
  CHANGE(type, order, load_order, scope, old >= *value ? 0 : old + 1)
#define wrapdec(type, order, load_order, scope) \
  CHANGE(type, order, load_order, scope, old == 0 || old > *value ? *value : old - 1)

#define KERNEL(name, code, order, scope, suffix, type)                                                      \
  kernel void memory_atomic_##name##_global_##order##_##scope##_##suffix##_kernel(                          \
      global atomic_##type* data, global const type* value) {                                               \
    code(type, order_##order, load_##order, scope_##scope);                                                                 \
  }
#define SCOPES(name, code, order, suffix, type) \
  KERNEL(name, code, order, agent, suffix, type) KERNEL(name, code, order, system, suffix, type)
#define ORDERS(name, code, suffix, type)                                                 \
  SCOPES(name, code, rlx, suffix, type) SCOPES(name, code, scacq, suffix, type)          \
  SCOPES(name, code, screl, suffix, type) SCOPES(name, code, scar, suffix, type)
#define NUMBERS(name, code)                                                              \
  ORDERS(name, code, s32, int) ORDERS(name, code, s64, long)                             \
  ORDERS(name, code, u32, uint) ORDERS(name, code, u64, ulong)
#define BITS(name, code) ORDERS(name, code, b32, uint) ORDERS(name, code, b64, ulong)
#define COUNTERS(name, code) ORDERS(name, code, u32, uint) ORDERS(name, code, u64, ulong)

NUMBERS(add, add)
NUMBERS(sub, sub)
NUMBERS(min, min_)
NUMBERS(max, max_)
BITS(and, and_)
BITS(or, or_)
BITS(xor, xor_)
BITS(exch, exch)
BITS(cas, cas)
COUNTERS(wrapinc, wrapinc)
COUNTERS(wrapdec, wrapdec)

// A load gives back what it has loaded.
#define LOAD(order, scope, suffix, type)                                                                    \
  kernel void memory_atomic_ld_global_##order##_##scope##_##suffix##_kernel(                                \
      global atomic_##type* data, global atomic_##type* value) {                                            \
    const type loaded = atomic_load_explicit(value, order_##order, scope_##scope);                                          \
    atomic_store_explicit(data, loaded, memory_order_relaxed, scope_##scope);                                       \
  }
#define LOADS(order, scope) LOAD(order, scope, b32, uint) LOAD(order, scope, b64, ulong)
LOADS(rlx, agent)
LOADS(rlx, system)
LOADS(scacq, agent)
LOADS(scacq, system)
