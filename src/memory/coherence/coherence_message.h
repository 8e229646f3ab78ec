// The messages between private caches and the directory, and accesses that pass both.
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
  Clean,         // all caches give the line up, dirty bytes go below; from the directory: they are there
  Uncached,      // `request`, an uncached access; from the directory: it has been made
  // From the directory.
  Grant,
  Invalidate,  // a probe: the line is to be given up
  Downgrade    // a probe: it may be read from now on, and not written
};

// Where the bytes of a granted line were.
enum class GrantSource : std::uint8_t {
  Domain,  // with another cache of the domain, or on their way from one to memory
  Own,     // with the asking cache: it may write them now
  Cache,   // in the cache below the directory
  Memory,  // below the directory
  Nowhere  // nobody looked: all of them are overwritten
};

struct CoherenceMessage {
  PhysicalAddress line;
  // Of a Grant: the line's bytes. The holder may read, or write, them while it has the line.
  std::byte* bytes = nullptr;
  std::uint16_t cache = 0;  // the sender, or the receiver
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
