#include "cpu/execute.h"

#include <array>

#include "rv64/semantics.h"

namespace duet::cpu {
namespace {

using rv64::Kind;
using rv64::Opcode;

template <Opcode op>
bool run(Execution& execution, const rv64::Instruction& instruction) {
  return rv64::execute<op>(execution, instruction);
}

template <Opcode op>
constexpr ExecuteFunction function_of() {
  if constexpr (rv64::is_executed(op) && rv64::info_of(op).kind != Kind::Atomic)
    return run<op>;
  else
    return nullptr;
}

constexpr std::array<ExecuteFunction, rv64::kOpcodes> kFunctions{
#define INSTRUCTION(enumerator, ...) function_of<Opcode::enumerator>(),
#include "rv64/instructions.def"
#undef INSTRUCTION
};

template <Opcode op>
std::uint64_t modified([[maybe_unused]] std::uint64_t old, [[maybe_unused]] std::uint64_t operand) {
  if constexpr (rv64::info_of(op).kind == Kind::Atomic && rv64::info_of(op).mnemonic.starts_with("amo")) {
    using T = rv64::AccessedBits<op>;
    return rv64::atomic_result<op, T>(static_cast<T>(old), static_cast<T>(operand));
  }
  return 0;
}

using AtomicFunction = std::uint64_t (*)(std::uint64_t, std::uint64_t);
constexpr std::array<AtomicFunction, rv64::kOpcodes> kAtomics{
#define INSTRUCTION(enumerator, ...) modified<Opcode::enumerator>,
#include "rv64/instructions.def"
#undef INSTRUCTION
};

}  // namespace

ExecuteFunction execute_function(Opcode opcode) {
  return opcode == Opcode::Illegal ? nullptr : kFunctions[static_cast<std::size_t>(opcode)];
}

bool branch_taken(Opcode opcode, std::uint64_t a, std::uint64_t b) {
  switch (opcode) {
    case Opcode::Beq:
      return rv64::is_taken<Opcode::Beq>(a, b);
    case Opcode::Bne:
      return rv64::is_taken<Opcode::Bne>(a, b);
    case Opcode::Blt:
      return rv64::is_taken<Opcode::Blt>(a, b);
    case Opcode::Bge:
      return rv64::is_taken<Opcode::Bge>(a, b);
    case Opcode::Bltu:
      return rv64::is_taken<Opcode::Bltu>(a, b);
    default:
      return rv64::is_taken<Opcode::Bgeu>(a, b);
  }
}

std::uint64_t atomic_value(Opcode opcode, std::uint64_t old, std::uint64_t operand) {
  return kAtomics[static_cast<std::size_t>(opcode)](old, operand);
}

unsigned atomic_bytes(Opcode opcode) { return rv64::info_of(opcode).mnemonic.ends_with(".w") ? 4 : 8; }

}  // namespace duet::cpu
