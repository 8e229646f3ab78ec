// Maintenance of a cache, by range or whole: what a kernel's start, a copy engine or a driver orders.
//   Clean: dirty bytes are written below and stay, as clean ones. Done when they are acknowledged.
//   Invalidate: clean bytes are given up. Dirty bytes stay, because nobody else has them: who wants them gone
//   cleans first.
// Both concern what requests have been answered for; what is written after a command has begun may stay.
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
  Bytes bytes = kWhole;  // kWhole: all that the cache holds, whatever `base` says
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
