// What became of a step of a cache's work.
//
//   const Outcome room = below_.room(now, traffic_class);
//   if (room != Outcome::Done) return room;  // tried again at the next edge, or when room comes
#pragma once

#include <cstdint>

namespace duet::memory {

enum class Outcome : std::uint8_t {
  Done,
  NextCycle,  // a port of the cache is taken in this cycle
  Blocked,    // an answer or room must come first, and wakes the cache
  Missing     // bytes are not here
};

}  // namespace duet::memory
