// Where the blocks of a cooperative grid meet: a few words of device memory each grid has while it is in
// flight, whose address its kernel finds in %envreg1 and %envreg2 (as CUDA 13's cooperative groups read it: a
// size and the count of a barrier, both of 32 bits).
#pragma once

#include <memory>
#include <vector>

#include "base/address.h"

namespace duet::machine {

class System;

class GridWorkspaces {
 public:
  // Comes back when the last copy of the result goes. Throws duet::Error when device memory is full.
  std::shared_ptr<const VirtualAddress> take(System& system);

 private:
  // Lives as long as a grid does.
  std::shared_ptr<std::vector<VirtualAddress>> free_ = std::make_shared<std::vector<VirtualAddress>>();
};

}  // namespace duet::machine
