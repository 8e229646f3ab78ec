// What private caches and the directory say to each other, and accesses that pass both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/address.h"
#include "memory/request.h"

namespace duet::memory {

enum class CoherenceKind : std::uint8_t {
  // From a cache.
  GetShared,     // to read the line
  GetExclusive,  // to write it; also when it is held to be read
  Put,           // it is no longer held
  Answer,        // to a probe
  Clean,         // everybody gives the line up, and what is dirty goes below; from the directory: it is there
  Uncached,      // `request`, an access that no cache may hold; from the directory: it has been made
  // From the directory.
  Grant,
  Invalidate,  // a probe: the line is to be given up
  Downgrade    // a probe: it may be read from now on, and not written
};

// Where the bytes of a granted line were.
enum class GrantSource : std::uint8_t {
  Domain,  // with another cache of the domain, or on their way from one to memory
  Own,     // with the cache that asked: it may write them now
  Cache,   // in the cache below the directory
  Memory,  // below that
  Nowhere  // nobody looked: all of them are overwritten
};

struct CoherenceMessage {
  PhysicalAddress line;
  // Of a Grant: the line's bytes, which the holder may read, or write, while it has them.
  std::byte* bytes = nullptr;
  std::uint16_t cache = 0;  // who asks, or is asked
  CoherenceKind kind = CoherenceKind::GetShared;
  bool exclusive = false;                    // of a Grant: may be written
  bool overwrites = false;                   // of a GetExclusive: every byte will be written
  bool cached_below = true;                  // of a GetShared or GetExclusive: caches below may hold it
  bool dirty = false;                        // of a Put or an Answer: it was written
  bool held = false;                         // of an Answer to Downgrade: it is still held
  GrantSource source = GrantSource::Domain;  // of a Grant
  RequestHandle request = kNoRequest;        // of an Uncached; the directory has it until it sends it back
};

}  // namespace duet::memory
