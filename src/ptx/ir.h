// The compiler's own form of a module, between PTX text and micro-ops: virtual registers with types,
// variables by number, and per function a linear list of instructions in which labels stand as pseudo
// instructions. Passes (passes/passes.h) rewrite it; emit turns it into a Kernel.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "ptx/kernel.h"
#include "ptx/micro_op.h"
#include "ptx/source_map.h"

namespace duet::ptx::ir {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

enum class ValueKind : std::uint8_t {
  None,
  Register,   // index: virtual register (predicates too)
  Immediate,  // bits
  Warp,       // index: WarpSlot
  Block,      // index: BlockSlot
  Volatile,   // index: Special; the decoder reads it into a register
  Parameter,  // bits: offset in the kernel's parameter block; storage: how it lies there
  Variable    // index: variable, bits: bytes added to its address
};

// Value::bits of a Parameter from here on: bytes into the words of the environment registers.
inline constexpr std::uint64_t kEnvironment = 1u << 20;

// A source operand or a destination before registers are allocated.
struct Value {
  ValueKind kind = ValueKind::None;
  Type type = Type::None;  // how the instruction reads it (decides the slots it takes)
  Type storage = Type::None;
  bool negate = false;
  bool absolute = false;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;

  bool is_register() const { return kind == ValueKind::Register; }
  bool is_immediate() const { return kind == ValueKind::Immediate; }
  bool is_register(std::uint32_t reg) const { return is_register() && index == reg; }

  static Value reg(std::uint32_t index, Type type) {
    return {ValueKind::Register, type, Type::None, false, false, index, 0};
  }
  static Value immediate(std::uint64_t bits, Type type) {
    return {ValueKind::Immediate, type, Type::None, false, false, 0, bits};
  }
  static Value variable(std::uint32_t index, std::uint64_t offset, Type type) {
    return {ValueKind::Variable, type, Type::None, false, false, index, offset};
  }
};

enum class Pseudo : std::uint8_t { None, Label, Call, Return, Removed };

// One instruction. `op` carries the decoded fields; its operand slots, predicates and targets are filled when
// the instruction is emitted, from the members here.
struct Instruction {
  MicroOp op;
  Pseudo pseudo = Pseudo::None;
  std::uint32_t guard = kNone;
  std::uint32_t predicate = kNone;
  std::uint32_t predicate_second = kNone;
  // Label: its number; Branch: its target; BranchIndexed: Function::branch_tables.
  std::uint32_t label = kNone;
  std::uint32_t call = kNone;          // Pseudo::Call: Function::calls, later Routines::calls
  std::uint32_t return_label = kNone;  // Kind::Call: where the function returns to
  std::array<Value, 4> destinations{};
  std::array<Value, 5> sources{};

  bool guarded() const { return guard != kNone; }
  void add_source(const Value& value) { sources[op.source_count++] = value; }
  void add_destination(const Value& value) { destinations[op.destination_count++] = value; }
};

// An unguarded instruction of one line of PTX, without operands.
inline Instruction instruction(Opcode opcode, Type type, std::uint32_t line) {
  Instruction in;
  in.op.opcode = opcode;
  in.op.kind = kind_of(opcode);
  in.op.type = type;
  in.op.ptx_line = line;
  return in;
}

// Sizes of return values and parameters, as far as an indirect call must know them.
struct Signature {
  std::vector<Bytes> returns, parameters;
  friend bool operator==(const Signature&, const Signature&) = default;
};

struct CallSite {
  std::string callee;             // empty: an indirect call
  Value target;                   // of an indirect call
  Signature signature;            // of an indirect call with a prototype
  std::vector<std::string> list;  // of an indirect call with .calltargets
  std::vector<Value> returns;
  std::vector<Value> arguments;
};

struct IrVariable {
  std::string name;
  StateSpace space = StateSpace::Global;
  Bytes bytes = 0;
  Bytes alignment = 1;
  bool external = false;
  bool managed = false;
  bool kernel_parameter = false;
  bool in_frame = false;  // parameter, too large for a register, of a function with a frame
  Bytes parameter_offset = 0;
  PointedSpace pointed_space = PointedSpace::None;
  Bytes pointed_alignment = 0;
  std::vector<std::uint8_t> initial;
  struct Relocation {
    Bytes offset;
    std::uint8_t bytes;
    std::string symbol;
    bool generic;
    std::uint32_t line;
  };
  std::vector<Relocation> relocations;
  std::string unsupported;  // named at the launch of a kernel with it
};

// A formal parameter or return value of a .func: a .param variable or a register.
struct Formal {
  bool is_register = false;
  std::uint32_t index = 0;
  Type type = Type::None;
};

struct Function {
  std::string name;
  bool entry = false;
  bool has_body = false;
  std::uint32_t line = 0;
  std::vector<Type> registers;  // of virtual registers
  std::vector<Formal> returns;
  std::vector<Formal> parameters;
  std::vector<Instruction> code;
  std::vector<CallSite> calls;
  std::vector<std::vector<std::uint32_t>> branch_tables;                   // of labels
  std::unordered_map<std::uint32_t, std::vector<Address>> code_addresses;  // of a table's labels
  std::uint32_t labels = 0;
  std::string unsupported;  // "PTX 'x' is not supported (k.ptx:1)"
  std::uint32_t max_threads = 0, required_threads = 0, min_blocks_per_sm = 0, max_registers = 0;
  bool names_32_lanes = false;
  bool names_reserved_shared = false;  // %reserved_smem..
  bool explicit_cluster = false;       // it says that it is launched in clusters

