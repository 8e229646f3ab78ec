// The events of a cache, for an observer: a prefetcher, a profiler, a test's model. The call comes in the
// tick of the event. The observer sees the cache as it is then, and must not change it. A cache without
// observers pays a comparison for each event.
#pragma once

#include "memory/cache/line_array.h"

namespace duet::memory {

struct CacheEvent {
  enum class Kind : std::uint8_t {
    Hit,    // at its lookup a request finds its bytes; a write its line, held or on its way
    Miss,   // a read or an atomic whose bytes are fetched, a write with a new line
    Merge,  // a read or an atomic that joins a fetch on its way
    Fill,   // bytes from below become valid
    Store,  // a request is about to change bytes: the old ones are still there
    Write,  // bytes of a request are stored, and are valid
    Evict,  // the line, with all its valid bytes, makes room for another
    Drop    // valid bytes are given up for any other reason: invalidated, probed, changed below
  };
  Kind kind = Kind::Hit;
  Operation operation = Operation::Read;  // of the request; Invalidate where there is none
  LineUser by;                            // whose request it is
  std::uint32_t pc = 0;
  std::uint16_t warp = 0;  // of an SM's, as Request has it, and the next two
  bool begins = false;
  Cacheability cacheability;
  Picoseconds time = 0;
  PhysicalAddress line;
  ByteMask bytes;  // of the line
};

class CacheObserver {
 public:
  virtual void observe(const CacheEvent& event) = 0;

 protected:
  ~CacheObserver() = default;
};

}  // namespace duet::memory
