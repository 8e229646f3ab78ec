// The heap of device malloc and free (CUDA C++ Programming Guide, dynamic global memory allocation): one
// range of device memory, the first place from below that is large enough. Its books lie outside the
// simulated memory. Left out: what a real allocator reads and writes to keep them; MicroOp's weight of the
// call stands for it. Calls are served in the order in which the SMs make them.
#pragma once

#include <map>

#include "base/units.h"

namespace duet::machine {

class DeviceHeap {
 public:
  DeviceHeap(Address base, Bytes bytes) { free_[base] = bytes; }

  // 0 when there is no such room, or nothing is asked for.
  Address allocate(Bytes bytes);
  // Whether `address` was the start of an allocation.
  bool release(Address address);

 private:
  std::map<Address, Bytes> free_, held_;  // sizes; no two free ranges touch
};

}  // namespace duet::machine
