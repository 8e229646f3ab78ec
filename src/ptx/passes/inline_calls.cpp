// Inlining of direct calls, and the functions that CUDA's device runtime supplies (CUDA C++ Programming
// Guide: formatted output, assertions, dynamic allocation). Every function with a body is inlined, since the
// execution model has no call stack.
#include <optional>

#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::CallSite;
using ir::Formal;
using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::ParsedModule;
using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr std::size_t kLargestKernel = 2'000'000;

struct SystemSignature {
  const char* name;
  SystemFunction function;
  std::vector<Type> arguments;
  Type result;
};
const SystemSignature* system_function(const std::string& name) {
  static const std::vector<SystemSignature> kFunctions = {
      {"vprintf", SystemFunction::Vprintf, {Type::U64, Type::U64}, Type::U32},
      {"__assertfail",
       SystemFunction::AssertFail,
       {Type::U64, Type::U64, Type::U32, Type::U64, Type::U64},
       Type::None},
      {"malloc", SystemFunction::Malloc, {Type::U64}, Type::U64},
      {"free", SystemFunction::Free, {Type::U64}, Type::None}};
  for (const auto& f : kFunctions)
    if (name == f.name) return &f;
  return nullptr;
}

class Inliner {
 public:
  explicit Inliner(ParsedModule& module) : module_(module) {}

  Function run(const Function& entry) {
    result_ = entry;
    result_.code.clear();
    active_.push_back(entry.name);
    std::vector<std::uint32_t> registers(entry.registers.size());
    for (std::uint32_t i = 0; i < registers.size(); ++i) registers[i] = i;
    std::unordered_map<std::uint32_t, std::uint32_t> variables;
    for (const Formal& p : entry.parameters)
      if (!p.is_register) variables[p.index] = p.index;
    copy(entry, registers, variables, 0, kNone);
    return std::move(result_);
  }

 private:
  [[noreturn]] void unsupported(const std::string& what, std::uint32_t line) const {
    throw ir::Unsupported{what + " (" + module_.name + ":" + std::to_string(line) + ")"};
  }

  // Local and parameter variables of a body are its own in every copy.
  std::uint32_t own_variable(std::uint32_t index,
                             std::unordered_map<std::uint32_t, std::uint32_t>& variables) {
    const auto& v = module_.variables[index];
    if (v.space != StateSpace::Local && v.space != StateSpace::Param) return index;
    const auto [found, fresh] =
        variables.try_emplace(index, static_cast<std::uint32_t>(module_.variables.size()));
    if (fresh) module_.variables.push_back(ir::IrVariable(v));
    return found->second;
  }

  Value map(Value value, const std::vector<std::uint32_t>& registers,
            std::unordered_map<std::uint32_t, std::uint32_t>& variables) {
    if (value.is_register()) value.index = registers[value.index];
    if (value.kind == ValueKind::Variable) value.index = own_variable(value.index, variables);
    return value;
  }

  void copy(const Function& body, const std::vector<std::uint32_t>& registers,
            std::unordered_map<std::uint32_t, std::uint32_t>& variables, std::uint32_t first_label,
            std::uint32_t return_label) {
    if (!body.unsupported.empty()) throw ir::Unsupported{body.unsupported};
    result_.names_32_lanes |= body.names_32_lanes;
    std::uint32_t first_table = 0;
    if (return_label != kNone) {
      first_table = static_cast<std::uint32_t>(result_.branch_tables.size());
      for (auto table : body.branch_tables) {
        for (auto& label : table) label += first_label;
        result_.branch_tables.push_back(std::move(table));
      }
    }
    for (const Instruction& original : body.code) {
      if (result_.code.size() > kLargestKernel)
        unsupported(
            "a kernel of more than " + std::to_string(kLargestKernel) + " instructions after inlining",
            original.op.ptx_line);
      Instruction in = original;
      if (in.guard != kNone) in.guard = registers[in.guard];
      if (in.predicate != kNone) in.predicate = registers[in.predicate];
      if (in.predicate_second != kNone) in.predicate_second = registers[in.predicate_second];
      for (auto& d : in.destinations) d = map(d, registers, variables);
      for (auto& s : in.sources) s = map(s, registers, variables);
      if (in.pseudo == Pseudo::Label || (in.pseudo == Pseudo::None && in.op.kind == Kind::Branch))
        in.label += first_label;
      if (in.pseudo == Pseudo::None && in.op.kind == Kind::BranchIndexed) in.label += first_table;
      if (in.pseudo == Pseudo::Return) {
        in.pseudo = Pseudo::None;
        in.op.opcode = Opcode::Branch;
        in.op.kind = Kind::Branch;
        in.label = return_label;
      }
      if (in.pseudo == Pseudo::Call) {
        CallSite site = body.calls[original.call];
        for (auto& v : site.returns) v = map(v, registers, variables);
        for (auto& v : site.arguments) v = map(v, registers, variables);
        call(in, site);
        continue;
      }
      result_.code.push_back(in);
    }
  }

