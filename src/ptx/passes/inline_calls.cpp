// Inlining, and calls of CUDA's device runtime (system_functions.h). A function is inlined unless it lies on
// a call cycle or the kernel has become very long or deep; an indirect call becomes an indexed branch over
// its possible targets.
#include <bit>
#include <map>

#include "ptx/passes/call_graph.h"
#include "ptx/passes/passes.h"
#include "ptx/passes/system_functions.h"

namespace duet::ptx {

using ir::CallSite;
using ir::Formal;
using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::ParsedModule;
using ir::Pseudo;
using ir::RoutineCall;
using ir::Routines;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr std::size_t kLargestKernel = 2'000'000;
// Beyond these a function is a routine: instructions of a kernel, bodies inlined into one another.
constexpr std::size_t kMostInlined = 200'000;
constexpr unsigned kDeepestInlined = 200;

// How a call's parameter variable is cut where it is copied to or from a frame.
struct Piece {
  Bytes offset;
  Type type;
};

Type piece_type(Bytes bytes) {
  switch (bytes) {
    case 1:
      return Type::U8;
    case 2:
      return Type::U16;
    case 4:
      return Type::B32;
    default:
      return Type::B64;
  }
}
bool fits_register(Bytes bytes) { return bytes <= 8 && std::has_single_bit(bytes); }

class Inliner : private SystemCalls {
 public:
  Inliner(ParsedModule& module, const Function& entry) : SystemCalls(module), graph_(module, entry) {}

  Routines run(const Function& entry) {
    Function& result = routines_.function;
    result = entry;
    result.code.clear();
    routines_.return_number = transfer(Type::U32);
    routines_.routines.push_back({entry.name, {}, {}, kNone, kNone, kNone});
    std::vector<std::uint32_t> registers(entry.registers.size());
    for (std::uint32_t i = 0; i < registers.size(); ++i) registers[i] = i;
    Variables variables;
    for (const Formal& p : entry.parameters)
      if (!p.is_register) variables[p.index] = p.index;
    copy(entry, registers, variables, 0, kNone);
    written_ = code_.size();
    routines_.routines[0].code = std::move(code_);
    // Each adds its callees on cycles that are not in the list yet.
    for (std::uint32_t u = 1; u < routines_.routines.size(); ++u) write_routine(u);
    return std::move(routines_);
  }

 private:
  using Variables = std::unordered_map<std::uint32_t, std::uint32_t>;
  // A function with a frame. Transfers are registers by return value and parameter; kNone: in the frame.
  struct Linkage {
    const Function* function;
    std::vector<std::uint32_t> registers;
    Variables variables;
    std::vector<std::uint32_t> return_transfers, parameter_transfers;
    std::uint32_t first_label, table;
  };

  // Local and parameter variables of a body are its own in every copy.
  std::uint32_t own_variable(std::uint32_t index, Variables& variables) {
    const auto& v = module_.variables[index];
    if (v.space != StateSpace::Local && v.space != StateSpace::Param) return index;
    const auto [found, fresh] =
        variables.try_emplace(index, static_cast<std::uint32_t>(module_.variables.size()));
    if (fresh) module_.variables.push_back(ir::IrVariable(v));
    return found->second;
  }

  Value map(Value value, const std::vector<std::uint32_t>& registers, Variables& variables) {
    if (value.is_register()) value.index = registers[value.index];
    if (value.kind == ValueKind::Variable) value.index = own_variable(value.index, variables);
    return value;
  }

  void copy(const Function& body, const std::vector<std::uint32_t>& registers, Variables& variables,
            std::uint32_t first_label, std::uint32_t return_label) {
    if (!body.unsupported.empty()) throw ir::Unsupported{body.unsupported};
    routines_.function.names_32_lanes |= body.names_32_lanes;
    routines_.function.names_reserved_shared |= body.names_reserved_shared;
    std::uint32_t first_table = 0;
    if (return_label != kNone) {
      first_table = static_cast<std::uint32_t>(routines_.function.branch_tables.size());
      for (auto table : body.branch_tables) {
        for (auto& label : table) label += first_label;
        routines_.function.branch_tables.push_back(std::move(table));
      }
    }
    for (const Instruction& original : body.code) {
      if (written_ + code_.size() > kLargestKernel)
        unsupported("a kernel of more than " + std::to_string(kLargestKernel) +
                        " instructions with the functions it calls",
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
        site.target = map(site.target, registers, variables);
        call(in, site, body, body.calls[original.call]);
        continue;
      }
      code_.push_back(in);
    }
  }

