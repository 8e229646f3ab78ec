// Variable declarations and function bodies.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/decode/decode.h"
#include "ptx/ir.h"
#include "ptx/text/cursor.h"

namespace duet::ptx {

// Parses the declaration behind a variable's state space: alignment, type, names, array sizes, initialisers.
class VariableParser {
 public:
  VariableParser(Cursor& cursor, ir::ParsedModule& module) : cursor_(cursor), module_(module) {}
  // Parses to the semicolon and appends each variable to the module.
  void parse(StateSpace space, bool external, const std::function<void(std::uint32_t)>& declared);
  // One .param formal, up to ',' or ')'.
  std::uint32_t formal();

 private:
  void header();
  void attributes();
  void pointed_to();
  std::uint32_t declarator(StateSpace space, bool external);
  void initialiser(ir::IrVariable& variable);
  void element(ir::IrVariable& variable);
  void symbol_element(ir::IrVariable& variable);

  Cursor& cursor_;
  ir::ParsedModule& module_;
  Type type_ = Type::None;
  unsigned vector_ = 1;
  Bytes alignment_ = 0;
  bool managed_ = false;
  PointedSpace pointed_space_ = PointedSpace::None;
  Bytes pointed_alignment_ = 0;
  std::string unsupported_;
};

class BodyParser {
 public:
  BodyParser(Cursor& cursor, ir::ParsedModule& module, ir::Function& function);
  void run();  // from '{' to the matching '}'
  void declare_variable(std::uint32_t index);
  ir::Formal register_formal();  // after .reg, in a parameter list

 private:
  struct Family {
    std::uint32_t first, count;
  };
  struct Scope {
    std::unordered_map<std::string_view, std::uint32_t> registers;
    std::unordered_map<std::string_view, Family> families;  // %r<10>
    std::unordered_map<std::string_view, Family> vectors;   // .v4 .f32 a: its elements
    std::unordered_map<std::string, std::uint32_t> variables;
    std::unordered_map<std::string_view, std::uint32_t> labels;
  };

  void statement();
  void directive();
  void declare_registers();
  void label(std::string_view name);
  void targets(std::string_view name);
  void instruction();
  void call(ParsedStatement& in);
  std::vector<ir::Value> call_operands();
  void parse_operand(ParsedOperand& operand);
  void parse_elements(ParsedOperand& operand);
  void parse_vector(ParsedOperand& operand);
  void parse_address(ParsedOperand& operand);
  ir::Value parse_value(ParsedOperand* name_allowed);
  bool find_register(std::string_view name, std::uint32_t& reg) const;
  bool find_vector(std::string_view name, Family& vector) const;
  ir::Value vector_operand(const Family& vector, std::string_view name, ParsedOperand* whole_allowed);
  bool find_variable(std::string_view name, std::uint32_t& variable) const;
  bool is_label(std::string_view name) const;
  bool find_function(std::string_view name, ir::Value& address);
  ir::Signature prototype();
  ir::Value special_register(std::string_view name);
  std::uint32_t label_number(std::string_view name);

  Cursor& cursor_;
  ir::ParsedModule& module_;
  ir::Function& function_;
  std::vector<Scope> scopes_;
  void claim_labels();  // labels defined in the scope just opened
  std::vector<std::string_view> label_names_;
  std::vector<std::uint32_t> label_uses_;  // line of the first use or definition
  std::vector<bool> label_defined_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> branch_tables_;
  std::unordered_map<std::string_view, ir::Signature> prototypes_;
  std::unordered_map<std::string_view, std::vector<std::string>> call_lists_;
  ParsedStatement parsed_;
};

}  // namespace duet::ptx
