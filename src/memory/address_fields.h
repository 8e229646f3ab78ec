// The fields of gpu.dram.address_fields: which bits of a channel's byte number are bank, bank group and
// column.
//   address_fields(dram)    of "row bank:2 column:11": {Bank, 2 bits from bit 11}, {Column, 11 bits from bit
//   0}
// From high to low. `row` comes first and has all bits above the others. A field may have several pieces: the
// first one has its high bits. `bank` is a bank of its group; a group's banks count ranks in their low bits.
#pragma once

#include <cstdint>
#include <vector>

#include "config/machine.h"

namespace duet::memory {

enum class AddressField : std::uint8_t { Bank, Group, Column };

struct AddressPiece {
  AddressField field;
  unsigned bits, shift;
};

// Empty where the key is "". The numbers of banks, groups and bytes of a row are powers of two. Throws
// duet::Error for fields that do not cover them.
std::vector<AddressPiece> address_fields(const config::Dram& dram);

}  // namespace duet::memory