  // `original`: the site as `body` has it, before its values were mapped.
  void call(const Instruction& in, const CallSite& site, const Function& body, const CallSite& original) {
    const std::uint32_t line = in.op.ptx_line;
    std::uint32_t skip = kNone;
    if (in.guarded()) {  // @p call: branch around it
      skip = routines_.function.labels++;
      branch(skip, line);
      code_.back().guard = in.guard;
      code_.back().op.guard_negated = !in.op.guard_negated;
    }
    if (site.callee.empty()) {
      indirect_call(site, body, original, line);
    } else {
      // NVIDIA's device runtime comes with bodies; they call functions of its driver.
      const Function* callee = graph_.find(site.callee);
      const SystemSignature* const system = system_function(callee == nullptr ? site.callee : callee->name);
      const bool has_body = callee != nullptr && callee->has_body;
      if (has_body && (system == nullptr || !system->is_nvidias()))
        call_function(*callee, site, body, original, line);
      else if (system != nullptr)
        system_call(*system, site, line);
      else
        unsupported("function '" + site.callee + "' has no body, a call to it is not supported", line);
    }
    if (skip != kNone) mark(skip, line);
  }

  void call_function(const Function& callee, const CallSite& site, const Function& body,
                     const CallSite& original, std::uint32_t line) {
    if (site.arguments.size() != callee.parameters.size() || site.returns.size() > callee.returns.size())
      unsupported("call of '" + callee.name + "' with other parameters than it declares", line);
    if (graph_.on_cycle(callee) || written_ + code_.size() > kMostInlined || depth_ == kDeepestInlined)
      call_routine(callee, site, body, original, line);
    else
      inline_body(callee, site, line);
  }

