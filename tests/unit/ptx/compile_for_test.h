// Small PTX modules for the tests of this folder.
#pragma once

#include <algorithm>
#include <string>

#include "base/error.h"
#include "ptx/compiler.h"
#include "ptx/dump.h"

namespace duet::ptx {

inline std::string module_text(const std::string& body, const std::string& parameters = "",
                               const std::string& before = "") {
  return ".version 7.8\n.target sm_60\n.address_size 64\n" + before + "\n.visible .entry k(" + parameters +
         ")\n{\n" + body + "\n}\n";
}

inline Kernel compile_body(const std::string& body, const std::string& parameters = "",
                           const std::string& before = "", bool peepholes = true,
                           bool machine_operands = false) {
  CompileOptions options;
  options.machine_operands = machine_operands;
  options.assembler_peepholes = peepholes;
  return compile_module(module_text(body, parameters, before), "t.ptx", options).kernels.at(0);
}

inline std::string error_of(const std::string& text) {
  try {
    compile_module(text, "t.ptx");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline long count(const Kernel& kernel, Opcode opcode) {
  return std::count_if(kernel.code.begin(), kernel.code.end(),
                       [&](const MicroOp& op) { return op.opcode == opcode; });
}

// The first micro-op of that opcode; the test fails by exception without one.
inline const MicroOp& first(const Kernel& kernel, Opcode opcode) {
  for (const MicroOp& op : kernel.code)
    if (op.opcode == opcode) return op;
  throw Error("no " + std::string(opcode_name(opcode)) + " in\n" + dump(kernel));
}

inline std::uint64_t immediate_of(const Kernel& kernel, const Operand& operand, unsigned bytes = 4) {
  if (operand.bank != Bank::Immediate) throw Error("operand is no immediate");
  for (const Immediate& immediate : kernel.immediates)
    if (immediate.slot == operand.slot && immediate.bytes == bytes) return immediate.value;
  throw Error("immediate slot is not filled");
}

}  // namespace duet::ptx
