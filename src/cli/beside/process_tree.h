// The descendants of a process, from /proc now.
#pragma once

#include <sys/types.h>

#include <vector>

namespace duet::cli {

// Without `root`, and without ended ones that wait for their parent.
std::vector<pid_t> descendants_of(pid_t root);

}  // namespace duet::cli
