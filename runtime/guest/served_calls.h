// The functions for programs on simulated cores, by name.
#pragma once

#include <map>
#include <string>

#include "guest/call_arguments.h"

namespace duet::guest {

enum class Api : std::uint8_t { Cuda, OpenCl, Hsa };

struct ServedName {
  Served function = nullptr;  // null: the name is not served
  bool per_thread = false;    // stream 0 is the calling thread's own (_ptsz and _ptds names)
  Api api = Api::Cuda;
};
ServedName served(const std::string& name);

}  // namespace duet::guest
