// What a wait for a signal is about. Programs on simulated cores are compiled with it, too
// (runtime/guest/library): their active waits are instructions of their own.
#pragma once

#include <hsa/hsa.h>
#include <stdint.h>

namespace duet::hsa {

// Of the system's timestamp, a hundred a microsecond: AMD's runtime has as many.
inline constexpr uint64_t kTickNs = 10;

inline bool holds(hsa_signal_condition_t condition, hsa_signal_value_t value, hsa_signal_value_t compared) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compared;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compared;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compared;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compared;
  }
  return true;
}

}  // namespace duet::hsa
