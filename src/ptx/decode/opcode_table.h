// The table of opcodes (ptx/opcodes.def) as the compiler reads it: a row for each instruction of PTX, and for
// each opcode its execution unit and its weight.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "ptx/micro_op.h"

namespace duet::ptx {

class Decoder;
class Legality;

class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (const Type type : types) bits_ |= 1u << static_cast<unsigned>(type);
  }
  constexpr bool holds(Type type) const { return bits_ >> static_cast<unsigned>(type) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  std::uint32_t bits_ = 0;
};

// Operands and modifiers of an instruction beyond its types.
enum Takes : unsigned {
  kCarryOut = 1,        // .cc
  kCarryIn = 2,         // reads the flag of another's .cc
  kCarries = 3,         // addc, subc, madc: both
  kFull = 4,            // .full, and .approx is another thing
  kRelu = 8,            // .relu, with 16-bit formats
  kNarrowSources = 16,  // a second type, f16 or bf16, of all sources but the last
  kParts = 32           // parts of operands and operands with a sign: video instructions
};

// The forms of an instruction. Types are those of its first type modifier.
struct Form {
  const char* shape = "";     // destination, then sources: T has the instruction's type, u 32 bits (by_shape)
  TypeSet types = {};         // empty: as the decoder function says
  TypeSet must_round = {};    // needs a rounding or .approx or .full
  TypeSet rounds = {};        // may carry .rn .rz .rm .rp
  TypeSet flushes = {};       // .ftz
  TypeSet saturates = {};     // .sat
  TypeSet approximates = {};  // .approx, .full
  unsigned takes = 0;
  void (*check)(const Legality&) = nullptr;  // rules of its own (decode_legality.cpp)
};

struct OpcodeRow {
  std::string_view name;
  Opcode opcode;
  void (*decode)(Decoder&);
  Form form;
};
// The row of the instruction of this name; null where there is none.
const OpcodeRow* find_row(std::string_view name);
// An instruction of PTX ISA 9.0 without a row: a kernel with it is refused at its launch.
bool is_foreign(std::string_view name);

Unit unit_of(const MicroOp& op);
// How many machine instructions it stands for. `power_of_two_multiplier`: a product by a power of two; an
// assembler makes shifts of it.
unsigned machine_instructions_of(const MicroOp& op, bool power_of_two_multiplier);

}  // namespace duet::ptx
