// A module in the device's memory.
#pragma once

#include <vector>

#include "base/address.h"
#include "ptx/kernel.h"

namespace duet::machine {

class LoadedModule {
 public:
  ptx::Module module;
  std::vector<VirtualAddress> variable_addresses;  // by index in module.variables
  std::vector<PhysicalAddress> code_addresses;     // by index in module.kernels; timed GPU
};

}  // namespace duet::machine
