// Signals: values that program and packets change, and waiting for them. The orders of memory that the names
// tell apart are all as strong as the strongest: the machine comes to the call before it.
#include <limits>
#include <vector>

#include "core/notes.h"
#include "hsa/api/signal_waits.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

// Null, with a line: the handle is no signal's.
const Signal* signal_of(Session& session, const ApiFunction& function, hsa_signal_t handle) {
  const Signal* const signal = session.signals.find(handle);
  if (signal == nullptr)
    core::say_once(std::string(function.name) +
                   ": the handle is no signal's, or the signal has been destroyed");
  return signal;
}

std::int64_t load(ApiFunction& function, hsa_signal_t handle) {
  return value_of<std::int64_t>(function, [&](Session& session, HostThread&) {
    const Signal* const signal = signal_of(session, function, handle);
    return signal != nullptr ? signal->value() : 0;
  });
}

// The value before.
template <typename Next>
std::int64_t change(ApiFunction& function, hsa_signal_t handle, Next next, bool silent = false) {
  return value_of<std::int64_t>(function, [&](Session& session, HostThread&) -> std::int64_t {
    const Signal* const signal = signal_of(session, function, handle);
    if (signal == nullptr) return 0;
    const std::int64_t before = signal->value();
    signal->set(next(before));
    if (!silent) session.written(*signal);
    return before;
  });
}

