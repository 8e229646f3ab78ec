// The statements of a kernel as C: the work of a thread, from its start or from its barrier.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "preexec/blocks/arithmetic.h"
#include "preexec/blocks/blocks.h"
#include "preexec/kernel/form.h"
#include "preexec/text/expression.h"
#include "preexec/text/names.h"

namespace duet::preexec {

class BodyWriter {
 public:
  // Throws duet::Error where a core cannot execute something of the kernel.
  BodyWriter(const ptx::ir::ParsedModule& module, const Form& form, Names& names, BlockProgram& program);

  std::string thread_struct() const;  // a thread's variables between barriers; empty without any
  std::string function() const;       // execute_block

 private:
  void lay_out();
  void refuse(const ptx::ir::Instruction& in) const;
  [[noreturn]] void refuse(const ptx::ir::Instruction& in, const std::string& what) const;
  void write(std::uint32_t instruction);
  void write_branch(const ptx::ir::Instruction& in);
  void write_barrier(std::uint32_t instruction);
  void write_load(const ptx::ir::Instruction& in);
  void write_store(const ptx::ir::Instruction& in);
  void write_atomic(std::uint32_t instruction);
  void write_arithmetic(const ptx::ir::Instruction& in);
  void assign(const std::vector<std::pair<std::uint32_t, std::string>>& values);
  std::vector<std::uint32_t> live_after(std::uint32_t instruction) const;

  NodeId value(const ptx::ir::Instruction& in, const ptx::ir::Value& v);
  Expression text(NodeId node);
  Expression leaf(const Node& node);
  std::string checked(const ptx::ir::Instruction& in, NodeId node);
  std::string address(const ptx::ir::Instruction& in, unsigned element);
  unsigned bits_of(std::uint32_t reg) const;
  std::string name_of(std::uint32_t reg);
  std::string place_of(const ptx::ir::Instruction& in) const;

  const ptx::ir::ParsedModule& module_;
  const Form& form_;
  Names& names_;
  BlockProgram& program_;
  Graph graph_;
  Lines out_{3};
  std::map<std::uint32_t, Bytes> offset_;  // of shared and local variables
  std::map<std::uint32_t, std::string> registers_;
  std::vector<std::vector<std::uint32_t>> kept_;  // by barrier: registers
  std::vector<std::vector<std::uint32_t>> live_out_;
};

}  // namespace duet::preexec
