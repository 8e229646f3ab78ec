// One compilation of a program of NVRTC's, by `duet cc` in a process of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nvrtc/options.h"

namespace duet::nvrtc {

struct Source {
  std::string text, name;                                    // name: for diagnostics and __FILE__
  std::vector<std::pair<std::string, std::string>> headers;  // name as #include has it, text
  std::vector<std::string> expressions;                      // whose names in the PTX are asked for
};

struct Compiled {
  bool done = false;
  std::string ptx, log;
  std::vector<std::string> lowered;  // by expression
};

// A log without a compilation names what is missing.
Compiled compile(const Source& source, const Options& options);

}  // namespace duet::nvrtc