using Value = hsa_signal_value_t;
// Arithmetic wraps around.
Value sum(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
Value difference(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace

DUET_HSA(hsa_signal_create, Other,
         (hsa_signal_value_t initial, std::uint32_t count, const hsa_agent_t* consumers,
          hsa_signal_t* signal)) {
  return create_signal(session, initial, count, consumers, signal);
}
DUET_HSA_END

DUET_HSA(hsa_signal_destroy, Other, (hsa_signal_t handle)) {
  if (handle.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Signal* const signal = session.signals.find(handle);
  if (signal == nullptr || signal->is_doorbell) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  session.signals.destroy(handle);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

// ---- Values ----

#define DUET_HSA_LOAD(name)                                      \
  DUET_HSA_EXPORT hsa_signal_value_t name(hsa_signal_t signal) { \
    static ApiFunction function{#name, CallKind::Other};         \
    return load(function, signal);                               \
  }
DUET_HSA_LOAD(hsa_signal_load_scacquire)
DUET_HSA_LOAD(hsa_signal_load_acquire)
DUET_HSA_LOAD(hsa_signal_load_relaxed)

#define DUET_HSA_STORE(name, silent)                                         \
  DUET_HSA_EXPORT void name(hsa_signal_t signal, hsa_signal_value_t value) { \
    static ApiFunction function{#name, CallKind::Other};                     \
    change(                                                                  \
        function, signal, [value](Value) { return value; }, silent);         \
  }
DUET_HSA_STORE(hsa_signal_store_relaxed, false)
DUET_HSA_STORE(hsa_signal_store_screlease, false)
DUET_HSA_STORE(hsa_signal_store_release, false)
DUET_HSA_STORE(hsa_signal_silent_store_relaxed, true)
DUET_HSA_STORE(hsa_signal_silent_store_screlease, true)

#define DUET_HSA_CAS(name)                                                                     \
  DUET_HSA_EXPORT hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t expected,    \
                                          hsa_signal_value_t value) {                          \
    static ApiFunction function{#name, CallKind::Other};                                       \
    return change(function, signal, [=](Value old) { return old == expected ? value : old; }); \
  }
#define DUET_HSA_EXCHANGE(name)                                                            \
  DUET_HSA_EXPORT hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t value) { \
    static ApiFunction function{#name, CallKind::Other};                                   \
    return change(function, signal, [value](Value) { return value; });                     \
  }
#define DUET_HSA_CHANGE(name, next)                                          \
  DUET_HSA_EXPORT void name(hsa_signal_t signal, hsa_signal_value_t value) { \
    static ApiFunction function{#name, CallKind::Other};                     \
    change(function, signal, [value](Value old) { return next; });           \
  }
#define DUET_HSA_ORDERS(X, name, ...)              \
  X(name##_scacq_screl __VA_OPT__(, ) __VA_ARGS__) \
  X(name##_acq_rel __VA_OPT__(, ) __VA_ARGS__)     \
  X(name##_scacquire __VA_OPT__(, ) __VA_ARGS__)   \
  X(name##_acquire __VA_OPT__(, ) __VA_ARGS__)     \
  X(name##_relaxed __VA_OPT__(, ) __VA_ARGS__)     \
  X(name##_screlease __VA_OPT__(, ) __VA_ARGS__)   \
  X(name##_release __VA_OPT__(, ) __VA_ARGS__)
DUET_HSA_ORDERS(DUET_HSA_EXCHANGE, hsa_signal_exchange)
DUET_HSA_ORDERS(DUET_HSA_CAS, hsa_signal_cas)
DUET_HSA_ORDERS(DUET_HSA_CHANGE, hsa_signal_add, sum(old, value))
DUET_HSA_ORDERS(DUET_HSA_CHANGE, hsa_signal_subtract, difference(old, value))
DUET_HSA_ORDERS(DUET_HSA_CHANGE, hsa_signal_and, old& value)
DUET_HSA_ORDERS(DUET_HSA_CHANGE, hsa_signal_or, old | value)
DUET_HSA_ORDERS(DUET_HSA_CHANGE, hsa_signal_xor, old ^ value)

// ---- Waiting ----

#define DUET_HSA_WAIT(name)                                                                      \
  DUET_HSA_EXPORT hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_condition_t condition, \
                                          hsa_signal_value_t compared, std::uint64_t timeout,    \
                                          hsa_wait_state_t state) {                              \
    static ApiFunction function{#name, CallKind::EventSynchronize};                              \
    return wait_for_any(function, {{signal, condition, compared}}, timeout, state).value;        \
  }
DUET_HSA_WAIT(hsa_signal_wait_scacquire)
DUET_HSA_WAIT(hsa_signal_wait_acquire)
DUET_HSA_WAIT(hsa_signal_wait_relaxed)

// ---- Groups ----

DUET_HSA(hsa_signal_group_create, Other,
         (std::uint32_t count, const hsa_signal_t* signals, std::uint32_t consumers,
          const hsa_agent_t* agents, hsa_signal_group_t* group)) {
  if (count == 0 || signals == nullptr || consumers == 0 || agents == nullptr || group == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(group, hsa_signal_group_t{session.signal_groups.add({signals, signals + count})});
}
DUET_HSA_END

DUET_HSA(hsa_signal_group_destroy, Other, (hsa_signal_group_t group)) {
  return session.signal_groups.erase(group.handle) ? HSA_STATUS_SUCCESS
                                                   : HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
}
DUET_HSA_END

namespace {

hsa_status_t wait_for_group(ApiFunction& function, hsa_signal_group_t group,
                            const hsa_signal_condition_t* conditions, const hsa_signal_value_t* compared,
                            hsa_wait_state_t state, hsa_signal_t* signal, hsa_signal_value_t* value) {
  std::vector<Awaited> all;
  const hsa_status_t status = call(function, [&](Session& session, HostThread&) -> hsa_status_t {
    const std::vector<hsa_signal_t>* const signals = session.signal_groups.find(group.handle);
    if (signals == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
    if (conditions == nullptr || compared == nullptr || signal == nullptr || value == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (std::size_t i = 0; i < signals->size(); ++i)
      all.push_back({(*signals)[i], conditions[i], compared[i]});
    return HSA_STATUS_SUCCESS;
  });
  if (status != HSA_STATUS_SUCCESS) return status;
  const Found found = wait_for_any(function, all, std::numeric_limits<std::uint64_t>::max(), state);
  if (found.number >= all.size()) return HSA_STATUS_ERROR;  // a signal of it has been destroyed
  answer(signal, all[found.number].signal);
  return answer(value, found.value);
}

}  // namespace

#define DUET_HSA_GROUP_WAIT(name)                                                                       \
  DUET_HSA_EXPORT hsa_status_t name(hsa_signal_group_t group, const hsa_signal_condition_t* conditions, \
                                    const hsa_signal_value_t* compared, hsa_wait_state_t state,         \
                                    hsa_signal_t* signal, hsa_signal_value_t* value) {                  \
    static ApiFunction function{#name, CallKind::EventSynchronize};                                     \
    return wait_for_group(function, group, conditions, compared, state, signal, value);                 \
  }
DUET_HSA_GROUP_WAIT(hsa_signal_group_wait_any_scacquire)
DUET_HSA_GROUP_WAIT(hsa_signal_group_wait_any_relaxed)

}  // namespace duet::hsa::api
