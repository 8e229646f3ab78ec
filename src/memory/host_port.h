// How copy engines reach host memory without an AddressSpace page (pageable memory): in this process a plain
// copy, with a simulated host its memory system.
#pragma once

#include <cstddef>

#include "base/address.h"

namespace duet::memory {

class HostPort {
 public:
  virtual ~HostPort() = default;
  virtual void read(const std::byte* host, std::byte* to, Bytes bytes) = 0;
  virtual void write(std::byte* host, const std::byte* from, Bytes bytes) = 0;
};

}  // namespace duet::memory
