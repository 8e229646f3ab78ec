// AMD's extension: signals with handlers, functions that are called in the background, and settings of
// queues.
#include <hsa/hsa_ext_amd.h>

#include <limits>

#include "hsa/api/signal_waits.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

// A handler is called once for each time that the condition is found, until it returns false.
struct Handler {
  hsa_signal_t signal;
  hsa_signal_condition_t condition;
  hsa_signal_value_t compared;
  hsa_amd_signal_handler function;
  void* argument;
};

void watch(Session& session, const Handler& handler) {
  session.when_ready([&session, handler] {
    const Signal* const signal = session.signals.find(handler.signal);
    if (signal == nullptr) return true;  // it is gone, and so is the handler
    const std::int64_t value = signal->value();
    if (!holds(handler.condition, value, handler.compared)) return false;
    session.call_later([&session, handler, value] {
      if (!handler.function(value, handler.argument)) return;
      const auto lock = session.core().program().lock();
      watch(session, handler);
    });
    return true;
  });
}

}  // namespace

DUET_HSA(hsa_amd_signal_create, Other,
         (hsa_signal_value_t initial, std::uint32_t count, const hsa_agent_t* consumers, std::uint64_t,
          hsa_signal_t* signal)) {
  return create_signal(session, initial, count, consumers, signal);
}
DUET_HSA_END

DUET_HSA(hsa_amd_signal_value_pointer, Query, (hsa_signal_t handle, volatile hsa_signal_value_t** pointer)) {
  const Signal* const signal = session.signals.find(handle);
  if (pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (signal == nullptr || signal->is_doorbell) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  return answer(pointer, Signals::value_pointer(handle));
}
DUET_HSA_END

DUET_HSA(hsa_amd_signal_async_handler, Other,
         (hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t compared,
          hsa_amd_signal_handler handler, void* argument)) {
  if (session.signals.find(signal) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (handler == nullptr || is_outside(condition, HSA_SIGNAL_CONDITION_GTE))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  watch(session, {signal, condition, compared, handler, argument});
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_amd_async_function, Other, (void (*function)(void*), void* argument)) {
  if (function == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  session.call_later([function, argument] { function(argument); });
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA_EXPORT std::uint32_t hsa_amd_signal_wait_any(std::uint32_t count, hsa_signal_t* signals,
                                                      hsa_signal_condition_t* conditions,
                                                      hsa_signal_value_t* compared, std::uint64_t timeout,
                                                      hsa_wait_state_t state,
                                                      hsa_signal_value_t* satisfying) {
  static ApiFunction function{"hsa_amd_signal_wait_any", CallKind::EventSynchronize};
  std::vector<Awaited> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({signals[i], conditions[i], compared[i]});
  const Found found = wait_for_any(function, all, timeout, state);
  if (found.number >= all.size()) return std::numeric_limits<std::uint32_t>::max();
  if (satisfying != nullptr) answer(satisfying, found.value);
  return static_cast<std::uint32_t>(found.number);
}

// All queues take turns on the machine, whatever their priority.
DUET_HSA(hsa_amd_queue_set_priority, Other, (hsa_queue_t * queue, hsa_amd_queue_priority_t priority)) {
  if (queue == nullptr || is_outside(priority, HSA_AMD_QUEUE_PRIORITY_HIGH))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return session.queues.find(queue) == nullptr ? HSA_STATUS_ERROR_INVALID_QUEUE : HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_amd_coherency_get_type, Query, (hsa_agent_t agent, hsa_amd_coherency_type_t* type)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return type == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
}
DUET_HSA_END

}  // namespace duet::hsa::api
