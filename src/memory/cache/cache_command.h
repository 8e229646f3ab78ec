// Maintenance of a cache, by range or whole, for a kernel's start, a copy engine or a driver.
//   Clean: dirty bytes are written below and stay, as clean ones. Done when they are acknowledged.
//   Invalidate: clean bytes are given up. Dirty bytes stay, because no other memory has them: clean first to
//   remove them.
// Both concern the bytes of answered requests; Invalidate, bytes on their way to reads, too: these get them,
// and no later read does. Bytes that are written after a command has begun may stay.
#pragma once

#include "base/address.h"
#include "base/units.h"
#include "memory/request.h"

namespace duet::memory {

struct CacheCommand {
  static constexpr Bytes kWhole = ~Bytes{0};

  Operation operation = Operation::Invalidate;  // or Clean
  std::uint32_t tag = 0;                        // comes back when it is done
  PhysicalAddress base;
  Bytes bytes = kWhole;  // kWhole: the whole cache, for any `base`
};

// The bytes of [base, base + bytes) in the `length` <= 128 bytes from `from` on.
inline ByteMask part_of_range(PhysicalAddress base, Bytes bytes, PhysicalAddress from, unsigned length) {
  const auto below = [&](PhysicalAddress a) {
    return ByteMask::first(a <= from ? 0u : a - from >= length ? length : static_cast<unsigned>(a - from));
  };
  const ByteMask end = below(base + bytes), begin = below(base);
  return {{end.bits[0] & ~begin.bits[0], end.bits[1] & ~begin.bits[1]}};
}

}  // namespace duet::memory