  Instruction helper(Opcode opcode, Kind kind, Type type, std::uint32_t line) const {
    Instruction in;
    in.op.opcode = opcode;
    in.op.kind = kind;
    in.op.type = type;
    in.op.ptx_line = line;
    return in;
  }
  void move(std::uint32_t destination, Value from, Type type, std::uint32_t line) {
    Instruction in = helper(Opcode::Mov, Kind::Arithmetic, type, line);
    if (type == Type::Pred) {
      in.predicate = destination;
    } else {
      in.add_destination(Value::reg(destination, type));
    }
    from.type = type;
    in.add_source(from);
    result_.code.push_back(in);
  }
  void load_parameter(std::uint32_t destination, const Value& variable, Type type, std::uint32_t line) {
    Instruction in = helper(Opcode::Load, Kind::Load, type, line);
    in.op.space = StateSpace::Param;
    in.add_source(variable);
    in.add_destination(Value::reg(destination, type));
    result_.code.push_back(in);
  }
  void store_parameter(const Value& variable, Value from, Type type, std::uint32_t line) {
    Instruction in = helper(Opcode::Store, Kind::Store, type, line);
    in.op.space = StateSpace::Param;
    in.add_source(variable);
    from.type = type;
    in.add_source(from);
    result_.code.push_back(in);
  }

  void call(const Instruction& in, const CallSite& site) {
    const std::uint32_t line = in.op.ptx_line;
    std::uint32_t skip = kNone;
    if (in.guarded()) {  // @p call: branch around it
      skip = result_.labels++;
      Instruction branch = helper(Opcode::Branch, Kind::Branch, Type::None, line);
      branch.guard = in.guard;
      branch.op.guard_negated = !in.op.guard_negated;
      branch.label = skip;
      result_.code.push_back(branch);
    }
    std::string name = site.callee;
    for (unsigned hops = 0; module_.aliases.contains(name) && hops < 16; ++hops)
      name = module_.aliases.at(name);
    const auto found = module_.function_index.find(name);
    const Function* callee =
        found == module_.function_index.end() ? nullptr : &module_.functions[found->second];
    if (callee != nullptr && callee->has_body)
      inline_body(*callee, site, line);
    else if (const SystemSignature* system = system_function(name))
      system_call(*system, site, line);
    else
      unsupported("function '" + name + "' has no body, a call to it is not supported", line);
    if (skip != kNone) {
      Instruction mark = helper(Opcode::Nop, Kind::Nop, Type::None, line);
      mark.pseudo = Pseudo::Label;
      mark.label = skip;
      result_.code.push_back(mark);
    }
  }