  void indirect_call(const CallSite& site, const Function& body, const CallSite& original,
                     std::uint32_t line) {
    const auto candidates = graph_.candidates(site);
    const std::uint32_t first = routines_.function.labels,
                        join = first + static_cast<std::uint32_t>(candidates.size());
    routines_.function.labels = join + 1;
    Instruction in = ir::instruction(Opcode::BranchIndexed, Type::U64, line);
    in.label = static_cast<std::uint32_t>(routines_.function.branch_tables.size());
    in.add_source(site.target);
    code_.push_back(in);
    routines_.function.branch_tables.emplace_back();
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      routines_.function.branch_tables[in.label].push_back(first + i);
      routines_.function.code_addresses[in.label].push_back(candidates[i].address);
    }
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      mark(first + i, line);
      call_function(*candidates[i].function, site, body, original, line);
      branch(join, line);
    }
    mark(join, line);
  }

  std::uint32_t transfer(Type type) {
    routines_.transfers.push_back(routines_.function.add_register(type));
    return routines_.transfers.back();
  }

  std::uint32_t routine_of(const Function& function) {
    const auto [found, fresh] =
        routine_index_.try_emplace(&function, static_cast<std::uint32_t>(routines_.routines.size()));
    if (!fresh) return found->second;
    Function& result = routines_.function;
    ir::Routine routine;
    routine.name = function.name;
    routine.entry_label = result.labels;
    routine.return_label = result.labels + 1;
    Linkage linkage{&function,
                    {},
                    {},
                    {},
                    {},
                    result.labels + 2,
                    static_cast<std::uint32_t>(result.branch_tables.size())};
    result.labels += 2 + function.labels;
    result.branch_tables.emplace_back();
    for (const Type type : function.registers) linkage.registers.push_back(result.add_register(type));
    routine.return_number = result.add_register(Type::U32);
    const auto place = [&](const std::vector<Formal>& formals, std::vector<std::uint32_t>& transfers) {
      for (const Formal& formal : formals) {
        if (formal.is_register) {
          transfers.push_back(transfer(formal.type));
          continue;
        }
        const std::uint32_t variable = own_variable(formal.index, linkage.variables);
        const Bytes bytes = module_.variables[variable].bytes;
        if (fits_register(bytes)) {
          transfers.push_back(transfer(bytes == 8 ? Type::B64 : Type::B32));
        } else {
          transfers.push_back(kNone);
          module_.variables[variable].in_frame = true;
          routine.frame_parameters.push_back(variable);
        }
      }
    };
    place(function.returns, linkage.return_transfers);
    place(function.parameters, linkage.parameter_transfers);
    routines_.routines.push_back(std::move(routine));
    linkages_.emplace(found->second, std::move(linkage));
    return found->second;
  }

  void write_routine(std::uint32_t u) {
    Linkage& linkage = linkages_.at(u);  // stays where it is
    const Function& body = *linkage.function;
    const ir::Routine routine = routines_.routines[u];
    code_.clear();
    mark(routine.entry_label, body.line);
    move(routine.return_number, Value::reg(routines_.return_number, Type::U32), Type::U32, body.line);
    const auto variable_of = [&](const Formal& formal) {
      return Value::variable(linkage.variables.at(formal.index), 0, Type::U64);
    };
    const auto type_of = [&](const Formal& formal) {
      return formal.is_register ? formal.type : piece_type(module_.variables[formal.index].bytes);
    };
    for (std::size_t i = 0; i < body.parameters.size(); ++i) {
      const Formal& formal = body.parameters[i];
      const std::uint32_t from = linkage.parameter_transfers[i];
      if (from == kNone) continue;
      const Value value = Value::reg(from, type_of(formal));
      if (formal.is_register)
        move(linkage.registers[formal.index], value, formal.type, body.line);
      else
        store_parameter(variable_of(formal), value, type_of(formal), body.line);
    }
    copy(body, linkage.registers, linkage.variables, linkage.first_label, routine.return_label);
    const std::uint32_t line = code_.back().op.ptx_line;
    mark(routine.return_label, line);
    for (std::size_t i = 0; i < body.returns.size(); ++i) {
      const Formal& formal = body.returns[i];
      const std::uint32_t to = linkage.return_transfers[i];
      if (to == kNone) continue;
      if (formal.is_register)
        move(to, Value::reg(linkage.registers[formal.index], formal.type), formal.type, line);
      else
        load_parameter(to, variable_of(formal), type_of(formal), line);
    }
    Instruction in = ir::instruction(Opcode::Return, Type::U32, line);
    in.label = linkage.table;
    in.add_source(Value::reg(routine.return_number, Type::U32));
    code_.push_back(in);
    written_ += code_.size();
    routines_.routines[u].code = std::move(code_);
  }

  // The accesses by which `body` fills a call's parameter, or reads a return value; the whole variable where
  // they overlap or there are none.
  std::vector<Piece> pieces_of(const Function& body, std::uint32_t variable, Kind kind) const {
    std::map<Bytes, Bytes> found;
    bool whole = false;
    for (const Instruction& in : body.code) {
      if (in.pseudo != Pseudo::None) continue;
      for (unsigned s = 0; s < in.op.source_count; ++s) {
        const Value& value = in.sources[s];
        if (value.kind != ValueKind::Variable || value.index != variable) continue;
        if (s != 0 || (in.op.kind != Kind::Load && in.op.kind != Kind::Store)) {
          whole = true;
        } else if (in.op.kind == kind) {
          const Bytes bytes = type_bytes(in.op.type);
          for (unsigned e = 0; e < in.op.vector_elements; ++e) {
            const auto [at, fresh] = found.try_emplace(value.bits + e * bytes, bytes);
            whole |= !fresh && at->second != bytes;
          }
        }
      }
    }
    std::vector<Piece> result;
    Bytes end = 0;
    for (const auto& [offset, bytes] : found) {
      whole |= offset < end;
      end = offset + bytes;
      result.push_back({offset, piece_type(bytes)});
    }
    if (!whole && !result.empty()) return result;
    result.clear();
    const Bytes bytes = module_.variables[variable].bytes;
    for (Bytes offset = 0; offset < bytes;) {
      Bytes piece = std::min<Bytes>(8, module_.variables[variable].alignment);
      while (piece > bytes - offset) piece /= 2;
      result.push_back({offset, piece_type(piece)});
      offset += piece;
    }
    return result;
  }

  bool is_parameter(const Value& value) const {
    return value.kind == ValueKind::Variable && module_.variables[value.index].space == StateSpace::Param;
  }

  void call_routine(const Function& callee, const CallSite& site, const Function& body,
                    const CallSite& original, std::uint32_t line) {
    const std::uint32_t u = routine_of(callee);
    RoutineCall call;
    call.routine = u;
    const auto temporary = [&](Type type) {
      return routines_.function.add_register(type_bytes(type) == 8 ? Type::B64 : Type::B32);
    };
    const auto place = [](const Value& variable, Bytes offset) {
      Value result = variable;
      result.bits += offset;
      return result;
    };
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
      const Formal& formal = callee.parameters[i];
      const Value& actual = site.arguments[i];
      const std::uint32_t to = linkages_.at(u).parameter_transfers[i];
      if (to != kNone) {
        const Type type =
            formal.is_register ? formal.type : piece_type(module_.variables[formal.index].bytes);
        if (is_parameter(actual))
          load_parameter(to, actual, type, line);
        else
          move(to, actual, type_bytes(type) == 8 || type == Type::Pred ? type : Type::B32, line);
        continue;
      }
      if (!is_parameter(actual))
        unsupported("call of '" + callee.name + "' with a register for a parameter in memory", line);
      for (const Piece& piece : pieces_of(body, original.arguments[i].index, Kind::Store)) {
        const std::uint32_t reg = temporary(piece.type);
        load_parameter(reg, place(actual, piece.offset), piece.type, line);
        call.arguments.push_back({linkages_.at(u).variables.at(formal.index), piece.offset,
                                  Value::reg(reg, piece.type), piece.type});
      }
    }
    Instruction in = ir::instruction(Opcode::Nop, Type::None, line);
    in.pseudo = Pseudo::Call;
    in.call = static_cast<std::uint32_t>(routines_.calls.size());
    code_.push_back(in);
    for (std::size_t i = 0; i < site.returns.size(); ++i) {
      const Formal& formal = callee.returns[i];
      const Value& actual = site.returns[i];
      const std::uint32_t from = linkages_.at(u).return_transfers[i];
      if (from == kNone) {
        if (!is_parameter(actual)) continue;
        for (const Piece& piece : pieces_of(body, original.returns[i].index, Kind::Load)) {
          const std::uint32_t reg = temporary(piece.type);
          call.returns.push_back({linkages_.at(u).variables.at(formal.index), piece.offset,
                                  Value::reg(reg, piece.type), piece.type});
          store_parameter(place(actual, piece.offset), Value::reg(reg, piece.type), piece.type, line);
        }
        continue;
      }
      const Type type = formal.is_register ? formal.type : piece_type(module_.variables[formal.index].bytes);
      const Value value = Value::reg(from, type);
      if (actual.is_register())
        move(actual.index, value, type_bytes(type) == 8 || type == Type::Pred ? type : Type::B32, line);
      else if (actual.kind == ValueKind::Variable)
        store_parameter(actual, value, type, line);
    }
    routines_.calls.push_back(std::move(call));
  }

  void inline_body(const Function& callee, const CallSite& site, std::uint32_t line) {
    std::vector<std::uint32_t> registers(callee.registers.size());
    const auto base = static_cast<std::uint32_t>(routines_.function.registers.size());
    for (std::uint32_t i = 0; i < registers.size(); ++i) registers[i] = base + i;
    routines_.function.registers.insert(routines_.function.registers.end(), callee.registers.begin(),
                                        callee.registers.end());
    Variables variables;
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

    const std::uint32_t first_label = routines_.function.labels;
    routines_.function.labels += callee.labels + 1;
    const std::uint32_t return_label = first_label + callee.labels;
    ++depth_;
    copy(callee, registers, variables, first_label, return_label);
    --depth_;
    // A body with its only return at its end falls through.
    if (const Instruction& last = code_.back(); last.pseudo == Pseudo::None && last.op.kind == Kind::Branch &&
                                                !last.guarded() && last.label == return_label)
      code_.pop_back();
    mark(return_label, line);

    for (std::size_t i = 0; i < site.returns.size(); ++i) {
      const Formal& formal = callee.returns[i];
      const Value& actual = site.returns[i];
      if (formal.is_register && actual.is_register())
        move(actual.index, Value::reg(registers[formal.index], formal.type), formal.type, line);
      else if (formal.is_register && actual.kind == ValueKind::Variable)
        store_parameter(actual, Value::reg(registers[formal.index], formal.type), formal.type, line);
      else if (actual.is_register())
        load_parameter(actual.index, Value::variable(own_variable(formal.index, variables), 0, Type::U64),
                       routines_.function.registers[actual.index], line);
    }
  }

  const CallGraph graph_;
  std::size_t written_ = 0;  // instructions of earlier routines
  unsigned depth_ = 0;       // bodies being inlined
  std::unordered_map<const Function*, std::uint32_t> routine_index_;
  std::unordered_map<std::uint32_t, Linkage> linkages_;  // by routine
};

}  // namespace

Routines inline_calls(ParsedModule& module, const Function& entry) {
  return Inliner(module, entry).run(entry);
}

}  // namespace duet::ptx
