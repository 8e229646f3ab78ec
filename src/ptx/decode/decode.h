// From one parsed PTX statement to instructions of the compiler's form: modifiers become MicroOp fields,
// operands are checked against the types the instruction reads, and widths PTX converts silently (a 64-bit
// register as the source of st.u32) are written out. The table of opcodes (ptx/opcodes.def) names the
// function for each instruction (decoders.h) and its forms (legality.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/decode/opcode_table.h"
#include "ptx/ir.h"

namespace duet::ptx {

struct ParsedOperand {
  enum class Kind : std::uint8_t { Value, Vector, Address, Name, Sink };
  Kind kind = Kind::Sink;
  bool complement = false;              // !p
  ir::Value value;                      // Value; Address: base
  bool negate = false;                  // -x: video instructions
  ir::Value second;                     // p|q
  std::string_view selector;            // x.h1: video instructions
  std::int64_t offset = 0;              // Address
  std::string_view name;                // Name: a label or function
  unsigned element_count = 0;           // Vector; Address: coordinates behind the base
  std::array<ir::Value, 8> elements{};  // ValueKind::None for `_`
};

struct ParsedStatement {
  std::uint32_t line = 0;
  std::string_view opcode;
  std::vector<std::string_view> modifiers;
  std::string_view text;  // opcode and modifiers as written
  std::uint32_t guard = ir::kNone;
  bool guard_negated = false;
  unsigned operand_count = 0;
  std::array<ParsedOperand, 6> operands;
};

// The surroundings of a statement beside its operands.
struct DecodeContext {
  ir::ParsedModule& module;
  ir::Function& function;
  std::function<std::uint32_t(std::string_view)> label_number;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>>& branch_tables;
};

// Appends to context.function.code. Throws ir::Unsupported, or duet::Error with the line.
void decode_statement(const ParsedStatement& statement, DecodeContext& context);

class Decoder {
 public:
  Decoder(const ParsedStatement& statement, const OpcodeRow& opcode_row, DecodeContext& context);

  const ParsedStatement& in;
  const OpcodeRow& row;
  DecodeContext& context;
  ir::Instruction out;

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void unsupported() const;
  [[noreturn]] void illegal(const std::string& what) const;  // PTX has no such form

  // Modifiers, taken in any order; finish() refuses the rest.
  bool take(std::string_view modifier);
  bool peek(std::string_view modifier) const;
  Type take_type();  // the first type modifier; fails without one
  Type take_type_or_none();
  Rounding take_rounding();
  void take_hints();  // cache and level hints without architectural effect
  MemoryScope take_scope();
  bool modifiers_left() const;
  const std::vector<std::string_view>& modifiers() const { return modifiers_; }  // not taken yet

  // Operands
  const ParsedOperand& operand(unsigned index) const;
  void expect_operands(unsigned least, unsigned most) const;
  ir::Value source(unsigned index, Type type);  // as the instruction reads it
  ir::Value value_as(const ir::Value& value, Type type);
  ir::Value narrowed(const ir::Value& value, Type type);  // a wider register may stand for a narrow type
  ir::Value predicate_source(unsigned index);
  void destination(unsigned index, Type type, bool wider_allowed = false);
  void predicate_destination(unsigned index);
  void sources(unsigned first, unsigned count, Type type);

  // Emission
  void set(Type type) { set(row.opcode, type); }
  void set(Opcode opcode, Type type);
  void finish();  // refuses remaining modifiers and appends `out` and conversions after it
  ir::Instruction make(Opcode opcode, Type type) const;  // an unguarded helper instruction of this line
  std::uint32_t temporary(Type type);
  void append(const ir::Instruction& instruction) { context.function.code.push_back(instruction); }
  unsigned width_of_register(const ir::Value& value) const;

 private:
  std::vector<std::string_view> modifiers_;
  std::vector<ir::Instruction> after_;
};

bool type_from_name(std::string_view name, Type& type);              // of registers and memory
bool instruction_type_from_name(std::string_view name, Type& type);  // packed types too

}  // namespace duet::ptx