  void inline_body(const Function& callee, const CallSite& site, std::uint32_t line) {
    for (const auto& name : active_)
      if (name == callee.name)
        unsupported("recursion of function '" + callee.name + "' is not supported", line);
    if (site.arguments.size() != callee.parameters.size() || site.returns.size() > callee.returns.size())
      unsupported("call of '" + callee.name + "' with other parameters than it declares", line);
    active_.push_back(callee.name);

    std::vector<std::uint32_t> registers(callee.registers.size());
    const auto base = static_cast<std::uint32_t>(result_.registers.size());
    for (std::uint32_t i = 0; i < registers.size(); ++i) registers[i] = base + i;
    result_.registers.insert(result_.registers.end(), callee.registers.begin(), callee.registers.end());
    std::unordered_map<std::uint32_t, std::uint32_t> variables;
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
      const Formal& formal = callee.parameters[i];
      const Value& actual = site.arguments[i];
      const bool by_variable = actual.kind == ValueKind::Variable;
      if (formal.is_register) {
        if (by_variable && module_.variables[actual.index].space == StateSpace::Param)
          load_parameter(registers[formal.index], actual, formal.type, line);
        else
          move(registers[formal.index], actual, formal.type, line);
      } else if (by_variable && module_.variables[actual.index].space == StateSpace::Param) {
        variables[formal.index] = actual.index;
      } else {
        const std::uint32_t v = own_variable(formal.index, variables);
        const Type type = module_.variables[v].bytes == 8 ? Type::B64 : Type::B32;
        store_parameter(Value::variable(v, 0, Type::U64), actual, type, line);
      }
    }
    for (std::size_t i = 0; i < site.returns.size(); ++i)
      if (!callee.returns[i].is_register && site.returns[i].kind == ValueKind::Variable)
        variables[callee.returns[i].index] = site.returns[i].index;

    const std::uint32_t first_label = result_.labels;
    result_.labels += callee.labels + 1;
    const std::uint32_t return_label = first_label + callee.labels;
    copy(callee, registers, variables, first_label, return_label);
    Instruction mark = helper(Opcode::Nop, Kind::Nop, Type::None, line);
    mark.pseudo = Pseudo::Label;
    mark.label = return_label;
    // A body that ends in its only return falls through to what follows.
    if (const Instruction& last = result_.code.back(); last.pseudo == Pseudo::None &&
                                                       last.op.kind == Kind::Branch && !last.guarded() &&
                                                       last.label == return_label)
      result_.code.pop_back();
    result_.code.push_back(mark);

    for (std::size_t i = 0; i < site.returns.size(); ++i) {
      const Formal& formal = callee.returns[i];
      const Value& actual = site.returns[i];
      if (formal.is_register && actual.is_register())
        move(actual.index, Value::reg(registers[formal.index], formal.type), formal.type, line);
      else if (formal.is_register && actual.kind == ValueKind::Variable)
        store_parameter(actual, Value::reg(registers[formal.index], formal.type), formal.type, line);
      else if (actual.is_register())
        load_parameter(actual.index, Value::variable(own_variable(formal.index, variables), 0, Type::U64),
                       result_.registers[actual.index], line);
    }
    active_.pop_back();
  }

  void system_call(const SystemSignature& system, const CallSite& site, std::uint32_t line) {
    if (site.arguments.size() != system.arguments.size())
      unsupported("call of '" + std::string(system.name) + "' with other parameters than it has", line);
    Instruction in = helper(Opcode::SystemCall, Kind::SystemCall, system.result, line);
    in.op.mode = static_cast<std::uint8_t>(system.function);
    for (std::size_t i = 0; i < site.arguments.size(); ++i) {
      Value value = site.arguments[i];
      if (value.kind == ValueKind::Variable && module_.variables[value.index].space == StateSpace::Param) {
        const std::uint32_t reg = result_.add_register(system.arguments[i]);
        load_parameter(reg, value, system.arguments[i], line);
        value = Value::reg(reg, system.arguments[i]);
      }
      value.type = system.arguments[i];
      in.add_source(value);
    }
    if (system.result == Type::None) {
      result_.code.push_back(in);
      return;
    }
    const std::uint32_t reg = result_.add_register(system.result);
    in.add_destination(Value::reg(reg, system.result));
    result_.code.push_back(in);
    if (site.returns.empty()) return;
    if (site.returns[0].is_register())
      move(site.returns[0].index, Value::reg(reg, system.result), system.result, line);
    else if (site.returns[0].kind == ValueKind::Variable)
      store_parameter(site.returns[0], Value::reg(reg, system.result), system.result, line);
  }

  ParsedModule& module_;
  Function result_;
  std::vector<std::string> active_;
};

}  // namespace

Function inline_calls(ParsedModule& module, const Function& entry) { return Inliner(module).run(entry); }

}  // namespace duet::ptx
