// The processes that descend from one, as /proc tells now.
#pragma once

#include <sys/types.h>

#include <vector>

namespace duet::cli {

// Without `root`, and without those that have ended and only wait for their parent to ask.
std::vector<pid_t> descendants_of(pid_t root);

}  // namespace duet::cli
