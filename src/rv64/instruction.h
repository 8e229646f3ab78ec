// A decoded instruction, and its row of the table of instructions (instructions.def).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace duet::rv64 {

enum class Opcode : std::uint16_t {
#define INSTRUCTION(enumerator, ...) enumerator,
#include "rv64/instructions.def"
#undef INSTRUCTION
  Illegal  // no instruction of RV64GC in user mode
};
inline constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::Illegal);

// The kind of an instruction.
enum class Kind : std::uint8_t {
  Integer,
  Multiply,
  Divide,
  Branch,  // conditional
  Jump,
  Load,
  Store,
  Atomic,
  Fence,
  System,  // environment and CSRs
  FloatAdd,
  FloatMultiply,
  FloatFused,
  FloatDivide,
  FloatSquareRoot,
  FloatMove,  // sign injection, minimum, maximum, comparisons, class, and moves between register files
  FloatConvert
};

struct InstructionInfo {
  std::string_view mnemonic;
  std::string_view operands;  // letters of instructions.def
  std::uint32_t match;
  std::uint32_t mask;
  Kind kind;
};

inline constexpr std::array<InstructionInfo, kOpcodes> kInstructions{{
#define INSTRUCTION(enumerator, mnemonic, operands, match, mask, kind) \
  {mnemonic, operands, match, mask, Kind::kind},
#include "rv64/instructions.def"
#undef INSTRUCTION
}};

// `opcode` is not Illegal.
constexpr const InstructionInfo& info_of(Opcode opcode) {
  return kInstructions[static_cast<std::size_t>(opcode)];
}
// Whether instructions of this opcode have an operand of this letter.
constexpr bool has_operand(Opcode opcode, char letter) {
  return opcode != Opcode::Illegal && info_of(opcode).operands.find(letter) != std::string_view::npos;
}

enum class Rounding : std::uint8_t {
  NearestEven = 0,
  TowardZero = 1,
  Down = 2,
  Up = 3,
  NearestMaximum = 4,  // ties away from zero
  Dynamic = 7          // by frm
};

// Control and status registers of user mode. cycle to hpmcounter31 follow each other, and are read-only.
namespace csr {
inline constexpr unsigned kFflags = 0x001, kFrm = 0x002, kFcsr = 0x003;
inline constexpr unsigned kCycle = 0xc00, kTime = 0xc01, kInstret = 0xc02, kHpmcounter31 = 0xc1f;
}  // namespace csr

struct Instruction {
  Opcode opcode = Opcode::Illegal;
  // Register numbers, 0 where there is none; csrr?i keep their immediate in rs1.
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
  Rounding rounding = Rounding::NearestEven;
  std::uint8_t length = 4;     // bytes, 2 or 4
  std::int64_t immediate = 0;  // sign-extended; a CSR's number; 256 * fm + 16 * predecessors + successors
  std::uint32_t bits = 0;      // as they stand in memory
};

}  // namespace duet::rv64
