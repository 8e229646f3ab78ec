// Starts a process that ends with this one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace duet {

// Runs a command in a process, with a group of its own. It ends when this process does, however. It has no
// signal blocked, reads nothing, and its streams go to the named files, if any. Throws duet::Error.
struct Streams {
  std::string output, error;
};
pid_t start_process(std::vector<std::string> command, const std::string& directory, const Streams& streams);

}  // namespace duet
