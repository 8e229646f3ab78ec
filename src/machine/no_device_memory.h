// A module's variables do not fit into what is free of device memory.
#pragma once

#include "base/error.h"

namespace duet::machine {

class NoDeviceMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace duet::machine
