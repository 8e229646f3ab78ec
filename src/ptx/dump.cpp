// One line per micro-op: index, guard, opcode with its modifiers, destinations, sources. Registers are
// r<slot>, 64-bit ones d<slot>; c[..] is the parameter block, b[..] and w[..] block and warp values.
#include "ptx/dump.h"

#include <cstdio>

#include "ptx/image.h"

namespace duet::ptx {

namespace {

std::string immediate_text(const Kernel& kernel, std::uint32_t slot) {
  for (const Immediate& immediate : kernel.immediates) {
    if (immediate.slot != slot) continue;
    char text[40];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(immediate.value));
    std::string result = text;
    if (immediate.variable >= 0) result = "var" + std::to_string(immediate.variable) + "+" + result;
    return result;
  }
  return "imm?" + std::to_string(slot);
}

std::string operand_text(const Operand& operand, const Kernel& kernel) {
  std::string text;
  switch (operand.bank) {
    case Bank::Register:
      text = "r" + std::to_string(operand.slot);
      break;
    case Bank::Warp:
      text = "w[" + std::to_string(operand.slot) + "]";
      break;
    case Bank::Block:
      text = "b[" + std::to_string(operand.slot) + "]";
      break;
    case Bank::Immediate:
      text = immediate_text(kernel, operand.slot);
      break;
    case Bank::Predicate:
      return std::string(operand.negate ? "!p" : "p") + std::to_string(operand.slot);
    case Bank::Parameter:
      for (const ParameterSlot& p : kernel.parameter_slots)
        if (p.slot == operand.slot) text = "c[" + std::to_string(p.offset) + "]." + type_name(p.type);
      break;
  }
  if (operand.absolute) text = "|" + text + "|";
  return operand.negate ? "-" + text : text;
}

const char* space_name(StateSpace space) {
  static constexpr const char* kNames[] = {"", ".global", ".shared", ".local", ".param", ".const"};
  return kNames[static_cast<unsigned>(space)];
}

}  // namespace

std::string dump(const MicroOp& op, const Kernel& kernel) {
  std::string text;
  if (op.guard != kNoPredicate)
    text += std::string(op.guard_negated ? "@!p" : "@p") + std::to_string(op.guard) + " ";
  text += opcode_name(op.opcode);
  const bool memory = op.kind == Kind::Load || op.kind == Kind::Store || op.kind == Kind::Atomic;
  if (op.kind == Kind::Image) text += image_text(op);
  if (op.names_bits()) text += bits_text(op);
  if (memory) text += space_name(op.space);
  if (memory && op.vector_elements > 1) text += ".v" + std::to_string(op.vector_elements);
  if (op.opcode == Opcode::Setp || op.opcode == Opcode::Set) {
    static constexpr const char* kComparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                   "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    text += std::string(".") + kComparisons[static_cast<unsigned>(op.comparison)];
  }
  static constexpr const char* kProducts[] = {"", ".lo", ".hi", ".wide"};
  text += kProducts[static_cast<unsigned>(op.product)];
  if (op.approximate) text += ".approx";
  if (op.flush_to_zero) text += ".ftz";
  if (op.saturate) text += ".sat";
  if (op.carry_out) text += ".cc";
  if (op.carry_in) text += ".x";
  if (op.type != Type::None) text += std::string(".") + type_name(op.type);
  if (op.source_type != Type::None && op.source_type != op.type)
    text += std::string(".") + type_name(op.source_type);
  const char* separator = " ";
  const auto add = [&](const std::string& item) {
    text += separator + item;
    separator = ", ";
  };
  for (unsigned i = 0; i < op.destination_count; ++i)
    add(op.destinations[i] == kNoRegister ? "_" : "r" + std::to_string(op.destinations[i]));
  if (op.predicate_destination != kNoPredicate) add("p" + std::to_string(op.predicate_destination));
  if (op.predicate_destination_second != kNoPredicate)
    add("p" + std::to_string(op.predicate_destination_second));
  for (unsigned i = 0; i < op.source_count; ++i) {
    std::string item = operand_text(op.sources[i], kernel);
    if (memory && i == 0)
      item = "[" + item + (op.address_offset > 0 ? "+" : "") +
             (op.address_offset != 0 ? std::to_string(op.address_offset) : "") + "]";
    add(item);
  }
  if (op.kind == Kind::Branch || op.kind == Kind::Call)
    add("-> " + std::to_string(op.target) + " (meet " + std::to_string(op.reconvergence) + ")");
  return text;
}

std::string dump(const Kernel& kernel) {
  if (!kernel.unsupported.empty()) return kernel.unsupported + "\n";
  std::string text = kernel.name + ": " + std::to_string(kernel.registers) + " registers, " +
                     std::to_string(kernel.register_slots) + " slots, " + std::to_string(kernel.predicates) +
                     " predicates, " + std::to_string(kernel.machine_instructions) +
                     " machine instructions\n";
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    char index[32];
    std::snprintf(index, sizeof index, "%5zu  ", i);
    text += index + dump(kernel.code[i], kernel) + "\n";
  }
  return text;
}

}  // namespace duet::ptx
