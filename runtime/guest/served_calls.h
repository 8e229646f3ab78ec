// The functions for programs on simulated cores, by name.
#pragma once

#include <map>
#include <string>

#include "guest/call_arguments.h"

namespace duet::guest {

struct ServedName {
  Served function = nullptr;  // null: the name is not served
  bool per_thread = false;    // stream 0 is the calling thread's own (_ptsz and _ptds names)
  bool opencl = false;        // of the two APIs this one
};
ServedName served(const std::string& name);

}  // namespace duet::guest
