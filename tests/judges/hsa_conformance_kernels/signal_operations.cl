// Work-item i stores the i-th value into the i-th signal, or waits until it is there. A signal's value lies
// at byte 8 of what its handle points to (amd_hsa_signal.h).
global atomic_long* value_of(ulong handle) { return (global atomic_long*)(handle + 8); }

#define STORE(name, order)                                                                                  \
  kernel void name(int count, global const ulong* handles, global const long* values) {                     \
    const int i = get_global_id(0);                                                                         \
    if (i > count) return;                                                                                  \
    atomic_store_explicit(value_of(handles[i]), values[i], order, memory_scope_all_svm_devices);            \
  }
#define WAIT(name, order)                                                                                   \
  kernel void name(int count, global const ulong* handles, global const long* values) {                     \
    const int i = get_global_id(0);                                                                         \
    if (i > count) return;                                                                                  \
    while (atomic_load_explicit(value_of(handles[i]), order, memory_scope_all_svm_devices) != values[i]) {} \
  }

STORE(signal_st_rlx_kernel, memory_order_relaxed)
STORE(signal_st_screl_kernel, memory_order_release)
WAIT(signal_wait_eq_rlx_kernel, memory_order_relaxed)
WAIT(signal_wait_eq_scacq_kernel, memory_order_acquire)
