#include "machine/feature.h"

#include "base/error.h"

namespace duet::machine {

void MachinePlan::decide(gpu::BlockPolicy* decider, const char* option) {
  if (decided_by != nullptr)
    throw Error(std::string(decided_by) + " and " + option +
                " both decide which blocks are simulated in time: leave out one of them");
  policy = decider;
  decided_by = option;
}

void MachinePlan::take_cores(const char* option) {
  if (cores_taken_by != nullptr)
    throw Error(std::string(cores_taken_by) + " and " + option +
                " both need the cores: leave out one of them");
  cores_taken_by = option;
}

}  // namespace duet::machine