  std::uint32_t add_register(Type type) {
    registers.push_back(type);
    return static_cast<std::uint32_t>(registers.size() - 1);
  }
};

// A kernel whose calls have been resolved, before it is one list of instructions: routine 0 is the entry with
// what is inlined into it, the others are functions of call cycles, each once.
struct Routine {
  std::string name;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> frame_parameters;  // variables, return values first
  std::uint32_t entry_label = kNone, return_label = kNone;
  std::uint32_t return_number = kNone;  // register: the number of the call it returns to
};
// The data of a Pseudo::Call: values for the callee's frame have been computed; values in registers lie
// there.
struct RoutineCall {
  std::uint32_t routine = 0;
  struct Piece {
    std::uint32_t variable;  // of the callee's frame
    Bytes offset;
    Value value;
    Type type;
  };
  std::vector<Piece> arguments, returns;
};
struct Routines {
  Function function;  // shared by the routines: registers, labels, tables; its code is empty
  std::vector<Routine> routines;
  std::vector<RoutineCall> calls;
  std::vector<std::uint32_t> transfers;  // registers with a value only from call to entry or back
  std::uint32_t return_number = kNone;   // one of them
};

struct ParsedModule {
  std::string name;
  std::uint64_t first_function = 0;          // number of functions in the process's earlier modules
  std::vector<std::uint32_t> address_taken;  // functions, in any order
  unsigned target_sm = 0, version_major = 0, version_minor = 0;
  std::vector<IrVariable> variables;
  std::vector<Function> functions;
  std::unordered_map<std::string, std::uint32_t> function_index;
  std::unordered_map<std::string, std::uint32_t> variable_index;  // module scope
  std::unordered_map<std::string, std::string> aliases;
  SourceMap sources;
};

// A register of 128 bits: the two behind it hold the value, and it takes no place itself.
inline constexpr std::uint32_t kRegistersOfB128 = 3;
inline Value low_half(std::uint32_t reg) { return Value::reg(reg + 1, Type::B64); }
inline Value high_half(std::uint32_t reg) { return Value::reg(reg + 2, Type::B64); }

// A value takes one 32-bit slot or two.
constexpr unsigned slots_of(Type type) { return type_bytes(type) == 8 ? 2 : 1; }

// Thrown by the decoder for forms outside Duet's model; the parser turns it into Function::unsupported.
struct Unsupported {
  std::string what;  // "PTX 'tex.3d' is not supported"
};

template <typename F>
void for_each_definition(const Instruction& in, F&& f) {
  for (unsigned i = 0; i < in.op.destination_count; ++i)
    if (in.destinations[i].is_register()) f(in.destinations[i].index);
  if (in.predicate != kNone) f(in.predicate);
  if (in.predicate_second != kNone) f(in.predicate_second);
}
template <typename F>
void for_each_use(const Instruction& in, F&& f) {
  for (unsigned i = 0; i < in.op.source_count; ++i)
    if (in.sources[i].is_register()) f(in.sources[i].index);
  if (in.guard != kNone) f(in.guard);
}

}  // namespace duet::ptx::ir
