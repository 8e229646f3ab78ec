// The part of HSA inside a program on simulated cores: what a program does with signals and with the indices
// of queues are its own loads, stores and atomics (amd_hsa_signal.h, amd_hsa_queue.h). Waits with
// HSA_WAIT_STATE_ACTIVE load the value again and again. The value of a doorbell is a word of the GPU's: a
// store there rings it. All other functions leave the program (duet_guest_hsa.S), and these do for a handle
// that is no plain signal's.
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_finalize.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wait_condition.h"

#define OUTSIDE(name) __attribute__((visibility("hidden"))) decltype(name) duet_call_##name;

namespace {

using Value = hsa_signal_value_t;

amd_signal_t* block_of(hsa_signal_t signal) { return reinterpret_cast<amd_signal_t*>(signal.handle); }
volatile Value* value_of(hsa_signal_t signal) { return &block_of(signal)->value; }
bool is_plain(hsa_signal_t signal) {
  return signal.handle != 0 && block_of(signal)->kind == AMD_SIGNAL_KIND_USER;
}
bool is_doorbell(hsa_signal_t signal) {
  return signal.handle != 0 && block_of(signal)->kind == AMD_SIGNAL_KIND_DOORBELL;
}

// What the program has stored before is in memory when the store arrives.
void ring(hsa_signal_t doorbell, Value value) {
  volatile uint64_t* const word = block_of(doorbell)->hardware_doorbell_ptr;
  asm volatile("fence rw, o" ::: "memory");
  *word = static_cast<uint64_t>(value);
}

volatile uint64_t* write_index(const hsa_queue_t* queue) {
  return &reinterpret_cast<amd_queue_t*>(const_cast<hsa_queue_t*>(queue))->write_dispatch_id;
}
volatile uint64_t* read_index(const hsa_queue_t* queue) {
  return &reinterpret_cast<amd_queue_t*>(const_cast<hsa_queue_t*>(queue))->read_dispatch_id;
}

// In ticks of the system's timestamp; the cores' clock counts nanoseconds.
uint64_t time_now() {
  uint64_t time;
  asm volatile("rdtime %0" : "=r"(time));
  return time / duet::hsa::kTickNs;
}

Value spin(hsa_signal_t signal, hsa_signal_condition_t condition, Value compared, uint64_t timeout,
           int order) {
  const uint64_t begun = timeout != UINT64_MAX ? time_now() : 0;
  for (;;) {
    const Value value = __atomic_load_n(value_of(signal), __ATOMIC_RELAXED);
    if (duet::hsa::holds(condition, value, compared) ||
        (timeout != UINT64_MAX && time_now() - begun >= timeout)) {
      if (order == __ATOMIC_ACQUIRE) __atomic_thread_fence(__ATOMIC_ACQUIRE);
      return value;
    }
  }
}

// The program's own functions, where the runtime has answered with others.
hsa_status_t fill_table(hsa_status_t status, void* table, size_t bytes) {
  const hsa_ext_finalizer_1_00_pfn_t own = {hsa_ext_program_create,     hsa_ext_program_destroy,
                                            hsa_ext_program_add_module, hsa_ext_program_iterate_modules,
                                            hsa_ext_program_get_info,   hsa_ext_program_finalize};
  if (status == HSA_STATUS_SUCCESS) memcpy(table, &own, bytes < sizeof own ? bytes : sizeof own);
  return status;
}

}  // namespace

