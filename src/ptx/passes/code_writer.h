// Writes the instructions of the passes over calls (inline_calls.cpp, system_functions.cpp), one after the
// other, into the current routine:
//
//     move(to, Value::immediate(0, Type::U32), Type::U32, line);
//     branch(label, line);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ir.h"

namespace duet::ptx {

class CodeWriter {
 protected:
  using Instruction = ir::Instruction;
  using Value = ir::Value;

  explicit CodeWriter(ir::ParsedModule& module) : module_(module) {}

  [[noreturn]] void unsupported(const std::string& what, std::uint32_t line) const {
    throw ir::Unsupported{what + " (" + module_.name + ":" + std::to_string(line) + ")"};
  }

  std::uint32_t new_register(Type type) { return routines_.function.add_register(type); }

  void move(std::uint32_t destination, Value from, Type type, std::uint32_t line) {
    Instruction in = ir::instruction(Opcode::Mov, type, line);
    if (type == Type::Pred) {
      in.predicate = destination;
    } else {
      in.add_destination(Value::reg(destination, type));
    }
    from.type = type;
    in.add_source(from);
    code_.push_back(in);
  }
  void load_parameter(std::uint32_t destination, const Value& variable, Type type, std::uint32_t line) {
    Instruction in = ir::instruction(Opcode::Load, type, line);
    in.op.space = StateSpace::Param;
    in.add_source(variable);
    in.add_destination(Value::reg(destination, type));
    code_.push_back(in);
  }
  void store_parameter(const Value& variable, Value from, Type type, std::uint32_t line) {
    Instruction in = ir::instruction(Opcode::Store, type, line);
    in.op.space = StateSpace::Param;
    in.add_source(variable);
    from.type = type;
    in.add_source(from);
    code_.push_back(in);
  }

  void mark(std::uint32_t label, std::uint32_t line) {
    Instruction in = ir::instruction(Opcode::Nop, Type::None, line);
    in.pseudo = ir::Pseudo::Label;
    in.label = label;
    code_.push_back(in);
  }
  void branch(std::uint32_t label, std::uint32_t line) {
    Instruction in = ir::instruction(Opcode::Branch, Type::None, line);
    in.label = label;
    code_.push_back(in);
  }

  ir::ParsedModule& module_;
  ir::Routines routines_;
  std::vector<Instruction> code_;  // of the routine being written
};

}  // namespace duet::ptx
