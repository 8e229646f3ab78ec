// An access of a load, store or atomic by its lines.
//
//   8 bytes at physical address 0x103c, lines of 64 bytes: two pieces, {0x103c, 4} and {0x1040, 4}
//
// Guarantee: pieces lie in order, each in one line; no access has more than two.
#pragma once

#include <array>
#include <cstdint>

#include "rv64/memory.h"

namespace duet::cpu {

inline constexpr std::uint64_t kNoStore = ~std::uint64_t{0};  // no place in the store buffer

struct Piece {
  std::uint64_t physical = 0;
  unsigned bytes = 0;
};

struct Access {
  std::array<Piece, 2> pieces;
  unsigned count = 0;
  std::uint64_t address = 0;  // virtual
  std::uint64_t value = 0;    // as many low bytes as the access has
  unsigned bytes = 0;
  rv64::MemoryType type = rv64::MemoryType::WriteBack;
};

}  // namespace duet::cpu
