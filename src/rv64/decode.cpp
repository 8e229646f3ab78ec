#include "rv64/decode.h"

#include <vector>

namespace duet::rv64 {
namespace {

constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned bits) {
  return word >> low & ((1u << bits) - 1);
}
constexpr std::int64_t sign_extended(std::uint32_t value, unsigned bits) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << (64 - bits)) >> (64 - bits);
}

// The opcodes whose lowest seven bits, and three bits of function where their mask has them, are these.
class OpcodeTable {
 public:
  OpcodeTable() {
    for (std::size_t number = 0; number < kOpcodes; ++number) {
      const InstructionInfo& info = kInstructions[number];
      for (std::uint32_t function = 0; function < 8; ++function)
        if (((function << 12 ^ info.match) & info.mask & 0x7000) == 0)
          rows_[index(info.match | function << 12)].push_back(static_cast<Opcode>(number));
    }
  }
  Opcode find(std::uint32_t word) const {
    for (const Opcode opcode : rows_[index(word)])
      if ((word & info_of(opcode).mask) == info_of(opcode).match) return opcode;
    return Opcode::Illegal;
  }

 private:
  static std::size_t index(std::uint32_t word) { return field(word, 2, 5) * 8 + field(word, 12, 3); }
  std::array<std::vector<Opcode>, 256> rows_;
};

std::int64_t immediate_of(char letter, std::uint32_t word) {
  switch (letter) {
    case 'j':
    case 'o':
      return sign_extended(field(word, 20, 12), 12);
    case 'q':
      return sign_extended(field(word, 25, 7) << 5 | field(word, 7, 5), 12);
    case 'p':
      return sign_extended(field(word, 31, 1) << 12 | field(word, 7, 1) << 11 | field(word, 25, 6) << 5 |
                               field(word, 8, 4) << 1,
                           13);
    case 'u':
      return sign_extended(word & 0xfffff000, 32);
    case 'a':
      return sign_extended(field(word, 31, 1) << 20 | field(word, 12, 8) << 12 | field(word, 20, 1) << 11 |
                               field(word, 21, 10) << 1,
                           21);
    case '>':
      return field(word, 20, 6);
    case '<':
      return field(word, 20, 5);
    case 'E':
    case 'P':
      return field(word, 20, 12);
    default:
      return 0;
  }
}

// Whether user mode may do this with the instruction's CSR.
bool csr_is_allowed(const Instruction& instruction) {
  const std::int64_t number = instruction.immediate;
  if (number >= csr::kFflags && number <= csr::kFcsr) return true;
  if (number < csr::kCycle || number > csr::kHpmcounter31) return false;
  const bool writes = instruction.opcode == Opcode::Csrrw || instruction.opcode == Opcode::Csrrwi;
  return !writes && instruction.rs1 == 0;
}

}  // namespace

Instruction decode(std::uint32_t bits) {
  static const OpcodeTable table;
  Instruction result;
  result.length = is_compressed(bits) ? 2 : 4;
  result.bits = result.length == 2 ? bits & 0xffff : bits;
  const std::uint32_t word = result.length == 2 ? expand_compressed(result.bits) : bits;
  const Opcode opcode = (word & 3) == 3 ? table.find(word) : Opcode::Illegal;
  if (opcode == Opcode::Illegal) return result;
  result.opcode = opcode;
  for (const char letter : info_of(opcode).operands) {
    switch (letter) {
      case 'd':
      case 'D':
        result.rd = field(word, 7, 5);
        break;
      case 's':
      case 'S':
      case 'Z':
        result.rs1 = field(word, 15, 5);
        break;
      case 't':
      case 'T':
        result.rs2 = field(word, 20, 5);
        break;
      case 'R':
        result.rs3 = field(word, 27, 5);
        break;
      case 'm':
        result.rounding = static_cast<Rounding>(field(word, 12, 3));
        break;
      default:
        if (const std::int64_t value = immediate_of(letter, word); value != 0) result.immediate = value;
    }
  }
  const bool reserved_rounding =
      has_operand(opcode, 'm') && (field(word, 12, 3) == 5 || field(word, 12, 3) == 6);
  if (reserved_rounding || (has_operand(opcode, 'E') && !csr_is_allowed(result)))
    result.opcode = Opcode::Illegal;
  return result;
}

}  // namespace duet::rv64
