// A request that waits for full/empty bits, or behind such a request, for reports of a standstill. It is made
// for the report; nothing here is kept while the machine runs.
#pragma once

#include <cstdint>
#include <optional>

#include "base/address.h"
#include "memory/request.h"

namespace duet::memory {

// The latest access that wrote empty words without filling them.
struct PlainWrite {
  Agent agent = Agent::Host;
  std::uint32_t pc = 0;  // as Request::pc
  Picoseconds time = 0;
};

struct WaitingRequest {
  static constexpr unsigned kNoQueue = ~0u;

  VirtualAddress
      address;  // virtual: of the bytes against the trigger; where there are none, of all its bytes
  unsigned bytes = 0;
  Trigger trigger = Trigger::None;
  bool satisfied = false;  // it could go, but for earlier requests
  Operation operation = Operation::Read;
  Agent agent = Agent::Host;
  std::uint16_t unit = 0;
  std::uint32_t requester = 0, pc = 0;
  unsigned controller = 0;
  unsigned queue = kNoQueue;          // of the controller; kNoQueue: it has not come so far
  std::size_t place = 0;              // in the queue
  Picoseconds since = 0;              // its arrival at the controller
  std::optional<PlainWrite> written;  // these words, since they are empty
};

}  // namespace duet::memory
