// Starts a process that does not outlive this one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace duet {

// Words in a process, with a group of its own, that ends when this one does, however. It has no signal
// blocked, reads nothing, and its streams go to files where those are named. Throws duet::Error.
struct Streams {
  std::string output, error;
};
pid_t start_process(std::vector<std::string> command, const std::string& directory, const Streams& streams);

}  // namespace duet
