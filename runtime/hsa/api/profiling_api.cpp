// AMD's extension: times of packets and copies, in ticks of the system's timestamp.
#include <hsa/hsa_ext_amd.h>

#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

// The signal is down before the driver's record of the kernel is complete: the call waits for that.
template <typename Answer>
hsa_status_t answer_times(Session& session, HostThread& host, hsa_signal_t signal, Answer* to) {
  if (session.signals.find(signal) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (to == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto ended = [&] {
    const Times* const times = session.profiles.times(signal.handle);
    return times == nullptr || times->running == 0;
  };
  if (!ended()) session.wait(host, ended, kNever, true);
  const Times* const times = session.profiles.times(signal.handle);
  if (times == nullptr || times->running != 0) return HSA_STATUS_ERROR;
  return answer(to, Answer{times->start_ps / kTickPs, times->end_ps / kTickPs});
}

}  // namespace

DUET_HSA(hsa_amd_profiling_set_profiler_enabled, Other, (hsa_queue_t * handle, int enable)) {
  if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Queue* const queue = session.queues.find(handle);
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  queue->profiled = enable != 0;
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_amd_profiling_async_copy_enable, Other, (bool enable)) {
  session.profiles.of_copies = enable;
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_amd_profiling_get_dispatch_time, Query,
         (hsa_agent_t agent, hsa_signal_t signal, hsa_amd_profiling_dispatch_time_t* time)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return answer_times(session, host, signal, time);
}
DUET_HSA_END

DUET_HSA(hsa_amd_profiling_get_async_copy_time, Query,
         (hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time)) {
  return answer_times(session, host, signal, time);
}
DUET_HSA_END

// The GPU's clock is the system's.
DUET_HSA(hsa_amd_profiling_convert_tick_to_system_domain, Query,
         (hsa_agent_t agent, std::uint64_t ticks, std::uint64_t* system_ticks)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return system_ticks == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(system_ticks, ticks);
}
DUET_HSA_END

}  // namespace duet::hsa::api