extern "C" {

// ---- Signals ----

#define LOAD(name, order)                                   \
  OUTSIDE(name)                                             \
  Value name(hsa_signal_t signal) {                         \
    if (!is_plain(signal)) return duet_call_##name(signal); \
    return __atomic_load_n(value_of(signal), order);        \
  }
LOAD(hsa_signal_load_scacquire, __ATOMIC_ACQUIRE)
LOAD(hsa_signal_load_acquire, __ATOMIC_ACQUIRE)
LOAD(hsa_signal_load_relaxed, __ATOMIC_RELAXED)

#define STORE(name, order)                              \
  OUTSIDE(name)                                         \
  void name(hsa_signal_t signal, Value value) {         \
    if (is_plain(signal))                               \
      __atomic_store_n(value_of(signal), value, order); \
    else if (is_doorbell(signal))                       \
      ring(signal, value);                              \
    else                                                \
      duet_call_##name(signal, value);                  \
  }
STORE(hsa_signal_store_relaxed, __ATOMIC_RELAXED)
STORE(hsa_signal_store_screlease, __ATOMIC_RELEASE)
STORE(hsa_signal_store_release, __ATOMIC_RELEASE)
STORE(hsa_signal_silent_store_relaxed, __ATOMIC_RELAXED)
STORE(hsa_signal_silent_store_screlease, __ATOMIC_RELEASE)

#define ORDERS(X, name, ...)                                         \
  X(name##_scacq_screl, __ATOMIC_ACQ_REL __VA_OPT__(, ) __VA_ARGS__) \
  X(name##_acq_rel, __ATOMIC_ACQ_REL __VA_OPT__(, ) __VA_ARGS__)     \
  X(name##_scacquire, __ATOMIC_ACQUIRE __VA_OPT__(, ) __VA_ARGS__)   \
  X(name##_acquire, __ATOMIC_ACQUIRE __VA_OPT__(, ) __VA_ARGS__)     \
  X(name##_relaxed, __ATOMIC_RELAXED __VA_OPT__(, ) __VA_ARGS__)     \
  X(name##_screlease, __ATOMIC_RELEASE __VA_OPT__(, ) __VA_ARGS__)   \
  X(name##_release, __ATOMIC_RELEASE __VA_OPT__(, ) __VA_ARGS__)

#define CHANGE(name, order, atomic)                                \
  OUTSIDE(name)                                                    \
  void name(hsa_signal_t signal, Value value) {                    \
    if (!is_plain(signal)) return duet_call_##name(signal, value); \
    atomic(value_of(signal), value, order);                        \
  }
ORDERS(CHANGE, hsa_signal_add, __atomic_fetch_add)
ORDERS(CHANGE, hsa_signal_subtract, __atomic_fetch_sub)
ORDERS(CHANGE, hsa_signal_and, __atomic_fetch_and)
ORDERS(CHANGE, hsa_signal_or, __atomic_fetch_or)
ORDERS(CHANGE, hsa_signal_xor, __atomic_fetch_xor)

#define EXCHANGE(name, order)                                      \
  OUTSIDE(name)                                                    \
  Value name(hsa_signal_t signal, Value value) {                   \
    if (!is_plain(signal)) return duet_call_##name(signal, value); \
    return __atomic_exchange_n(value_of(signal), value, order);    \
  }
ORDERS(EXCHANGE, hsa_signal_exchange)

// Where it changes nothing it is a load: of a release nothing is left.
constexpr int of_failure(int order) {
  return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order;
}

#define CAS(name, order)                                                                              \
  OUTSIDE(name)                                                                                       \
  Value name(hsa_signal_t signal, Value expected, Value value) {                                      \
    if (!is_plain(signal)) return duet_call_##name(signal, expected, value);                          \
    __atomic_compare_exchange_n(value_of(signal), &expected, value, false, order, of_failure(order)); \
    return expected;                                                                                  \
  }
ORDERS(CAS, hsa_signal_cas)

#define WAIT(name, order)                                                                             \
  OUTSIDE(name)                                                                                       \
  Value name(hsa_signal_t signal, hsa_signal_condition_t condition, Value compared, uint64_t timeout, \
             hsa_wait_state_t state) {                                                                \
    if (state != HSA_WAIT_STATE_ACTIVE || !is_plain(signal))                                          \
      return duet_call_##name(signal, condition, compared, timeout, state);                           \
    return spin(signal, condition, compared, timeout, order);                                         \
  }
WAIT(hsa_signal_wait_scacquire, __ATOMIC_ACQUIRE)
WAIT(hsa_signal_wait_acquire, __ATOMIC_ACQUIRE)
WAIT(hsa_signal_wait_relaxed, __ATOMIC_RELAXED)

// ---- Indices of queues ----

#define LOAD_INDEX(index, end, order)                                       \
  uint64_t hsa_queue_load_##index##_index_##end(const hsa_queue_t* queue) { \
    return __atomic_load_n(index##_index(queue), order);                    \
  }
#define STORE_INDEX(index, end, order)                                                   \
  void hsa_queue_store_##index##_index_##end(const hsa_queue_t* queue, uint64_t value) { \
    __atomic_store_n(index##_index(queue), value, order);                                \
  }
#define BOTH(X, end, order) X(read, end, order) X(write, end, order)
BOTH(LOAD_INDEX, scacquire, __ATOMIC_ACQUIRE)
BOTH(LOAD_INDEX, acquire, __ATOMIC_ACQUIRE)
BOTH(LOAD_INDEX, relaxed, __ATOMIC_RELAXED)
BOTH(STORE_INDEX, screlease, __ATOMIC_RELEASE)
BOTH(STORE_INDEX, release, __ATOMIC_RELEASE)
BOTH(STORE_INDEX, relaxed, __ATOMIC_RELAXED)

#define ADD_INDEX(name, order)                                   \
  uint64_t name(const hsa_queue_t* queue, uint64_t value) {      \
    return __atomic_fetch_add(write_index(queue), value, order); \
  }
ORDERS(ADD_INDEX, hsa_queue_add_write_index)

#define CAS_INDEX(name, order)                                                                          \
  uint64_t name(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {                          \
    __atomic_compare_exchange_n(write_index(queue), &expected, value, false, order, of_failure(order)); \
    return expected;                                                                                    \
  }
ORDERS(CAS_INDEX, hsa_queue_cas_write_index)

// ---- What is the program's: its files, and addresses of functions ----

OUTSIDE(hsa_code_object_reader_create_from_file)
hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t* reader) {
  struct stat about;
  const bool is_file = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
  const size_t bytes = is_file ? static_cast<size_t>(about.st_size) : 0;
  char* const text = static_cast<char*>(is_file ? malloc(bytes) : nullptr);
  size_t done = 0;
  ssize_t got = 1;
  while (text != nullptr && done < bytes && got > 0) {
    got = pread(file, text + done, bytes - done, static_cast<off_t>(done));
    if (got > 0) done += static_cast<size_t>(got);
  }
  // It knows the right error: there is no such file outside.
  const hsa_status_t status = done == bytes && is_file
                                  ? hsa_code_object_reader_create_from_memory(text, bytes, reader)
                                  : duet_call_hsa_code_object_reader_create_from_file(-1, reader);
  free(text);
  return status;
}

OUTSIDE(hsa_system_get_extension_table)
hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t major, uint16_t minor, void* table) {
  return fill_table(duet_call_hsa_system_get_extension_table(extension, major, minor, table), table,
                    sizeof(hsa_ext_finalizer_1_00_pfn_t));
}

OUTSIDE(hsa_system_get_major_extension_table)
hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t major, size_t bytes,
                                                  void* table) {
  return fill_table(duet_call_hsa_system_get_major_extension_table(extension, major, bytes, table), table,
                    bytes);
}
}
