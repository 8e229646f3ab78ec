#include "hsa/api/signal_waits.h"
#include "core/notes.h"

#include <set>

namespace duet::hsa::api {

namespace {

Found first_that_holds(Session& session, const std::vector<Awaited>& all) {
  Found found{all.size(), 0};
  for (std::size_t i = all.size(); i-- > 0;)
    if (const Signal* const signal = session.signals.find(all[i].signal)) {
      found.value = signal->value();
      if (holds(all[i].condition, found.value, all[i].compared)) found.number = i;
    }
  if (found.number < all.size()) found.value = session.signals.find(all[found.number].signal)->value();
  return found;
}

Picoseconds deadline_of(const HostThread& host, std::uint64_t timeout) {
  const Picoseconds left = kNever - 1 - host.clock();
  return timeout > left / kTickPs ? kNever : host.clock() + timeout * kTickPs;
}

}  // namespace

hsa_status_t create_signal(Session& session, hsa_signal_value_t value, std::uint32_t count,
                           const hsa_agent_t* consumers, hsa_signal_t* signal) {
  if (signal == nullptr || (count != 0 && consumers == nullptr)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::set<std::uint64_t> known;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!known.insert(consumers[i].handle).second) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const hsa_signal_t made = session.signals.create(value);
  return made.handle == 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : answer(signal, made);
}

Found wait_for_any(ApiFunction& function, const std::vector<Awaited>& all, std::uint64_t timeout,
                   hsa_wait_state_t state) {
  Found found{all.size(), 0};
  Picoseconds deadline = 0;
  const bool active = state == HSA_WAIT_STATE_ACTIVE;
  bool ended = false;
  // Again after a function of the program.
  while (!ended) {
    const hsa_status_t status = call(function, [&](Session& session, HostThread& host) -> hsa_status_t {
      if (deadline == 0) {
        host.stage_one(session.core().cost(active ? CallKind::Other : CallKind::EventSynchronize));
        deadline = deadline_of(host, timeout);
      }
      for (const Awaited& one : all)
        if (session.signals.find(one.signal) == nullptr) {
          core::say_once(std::string(function.name) +
                         ": the handle is no signal's, or the signal has been destroyed");
          ended = true;
          return HSA_STATUS_SUCCESS;
        }
      ended =
          session.wait(
              host, [&] { return first_that_holds(session, all).number < all.size(); }, deadline, active) ||
          host.clock() >= deadline;
      found = first_that_holds(session, all);
      return HSA_STATUS_SUCCESS;
    });
    if (status != HSA_STATUS_SUCCESS) return found;
  }
  return found;
}

}  // namespace duet::hsa::api
