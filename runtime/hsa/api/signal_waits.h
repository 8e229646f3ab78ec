// What several calls do with signals.
//
//   wait_for_any(function, {{signal, HSA_SIGNAL_CONDITION_LT, 1}}, UINT64_MAX, HSA_WAIT_STATE_BLOCKED).value
#pragma once

#include <vector>

#include "hsa/session/session.h"

namespace duet::hsa::api {

struct Awaited {
  hsa_signal_t signal;
  hsa_signal_condition_t condition;
  hsa_signal_value_t compared;
};
struct Found {
  std::size_t number;        // of the first that holds; as many as there are: none
  hsa_signal_value_t value;  // of it, or of the first
};

hsa_status_t create_signal(Session& session, hsa_signal_value_t value, std::uint32_t count,
                           const hsa_agent_t* consumers, hsa_signal_t* signal);
// The whole call. `timeout` is in ticks of the system's timestamp. Functions of the program that become due
// meanwhile are called.
Found wait_for_any(ApiFunction& function, const std::vector<Awaited>& all, std::uint64_t timeout,
                   hsa_wait_state_t state);

}  // namespace duet::hsa::api
