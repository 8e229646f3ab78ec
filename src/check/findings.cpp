#include "check/findings.h"

#include <array>

namespace duet::check {

namespace {

struct Names {
  const char *check, *name;
};
constexpr std::array<Names, 24> kFindingNames{{{"memory", "out_of_bounds"},
                                               {"memory", "misaligned"},
                                               {"memory", "use_after_free"},
                                               {"memory", "use_before_allocation"},
                                               {"races", "shared_race"},
                                               {"races", "global_race"},
                                               {"races", "command_race"},
                                               {"races", "host_buffer_changed"},
                                               {"races", "host_race"},
                                               {"init", "uninitialised_global"},
                                               {"init", "uninitialised_shared"},
                                               {"init", "uninitialised_local"},
                                               {"init", "uninitialised_copy"},
                                               {"sync", "divergent_barrier"},
                                               {"sync", "barrier_after_exit"},
                                               {"sync", "lane_mask"},
                                               {"leaks", "leak"},
                                               {"api", "api_error"},
                                               {"model", "atomicity"},
                                               {"model", "locality"},
                                               {"model", "fifo"},
                                               {"model", "synchronization"},
                                               {"model", "in_position"},
                                               {"model", "capacity"}}};

}  // namespace

const char* check_of(FindingKind kind) { return kFindingNames.at(static_cast<std::size_t>(kind)).check; }
const char* name_of(FindingKind kind) { return kFindingNames.at(static_cast<std::size_t>(kind)).name; }

}  // namespace duet::check
